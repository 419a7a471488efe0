"""A recipe in sentences: what each of its steps contributes."""

from collections.abc import Iterator, Mapping, Sequence

from evosdc.experiment.config.recipe_file import Recipe, RecipeStep
from evosdc.model.constraint import Constraint, without_publishable
from evosdc.model.individual import INFEASIBILITY

SMALL = 0.05
"""Points on the 0..100 scale below which a difference is not told."""

VERBS = {
    "dr": ("takes {} points off the risk", "adds {} points to the risk"),
    "il": ("takes {} points off the loss", "costs {} points of loss"),
}
"""What a step does to risk and loss, where they fall and where they rise."""

WORDS = {"dr": "risk", "il": "loss", "score": "score"}


def explanation(recipe: Recipe) -> Iterator[str]:
    """Yield sentences: what the recipe does for the file, and what each step does for the recipe."""
    whole, original = recipe.scores, recipe.original
    if not recipe.digest:
        yield "Written by hand, or by another version: whether the figures are of these steps is not known."
    elif recipe.edited:
        edited = [number for number, step in enumerate(recipe.steps, 1) if step.words != step.masking.label]
        which = f"step {', '.join(map(str, edited))}" if edited else "steps left out or moved, or what is beside them"
        yield f"Changed by hand since the recipe was judged: {which}. All figures are those of before."
    if whole and original:
        every = f"All {len(recipe.steps)} steps" if len(recipe.steps) > 1 else "The step"
        yield f"{every}: {_change(original, whole)}."
    for number, step in enumerate(recipe.steps, 1):
        share = _contribution(step, whole, _assures(recipe, step), _broken(recipe, step))
        yield f"Step {number}, {step.masking.label}: {share}"
    if recipe.draws > 1:
        yield f"All figures are means over {recipe.draws} files; they differ a little on others."


def _assures(recipe: Recipe, step: RecipeStep) -> bool:
    """Whether it is the step that all plans had to end by."""
    genotype = recipe.judged.get("genotype")
    last = genotype.get("last") if isinstance(genotype, Mapping) else None
    return isinstance(last, Mapping) and step is recipe.steps[-1] and last.get("method") == step.method


def _contribution(step: RecipeStep, whole: Mapping[str, float], assures: bool, broken: Sequence[str]) -> str:
    if not step.words:
        return "it was added by hand, so that its share is not known."
    if not step.without or not whole:
        return "without it the recipe cannot be carried out, so that its share is not known."
    before, after = step.without, whole
    needs = f"{' and '.join(broken) or 'what is required'} {'do' if len(broken) > 1 else 'does'}"
    needed = before.get(INFEASIBILITY, 0.0) > after.get(INFEASIBILITY, 0.0) == 0.0
    if all(abs(after[name] - before[name]) < SMALL for name in ("il", "dr") if name in after and name in before):
        if needed:
            return f"it makes sure of what is required: without it {needs} not hold. Loss and risk hardly change."
        if assures:
            return "it makes sure of what is required on any file; on this one there was hardly anything left to do."
        return "it changes neither loss nor risk; the recipe would do without it."
    parts: list[str] = []
    for name, (less, more) in VERBS.items():
        if name not in before or name not in after:
            continue
        gap = after[name] - before[name]
        if abs(gap) >= SMALL:
            verb = (more if gap > 0 else less).format(f"{abs(gap):.2f}")
            parts.append(f"{verb} ({before[name]:.2f} -> {after[name]:.2f})")
    both = "score" in before and "score" in after
    scored = f"; the score is {after['score']:.2f}, without it {before['score']:.2f}" if both else ""
    last = ""
    if needed:
        last = f" Without it {needs} not hold."
    elif assures:
        last = " It makes sure of what is required on any file."
    elif before.get("score", after.get("score", 0.0)) < after.get("score", 0.0) - SMALL:
        last = " On these files the recipe is better without it: a longer search might leave it out."
    does = " and ".join(parts) or "changes neither loss nor risk that are known"
    return f"it {does}{scored}.{last}"


def _broken(recipe: Recipe, step: RecipeStep) -> list[str]:
    """Return what is required, or limits exchanged labels, and does not hold without a step, as far as is known."""
    listed = recipe.judged.get("constraints", ())
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list | tuple) else []
    on_figures, _ = without_publishable(texts)  # of a file without a step nobody has asked for a verdict
    known = [(text, Constraint.parse(text)) for text in on_figures]
    return [
        text
        for text, constraint in known
        if constraint.figure_name in step.without and constraint.excess(step.without[constraint.figure_name]) > 0.0
    ]


def _change(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    both = {name: word for name, word in WORDS.items() if name in before and name in after}
    return ", ".join(f"{word} {before[name]:.2f} -> {after[name]:.2f}" for name, word in both.items())
