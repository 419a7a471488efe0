"""The conformance suite of genotypes: the core, and their capabilities."""

import io

# ruff: noqa: D102 -- the name of a test says what it asserts
import json

# ruff: noqa: D102 -- the name of a test says what it asserts
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import Any, ClassVar, Literal

import numpy as np

# ruff: noqa: D102 -- the name of a test says what it asserts
import pytest
from numpy.typing import NDArray

from evosdc.errors import InputError, PluginError
from evosdc.model import (
    Changes,
    Described,
    Direct,
    Fitted,
    Genotype,
    Guaranteed,
    Local,
    Microdata,
    Seedable,
    Stochastic,
)
from evosdc.model.genotype import Dump
from evosdc.secret import Streams, state_of
from evosdc.table.schema import Scale
from evosdc.table.table import Rows, Table

# ruff: noqa: D102 -- the name of a test says what it asserts
from evosdc.testing.acceptance import accepted, assert_unknown_keys_refused, on_every_table

# ruff: noqa: D102 -- the name of a test says what it asserts
from evosdc.testing.purity import arrays_in, assert_repeatable, fingerprint, generator, is_genome, unchanged
from evosdc.testing.tables import INTERPRETED, SHAPES, edited, interpreted, sample_microdata, shuffled


def assert_genome(genome: object, maker: str) -> None:
    """Assert that a genome is made of arrays and plain values only, and that its arrays are read-only."""
    assert is_genome(genome), f"{maker} returned {type(genome).__name__}: a genome is an ndarray or a tuple of such"
    for array in arrays_in(genome):
        assert not array.flags.writeable, f"{maker} returned a writable array; set array.flags.writeable = False"


def through_npz(dump: Dump) -> dict[str, NDArray[Any]]:
    """Return a dump as it comes back from the bytes of an npz file without pickle."""
    assert isinstance(dump, Mapping), f"dump returned {type(dump).__name__}, wanted a mapping of names to arrays"
    for name, array in dump.items():
        assert isinstance(name, str), f"dump uses the key {name!r}, wanted text"
        assert isinstance(array, np.ndarray), f"dump holds {type(array).__name__} under {name!r}, wanted an array"
        assert not array.dtype.hasobject, f"dump holds an array of objects under {name!r}, which npz would pickle"
    file = io.BytesIO()
    np.savez(file, **dict[str, Any](dump))
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def same_dump(a: Dump, b: Dump) -> bool:
    """Whether two dumps hold the same arrays: names, types, shapes and bits."""
    return a.keys() == b.keys() and all(
        a[name].dtype == b[name].dtype and a[name].shape == b[name].shape and a[name].tobytes() == b[name].tobytes()
        for name in a
    )


def neighbours(dump: Dump, rng: np.random.Generator, tries: int = 40) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield dumps that differ from `dump` in one element, which gets the value of another one or one near it.

    They need not be valid genomes.
    """
    names = [name for name, array in dump.items() if array.size]
    for attempt in range(tries if names else 0):
        name = names[attempt % len(names)]
        array = dump[name].copy().reshape(-1)
        position = int(rng.integers(array.size))
        donor = array[int(rng.integers(array.size))]
        if donor == array[position] and array.dtype.kind in "iufb":
            with np.errstate(over="ignore"):
                donor = ~array[position] if array.dtype.kind == "b" else array[position] + rng.choice([-1, 1])
        array[position] = donor
        changed = {**dump, name: array.reshape(dump[name].shape)}
        if not same_dump(changed, dump):
            yield changed


def lost_genes(parents: tuple[Dump, Dump], children: tuple[Dump, Dump], what: str) -> str:
    """Return the fault in the children's genes, or an empty text.

    Parameters
    ----------
    parents, children : pairs of dumps
    what : {"nothing", "alleles", "genes"}
        What the genotype says that its crossover conserves; see `GenotypeConformance.conserves`.
    """
    if what == "nothing":
        return ""
    for name in parents[0]:
        a, b = (parent[name] for parent in parents)
        c, d = (child[name] for child in children)
        if not a.shape == b.shape == c.shape == d.shape:
            return f"the arrays {name!r} have different shapes, so that genes cannot stand at the same locus"
        straight, crossed = (c == a) & (d == b), (c == b) & (d == a)
        inherited = ((c == a) | (c == b)) & ((d == a) | (d == b))
        kept = inherited if what == "alleles" else straight | crossed
        if not kept.all():
            count = int(np.size(kept) - np.count_nonzero(kept))
            return f"crossover lost genes at {count} of {np.size(kept)} loci of {name!r}"
    return ""


_STREAMS = Streams(seed=11)


class GenotypeSubject:
    """The genotype under test; see `evosdc.testing.GenotypeConformance`."""

    scales: ClassVar[Set[Scale]] = frozenset(Scale)
    """Scales of attributes that the genotype can protect, as in the spec."""

    conserves: ClassVar[Literal["nothing", "alleles", "genes"]] = "nothing"
    """What crossover conserves at each position of the dumped arrays.

    ``"genes"``: the two children have, between them, the two parents' values; ``"alleles"``: each child has the value
    of one of the parents; ``"nothing"``: no such promise.
    """

    exact_seeding: ClassVar[bool] = True
    """Whether the genome of a protected file decodes to that very file (where the genotype is `Seedable`)."""

    tables: ClassVar[Collection[str]] = tuple(SHAPES)
    """Names of the tables of `evosdc.testing.tables` to test on; fewer for what takes long on each."""

    interpreted: ClassVar[Collection[str]] = INTERPRETED
    """Names of the tables on which kernels are run uncompiled; fewer where that takes long."""

    _genotypes: ClassVar[dict[str, Genotype[Any]]] = {}
    _genomes: ClassVar[dict[tuple[int, int], list[tuple[str, Any]]]] = {}

    def genotype(self, microdata: Microdata) -> Genotype[Any]:
        """Return the genotype to test."""
        raise NotImplementedError("define genotype(self, microdata) and return the genotype to test")

    def microdata(self, table_name: str) -> Microdata:
        """Return a file to protect; override to attach hierarchies or to choose other data."""
        return sample_microdata(table_name, self.scales)

    def __init_subclass__(cls) -> None:
        """Give each suite a store of its own."""
        super().__init_subclass__()
        cls._genotypes = {}
        cls._genomes = {}

    def made(self, table_name: str) -> Genotype[Any]:
        """Return the genotype on a named table, one for all tests of a class; skips where it refuses an unusual one."""
        if table_name not in self._genotypes:
            microdata = self.microdata(table_name)
            genotype = accepted(table_name, lambda: self.genotype(microdata))
            named = type(genotype).__name__
            assert isinstance(genotype, Genotype), f"{named} is not a subclass of evosdc.model.Genotype"
            self._genotypes[table_name] = genotype
        return self._genotypes[table_name]

    def genomes(self, genotype: Genotype[Any], count: int = 3) -> list[tuple[str, Any]]:
        """Return genomes with the name of their origin: random, initial, seeded, mutated and crossed ones.

        They are made once for a genotype of `made`: genomes are values, as the suite asserts.
        """
        kept = any(genotype is other for other in self._genotypes.values())
        key = id(genotype), count
        if not kept or key not in self._genomes:
            made = self._new_genomes(genotype, count)
            if not kept:
                return made
            self._genomes[key] = made
        return list(self._genomes[key])

    def _new_genomes(self, genotype: Genotype[Any], count: int) -> list[tuple[str, Any]]:
        made = [("random", genotype.random(generator(0, i))) for i in range(count)]
        made += [("initial", genome) for _, genome in genotype.initial_genomes()[:count]]
        if isinstance(genotype, Seedable):
            made += [("seeded", genotype.seeded(masked)) for masked in protected(genotype.microdata.original)]
        parents = [genome for _, genome in made]
        for i, (a, b) in enumerate(pairwise(parents)):
            made += [("crossover", child) for child in genotype.crossover(a, b, generator(1, i))]
        for i, (_, genome) in enumerate(made[::2]):
            made.append(("mutate", genotype.mutate(genome, generator(2, i))))
        return made

    def decoded(self, genotype: Genotype[Any], genome: Any, draw: int = 0) -> Table:
        """Return the table of a genome in one draw, decoded with the stream that the engine would pass."""
        common = not isinstance(genotype, Stochastic) or genotype.common_random_numbers
        return genotype.decode(genome, _STREAMS.evaluate(draw, None if common else genotype.key(genome)))


def draws_of(genotype: Genotype[Any]) -> int:
    """Return how many tables are decoded for one evaluation."""
    return genotype.draws if isinstance(genotype, Stochastic) else 1


def protected(original: Table) -> list[Table]:
    """Return protected versions of a file, values in its domains, the file itself first."""
    return [original, edited(original, generator(20), 0.3)[0], shuffled(original, generator(21))]


class StorageTests(GenotypeSubject):
    """Tests of keys, checks, dumps and descriptions."""

    @on_every_table
    def test_check_accepts_what_the_genotype_makes(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype):
            genotype.check(genome)

    @on_every_table
    def test_keys_are_equal_just_where_dumps_are(self, table_name: str) -> None:
        genotype = self.made(table_name)
        pool = [genome for _, genome in self.genomes(genotype)]
        keys, dumps = [genotype.key(g) for g in pool], [genotype.dump(g) for g in pool]
        for key in keys:
            assert isinstance(key, bytes), f"key returned {type(key).__name__}, wanted bytes"
            assert len(key) >= 16, f"key returned {len(key)} bytes, wanted at least 16"
        for i in range(len(pool)):
            for j in range(i):
                self._assert_told_apart((keys[i], dumps[i]), (keys[j], dumps[j]))

    @on_every_table
    def test_keys_see_every_gene(self, table_name: str) -> None:
        genotype = self.made(table_name)
        genome = genotype.random(generator(8))
        dump = genotype.dump(genome)
        for other in neighbours(dump, generator(9)):
            try:
                changed = genotype.load(other)
                genotype.check(changed)
            except Exception:  # The altered dump is no genome of this genotype: nothing to tell apart.
                continue
            self._assert_told_apart((genotype.key(genome), dump), (genotype.key(changed), genotype.dump(changed)))

    def _assert_told_apart(self, a: tuple[bytes, Any], b: tuple[bytes, Any]) -> None:
        if same_dump(a[1], b[1]):
            assert a[0] == b[0], (
                "two genomes have equal dumps and different keys: a part is not dumped, or not canonical"
            )
        else:
            assert a[0] != b[0], "two genomes have different dumps and equal keys: the key ignores a part of the genome"

    @on_every_table
    def test_dumps_go_through_npz(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for maker, genome in self.genomes(genotype):
            loaded = genotype.load(through_npz(genotype.dump(genome)))
            assert_genome(loaded, "load")
            genotype.check(loaded)
            assert genotype.key(loaded) == genotype.key(genome), f"dump and load change a genome made by {maker}"
            assert self.decoded(genotype, loaded).same_records(self.decoded(genotype, genome)), "dump loses something"

    @on_every_table
    def test_descriptions_are_json_without_records(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype, count=2):
            json.dumps(genotype.describe(genome), allow_nan=False)
        n = len(genotype.microdata.table)
        if table_name == "many-records":
            described = json.loads(json.dumps(genotype.describe(genotype.random(generator(16)))))
            assert n not in _lengths(described), "the description lists something for every record; show totals"


def _lengths(value: object) -> set[int]:
    """Return the lengths of all lists and objects in a JSON value."""
    if isinstance(value, dict):
        return {len(value)}.union(*map(_lengths, value.values()))
    if isinstance(value, list):
        return {len(value)}.union(*map(_lengths, value))
    return set()


class VariationTests(GenotypeSubject):
    """Tests of random genomes, crossover, mutation and distance."""

    @on_every_table
    def test_genomes_are_read_only_values(self, table_name: str) -> None:
        genotype = self.made(table_name)
        assert_genome(genotype.random(generator(0)), "random")
        for maker, genome in self.genomes(genotype):
            assert_genome(genome, maker)

    @on_every_table
    def test_operators_change_neither_genomes_nor_microdata(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(3, i)) for i in range(2))
        table = genotype.microdata.table
        with unchanged("random", table):
            genotype.random(generator(4))
        with unchanged("crossover", a, b, table):
            genotype.crossover(a, b, generator(4))
        with unchanged("mutate", a, table):
            genotype.mutate(a, generator(4))
        with unchanged("decode", a, table):
            self.decoded(genotype, a)
        with unchanged("key, check, dump, describe or distance", a, b, table):
            genotype.key(a)
            genotype.check(a)
            genotype.dump(a)
            genotype.describe(a)
            genotype.distance(a, b)

    @on_every_table
    def test_earlier_genomes_survive_later_operations(self, table_name: str) -> None:
        genotype = self.made(table_name)
        held = [(maker, genome, fingerprint(genome)) for maker, genome in self.genomes(genotype)]
        tables = [self.decoded(genotype, genome) for _, genome, _ in held]
        prints = [fingerprint(table) for table in tables]
        for _, genome in self.genomes(genotype, count=4):
            self.decoded(genotype, genome)
        for maker, genome, before in held:
            assert fingerprint(genome) == before, f"a genome made by {maker} shares memory with something that changed"
        assert [fingerprint(table) for table in tables] == prints, "a decoded table was changed by later operations"

    @on_every_table
    def test_the_generator_alone_decides(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(6, i)) for i in range(2))
        assert_repeatable(genotype.random, 1, "random")
        assert_repeatable(lambda rng: genotype.crossover(a, b, rng), 2, "crossover")
        assert_repeatable(lambda rng: genotype.mutate(a, rng), 3, "mutate")
        assert_repeatable(lambda rng: genotype.decode(a, rng), 4, "decode")
        twin = self.genotype(genotype.microdata)
        assert twin.key(a) == genotype.key(a), "two genotypes of one file give one genome different keys"
        assert self.decoded(twin, a).same_records(self.decoded(genotype, a)), (
            "two genotypes of one file decode differently"
        )

    @on_every_table
    def test_crossover_loses_no_genes_that_it_promises_to_keep(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for i in range(10):
            a, b = genotype.random(generator(7, i, 0)), genotype.random(generator(7, i, 1))
            c, d = genotype.crossover(a, b, generator(7, i, 2))
            fault = lost_genes(
                (genotype.dump(a), genotype.dump(b)), (genotype.dump(c), genotype.dump(d)), self.conserves
            )
            assert not fault, fault

    @on_every_table
    def test_distances_are_symmetric(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(15, i)) for i in range(2))
        assert genotype.distance(a, a) == 0.0, "a genome has a distance from itself"
        assert genotype.distance(a, b) == genotype.distance(b, a) >= 0.0, "distance is not symmetric, or negative"


class DecodingTests(GenotypeSubject):
    """Tests of decoded tables."""

    @on_every_table
    def test_decoded_tables_fit_the_file(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype):
            for draw in range(min(draws_of(genotype), 3)):
                self._assert_fits(genotype, self.decoded(genotype, genome, draw))

    @pytest.mark.parametrize("scale", Scale)
    def test_a_file_of_one_scale_is_decoded_or_refused_with_a_reason(self, scale: Scale) -> None:
        if scale not in self.scales:
            pytest.skip("a genotype is not built for attributes on a scale that its spec lacks")
        try:
            genotype = self.genotype(sample_microdata("ordinary", {scale}))
        except InputError:
            return
        for seed in range(2):
            self._assert_fits(genotype, genotype.decode(genotype.random(generator(seed)), generator(4)))

    def _assert_fits(self, genotype: Genotype[Any], table: Table) -> None:
        original = genotype.microdata.original
        assert isinstance(table, Table), f"decode returned {type(table).__name__}, wanted Table"
        assert len(table) == len(original), f"decode returned {len(table)} records, wanted {len(original)}"
        assert table.schema.names == original.schema.names, "decode returned other attributes than the protected ones"
        for found, wanted in zip(table.schema.attributes, original.schema.attributes, strict=True):
            same_scale = found.scale == wanted.scale or not wanted.categorical  # generalised numbers become labels
            extended = found.categories[: len(wanted.categories)] == wanted.categories and same_scale
            may_extend = genotype.generalises
            assert found == wanted or (may_extend and extended), f"decode changed the attribute {wanted.name}"
        table.verify()

    @on_every_table
    def test_kernels_stay_within_their_arrays(self, table_name: str) -> None:
        if table_name not in self.interpreted:
            pytest.skip("small tables are enough")
        microdata = self.microdata(table_name)
        genotype = accepted(table_name, lambda: self.genotype(microdata))
        first, second = genotype.random(generator(0)), genotype.random(generator(1))
        compiled = self._varied(genotype, first, second)
        with interpreted():
            again = self._varied(self.genotype(microdata), first, second)
        assert fingerprint(again) == fingerprint(compiled), "compiled, kernels give other tables"

    def _varied(self, genotype: Genotype[Any], first: Any, second: Any) -> list[Table]:
        genomes = [genotype.mutate(first, generator(2)), *genotype.crossover(first, second, generator(3))]
        return [genotype.decode(genome, generator(4)) for genome in (first, *genomes)]

    @on_every_table
    def test_decoding_that_is_not_randomised_draws_nothing(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in [] if isinstance(genotype, Stochastic) else self.genomes(genotype):
            rng = generator(12)
            before = state_of(rng)
            genotype.decode(genome, rng)
            assert state_of(rng) == before, "decode drew random numbers, but the genotype is not Stochastic"

    @on_every_table
    def test_check_refuses_what_cannot_be_decoded(self, table_name: str) -> None:
        genotype = self.made(table_name)
        dump = genotype.dump(genotype.random(generator(10)))
        for name, array in dump.items():
            if array.dtype.kind not in "iuf" or not array.size:
                continue
            absurd = array.copy().reshape(-1)
            absurd[-1] = np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).max
            try:
                genome = genotype.load({**dump, name: absurd.reshape(array.shape)})
            except Exception:  # Refused even earlier.
                continue
            try:
                genotype.check(genome)
            except PluginError:
                continue
            except Exception as error:
                pytest.fail(f"check raised {type(error).__name__}, wanted PluginError: {error}")
            self._assert_fits(genotype, self.decoded(genotype, genome))


def _where(capability: type[Any]) -> Callable[[Callable[[Any, Any], None]], Callable[[Any, str], None]]:
    """Return a decorator of tests that gives them the genotype on every table, where it has the capability."""

    def decorated(test: Callable[[Any, Any], None]) -> Callable[[Any, str], None]:
        def on_table(self: GenotypeSubject, table_name: str) -> None:
            genotype = self.made(table_name)
            if isinstance(genotype, capability):
                test(self, genotype)

        # Not by functools.wraps: pytest would look for the arguments of the test itself.
        on_table.__name__, on_table.__qualname__ = test.__name__, test.__qualname__
        marked: Callable[[Any, str], None] = on_every_table(on_table)
        return marked

    return decorated


class CapabilityTests(GenotypeSubject):
    """Tests of each capability."""

    def measures(self, original: Table) -> Sequence[Fitted]:
        """Return fitted measures whose scores a `Direct` genotype knows without a table; override to test with them.

        By default none.
        """
        return ()

    @_where(Seedable)
    def test_seeded_genomes_stand_for_their_files(self, genotype: Seedable[Any]) -> None:
        for masked in protected(genotype.microdata.original):
            genome = genotype.seeded(masked)
            genotype.check(genome)
            if self.exact_seeding:
                assert self.decoded(genotype, genome).same_records(masked), "seeded(masked) does not decode to masked"

    @_where(Seedable)
    def test_seeding_changes_no_file(self, genotype: Seedable[Any]) -> None:
        masked = edited(genotype.microdata.original, generator(5))[0]
        with unchanged("seeded", masked, genotype.microdata.table):
            genotype.seeded(masked)

    @_where(Genotype)
    def test_initial_genomes_are_named_and_always_the_same(self, genotype: Genotype[Any]) -> None:
        twin = self.genotype(genotype.microdata)
        initial = genotype.initial_genomes()
        labels = [masking.label for masking, _ in initial]
        assert len(set(labels)) == len(labels), "initial_genomes gives two genomes the same label"
        keys = [[genotype.key(genome) for _, genome in made] for made in (initial, twin.initial_genomes())]
        assert keys[0] == keys[1], "initial_genomes gives other genomes when called again"

    @_where(Local)
    def test_changed_rows_miss_no_change(self, genotype: Local[Any]) -> None:
        a, b = (genotype.random(generator(12, i)) for i in range(2))
        relatives = [(a, a), (a, b), *((a, child) for child in genotype.crossover(a, b, generator(13)))]
        for i in range(5):
            relatives.append((a, genotype.mutate(a, generator(14, i))))
        for parent, child in relatives:
            with unchanged("changed_rows", parent, child):
                rows = genotype.changed_rows(parent, child)
            if rows is None:
                continue
            _assert_positions(rows, "changed_rows")
            for draw in range(min(draws_of(genotype), 3)):
                before, after = self.decoded(genotype, parent, draw), self.decoded(genotype, child, draw)
                assert _different_rows(before, after) <= set(rows.tolist()), "changed_rows forgets records that differ"
            if not isinstance(genotype, Stochastic):
                before, after = self.decoded(genotype, parent), self.decoded(genotype, child)
                made = genotype.changes([parent] * 2, [child] * 2).part(1, 2)
                assert made.applied_to(before).same_records(after), "changes makes another table than that of the child"

    @_where(Local)
    def test_single_records_are_those_of_the_decoded_table(self, genotype: Local[Any]) -> None:
        for i in range(3):
            genome = genotype.random(generator(15, i))
            table = self.decoded(genotype, genome)
            rows = generator(16, i).integers(0, len(table), 5).astype(np.intp)
            for queried in (rows, rows[:0]):
                with unchanged("decode_records", genome):
                    records = genotype.decode_records(genome, queried)
                assert records.same_records(table.take(queried)), "decode_records gives other records than decode"

    @_where(Local)
    def test_moves_make_genomes_and_change_none(self, genotype: Local[Any]) -> None:
        kinds = (*genotype.moves, *genotype.class_moves)
        assert len(set(kinds)) == len(kinds), "moves and class_moves name a kind twice"
        assert all(genotype.extent(kind) >= 1.0 for kind in kinds), "extent gives less than a record"
        genome, records = genotype.random(generator(17)), len(genotype.microdata.original)
        for place, through in enumerate((None, generator(19).random(records).cumsum())):
            for kind in kinds:
                moving = partial(genotype.moved, genome, [kind] * 3, [False, True, True], through)
                with unchanged(f"moved {kind!r}", genome, genotype.microdata.table):
                    made = assert_repeatable(moving, place, f"moved {kind!r}")
                self._assert_children(genotype, genome, made)

    def _assert_children(self, genotype: Local[Any], genome: Any, made: Sequence[Any] | Changes) -> None:
        """Look at three children: genomes, or what these change."""
        genomes = made
        if isinstance(made, Changes):
            assert len(made.ends) == 3, f"moved tells of {len(made.ends)} children where 3 were requested"
            parts = [made.part(place, place + 1) for place in range(3)]
            genomes = [genotype.changed(genome, part) for part in parts]
            before = self.decoded(genotype, genome)
            for part, child in zip(parts, genomes, strict=True):
                assert part.before.same_records(before.take(part.rows)), "moved tells other records before than decode"
                assert part.applied_to(before).same_records(self.decoded(genotype, child)), (
                    "changed makes another genome than the one that moved tells of"
                )
        for child in genomes:
            assert_genome(child, "moved")
            genotype.check(child)
        if not isinstance(made, Changes) and (together := genotype.combined(genome, made)) is not None:
            assert_genome(together, "combined")
            genotype.check(together)

    @_where(Stochastic)
    def test_draws_are_counted(self, genotype: Stochastic[Any]) -> None:
        assert genotype.draws >= 1, f"draws is {genotype.draws}, wanted at least 1"
        assert genotype.fresh_draws >= 0, f"fresh_draws is {genotype.fresh_draws}, wanted at least 0"

    @_where(Stochastic)
    def test_transitions_say_what_decode_draws(self, genotype: Stochastic[Any]) -> None:
        original = genotype.microdata.original
        if not genotype.by_matrices:
            return
        for _, genome in self.genomes(genotype, count=2):
            transitions = genotype.transitions(genome)
            assert len(transitions) == len(original.schema), "transitions has not one matrix an attribute"
            decoded = self.decoded(genotype, genome)
            for v, (attribute, matrix) in enumerate(zip(original.schema.categorical, transitions, strict=True)):
                size = len(attribute.categories)
                assert matrix.shape == (size, size), f"the matrix of {attribute.name} has shape {matrix.shape}"
                assert ((matrix >= 0.0) & (matrix <= 1.0 + 1e-12)).all(), "a transition probability is outside 0..1"
                assert np.allclose(matrix.sum(axis=1), 1.0, rtol=0.0, atol=1e-12), (
                    "a row of transitions does not sum to 1"
                )
                before, after = original.codes[:, v], decoded.codes[:, v]
                present = before >= 0
                assert ((after >= 0) == present).all(), "a missing value became a category, or a category missing"
                assert (matrix[before[present], after[present]] > 0.0).all(), "decode drew what has probability 0"

    @_where(Guaranteed)
    def test_violations_are_shares_and_the_reference_has_none(self, genotype: Guaranteed[Any]) -> None:
        reference = genotype.reference
        if reference is not None:
            genotype.check(reference)
            assert genotype.violation(reference) == 0.0, "the reference may not be published itself"
        for maker, genome in self.genomes(genotype):
            violation = genotype.violation(genome)
            assert 0.0 <= violation <= (0.0 if reference is None else 1.0), (
                f"violation of a genome made by {maker} is {violation}, wanted 0..1, and 0 without a reference"
            )

    @_where(Genotype)
    def test_omitted_records_are_positions(self, genotype: Genotype[Any]) -> None:
        for _, genome in self.genomes(genotype):
            omitted = genotype.omitted(genome)
            assert genotype.generalises or omitted is None, "records are left out of a file that generalises nothing"
            if omitted is not None and omitted.size:
                _assert_positions(omitted, "omitted")
                assert 0 <= omitted.min() <= omitted.max() < len(genotype.microdata.original), "omitted is out of range"

    @_where(Direct)
    def test_direct_scores_are_those_of_the_decoded_tables(self, genotype: Direct[Any]) -> None:
        for fitted in self.measures(genotype.microdata.original):
            score = genotype.direct(fitted)
            assert score is not None, f"direct knows no score of {type(fitted).__name__}"
            for maker, genome in self.genomes(genotype):
                wanted, found = fitted.score(self.decoded(genotype, genome)), score(genome)
                assert np.isclose(found, wanted, rtol=1e-12, atol=1e-9), (
                    f"direct gives {found} for a genome made by {maker}, its table has {wanted}"
                )

    @_where(Described)
    def test_what_is_said_of_genomes_can_be_shown(self, genotype: Described[Any]) -> None:
        assert all(isinstance(note, str) for note in genotype.notes), "a note is no text"
        for _, genome in self.genomes(genotype, count=2):
            with unchanged("traits, pictures or files", genome, genotype.microdata.table):
                traits, pictures = genotype.traits(genome), genotype.pictures(genome)
                files = genotype.files(genome)
            assert all(map(isfinite, traits.values())), f"a trait is not finite: {dict(traits)}"
            assert set(genotype.trait_names) <= set(traits), "a genome lacks a trait that all have"
            assert all("<svg" in picture for picture in pictures.values()), "a picture is no SVG document"
            assert all(isinstance(text, str) for text in files.values()), "a file is no text"
            assert dict(genotype.traits(genome)) == dict(traits), "traits differ when called again"


def _assert_positions(rows: Rows, method: str) -> None:
    assert rows.dtype == np.intp, f"{method} returned {rows.dtype}, wanted intp"
    assert rows.ndim == 1, f"{method} returned {rows.ndim} dimensions, wanted 1"
    assert np.unique(rows).size == rows.size, f"{method} returned a record twice"


def _different_rows(a: Table, b: Table) -> set[int]:
    codes = (a.codes != b.codes).any(axis=1)
    numbers = ((a.numbers != b.numbers) & ~(np.isnan(a.numbers) & np.isnan(b.numbers))).any(axis=1)
    return set(np.flatnonzero(codes | numbers).tolist())


class GenotypeConformance(VariationTests, StorageTests, DecodingTests, CapabilityTests):
    """Tests that every genotype must pass, and tests of each of its capabilities.

    Subclass it and say how the genotype is made.

    What it promises is declared by the class attributes `scales`, `conserves` and `exact_seeding`
    (`evosdc.testing.genotype`).

    Examples
    --------
    >>> class TestRules(GenotypeConformance):
    ...     def genotype(self, microdata):
    ...         return Rules(Rules.Params(), microdata)
    """

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.made("ordinary"))
