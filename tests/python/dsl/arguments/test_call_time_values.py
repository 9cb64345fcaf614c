"""Values that a call may pass for each kind of compile-time argument: a row for each."""

import ctypes
import dataclasses
import typing

import numpy as np
import pytest
from support.dsl_support import CLASSES, DTYPES, vector

from fairlead import Float32, Int32, cute, ffi
from fairlead.cute import cuda

CPU = "--target cpu"


class OnlyDLPack:
    """A tensor of some package that knows DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldDLPack(OnlyDLPack):
    """One from before DLPack 1: its __dlpack__ takes a stream and no more."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class OwnArray(np.ndarray):
    """A subclass of a framework's class."""


def by_torch(array):
    return pytest.importorskip("torch").from_numpy(array)


def by_jax(array):
    jax = pytest.importorskip("jax")
    return jax.numpy.asarray(array)


TENSORS = {
    "NumPy": lambda array: array,
    "subclass of NumPy's": lambda array: array.view(OwnArray),
    "torch": by_torch,
    "torch parameter": lambda array: pytest.importorskip("torch").nn.Parameter(by_torch(array), requires_grad=False),
    "JAX": by_jax,
    "DLPack": OnlyDLPack,
    "old DLPack": OldDLPack,
    "cute.Tensor": lambda array: cute.from_dlpack(array),
    "cute.Tensor, dynamic": lambda array: cute.runtime.from_dlpack(array).mark_layout_dynamic(),
    "ffi.Tensor": ffi.from_dlpack,
    "capsule": lambda array: array.__dlpack__(),
}  # fmt: skip


@cute.jit
def twice(a: cute.Tensor, out: cute.Tensor):
    out[:] = a[:] * 2.0


@pytest.mark.parametrize("producer", TENSORS)
def test_tensors(producer):
    n = cute.sym_int()
    compiled = cute.compile(twice, vector(Float32, n), vector(Float32, n), options=CPU)
    a, out = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    given = TENSORS[producer](a)
    compiled(given, out)
    np.testing.assert_array_equal(out, a * 2)
    if producer == "capsule":  # is used once
        return
    out[:] = 0
    compiled(out=out, a=given)
    np.testing.assert_array_equal(out, a * 2)


@pytest.mark.parametrize("name", DTYPES)
def test_scalars_of_every_type(name):
    kind, dtype = getattr(cute, name), np.dtype(DTYPES[name])

    @cute.jit
    def store(value, out: cute.Tensor):
        out[0] = value

    if name == "Float16":  # crosses as a double
        values = [1.5, -2, 65504.0]
    elif dtype.kind == "f":
        values = [1.5, 3, -0.0, float("inf"), np.float64(2.5), np.float32(0.5)]
    elif dtype.kind == "b":
        values = [True, False, np.bool_(True), 1, 0]
    else:
        info = np.iinfo(dtype)
        least, most = info.min, min(info.max, 2**63 - 1)
        values = [0, 7, True, least, most, np.int16(5)]
    for example in (kind, kind(1)):
        compiled = cute.compile(store, example, vector(kind), options=CPU)
        for value in values:
            out = np.zeros(1, dtype)
            compiled(value, out)
            assert out[0] == dtype.type(value)
    for wrong in ("1", None, [1], 1j):
        with pytest.raises(TypeError, match="argument #0"):
            compiled(wrong, np.zeros(1, dtype))
    if dtype.kind in "iu":
        outside = [1.5] + ([2**70] if dtype.itemsize == 8 else [info.max + 1, info.min - 1])
        for wrong in outside:
            with pytest.raises((TypeError, ValueError, OverflowError), match="argument #0"):
                compiled(wrong, np.zeros(1, dtype))


SHAPES = {
    "tuple": lambda a, b: (a, b),
    "list": lambda a, b: [a, b],
    "Shape": lambda a, b: ffi.Shape((a, b)),
    "NumPy integers": lambda a, b: (np.int64(a), np.int32(b)),
}


@pytest.mark.parametrize("form", SHAPES)
@pytest.mark.parametrize("hint", ["Shape", "Stride", "Coord", "Tile", "IntTuple"])
def test_int_tuples(form, hint):
    def store(t, out: cute.Tensor):
        out[0] = t[0] * 10 + t[1]

    store.__annotations__["t"] = getattr(cute, hint)
    compiled = cute.compile(cute.jit(store), (Int32, Int32), vector(Int32), options=CPU)
    out = np.zeros(1, np.int32)
    compiled(SHAPES[form](3, 4), out)
    assert out[0] == 34
    with pytest.raises(TypeError, match="argument #0"):
        compiled(SHAPES[form](3, 4)[:1], out)
    with pytest.raises(TypeError, match="argument #1"):  # of the entry, which takes them one by one
        compiled((3, "4"), out)


class OfProtocol:
    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return (0, self.handle)


def driver_stream(handle):
    """Cuda-python's class, as far as calls look at it."""

    class CUstream:
        def __init__(self, value):
            self.value = value

        def __int__(self):
            return self.value

    CUstream.__module__ = "cuda.bindings.driver"
    CUstream.__qualname__ = "CUstream"
    return CUstream(handle)


def torch_stream(handle):
    """Torch's class in releases whose streams lack the protocol."""

    class Stream:
        cuda_stream = handle

    Stream.__module__ = "torch.cuda.streams"
    Stream.__qualname__ = "Stream"
    return Stream()


STREAMS = {
    "int": lambda handle: handle,
    "protocol": OfProtocol,
    "driver's": driver_stream,
    "torch's": torch_stream,
    "c_void_p": ctypes.c_void_p,
    "None": lambda handle: None,
}


@pytest.mark.parametrize("form", STREAMS)
@pytest.mark.parametrize("nested", [False, True])
def test_streams(form, nested):
    """On the CPU a stream is accepted without effect; C++ sees the entry's argument."""

    @cute.jit
    def store(parts, out: cute.Tensor):
        out[0] = 1.0

    fake = cute.runtime.make_fake_stream()
    compiled = cute.compile(store, (fake,) if nested else fake, vector(Float32), options=CPU)
    out = np.zeros(1, np.float32)
    given = STREAMS[form](0x1230)
    compiled((given,) if nested else given, out)
    assert out[0] == 1
    with pytest.raises(TypeError, match="expected Stream, but got float"):
        compiled((1.5,) if nested else 1.5, out)


class Inner(typing.NamedTuple):
    tensor: cute.Tensor
    scale: Float32


@dataclasses.dataclass(frozen=True)
class Outer:
    inners: tuple
    shift: Float32
    nothing: None = None


def test_structures_in_each_other():
    @cute.jit
    def total(outer: Outer, more: tuple, out: cute.Tensor):
        value = outer.shift
        for inner in outer.inners:
            value = value + inner.tensor[0] * inner.scale
        out[0] = value + more[0][0][0]

    inner = lambda tensor: Inner(tensor, 1.0)  # noqa: E731
    example = Outer((inner(vector(Float32)), inner(vector(Float32))), 1.0)
    compiled = cute.compile(total, example, ((vector(Float32),),), vector(Float32), options=CPU)
    arrays = [np.full(1, value, np.float32) for value in (1, 2, 3)]
    out = np.zeros(1, np.float32)
    whole = Outer((Inner(arrays[0], 10.0), (arrays[1], 100.0)), 0.5)
    compiled(whole, [[arrays[2]]], out)
    assert out[0] == 10 + 200 + 0.5 + 3
    compiled(out=out, more=((arrays[2],),), outer=(((arrays[0], 1.0), (arrays[1], 1.0)), 0.0, None))
    assert out[0] == 6
    with pytest.raises(TypeError, match=r"outer.inners on argument #0 .*a tuple of 2, but got 1"):
        compiled(Outer((Inner(arrays[0], 1.0),), 0.0), ((arrays[2],),), out)
    with pytest.raises(TypeError, match=r"expected a tuple of 1, but got"):
        compiled(whole, (arrays[2],), out)


def test_classes_of_numbers():
    assert set(CLASSES.values()) == {getattr(cute, name) for name in DTYPES}


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ((0,), TypeError, r"its __cuda_stream__ gives \(0,\), expected \(0, address\)"),
        ((0, 0, 0), TypeError, r"gives \(0, 0, 0\), expected"),
        (5, TypeError, "gives 5, expected"),
        (None, TypeError, "gives None, expected"),
        ((1, 0), ValueError, r"gives \(1, 0\), expected version 0 and an address"),
        (("0", 0), ValueError, "expected version 0"),
        ((b"0", 0), ValueError, "expected version 0"),
        ((0, None), TypeError, "expected version 0 and an address"),
        ((0, -1), TypeError, "expected version 0 and an address"),
        ((0, 2**64), OverflowError, "too large"),
        ((0, "x"), (TypeError, ValueError), "x|str"),
        (LookupError("mine"), LookupError, "mine"),
    ],
)
def test_streams_that_are_none(given, kind, message):
    class Stream:
        def __cuda_stream__(self):
            if isinstance(given, Exception):
                raise given
            return given

    @cute.jit
    def host(stream: cuda.CUstream):
        pass

    compiled = cute.compile(host, cute.runtime.make_fake_stream(), options="--target cpu")
    for call in (compiled, host):
        with pytest.raises(kind, match=message):
            call(Stream())
