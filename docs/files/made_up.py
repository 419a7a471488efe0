"""The made-up files of the documentation: ``python -m docs.files.made_up`` writes them anew, the same to the last byte.

``patients.csv`` and ``patients-2027.csv`` are two waves of a survey of patients, ``persons.csv`` people in households.
Nobody in them is real. Attributes depend on each other, so that there is something to lose by masking.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parent
FIRST = (
    "Ada",
    "Ben",
    "Cleo",
    "Dan",
    "Eva",
    "Finn",
    "Gala",
    "Hugo",
    "Iris",
    "Jon",
    "Kira",
    "Leo",
    "Mia",
    "Nils",
    "Olga",
)
LAST = (
    "Abel",
    "Berg",
    "Cruz",
    "Dahl",
    "Egger",
    "Frank",
    "Gold",
    "Huber",
    "Ivanov",
    "Jansen",
    "Keller",
    "Lund",
    "Moser",
)
REGIONS = ("north", "south", "east", "west")
EDUCATION = ("primary", "secondary", "vocational", "university")
JOBS = {
    "primary": ("farmer", "driver", "cleaner"),
    "secondary": ("clerk", "driver", "salesman"),
    "vocational": ("nurse", "electrician", "clerk"),
    "university": ("teacher", "engineer", "physician"),
}
ILLNESSES = ("none", "asthma", "diabetes", "depression", "cancer")


def patients(records: int, seed: int) -> pd.DataFrame:
    """Return a wave of the survey."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(9.0, 5.0, records).round().astype(int) + 8, 18, 94)
    education = rng.choice(EDUCATION, records, p=(0.2, 0.35, 0.25, 0.2))
    old = np.clip((age - 20) / 70, 0, 1)
    income = rng.normal(21, 4, records) + 9 * np.array([EDUCATION.index(level) for level in education]) + 10 * old
    ill = [
        rng.choice(ILLNESSES, p=(0.72 - 0.4 * share, 0.1, 0.06 + 0.2 * share, 0.08, 0.04 + 0.2 * share))
        for share in old
    ]
    marital = np.where(
        age < 26, "single", rng.choice(("married", "single", "divorced", "widowed"), records, p=(0.55, 0.2, 0.17, 0.08))
    )
    return pd.DataFrame(
        {
            "name": [f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(records)],
            "age": age,
            "sex": rng.choice(("female", "male"), records, p=(0.53, 0.47)),
            "region": rng.choice(REGIONS, records, p=(0.4, 0.3, 0.2, 0.1)),
            "marital": marital,
            "education": education,
            "job": [rng.choice(JOBS[level]) for level in education],
            "income": (100 * np.clip(income, 8, None).round(1)).astype(int),
            "illness": ill,
        }
    )


def persons(households: int, seed: int) -> pd.DataFrame:
    """Return people in households, with a sampling weight."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice((1, 2, 3, 4), households, p=(0.3, 0.35, 0.2, 0.15))
    home = np.repeat(np.arange(1, households + 1), sizes)
    region, weight = rng.choice(REGIONS, households), rng.gamma(4.0, 60.0, households).round(1)
    tenure = rng.choice(("owned", "rented"), households)
    return pd.DataFrame(
        {
            "household": home,
            "weight": weight[home - 1],
            "region": region[home - 1],
            "tenure": tenure[home - 1],
            "age": rng.integers(1, 90, len(home)),
            "sex": rng.choice(("female", "male"), len(home)),
            "illness": rng.choice(ILLNESSES, len(home), p=(0.7, 0.1, 0.08, 0.08, 0.04)),
        }
    )


def files() -> dict[str, pd.DataFrame]:
    """Return all files by name."""
    return {
        "patients.csv": patients(500, 2026),
        "patients-2027.csv": patients(450, 2027),
        "persons.csv": persons(150, 7),
    }


if __name__ == "__main__":
    for name, frame in files().items():
        frame.to_csv(FOLDER / name, index=False)
        print(f"{name}: {len(frame)} records")
