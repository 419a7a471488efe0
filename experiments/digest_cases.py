"""What `digests.py` takes digests of: commands that a user types, by name.

Parameters and data sets of the masking methods follow the catalogue of the study of
masking methods. Measures and methods are named one by one, so that a new one changes no digest. All draws come from
public seeds, and records keep their order: the same command gives the same file.
"""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = str(Path(os.environ["EVOSDC_DATA"]).resolve()) if os.environ.get("EVOSDC_DATA") else ""
"""The folder of published data sets; empty where there is none."""

MASKS = """
bottom-coding german-credit --set q=2
bottom-coding census --set share=0.1 --set output=median
clustered housing --set c=8 --set inner.method=mdav --set inner.k=5
clustered census --set c=4 --set inner.method=rank-swapping --set inner.p=10
clustered german-credit --by telephone --set c=3 --set inner.method=mondrian --set inner.output=interval
correlated-noise census --set alpha=0.1
correlated-noise tarragona --set alpha=0.5 --set rounding=false
global-median census --set k=10
global-median housing --set k=5 --set partitioning=global-order
global-recoding german-credit --set q=3
global-recoding adult --protect education,age --set 'partition.education=[["1st-4th", "5th-6th"]]' \
--set width.age=10 --set output=label
individual-ranking census --set k=5
individual-ranking housing --set k=4 --set average=convex-median
ipso census --protect agi,fedtax,taxinc --set 'confidential=["pothval", "ernval"]' --set variant=a
ipso census --protect agi,fedtax,taxinc --set 'confidential=["pothval", "ernval"]' --set variant=b
ipso tarragona --set variant=c
jpeg census --set quality=80
jpeg tarragona --set quality=20
jpeg2000 census --set rate=5
jpeg2000 tarragona --set rate=20
k-member housing --set k=5
k-member german-credit --set k=5 --set output=interval
k-member census --set k=5
liew census
liew housing --set significance=1.0
linear-transform-noise census --set alpha=0.25
linear-transform-noise tarragona --set alpha=0.5
local-suppression german-credit --set k=3 --set importance.savings=5
local-suppression housing --set k=5 --set missing=category
mdav tarragona --set k=5
mdav tarragona --protect sales,treasury,net-profit --set 'groups=[["sales","treasury"],["net-profit"]]' --set k=3
mdav housing --set k=3
mdav census --set group_size=3 --set k=4 --set destandardise=false
mdav german-credit --by telephone --set k=3
mondrian housing --set k=5
mondrian housing --set k=5 --set partitioning=relaxed --set dimension=random
mondrian german-credit --set k=10 --set output=interval
mondrian census --set k=10 --set partitioning=relaxed
multiplicative-noise census --set sigma=0.2
multiplicative-noise census --set variant=two-component --set f=0.1
noise census --set alpha=0.1
noise eia --set alpha=0.25
optimal-channel german-credit --protect existacc,savings,presemploy
pram housing --set design=a --set p=0.7
pram housing --set design=b --set theta=0.4
pram german-credit --set design=two-stage --set alpha=0.3 --protect existacc,savings
pram german-credit --set design=preference --set least=0.3 --set most=0.8
pram housing --set p=0.7 --set 'crossed=[["built", "degree"]]' --set structural_zeros=observed
projected-microaggregation tarragona --set k=5 --set projection=z-scores --set group_size=4
projected-microaggregation census --set k=3
r-gather german-credit --set k=5
r-gather housing --set k=5 --set output=centre
r-gather census --set k=5 --set output=interval
rank-swapping census --set p=15
rank-swapping housing --set p=5 --by metro
top-coding adult --protect age --set value=65 --set output=label
top-coding german-credit --set q=2
univariate-microaggregation census --set k=3
univariate-microaggregation housing --set k=5 --set average=median
"""
"""Arguments of ``evosdc mask``, a line each; the line is the name of its case. All are drawn with seed 1."""

GENERALISATION = "aecs,cavg,dm,dm-star,entropy,height,iloss,lm,precision"
CATEGORICAL = (
    "actbil,best-guess,bivariate-difference,chi-square-difference,classifier-accuracy,"
    "cluster-agreement,correct-matches,cramer-difference,ctbil,ctbil-mv,dbil,dbrl,ebil,frequency-change,hellinger,"
    f"hellinger-difference,id,ldp-epsilon,marginal-shift,prl,rsrl,unchanged,{GENERALISATION}"
)
NUMERIC = (
    "apil,cluster-agreement,data-discrepancy,dbrl,"
    f"eigenvalues-discrepancy,id,il1s,mean-variation,prl,regression-overlap,rsrl,{GENERALISATION}"
)

START = """start=[{method="mdav",k=3},{method="rank-swapping",p=5},{method="rank-swapping",p=15},
{method="mondrian",k=5},{method="univariate-microaggregation",k=5},{method="mdav",k=8,group_size=2},{method="k-member",k=3}]"""
HOUSING = ("housing/cells.toml", "algorithm={name='parent-child'}", START)
LATTICE = (
    "kanonymity-lab/samarati.toml",
    'data={name="german-credit",protect=["existacc","savings","presemploy","age","credit-amount"]}',
    "stop.generations=12",
)
EXPECTED = 'measures={il=["dbil","ctbil","ebil"],dr=["id","best-guess"]}'

SWEEPS: dict[str, tuple[str, ...]] = {
    "algorithms": (
        *HOUSING,
        """sweep.algorithm=["generational","steady-state","nsga2","nsga3","spea2","random-search","hill-climbing",
        {name="memetic",rounds=20},{name="islands",islands=2,interval=2,inner="generational",topology="star"},
        {name="parent-child",selection="tournament",variation="and"},{name="generational",selection="uniform",elite=2},
        {name="parent-child",selection="rank",adaptive=true},{name="generational",selection="truncation",gap=0.5},
        {name="parent-child",selection="stochastic-universal",leaders=3}]""",
    ),
    "operators of cells": (
        *HOUSING,
        """sweep.genotype=[{name="cells",crossover="one-point",mutations=3},{name="cells",crossover="uniform"},
        {name="cells",crossover="m-point",points=5},{name="cells",crossover="record-block",steps=true},
        {name="cells",crossover="attribute-block"}]""",
    ),
    "fitnesses": (
        *HOUSING,
        """sweep.fitness=["max",{name="weighted",il=1,dr=3},{name="weighted",measures={dbil=1,prl=2}},"pareto",
        {name="pareto",objectives="measures"},"dbil"]""",
    ),
    "constraints": (
        *HOUSING,
        """sweep.constraints=[["k-anonymity >= 2","dr <= 40"],["il of degree <= 30","dbrl <= 20"]]""",
    ),
    "numbers": (
        "thesis-ch3/tarragona.toml",
        'data={name="tarragona",protect=["sales","treasury","net-profit"]}',
        START,
        """sweep.genotype=[{name="cells",numbers="gaussian"},{name="cells",crossover="uniform"}]""",
        """sweep.algorithm=["parent-child",{name="memetic",rounds=10}]""",
    ),
    "categories and numbers": (
        "german/cells.toml",
        "algorithm={name='parent-child'}",
        'data={name="german-credit",protect=["existacc","credit-amount","savings"]}',
        'start={portfolio="mixed"}',
        'measures={il=["dbil","il1s"],dr=["id","dbrl","prl"]}',
    ),
    "algorithms of lattices": (
        *LATTICE,
        "genotype.k=5",
        """sweep.algorithm=["exhaustive","optimal","genetic","tabu","ga-tabu","random-restarts","bottom-up",
        "top-down"]""",
    ),
    "privacy of lattices": (
        *LATTICE,
        "algorithm.name=optimal",
        """sweep.genotype=[{name="lattice",k=5,l=2,sensitive=["class"]},
        {name="lattice",k=3,suppression=0.05,t=0.4,sensitive=["class"]},
        {name="lattice",k=3,p=2,suppression=0.1,suppressed="drop",sensitive=["class"]}]""",
    ),
    "modes of matrices": (
        "thesis-ch4-pram/housing.toml",
        "algorithm={name='parent-child'}",
        EXPECTED,
        """sweep.genotype=[{name="pram",invariance="flow",mutations=6,draws=2},{name="pram",judge="expectation",relabelling=100},
        {name="pram",invariance="two-stage",retained=0.8,draws=2},
        {name="pram",least=0.2,most=0.9,draws=2,rows="two-point"}]""",
    ),
    "modes of equations": (
        "thesis-ch4-gp/housing.toml",
        "algorithm={name='steady-state'}",
        "start.random=30",
        EXPECTED,
        """sweep.genotype=[{name="equations",decoding="full",draws=2},{name="equations",one_each=true,draws=2},
        {name="equations",decoding="offdiag",expected=true},{name="equations",two_stage=0.5,draws=2}]""",
    ),
    "fitnesses of equations": (
        "thesis-ch4-gp/housing.toml",
        "algorithm={name='steady-state'}",
        "start.random=30",
        'measures={il=["dbil","ctbil","ebil"],dr=["id","dbrl","prl"],other=["marginal-shift"]}',
        """sweep.fitness=["parsimony","penalised"]""",
    ),
}
"""Experiments of a few generations that go where those of the folder do not, by name: file and settings."""

PROTECT = "protect {} --keep-order --executor serial --quiet -o run"
GERMAN = (
    "mask pram german-credit --set design=two-stage --set alpha=0.3 --protect existacc,savings --seed 1 -o masked.csv"
)
OWN_FILE = "mask pram german-credit --set p=1 --seed 1 -o original.csv"
"""A file of the user's own: nothing is changed."""
SURVEY = f"{DATA}/ihsn_testdata/testdata.csv"

CHAINS: dict[str, tuple[str, ...]] = {
    "protect housing": (
        PROTECT.format("housing --seed 1"),
        "export run 1 --keep-order -o member.csv",
        "measure housing member.csv --json",
    ),
    "protect a file by a schema": (
        OWN_FILE,
        "init original.csv -o schema.toml",
        PROTECT.format("original.csv --schema schema.toml --protect existacc,savings,presemploy --seed 3"),
    ),
    "measure categories": (
        "mask rank-swapping german-credit --set p=5 --seed 1 -o masked.csv",
        f"measure german-credit masked.csv --measures {CATEGORICAL} --json",
    ),
    "measure categories, defaults and baselines": (
        "mask mdav housing --set k=4 --seed 1 -o masked.csv",
        "measure housing masked.csv --baselines --linkage mean --set ctbil.K=3 --json",
    ),
    "measure numbers": (
        "mask mdav tarragona --set k=5 --seed 1 -o masked.csv",
        f"measure tarragona masked.csv --measures {NUMERIC} --json",
    ),
    "measure generalised categories": (
        "mask mondrian german-credit --set k=5 --set output=interval --seed 1 -o masked.csv",
        f"measure german-credit masked.csv --measures {GENERALISATION} --json",
    ),
    "measure generalised numbers": (
        "mask mondrian tarragona --set k=5 --set output=interval --seed 1 -o masked.csv",
        f"measure tarragona masked.csv --measures {GENERALISATION} --json",
    ),
    "risk of a data set": ("risk housing --sensitive metro --json",),
    "risk of a survey": (
        f"risk {SURVEY} --quasi-identifiers urbrur,roof,sex,age,relat --sensitive electcon --weight sampling_weight "
        "--household ori_hid --json",
    ),
    "risk after PRAM": (
        OWN_FILE,
        GERMAN,
        "risk masked.csv --quasi-identifiers existacc,savings,presemploy --sensitive class --missing-rule wildcard "
        "--transitions masked.matrices.json --population original.csv --json",
    ),
    "estimate after PRAM": (
        GERMAN,
        "estimate masked.csv --matrices masked.matrices.json --protect savings,existacc --json",
    ),
    "mask by an equation": (
        f"run {HERE}/thesis-ch4-gp/housing.toml --executor serial --quiet -o run --set algorithm.generations=2",
        "equation run/equation.toml --simplify -o simple.toml",
        "mask pram housing --equation simple.toml --seed 1 -o masked.csv",
    ),
}
"""Commands that follow one another in one folder, by name."""
