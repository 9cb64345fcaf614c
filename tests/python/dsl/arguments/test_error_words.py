"""Errors of calls use Python's words: its types, and a framework's reason without C++ frames."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from fairlead import cute  # noqa: E402

SITE = r"when calling: `nothing\(a: Tensor\(\[n0\], float32\), n: int32\)`"


@pytest.fixture(scope="module")
def nothing():
    @cute.jit
    def nothing(a: cute.Tensor, n: cute.Int32):
        pass

    fake = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    return cute.compile(nothing, fake, cute.Int32(1))


class Own:
    pass


@pytest.mark.parametrize(
    "argument, name",
    [
        ("x", "str"),
        ("a string that is longer than a cell", "str"),
        (b"x", "bytes"),
        ([1, 2], "list"),
        ((1, 2), "tuple"),
        ({"a": 1}, "dict"),
        (Own(), "Own"),
        (cute.runtime.make_fake_compact_tensor(cute.Float32, (4,)), "FakeTensor"),
        (None, "None"),
        (1, "int"),
        (1.5, "float"),
        (True, "bool"),
    ],
)
def test_types(nothing, argument, name):
    expected = rf"^Mismatched type on argument #0 {SITE}, expected Tensor, but got {name}$"
    with pytest.raises(TypeError, match=expected):
        nothing(argument, 1)
    with pytest.raises(TypeError, match=expected):
        nothing(a=argument, n=1)


def test_numbers(nothing):
    a = np.zeros(4, np.float32)
    for wrong, got in (
        (a, "Tensor"),
        ("1", "str"),
        (2**64, f"{2**64}, which does not fit 64 bits"),
    ):
        with pytest.raises(
            TypeError, match=rf"on argument #1 {SITE}, expected int, but got {got}$"
        ):
            nothing(a, wrong)
    with pytest.raises(ValueError, match="in the range of int32, but got 2147483648"):
        nothing(a, 2**31)


def test_unsigned_numbers_of_64_bits():
    @cute.jit
    def store(x: cute.Uint64, out: cute.Tensor):
        out[0] = x

    function = cute.compile(
        store, cute.Uint64(1), cute.runtime.make_fake_compact_tensor(cute.Uint64, (1,))
    )
    out = np.zeros(1, np.uint64)
    for number in (0, 2**63 - 1, 2**63, 2**64 - 1):
        function(number, out)
        assert out[0] == number
        function(np.uint64(number), out)
        assert out[0] == number
    with pytest.raises(TypeError, match=f"expected int, but got {2**64}, which does not fit"):
        function(2**64, out)
    with pytest.raises(ValueError, match="in the range of uint64, but got -1"):
        function(-1, out)


def test_reasons_of_torch_end_before_its_frames(nothing):
    for tensor in (torch.zeros(4, device="meta"), torch.zeros(4).to_sparse()):
        with pytest.raises(RuntimeError, match="^argument #0 \\(`a`\\) of `nothing") as caught:
            nothing(tensor, 1)
        assert not re.search("Exception raised from|frame #0", str(caught.value))
        assert caught.value.__cause__ is not None


def test_classes_are_no_examples():
    @cute.jit
    def function(a: cute.Tensor, b):
        pass

    fake = cute.runtime.make_fake_compact_tensor(cute.Float32, (4,))
    for wrong in (cute.Tensor, cute.Pointer, cute.Layout):
        with pytest.raises(
            TypeError, match=rf"cannot take the class {wrong.__name__} as argument #1"
        ):
            cute.compile(function, fake, wrong)
    with pytest.raises(TypeError, match="cannot take the class Tensor as argument #0"):
        cute.compile(function, cute.Tensor, 1)
