"""The page of benchmarks is what the stored results give, and names every benchmark that can be run."""

from __future__ import annotations

import ast

from benchmarks.page import BENCHMARKS, HONEST, PAGE, RESULTS, WHICH, defaults, page, three_ways
from tests.docs.commands import ROOT


def test_the_page_is_what_the_stored_results_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert HONEST.read_text(encoding="utf-8") == defaults(HONEST.read_text(encoding="utf-8"))
    assert WHICH.read_text(encoding="utf-8") == three_ways(WHICH.read_text(encoding="utf-8"))


def test_every_benchmark_that_can_be_run_is_on_the_page() -> None:
    def runs(text: str) -> bool:
        return any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in ast.parse(text).body)

    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if runs(path.read_text(encoding="utf-8"))}
    assert scripts - {"page", "nist_scores"} == {benchmark.name for benchmark in BENCHMARKS}


def test_every_stored_result_is_shown() -> None:
    shown = {benchmark.kept or benchmark.name for benchmark in BENCHMARKS}
    assert {path.stem for path in RESULTS.glob("*.json")} <= shown
