"""What the framework itself offers as algorithms."""

from evosdc.specs import AlgorithmSpec


def algorithm_specs() -> tuple[AlgorithmSpec, ...]:
    """Return the specs of the shipped algorithms."""
    return (
        AlgorithmSpec(
            name="parent-child", implementation="evosdc.algorithms.parent_child:ParentChild",
            summary="Mutation or crossover; a child takes its parent's place when it is better.",
            source="Mares (2013), ch. 3 and 4 (outline); operators' rates and selection are a reconstruction.",
            default_for=("experiment",),
        ),
        AlgorithmSpec(
            name="generational", implementation="evosdc.algorithms.generational:Generational",
            summary="Crossover and mutation make a whole new generation; the best of the old one stay.",
            source="Mares (2013), 2.1.2; De Jong (2006).",
        ),
        AlgorithmSpec(
            name="steady-state", implementation="evosdc.algorithms.steady_state:SteadyState",
            summary="Small tournaments: the best reproduce, and better children take the places of the worst.",
            source="Mares (2013), 2.2, Algorithm 2; sizes and rates are a reconstruction.",
        ),
        AlgorithmSpec(
            name="nsga2", implementation="evosdc.algorithms.multiobjective:NonDominatedSorting",
            summary="A whole front: survival by front, then by crowding distance.",
            source="Deb, Pratap, Agarwal, Meyarivan (2002).",
        ),
        AlgorithmSpec(
            name="nsga3", implementation="evosdc.algorithms.multiobjective:ReferencePoints",
            summary="A whole front of three or more objectives: survival by front, then by niches.",
            source="Deb, Jain (2014), as DEAP's selNSGA3.",
        ),
        AlgorithmSpec(
            name="spea2", implementation="evosdc.algorithms.multiobjective:StrengthPareto",
            summary="A whole front: survival by strength and density.", source="Zitzler, Laumanns, Thiele (2001).",
        ),
        AlgorithmSpec(
            name="sms-emoa", implementation="evosdc.algorithms.multiobjective:HypervolumeSelection",
            summary="A whole front: survival by what each member adds to the hypervolume.",
            source="Beume, Naujoks, Emmerich (2007).",
        ),
        AlgorithmSpec(
            name="moead", implementation="evosdc.algorithms.moead:Decomposition",
            summary="A whole front: many weighted combinations at once, each with what its neighbours find.",
            source="Zhang, Li (2007); slots of a generation propose at once.",
        ),
        AlgorithmSpec(
            name="random-search", implementation="evosdc.algorithms.random_search:RandomSearch",
            summary="A baseline: mutants of the starting files, or fresh random genomes.",
            source="A baseline of evosdc's own.",
        ),
        AlgorithmSpec(
            name="hill-climbing", implementation="evosdc.algorithms.hill_climbing:HillClimbing",
            summary="A baseline: first improvement by mutation, with restarts from the next best starting file.",
            source="A baseline of evosdc's own.",
        ),
        AlgorithmSpec(
            name="memetic", implementation="evosdc.algorithms.memetic:Memetic",
            summary="Any algorithm on a population, with local improvement of its best member in between.",
            source="Memetic algorithms, Moscato (1989); rounds, moves and combinations are evosdc's own.",
            default_for=("protect",),
        ),
        AlgorithmSpec(
            name="racing", implementation="evosdc.algorithms.racing:Racing",
            summary="Children are evaluated on one table, and only promising ones on all tables.",
            source="Maron, Moore (1994); successive halving: Jamieson, Talwalkar (2016); details are evosdc's own.",
            default_for=("plan",),
        ),
        AlgorithmSpec(
            name="islands", implementation="evosdc.algorithms.islands:Islands",
            summary="Several populations with an algorithm of their own each, and migrants round a ring.",
            source="Ring migration as in Cohoon et al. (1987) and deap.tools.migRing.",
        ),
    )  # fmt: skip
