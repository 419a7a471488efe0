"""The source of random draws: a secret key, or a public seed; and the addressed random streams of both.

Everything of a masking may be public but its random draws (Kerckhoffs). What is published is therefore
drawn with a `Key` of 256 bits that nobody can guess. A *seed* is a whole number that anybody may know: it orders
studies and tests, and what is drawn from it is not for release.

A stream is found by its address, never by the number of streams before it: the same key or seed and the same address
give the same numbers on any worker, in any order, before or after a resume.
"""

import json
import os
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random.bit_generator import ISpawnableSeedSequence
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, ParameterError

_WORD = 1 << 32
_BYTES = 32

PUBLIC_SEED = (
    "Drawn from a public seed: not for release. Anyone with evosdc can repeat the draws and undo the protection. "
    "Leave out the seed to draw from a secret key."
)


class Purpose(IntEnum):
    """First element of every address; never renumbered, since that would change all results."""

    PORTFOLIO = 0
    INIT = 1
    VARY = 2
    SELECT = 3
    EVALUATE = 4
    MIGRATE = 5
    MASK = 6
    GENERATE = 7
    REPLICATE = 8
    JUDGE = 9
    DRAW = 10
    SHUFFLE = 11
    SAMPLE = 12
    CELL_KEYS = 13
    FINGERPRINT = 14


class Key:
    """256 secret bits."""

    # It is written to a key file alone. Texts of it do not show the bits, and it has no JSON form, so that a result
    # which held one by mistake could not be written.

    __slots__ = ("_bits",)

    def __init__(self, bits: bytes) -> None:
        if len(bits) != _BYTES:
            raise ValueError(f"a key has {_BYTES} bytes, not {len(bits)}")
        self._bits = bits

    @classmethod
    def fresh(cls) -> "Key":
        """Return a key that was never used before."""
        return cls(secrets.token_bytes(_BYTES))

    def hashed(self, content: bytes, size: int = _BYTES) -> bytes:
        """Return the keyed BLAKE2b hash of some content, at most 64 bytes: nobody without the key can compute it."""
        return blake2b(content, key=self._bits, digest_size=size).digest()

    def derived(self, purpose: Purpose, *address: int) -> "Key":
        """Return the key at an address, which does not tell this one."""
        return Key(self.hashed(_encoded("key", purpose, address)))

    def fingerprint(self, content: bytes) -> str:
        """Return a short text by which the owner of the key, and nobody else, recognises some content."""
        return self.derived(Purpose.FINGERPRINT).hashed(content, 16).hex()

    def write(self, path: Path) -> None:
        """Write a key file that its owner alone can read; raise `FileExistsError` where there is a file."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(self._bits.hex() + "\n")

    @classmethod
    def read(cls, path: Path) -> "Key":
        """Return the key of a key file."""
        where = f"key file {path.name}"
        try:
            mode, text = path.stat().st_mode, path.read_bytes().strip()
        except OSError as error:
            raise DataError(Fault(where, error.strerror or "unreadable", "a file that can be read")) from None
        if os.name == "posix" and mode & 0o077:
            advice = f"Type `chmod 600 {path.name}`; if others have seen it, what was drawn from it is not for release."
            raise DataError(Fault(where, "readable by others", "a file for its owner alone", advice))
        try:
            return cls(bytes.fromhex(text.decode("ascii")))
        except ValueError:
            advice = "Name a file that evosdc wrote, or one that does not exist yet."
            raise DataError(Fault(where, "no key", f"{2 * _BYTES} hexadecimal digits", advice)) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and compare_digest(self._bits, other._bits)

    def __hash__(self) -> int:
        return hash(self._bits)

    def __repr__(self) -> str:
        return "<secret key>"


Seed = int | Key  # what draws come from: a public whole number from 0, or a secret key


def chosen_seed(seed: int | None, key: str | Path | None = None) -> Seed:
    """Return the user's source of draws: a seed, the key of a file, or else a fresh key."""
    if seed is not None and key is not None:
        raise ParameterError(Fault("seed", "a seed and a key", "one of both", "Draws come from one of them."))
    if seed is not None:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ParameterError(Fault("seed", repr(seed), "a whole number from 0"))
        return seed
    if key is None:
        return Key.fresh()
    file, made = Path(key), Key.fresh()
    if file.exists():
        return Key.read(file)
    try:
        made.write(file)
    except OSError as error:
        advice = "Name a file in a folder of yours that can be written to."
        raise DataError(Fault(f"key file {file.name}", error.strerror or "not written", "a new file", advice)) from None
    return made


def public(seed: Seed) -> int | None:
    """Return a public seed, which may be published; None of a key."""
    return None if isinstance(seed, Key) else seed


def as_key(seed: Seed) -> Key:
    """Return a key as it is, and for a public seed the key that follows from it."""
    return seed if isinstance(seed, Key) else Key(blake2b(b"evosdc public seed/%d" % seed, digest_size=_BYTES).digest())


class KeySequence(ISpawnableSeedSequence):
    """Seed words at an address below a key, or below a seed: BLAKE2b of the address."""

    def __init__(self, key: Key | None, address: bytes) -> None:
        self.key, self.address = key, address
        self.n_children_spawned = 0

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """Return the first words, at most 64 bytes."""
        size = n_words * np.dtype(dtype).itemsize
        hashed = self.key.hashed(self.address, size) if self.key else blake2b(self.address, digest_size=size).digest()
        return np.frombuffer(hashed, dtype)

    def child(self, number: int) -> "KeySequence":
        """Return the sequence that is spawned as a child of a number."""
        return KeySequence(self.key, self.address + b"/spawned/%d" % number)

    def spawn(self, n_children: int) -> "list[KeySequence]":
        """Return sequences of addresses below this one."""
        first = self.n_children_spawned
        self.n_children_spawned += n_children
        return [self.child(number) for number in range(first, self.n_children_spawned)]


# Where the first words of a generator come from; it travels to workers.
SeedWords = np.random.SeedSequence | KeySequence


def _encoded(kind: str, purpose: Purpose, address: tuple[int, ...]) -> bytes:
    return "/".join(map(str, (kind, int(purpose), *map(int, address)))).encode()


def stream(seed: Seed, purpose: Purpose, *address: int) -> np.random.Generator:
    """Return the generator at an address."""
    for element in address:
        if not 0 <= element < _WORD:
            raise ValueError(f"address element {element} is outside 0..2**32-1")
    if isinstance(seed, Key):
        return generator_of(KeySequence(seed, _encoded("stream", purpose, address)))
    return generator_of(np.random.SeedSequence(seed, spawn_key=(int(purpose), *map(int, address))))


def generator_of(words: SeedWords) -> np.random.Generator:
    """Return the generator of seed words, at its beginning."""
    # Below a key it is Philox: the state of numpy's default generator can be computed from a few thousand numbers that
    # it drew (Bouillaguet, Martinez, Sauvage 2020): an intruder who knows most originals could recover the others.
    if isinstance(words, KeySequence):
        return np.random.Generator(np.random.Philox(words))  # type: ignore[arg-type]  # annotated too narrowly
    return np.random.Generator(np.random.PCG64(words))


def words_of(rng: np.random.Generator) -> SeedWords | None:
    """Return the seed words of a generator; None where they are none that `generator_of` takes."""
    words = rng.bit_generator.seed_seq
    return words if isinstance(words, np.random.SeedSequence | KeySequence) else None


def spawned(rng: np.random.Generator) -> int:
    """Return how many children were spawned from a generator."""
    words = words_of(rng)
    return 0 if words is None else words.n_children_spawned


def child_of(words: SeedWords, number: int) -> SeedWords:
    """Return the seed words that are spawned as a child of a number, however many there were before."""
    if isinstance(words, KeySequence):
        return words.child(number)
    key = (*words.spawn_key, number)
    return np.random.SeedSequence(words.entropy, spawn_key=key, pool_size=words.pool_size)


def child_named(rng: np.random.Generator, name: str) -> np.random.Generator:
    """Return the generator of a name below another one, from which nothing is drawn; the same at every call."""
    words = words_of(rng)
    assert words is not None, "streams of evosdc have addresses"
    return generator_of(child_of(words, crc32(name.encode())))


def state_of(rng: np.random.Generator) -> str:
    """Return a text that is equal for two generators of a kind whose next numbers are the same."""
    return json.dumps(rng.bit_generator.state, default=lambda value: np.asarray(value).tolist())


def quick_stream(seed: Seed, purpose: Purpose, *address: int) -> np.random.Generator:
    """Return the generator at an address, made faster than by `stream`, which gives other numbers."""
    # For streams of which a search needs one at every step: each gives few numbers, of which few are ever published.
    # Address elements are whole numbers of any size.
    if isinstance(seed, Key):
        words = KeySequence(seed, _encoded("quick", purpose, address))
    else:
        words = KeySequence(None, "/".join(map(str, (seed, int(purpose), *address))).encode())
    # numpy takes every seed sequence; its annotations know only its own.
    return np.random.Generator(np.random.PCG64(words))  # type: ignore[arg-type]


def replicate_seed(seed: Seed, replicate: int, setting: int = 0) -> Seed:
    """Return the seed of a replicate: the experiment's own for the very first, then one drawn from its address."""
    if replicate == 0 and setting == 0:
        return seed
    address = (replicate, setting) if setting else (replicate,)
    if isinstance(seed, Key):
        return seed.derived(Purpose.REPLICATE, *address)
    return int(stream(seed, Purpose.REPLICATE, *address).integers(0, _WORD))


def draw_seed(seed: Seed, draw: int) -> Seed:
    """Return the seed of one of several files of a masking: the given one, then ones drawn from it."""
    if draw == 0:
        return seed
    if isinstance(seed, Key):
        return seed.derived(Purpose.DRAW, draw)
    return int(stream(seed, Purpose.DRAW, draw).integers(0, _WORD))


def judging_seed(seed: Seed) -> int:
    """Return the whole number that measures and judges draw their samples and halves from."""
    # Of a key it is a number below 2**32 that does not tell the key, so that it may stand in results; nothing that is
    # published is drawn from it.
    if isinstance(seed, Key):
        return int.from_bytes(seed.derived(Purpose.JUDGE).hashed(b"seed", 4), "little")
    return seed


@dataclass(frozen=True, slots=True)
class Streams:
    """The streams of one island of one run."""

    seed: Seed
    island: int = 0

    def random_genome(self, slot: int) -> np.random.Generator:
        """Return the stream that makes the first genome of a slot."""
        return stream(self.seed, Purpose.INIT, self.island, slot)

    def vary(self, generation: int, mating: int) -> np.random.Generator:
        """Return the stream of one application of the variation operators."""
        return quick_stream(self.seed, Purpose.VARY, self.island, generation, mating)

    def select(self, generation: int) -> np.random.Generator:
        """Return the stream that selects the parents of a generation."""
        return stream(self.seed, Purpose.SELECT, self.island, generation)

    def evaluate(self, draw: int, key: bytes | None = None) -> np.random.Generator:
        """Return the stream that decodes a genome for one draw."""
        # Without `key` all genomes share the draw's numbers (common random numbers); with it each genome has its own.
        words = () if key is None else tuple(int.from_bytes(key[i : i + 4], "little") for i in range(0, 16, 4))
        return stream(self.seed, Purpose.EVALUATE, draw, *words)


@contextmanager
def kept() -> Iterator[None]:
    """Have the global `random` and `numpy.random` go on after the block as if nothing had drawn from them in it."""
    states = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


def random_from(rng: np.random.Generator) -> random.Random:
    """Return a generator of Python's kind, seeded by a draw."""
    return random.Random(int(rng.integers(0, _WORD)))


@contextmanager
def lent(rng: np.random.Generator) -> Iterator[random.Random]:
    """Lend a generator to code that draws from the global `random` and `numpy.random` (DEAP), then restore both."""
    # Yields a generator of Python's kind that gives the same numbers as `random` does: for code that can be given one,
    # since from the global ones any other thread may draw at the same time.
    seed = int(rng.integers(0, _WORD))
    with kept():
        random.seed(seed)
        np.random.seed(seed)
        yield random.Random(seed)
