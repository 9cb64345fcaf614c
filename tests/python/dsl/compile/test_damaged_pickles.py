"""A pickle of a compiled function that was changed is an error, or the function: nothing else runs."""

import io
import os
import pickle
import random

import numpy as np
import pytest

from fairlead import cute

COUNT = int(os.environ.get("FAIRLEAD_RANDOM_PICKLES", "400"))
SEED = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "1"))


@cute.kernel
def add_kernel(a: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.thread_idx()[0]
    a[i] = a[i] + c


@cute.jit
def add(a: cute.Tensor, c: cute.Constexpr):
    add_kernel(a, c).launch(grid=1, block=8)


def mutated(data: bytes, pick: random.Random) -> bytes:
    changed = bytearray(data)
    kind = pick.randrange(6)
    at = pick.randrange(len(data))
    if kind == 0:
        changed[at] ^= 1 << pick.randrange(8)
    elif kind == 1:
        changed[at] = pick.randrange(256)
    elif kind == 2:
        del changed[at:]
    elif kind == 3:
        size = pick.choice([1, 8, 64])
        other = pick.randrange(len(data))
        changed[at : at + size] = data[other : other + size]
    elif kind == 4:
        del changed[at : at + pick.randrange(1, 64)]
    else:
        changed += pick.randbytes(pick.choice([1, 8, 64]))
    return bytes(changed)


def test_every_mutation_is_told():
    """Return parts of the pickle: its code and its description."""
    function = cute.compile(add, np.zeros(8, np.float32), 3.0, options="--target cpu --no-cache")
    rebuild, arguments = function.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    (place,) = [i for i, each in enumerate(arguments) if isinstance(each, bytes)]
    pick = random.Random(SEED)
    whole, refused = arguments[place], 0
    for _ in range(COUNT):
        data = mutated(whole, pick)
        changed = (*arguments[:place], data, *arguments[place + 1 :])
        try:
            again = pickle.loads(pickle.dumps(_Rebuilt(rebuild, changed)))
        except (RuntimeError, ValueError, TypeError):
            refused += 1
            continue
        assert data == whole, "a changed pickle was loaded"
        a = np.ones(8, np.float32)
        again(a)
        assert (a == 4).all()
    assert refused >= 0.9 * COUNT


@pytest.mark.parametrize("behind", [b"x", b"\0" * 8, b"\0" * 64, b"trailing bytes"])
def test_appended_bytes(behind):
    """Inside the saved function they are an error. Behind the end of the pickle they belong to the file."""
    function = cute.compile(add, np.zeros(8, np.float32), 3.0, options="--target cpu --no-cache")
    rebuild, (saved, facts) = function.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    with pytest.raises(
        ValueError, match="cannot restore a saved function: the bytes are no artifact"
    ):
        rebuild(saved + behind, facts)
    file = io.BytesIO(pickle.dumps(function) + behind)
    pickle.load(file)
    assert file.read() == behind


class _Rebuilt:
    """Pickled, a call."""

    def __init__(self, function, arguments):
        self._made = function, arguments

    def __reduce__(self):
        return self._made


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_mutations_of_the_bytes_that_pickle_reads(protocol):
    function = cute.compile(add, np.zeros(8, np.float32), 3.0, options="--target cpu --no-cache")
    whole = pickle.dumps(function, protocol)
    pick = random.Random(SEED + protocol)
    for _ in range(COUNT):
        try:
            again = pickle.loads(mutated(whole, pick))
        except Exception:  # Pickle's own, of many types.
            continue
        if type(again) is type(function):
            a = np.ones(8, np.float32)
            again(a)
            assert (a == 4).all()
