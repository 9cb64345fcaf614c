"""Objects that stand for an integer, or cannot."""

import numpy as np
import pytest

from fairlead import Float32, Int32, cute


class Place:
    def __init__(self, place):
        self.place = place

    def __index__(self):
        if isinstance(self.place, Exception):
            raise self.place
        return self.place

    def __repr__(self):
        return f"Place({self.place!r})"


def element(index, dtype=Float32):
    """Return ``a[index]``, and the extent as which the index counts."""
    seen = []

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        out[0] = a[index]
        seen.append(repr(cute.make_layout(index)))

    fake = cute.runtime.make_fake_compact_tensor
    out = np.zeros(1, np.float32)
    function = cute.compile(host, fake(dtype, (4,)), fake(dtype, (1,)), options="--target cpu")
    function(np.arange(4, dtype=np.float32), out)
    return out[0], seen[0]


@pytest.mark.parametrize("index", [Place(2), np.int64(2), np.uint8(2), np.array(2)], ids=repr)
def test_integers(index):
    assert element(index) == (2, "2:1")


def test_what_an_object_says_is_handed_on():
    with pytest.raises(LookupError, match="no place today"):
        element(Place(LookupError("no place today")))
    with pytest.raises(TypeError, match="nowhere"):
        cute.make_layout((Place(TypeError("nowhere")), 4))


@pytest.mark.parametrize(
    "index", [np.zeros(2, np.int64), np.array(1.5), np.array([[1, 2]])], ids=repr
)
def test_arrays_are_no_indices(index):
    with pytest.raises(TypeError, match="index"):
        element(index)
    with pytest.raises(TypeError, match="expected integers"):
        cute.make_layout((index, 4))


def test_tensors_of_other_frameworks():
    torch = pytest.importorskip("torch")
    assert element(torch.tensor(3)) == (3, "3:1")
    with pytest.raises(TypeError, match="index"):
        element(torch.zeros(2, dtype=torch.int64))
    with pytest.raises(TypeError, match="index"):
        element(torch.tensor(1.5))

    @cute.jit
    def host(out: cute.Tensor):
        out[0] = Float32(torch.tensor(1.5)) + np.array(0.25) + Int32(np.array(2))

    out = np.zeros(1, np.float32)
    cute.compile(
        host, cute.runtime.make_fake_compact_tensor(Float32, (1,)), options="--target cpu"
    )(out)
    assert out[0] == 3.75
