"""The classifier of the learned judges: gradient boosting of small trees on classes."""

from warnings import catch_warnings, filterwarnings

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc_judges.classes import Codes

WIDEST = 250
"""Classes of a feature; what appears later than so many others goes together."""


def require_scikit_learn(where: str) -> None:
    """Raise `ParameterError` where scikit-learn is not installed."""
    try:
        import sklearn.ensemble  # noqa: F401
    except ModuleNotFoundError:
        advice = "Install it: pip install scikit-learn threadpoolctl."
        raise ParameterError(Fault(where, "an environment without scikit-learn", "scikit-learn", advice)) from None


def predicted(lessons: Codes, answers: Codes, asked: Codes, seed: int, rounds: int) -> Codes:
    """Return the classes that a learner gives to the asked records, shape (m,).

    Histogram gradient boosting of scikit-learn with `rounds` rounds of trees of eight leaves. Features are unordered
    classes, since published labels may mean anything. One thread, so that sums are taken in one order.

    Parameters
    ----------
    lessons : ndarray of int32, shape (n, F)
    answers : ndarray of int32, shape (n,)
    asked : ndarray of int32, shape (m, F)
    seed, rounds : int
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    found = np.unique(answers)
    if len(found) == 1:
        return np.full(len(asked), found[0], dtype=np.int32)
    learner = HistGradientBoostingClassifier(
        learning_rate=0.3,
        max_iter=rounds,
        max_leaf_nodes=8,
        min_samples_leaf=5,
        early_stopping=False,
        categorical_features=list(range(lessons.shape[1])),
        random_state=seed % (1 << 32),
    )
    with threadpool_limits(limits=1), catch_warnings():
        # Codes of many classes are no quantity, whatever scikit-learn takes them for.
        filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
        learner.fit(np.minimum(lessons, WIDEST), answers)
        answer = learner.predict(np.minimum(asked, WIDEST))
    return np.asarray(answer, dtype=np.int32)
