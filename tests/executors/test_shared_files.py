import stat

import numpy as np
import pytest

from evosdc.errors import ExecutorError
from evosdc.executors.shared_files import read_shared, share, withdraw
from evosdc.model import SharedFiles

ARRAYS = {
    "codes": np.arange(12, dtype=np.int32).reshape(4, 3),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "empty": np.empty((0, 3)),
    "number": np.array(1.5),
    "texts": np.array(["a", "bb"]),
    "missing": np.array([np.nan, 1.0]),
}
DOCUMENTS = {"schema": {"x": [1, 2.5, None, "é"]}, "name": "file"}


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_published_is_read_back(tmp_path):
    ref = share(tmp_path / "run" / "context", ARRAYS, DOCUMENTS)
    arrays, documents = read_shared(ref)
    assert documents == DOCUMENTS
    assert list(arrays) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert type(arrays[name]) is np.ndarray
        assert arrays[name].dtype == array.dtype
        assert arrays[name].flags.f_contiguous == array.flags.f_contiguous
        np.testing.assert_array_equal(arrays[name], array)


def test_arrays_are_mapped_and_cannot_be_written(tmp_path):
    arrays, _ = read_shared(share(tmp_path, ARRAYS, {}))
    assert isinstance(arrays["codes"].base, np.memmap)
    for array in arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array


def test_only_the_owner_has_access(tmp_path):
    folder = tmp_path / "context"
    for _ in range(2):
        share(folder, ARRAYS, DOCUMENTS)
    assert mode(folder) == 0o700
    assert [mode(path) for path in folder.iterdir()] == [0o700], (
        "equal content is one folder, nothing unfinished is left"
    )


def test_the_digest_is_that_of_the_content(tmp_path):
    first = share(tmp_path / "a", ARRAYS, DOCUMENTS)
    assert share(tmp_path / "b", dict(reversed(ARRAYS.items())), DOCUMENTS).digest == first.digest
    assert share(tmp_path / "a", ARRAYS, DOCUMENTS) == first
    assert share(tmp_path / "c", ARRAYS, {**DOCUMENTS, "name": "other"}).digest != first.digest
    other = {**ARRAYS, "codes": ARRAYS["codes"] + 1}
    assert share(tmp_path / "d", other, DOCUMENTS).digest != first.digest


@pytest.mark.parametrize("suffix", [".npy", ".json"])
def test_changed_files_are_refused(tmp_path, suffix):
    ref = share(tmp_path, {"codes": ARRAYS["codes"]}, DOCUMENTS)
    (path,) = tmp_path.glob(f"*/*{suffix}")
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(ExecutorError, match="were changed after they were published"):
        read_shared(ref)


def test_missing_files_are_told(tmp_path):
    with pytest.raises(ExecutorError, match="cannot be read: No such file"):
        read_shared(SharedFiles(str(tmp_path), "0" * 40))


def test_what_would_need_pickle_or_is_not_json_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        share(tmp_path / "context", {"objects": np.array([{}, None], dtype=object)}, {})
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="a document is not JSON"):
        share(tmp_path / "context", {}, {"x": {1, 2}})


def test_withdraw_leaves_what_others_hold(tmp_path):
    folder = tmp_path / "context"
    first = share(folder, {"a": np.arange(3), "b": np.arange(4)}, {})
    second = share(folder, {"b": np.arange(4)}, {})
    arrays, _ = read_shared(first)
    withdraw(first)
    with pytest.raises(ExecutorError):
        read_shared(first)
    assert arrays["a"].sum() == 3
    assert read_shared(second)[0]["b"].sum() == 6
    withdraw(second)
    assert not folder.exists()
    withdraw(second)
