"""What a study leaves in its folder: a summary of its settings, the figures of all its runs, and the best file's."""

from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.experiment.experiment import Experiment
from evosdc.experiment.run.outputs import csv_text
from evosdc.experiment.study_settings import PlannedRun, Setting
from evosdc.files.atomic import write_text
from evosdc.model.individual import precedence_of
from evosdc.printing import value_in_words
from evosdc.runs.layout import RESULT, RunFolder
from evosdc.runs.rank_tests import compared, spread_of

SUMMARY, RUNS = "summary.csv", "runs.csv"

FIGURES = ("fitness", "il", "dr")
_STATISTICS = ("mean", "sd", "min", "median", "max")


def write_study_result(
    folder: RunFolder,
    experiment: Experiment,
    settings: Sequence[Setting],
    runs: Sequence[PlannedRun],
    results: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Write ``summary.csv runs.csv result.json`` of a study; return the last one's content."""
    figures = [figures_of(result) for result in results]
    alike = comparable(settings)
    entries = [
        {"position": setting.position, "values": dict(setting.values), "label": setting.label}
        | summary_of([own for run, own in zip(runs, figures, strict=True) if run.setting == setting.position])
        for setting in settings
    ]
    best = results[min(range(len(results)), key=lambda position: _order(figures[position], alike["fitness"]))]
    listed = [
        {"setting": run.setting, "replicate": run.replicate}
        | {key: result[key] for key in ("folder", "seed", "evaluations", "generations", "seconds", "digest")}
        | {"best": {key: result["best"][key] for key in ("scores", "fitness")}}
        for run, result in zip(runs, results, strict=True)
    ]
    document = dict(best) | {
        "title": experiment.heading,
        "seed": experiment.seed,
        "replicates": listed,
        "spread": _spread([own["fitness"] for own in figures]) if alike["fitness"] else None,
        "settings": entries if experiment.sweep else [],
        "comparison": comparisons(settings, runs, figures) if experiment.sweep else None,
    }
    document["best"] = best["best"] | {"file": f"{best['folder']}/{best['best']['file']}"}
    write_text(folder.file(SUMMARY), csv_text(_summary_rows(experiment, entries)))
    write_text(folder.file(RUNS), csv_text(_run_rows(experiment, settings, runs, results, figures)))
    folder.write_json(RESULT, document)
    return document


def figures_of(result: Mapping[str, Any]) -> dict[str, float]:
    """Return the final figures of a run: ``infeasibility``, ``fitness``, and ``il`` and ``dr`` where judged."""
    # With several objectives ``fitness`` is the greatest coordinate of the balanced member of the front.
    scores = result["best"]["scores"]
    infeasibility, ranks = precedence_of(scores, result["best"]["fitness"])
    return {"infeasibility": infeasibility, "fitness": ranks[0]} | {n: scores[n] for n in ("il", "dr") if n in scores}


def summary_of(figures: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return how many runs a setting has, how many break constraints, and the spread of the figures of the others."""
    sound = [own for own in figures if own["infeasibility"] == 0.0]
    return {"runs": len(figures), "broken": len(figures) - len(sound)} | {
        name: spread_of([own[name] for own in sound if name in own]) for name in FIGURES
    }


def comparable(settings: Sequence[Setting]) -> dict[str, bool]:
    """Return, by figure, whether it means the same in all settings: by their data, measures, and fitness."""

    def same(*keys: str) -> bool:
        documents = [setting.experiment.to_json() for setting in settings]
        return all(document[key] == documents[0][key] for document in documents for key in keys)

    judged = same("data", "measures")
    return {"fitness": judged and same("fitness"), "il": judged, "dr": judged}


def comparisons(
    settings: Sequence[Setting], runs: Sequence[PlannedRun], figures: Sequence[Mapping[str, float]]
) -> dict[str, Any]:
    """Return, by figure, what can be said of differences between the settings; None where it is not comparable."""
    alike = comparable(settings)
    document: dict[str, Any] = {}
    for name in FIGURES:
        groups = [
            [
                own[name]
                for run, own in zip(runs, figures, strict=True)
                if run.setting == setting.position and own["infeasibility"] == 0.0 and name in own
            ]
            for setting in settings
        ]
        document[name] = compared(groups).to_json() if alike[name] and any(groups) else None
    return document


def _order(figures: Mapping[str, float], alike: bool) -> tuple[float, float]:
    # Where the fitness is one setting's own matter, the plain mean of loss and risk decides between settings.
    pair = [figures[name] for name in ("il", "dr") if name in figures]
    return figures["infeasibility"], figures["fitness"] if alike or not pair else sum(pair) / len(pair)


def _spread(values: Sequence[float]) -> dict[str, Any]:
    spread = spread_of(values)
    return {name: spread[name] for name in ("mean", "sd", "min", "max")}


def _summary_rows(experiment: Experiment, entries: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    header = [*experiment.sweep, "runs", "broken", *(f"{n}_{s}" for n in FIGURES for s in ("n", *_STATISTICS))]
    rows = [
        [
            *(value_in_words(value) for value in entry["values"].values()),
            entry["runs"],
            entry["broken"],
            *(entry[name][statistic] for name in FIGURES for statistic in ("n", *_STATISTICS)),
        ]
        for entry in entries
    ]
    return [header, *rows]


def _run_rows(
    experiment: Experiment,
    settings: Sequence[Setting],
    runs: Sequence[PlannedRun],
    results: Sequence[Mapping[str, Any]],
    figures: Sequence[Mapping[str, float]],
) -> list[list[Any]]:
    spent = ("evaluations", "generations", "seconds", "digest")
    header = ["folder", *experiment.sweep, "replicate", "seed", "violation", *FIGURES, *spent]
    rows = [
        [
            run.folder,
            *(value_in_words(value) for value in settings[run.setting].values.values()),
            run.replicate + 1,
            result["seed"],
            own["infeasibility"],
            *(own.get(name) for name in FIGURES),
            *(result[key] for key in spent),
        ]
        for run, result, own in zip(runs, results, figures, strict=True)
    ]
    return [header, *rows]
