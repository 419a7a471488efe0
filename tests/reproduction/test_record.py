"""Sources of studies: what decides on their results, and nothing else."""

import ast
from pathlib import Path

import pytest

from evosdc.reproduction.record import bare

SCRIPTS = sorted((Path(__file__).parents[2] / "experiments").rglob("*.py"))


def test_comments_docstrings_and_empty_lines_do_not_count():
    written = (
        '"""A module."""\n\nX = 1  # one\n\n\ndef f():\n    """Return it."""\n    # why\n    return "# no comment", X\n'
    )
    assert bare(written) == 'X = 1\ndef f():\n    return "# no comment", X'
    assert bare(written.replace("one", "uno").replace("it.", "this.")) == bare(written)
    assert bare(written.replace("X = 1", "X = 2")) != bare(written)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_left_of_a_script_still_does_what_it_did(path):
    def done(script: str) -> str:
        tree = ast.parse(script)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                texts = [one for one in body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)]
                node.body = [one for one in body if one not in texts] or [ast.Pass()]
        return ast.unparse(tree)

    script = path.read_text(encoding="utf-8")
    left = bare(script)
    try:
        assert done(left) == done(script)
    except SyntaxError:
        # A class or function of nothing but its docstring is left without a body: a digest does not mind.
        assert len(left) < len(script)
