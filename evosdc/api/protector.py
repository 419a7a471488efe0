"""``evosdc.Protector``: protection as an estimator, in the manner of scikit-learn."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from evosdc.api.html import Shown
from evosdc.api.protection import apply, explain, protect
from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.options.masking import ApplyOptions
from evosdc.options.search import ProtectOptions

OF_FIT = (
    "protect", "require", "il", "dr", "fitness", "audience", "bound", "time", "generations", "seed", "key", "executor",
    "workers",
)  # fmt: skip
"""Options of `evosdc.protect` that an estimator has."""


class Protector(Shown):
    """Learns how to protect a file, as a recipe, and protects further files by it.

    It has what scikit-learn asks of an estimator, `get_params` and `set_params` among it, and needs no scikit-learn.

    Parameters
    ----------
    protect, require, il, dr, fitness, audience, bound, time, generations, seed, key, executor, workers
        As of `evosdc.protect`.
    shuffle : bool
        Whether `transform` puts the records in random order. By default they stay in order, so that they go with a
        target `y`; a frame in order may tell what is masked, and is not for release.
    unlike : bool
        Whether `transform` goes on where the records are unlike those that it was fitted on.

    Attributes
    ----------
    recipe_ : str
        The recipe as ``recipe.toml`` has it.
    result_ : ProtectedData
        What `fit` found, with verdict, front and scores.
    feature_names_in_ : list of str

    Examples
    --------
    >>> protector = evosdc.Protector(protect=["age", "sex"], time="60s").fit(frame)  # doctest: +SKIP
    >>> protected = protector.transform(next_wave)  # doctest: +SKIP
    """

    title, page = "A recipe that protects further files", "recipe.html"
    __signature__ = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if name == "shuffle" else model.model_fields[name].default,
                annotation=model.model_fields[name].annotation,
            )
            for model, names in ((ProtectOptions, OF_FIT), (ApplyOptions, ("shuffle", "unlike")))
            for name in names
        ]
    )

    def __init__(self, **params: Any) -> None:
        vars(self).update({name: one.default for name, one in self.__signature__.parameters.items()})
        self.set_params(**params)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as they were given."""
        return {name: getattr(self, name) for name in self.__signature__.parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; raises `ParameterError` for names that are none."""
        known = self.get_params()
        wanted = f"one of {', '.join(known)}"
        faults = [
            Fault(name, "an unknown parameter", wanted, did_you_mean(name, known))
            for name in params
            if name not in known
        ]
        if faults:
            raise ParameterError(faults)
        vars(self).update(params)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find a recipe that protects a frame, or Table, well; `y` is not looked at.

        Raises
        ------
        InputError
            As `evosdc.protect`; or no recipe was found, such as where nothing may be masked.
        """
        options = {name: getattr(self, name) for name in OF_FIT}
        self.result_ = protect(X, explainable=True, second_opinion=False, **options)
        recipe = self.result_.recipe
        if recipe is None:
            given, advice = "a file for which no recipe was found", "Give it more time, or fewer requirements."
            raise ParameterError(Fault("fit", given, "one that a recipe protects", advice))
        self.recipe_ = recipe.read_text(encoding="utf-8")
        self.feature_names_in_ = [str(name) for name in getattr(X, "columns", ())]
        return self

    def transform(self, X: Any) -> Any:
        """Return a frame or Table protected by the recipe, in the kind that was given.

        Raises
        ------
        InputError
            `fit` was not called, or the data are not such as the recipe was made for.
        """
        if not self.__sklearn_is_fitted__():
            given = "a Protector that was not fitted"
            raise ParameterError(Fault("transform", given, "one that was", "Call fit first."))
        params = self.get_params()
        with self._recipe_file() as recipe:
            return apply(recipe, X, **{name: params[name] for name in ("seed", "key", "shuffle", "unlike")}).frame

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return a frame protected by the recipe that was found for it."""
        return self.fit(X, y).transform(X)

    def plot(self) -> Any:
        """Return the picture of loss and risk of what `fit` found."""
        return self.result_.plot()

    def explain(self) -> list[str]:
        """Return the contribution of each step of the recipe, in sentences."""
        with self._recipe_file() as recipe:
            return explain(recipe)

    @contextmanager
    def _recipe_file(self) -> Iterator[Path]:
        with TemporaryDirectory(prefix="evosdc-") as folder:
            recipe = Path(folder) / "recipe.toml"
            recipe.write_text(self.recipe_, encoding="utf-8")
            yield recipe

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "recipe_")

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the estimator; only scikit-learn calls this."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        tags = TransformerTags(preserves_dtype=[])
        return Tags(
            estimator_type="transformer", target_tags=TargetTags(required=False), transformer_tags=tags,
            input_tags=InputTags(two_d_array=False, string=True, categorical=True, allow_nan=True),
        )  # fmt: skip

    def _lines(self) -> Any:
        usual = self.__signature__.parameters
        given = {name: value for name, value in self.get_params().items() if value != usual[name].default}
        yield f"Protector({', '.join(f'{name}={value!r}' for name, value in given.items())})"
        if self.__sklearn_is_fitted__():
            yield from self.explain()
