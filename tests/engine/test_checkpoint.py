"""Checkpoints: everything that a search needs comes back, and a file that is not whole is refused."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.checkpoint import FORMAT, KEPT, checkpoints, load_checkpoint, newest_checkpoint, save_checkpoint
from evosdc.engine.loop import SearchState, attained
from evosdc.engine.stop import Progress
from evosdc.errors import CheckpointError
from evosdc.model import Individual, Population
from evosdc.testing.purity import generator
from evosdc.testing.tables import sample_microdata
from tests.engine.problems import SCALES, levels
from tests.testing.genotypes import Copies, Levels, hashed, locked


class Runs(Levels):
    """Genomes of any length: arrays of another shape, and for some of another set of names, in each dump."""

    def random(self, rng):
        return tuple(int(v) for v in rng.integers(0, 100, rng.integers(0, 9)))

    def key(self, g):
        return hashed(np.array(g, dtype=np.int64))

    def check(self, g):
        assert all(isinstance(value, int) for value in g)

    def dump(self, g):
        dump = {"values": np.array(g[1:], dtype=np.int64), "length": np.array([len(g)])}
        return dump | ({"first": np.array(g[:1], dtype=np.int64)} if g else {})

    def load(self, d):
        assert int(d["length"][0]) == len(d["values"]) + ("first" in d)
        return (*d.get("first", np.array([], dtype=np.int64)).tolist(), *d["values"].tolist())


def individual(genotype, genome, origin, first=1.0):
    scores = {"il": first, "dr": first + 0.1, "own": first / 3.0}
    return Individual(genome, genotype.key(genome), scores, (first, first + 1e-9), origin)


def state_of(genotype, generation=7, population=None, best=None, front=None, memory=None):
    genomes = [genotype.random(generator(slot)) for slot in range(5)]
    people = [individual(genotype, genome, f"origin {slot}", 10.0 + slot) for slot, genome in enumerate(genomes)]
    best = best or people[0]
    progress = Progress(generation, 123, 45.625, 6, attained(best), 12.5)
    chosen = Population(population or people[:3], generation, memory or {})
    return SearchState(chosen, best, tuple(front if front is not None else people[2:4]), progress)


def content(individuals, genotype):
    return [
        (i.key, genotype.key(i.genome), dict(i.scores), list(i.scores), i.objectives, i.origin) for i in individuals
    ]


def assert_same(found, state, genotype):
    assert content(found.population, genotype) == content(state.population, genotype)
    assert content(found.front, genotype) == content(state.front, genotype)
    assert content([found.best], genotype) == content([state.best], genotype)
    assert found.population.generation == state.population.generation
    assert found.progress == state.progress
    assert found.population.memory.keys() == state.population.memory.keys()
    for name, array in state.population.memory.items():
        np.testing.assert_array_equal(found.population.memory[name], array)
        assert found.population.memory[name].dtype == array.dtype


def kept(state, genotype, folder):
    return load_checkpoint(save_checkpoint(folder, state, genotype), genotype)


@pytest.mark.parametrize("cls", [Levels, Copies, Runs])
def test_everything_comes_back(cls, tmp_path):
    genotype = levels(cls)
    state = state_of(genotype)
    assert_same(kept(state, genotype, tmp_path), state, genotype)


def test_what_the_algorithm_remembers_comes_back(tmp_path):
    genotype = levels()
    memory = {
        "rates": np.array([0.25, 1 / 3]),
        "visited/nodes": np.arange(6).reshape(2, 3),
        "flags": np.array([True, False]),
        "none": np.empty((0, 4), dtype=np.int32),
        "words": np.array(["mutation", "crossover"]),
        "count": np.array(7),
    }
    state = state_of(genotype, memory=memory)
    assert_same(kept(state, genotype, tmp_path), state, genotype)


def test_origins_are_those_of_each_place_although_the_genomes_are_equal(tmp_path):
    genotype = levels()
    genome, other = genotype.random(generator(1)), genotype.random(generator(2))
    names = ("slot 0", "slot 1", "front", "best")
    slot0, slot1, front, best = (individual(genotype, genome, name) for name in names)
    another = individual(genotype, other, "slot 2", 5.0)
    state = state_of(genotype, population=[slot0, slot1, another], best=best, front=[front, another])
    found = kept(state, genotype, tmp_path)
    assert [i.origin for i in found.population] == ["slot 0", "slot 1", "slot 2"]
    assert [i.origin for i in found.front] == ["front", "slot 2"]
    assert found.best.origin == "best"
    assert_same(found, state, genotype)


def test_the_best_need_not_be_in_population_or_front(tmp_path):
    genotype = levels()
    best = individual(genotype, genotype.random(generator(99)), "long ago", -3.0)
    state = state_of(genotype, best=best, front=[])
    found = kept(state, genotype, tmp_path)
    assert found.best.key == best.key
    assert best.key not in {i.key for i in found.population}
    assert_same(found, state, genotype)


def test_a_front_outside_the_population_comes_back(tmp_path):
    genotype = levels()
    front = [individual(genotype, genotype.random(generator(90 + slot)), f"front {slot}", slot) for slot in range(3)]
    state = state_of(genotype, front=front)
    assert_same(kept(state, genotype, tmp_path), state, genotype)


def test_scores_come_back_to_the_last_bit(tmp_path):
    genotype = levels()
    genome = genotype.random(generator(1))
    scores = {"il": 0.1 + 0.2, "dr": 5e-324, "zero": -0.0, "big": 1.7976931348623157e308}
    odd = Individual(genome, genotype.key(genome), scores, (1 / 3, 2 / 3), "odd")
    found = kept(state_of(genotype, population=[odd], best=odd, front=[odd]), genotype, tmp_path).best
    assert {name: value.hex() for name, value in found.scores.items()} == {n: v.hex() for n, v in scores.items()}


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(0, 40))
def test_genomes_of_any_shapes_come_back(tmp_path_factory, lengths, seed):
    genotype = levels(Runs)
    genomes = [tuple(int(v) for v in generator(seed, slot).integers(0, 9, n)) for slot, n in enumerate(lengths)]
    people = [individual(genotype, genome, f"{len(genome)} long") for genome in genomes]
    state = state_of(genotype, population=people, best=people[-1], front=people[::2])
    assert_same(kept(state, genotype, tmp_path_factory.mktemp("runs")), state, genotype)


def test_the_newest_ones_remain(tmp_path):
    genotype = levels()
    for generation in (0, 3, 9, 10, 100):
        path = save_checkpoint(tmp_path, state_of(genotype, generation), genotype)
        assert path.name == f"checkpoint-{generation:08d}.npz"
    left = checkpoints(tmp_path)
    assert KEPT == 2
    assert [load_checkpoint(path, genotype).progress.generation for path in left] == [10, 100]
    assert sorted(tmp_path.iterdir()) == left, "nothing else is left lying about"


def test_the_newest_is_taken(tmp_path):
    genotype = levels()
    assert newest_checkpoint(tmp_path, genotype) == (None, [])
    for generation in (4, 5):
        save_checkpoint(tmp_path, state_of(genotype, generation), genotype)
    state, complaints = newest_checkpoint(tmp_path, genotype)
    assert (state.population.generation, complaints) == (5, [])


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    genotype = levels()
    save_checkpoint(tmp_path, state_of(genotype, 1), genotype)

    def full(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evosdc.engine.checkpoint.np.savez_compressed", full)
    for generation in (1, 2):
        with pytest.raises(OSError, match="No space"):
            save_checkpoint(tmp_path, state_of(genotype, generation), genotype)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-00000001.npz"]
    assert newest_checkpoint(tmp_path, genotype)[0].population.generation == 1


def test_nothing_is_pickled(tmp_path):
    genotype = levels()
    with zipfile.ZipFile(save_checkpoint(tmp_path, state_of(genotype), genotype)) as file:
        for name in file.namelist():
            with file.open(name) as member:
                np.lib.format.read_magic(member)
                shape, _, dtype = np.lib.format.read_array_header_1_0(member)
            assert not dtype.hasobject, (name, shape)


def rewritten(path, **changes):
    """Write a checkpoint again with some of its arrays, or keys of its document, changed."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    document = json.loads(arrays["document"].tobytes())
    own = {name: value for name, value in changes.items() if not isinstance(value, np.ndarray)}
    text = json.dumps({k: v for k, v in (document | own).items() if v is not None})
    arrays["document"] = np.frombuffer(text.encode(), dtype=np.uint8)
    arrays |= {name: value for name, value in changes.items() if isinstance(value, np.ndarray)}
    with path.open("wb") as file:
        np.savez(file, **arrays)


@pytest.mark.parametrize("number", [0, FORMAT + 1, "1"])
def test_another_format_is_refused(tmp_path, number):
    genotype = levels()
    path = save_checkpoint(tmp_path, state_of(genotype), genotype)
    rewritten(path)
    load_checkpoint(path, genotype)
    rewritten(path, format=number)
    with pytest.raises(CheckpointError, match=f"of format {number}; wanted format {FORMAT}"):
        load_checkpoint(path, genotype)


DAMAGE = {
    "nothing": lambda data: b"",
    "first half": lambda data: data[: len(data) // 2],
    "no last byte": lambda data: data[:-1],
    "no first byte": lambda data: data[1:],
    "noise": lambda data: bytes(generator(3).integers(0, 256, 4000, dtype=np.uint8)),
    "text": lambda data: b"generation,best\n0,1.0\n",
    "an array": lambda data: (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }"
        + b" " * 58
        + b"\n"
        + bytes(8)
    ),
    "a pickle": lambda data: b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00K\x01.",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_refused_and_the_one_before_it_taken(tmp_path, damage):
    genotype = levels()
    older = save_checkpoint(tmp_path, state_of(genotype, 1), genotype)
    newest = save_checkpoint(tmp_path, state_of(genotype, 2), genotype)
    newest.write_bytes(DAMAGE[damage](newest.read_bytes()))
    with pytest.raises(CheckpointError, match=newest.name):
        load_checkpoint(newest, genotype)
    state, complaints = newest_checkpoint(tmp_path, genotype)
    assert state.population.generation == 1
    assert len(complaints) == 1
    assert newest.name in complaints[0]
    older.write_bytes(b"")
    with pytest.raises(CheckpointError, match=f"{newest.name}(?s:.*){older.name}"):
        newest_checkpoint(tmp_path, genotype)


class Whole:
    """A checkpoint that is fine; a class of its own since its bytes are no reading matter for a failed test."""

    def __init__(self, folder):
        self.genotype = levels()
        self.state = state_of(self.genotype, memory={"rates": np.array([0.5])})
        self.path = save_checkpoint(folder, self.state, self.genotype)
        self.data = self.path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return Whole(tmp_path_factory.mktemp("whole"))


def assert_refused_or_the_same(whole, data):
    whole.path.write_bytes(data)
    try:
        found = load_checkpoint(whole.path, whole.genotype)
    except CheckpointError:
        return
    assert_same(found, whole.state, whole.genotype)


@given(place=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_off_anywhere_is_refused(whole, place):
    whole.path.write_bytes(whole.data[: int(place * len(whole.data))])
    with pytest.raises(CheckpointError, match=whole.path.name):
        load_checkpoint(whole.path, whole.genotype)


@given(place=st.floats(0, 1, exclude_max=True), bits=st.integers(1, 255))
def test_a_changed_byte_anywhere_is_noticed_or_does_no_harm(whole, place, bits):
    position = int(place * len(whole.data))
    changed = bytes([whole.data[position] ^ bits])
    assert_refused_or_the_same(whole, whole.data[:position] + changed + whole.data[position + 1 :])


@pytest.mark.parametrize(
    ("offset", "bits"), [(8, 1), (10, 8), (10, 12), (11, 1)], ids=["key", "packed", "bzip", "kind"]
)
def test_a_changed_directory_is_noticed(whole, offset, bits):
    """Flags and kinds of compression that zip files may have and ours never do."""
    position = whole.data.index(b"PK\x01\x02") + offset
    changed = bytes([whole.data[position] ^ bits])
    assert_refused_or_the_same(whole, whole.data[:position] + changed + whole.data[position + 1 :])


def test_a_file_of_other_arrays_is_refused(tmp_path):
    path = tmp_path / "checkpoint-00000001.npz"
    np.savez(path, a=np.arange(3))
    with pytest.raises(CheckpointError, match=path.name):
        load_checkpoint(path, levels())
    np.savez(path, document=np.array(["x"], dtype=object), allow_pickle=True)
    with pytest.raises(CheckpointError, match=path.name):
        load_checkpoint(path, levels())


def test_a_checkpoint_of_another_genotype_is_refused(tmp_path):
    path = save_checkpoint(tmp_path, state_of(levels(Copies)), levels(Copies))
    with pytest.raises(CheckpointError, match=path.name):
        load_checkpoint(path, levels())


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    other = levels(file=sample_microdata("many-records", SCALES))
    path = save_checkpoint(tmp_path, state_of(other), other)
    with pytest.raises(CheckpointError, match=path.name):
        load_checkpoint(path, levels())


@pytest.mark.parametrize(
    "changes",
    [
        {"population": np.array([0, 1, 77])},
        {"best": np.array([77])},
        {"scores": np.zeros((1, 1))},
        {"objectives": np.zeros((0, 2))},
        {"evaluations": None},
        {"generation": None},
        {"genomes/widths": np.full((5, 5), 10**6)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_content_that_does_not_fit_together_is_refused(tmp_path, changes):
    genotype = levels()
    path = save_checkpoint(tmp_path, state_of(genotype), genotype)
    rewritten(path, **changes)
    with pytest.raises(CheckpointError, match=path.name):
        load_checkpoint(path, genotype)


def test_a_loaded_state_can_be_saved_again(tmp_path):
    genotype = levels()
    state = state_of(genotype, memory={"rates": np.array([0.5, 0.25])})
    for _ in range(3):
        state = kept(state, genotype, tmp_path)
    again = kept(replace(state), genotype, tmp_path)
    assert_same(again, state, genotype)


def test_locked_arrays_stay_locked(tmp_path):
    genotype = levels()
    found = kept(state_of(genotype), genotype, tmp_path)
    with pytest.raises(ValueError, match="read-only"):
        found.best.genome[0][0] = 1
    assert not locked(np.zeros(1)).flags.writeable
