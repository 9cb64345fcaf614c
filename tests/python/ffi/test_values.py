"""How numbers, text, pointers, streams and containers reach a function, and come back."""

import ctypes
import enum
import fractions
import threading

import numpy as np
import pytest
from support.ffi_support import Refuses

from fairlead import ffi

NONE, INT, BOOL, FLOAT, POINTER = 0, 1, 2, 3, 4


class Opaque:
    def __tvm_ffi_opaque_ptr__(self):
        return 0x1234


class Stream:
    def __cuda_stream__(self):
        return 0, 0x5678


class StreamProperty:
    __cuda_stream__ = (0, 0x9ABC)


class IntValue:
    def __tvm_ffi_int__(self):
        return 5


class Wrapped:
    def __init__(self, value):
        self.value = value

    def __tvm_ffi_value__(self):
        return self.value


class Level(enum.IntEnum):
    HIGH = 9


@pytest.mark.parametrize(
    "value, kind, bits",
    [
        (None, NONE, 0),
        (True, BOOL, 1),
        (False, BOOL, 0),
        (np.True_, BOOL, 1),
        (0, INT, 0),
        (7, INT, 7),
        (-1, INT, 2**64 - 1),
        (2**63 - 1, INT, 2**63 - 1),
        (-(2**63), INT, 2**63),
        (np.int8(-2), INT, 2**64 - 2),
        (np.uint32(7), INT, 7),
        (Level.HIGH, INT, 9),
        (IntValue(), INT, 5),
        (Wrapped(Wrapped(6)), INT, 6),
        (1.5, FLOAT, 0x3FF8 << 48),
        (np.float32(1.5), FLOAT, 0x3FF8 << 48),
        (np.float64(1.5), FLOAT, 0x3FF8 << 48),
        (np.float16(1.5), FLOAT, 0x3FF8 << 48),
        (fractions.Fraction(3, 2), FLOAT, 0x3FF8 << 48),
        (ctypes.c_void_p(16), POINTER, 16),
        (ctypes.c_void_p(None), POINTER, 0),
        (Opaque(), POINTER, 0x1234),
        (Stream(), POINTER, 0x5678),
        (StreamProperty(), POINTER, 0x9ABC),
    ],
    ids=repr,
)
def test_scalar(describe, value, kind, bits):
    (seen,) = describe(value)
    assert (seen.kind, seen.bits) == (kind, bits)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**200, np.uint64(2**63)])
def test_big_int(describe, kernels, value):
    assert describe(0, value)[1].kind == 78
    for number in (kernels.echo(value), kernels.echo([value])[0], kernels.echo({value: 1})):
        number = next(iter(number)) if hasattr(number, "keys") else number
        assert number == int(value) and type(number) is int


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -5,
        2**62,
        1.25,
        float("inf"),
        "",
        "short",
        "seven77",
        "eight888",
        "ü" * 500,
    ]
    + ["with\0nul", "with\0nul, and long", b"", b"bytes", b"longer than eight \0"],
)
def test_round_trip(kernels, value):
    result = kernels.echo(value)
    assert type(result) is type(value) and result == value


def test_round_trip_of_pointers(kernels):
    assert kernels.echo(ctypes.c_void_p(4096)).value == 4096
    assert kernels.echo(ctypes.c_void_p(None)).value is None


def test_bytearray(kernels):
    assert kernels.echo(bytearray(b"a longer text")) == b"a longer text"


def test_lone_surrogate(kernels):
    with pytest.raises(UnicodeEncodeError):
        kernels.echo("\ud800")


def test_containers(kernels):
    assert kernels.echo((1, 2.5, "x")) == (1, 2.5, "x")
    assert kernels.echo([1, [2, (None, True)], []]) == (1, (2, (None, True)), ())
    assert kernels.echo(list(range(10000))) == tuple(range(10000))


def test_container_of_unsupported(kernels):
    with pytest.raises(TypeError, match="argument #0 of `echo`"):
        kernels.echo([1, Refuses()])


def test_container_in_itself(kernels):
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        kernels.echo(endless)


def test_deep_containers(kernels):
    """Levels beyond the limit are an error, before the stack ends: also that of a thread with half of the usual one."""

    def nested(depth):
        value = 7
        for _ in range(depth):
            value = [value]
        return value

    seen = []

    def work():
        found = kernels.echo(nested(450))
        for _ in range(450):
            (found,) = found
        seen.append(found)
        for depth in (501, 5000):
            with pytest.raises(RecursionError, match="more than 500 levels deep"):
                kernels.echo(nested(depth))

    before = threading.stack_size(4 << 20)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert seen == [7]


def test_dict(kernels):
    if ffi.get_global_func("ffi.Map", allow_missing=True) is None:
        with pytest.raises(TypeError, match="ffi.Map"):
            kernels.echo({"a": 1})
        return
    result = kernels.echo({"a": 1})
    assert isinstance(result, ffi.Object) and result.type_key == "ffi.Map"


def test_dtype(kernels):
    for name in ("float32", "bfloat16", "int8", "bool", "float8_e4m3fn"):
        result = kernels.echo(ffi.dtype(name))
        assert isinstance(result, ffi.dtype) and result == name
    assert kernels.echo(np.dtype("float32")) == "float32"
    torch = pytest.importorskip("torch")
    assert kernels.echo(torch.bfloat16) == "bfloat16"
    with pytest.raises(ValueError, match="unknown dtype"):
        ffi.dtype("nonsense")


def test_device(kernels):
    assert kernels.echo(ffi.device("cuda:1")) == ffi.Device("cuda", 1)
    assert str(kernels.echo(ffi.device(1))) == "cpu:0"
    with pytest.raises(ValueError, match="unknown device type 'gpux'"):
        ffi.device("gpux")
    with pytest.raises(ValueError, match="cuda:1"):
        ffi.device("cuda:x")


def test_objects(kernels):
    # The object itself, not a copy.
    function = kernels.echo(kernels.nop)
    assert function.same_as(kernels.nop) and function == kernels.nop
    assert function.__chandle__() == kernels.nop.__chandle__()
    assert kernels.echo(kernels) == kernels


class Source:
    def __init__(self, value):
        self.value = value

    def __tvm_ffi_object__(self):
        return self.value


def test_object_protocol(kernels):
    made = kernels.arange(3)
    assert kernels.echo(Source(made)) == made

    class Foreign:
        def __chandle__(self):
            return made.__chandle__()

    assert kernels.echo(Foreign()) == made
    assert kernels.echo(Source(Foreign())) == made


@pytest.mark.parametrize("value", [object(), 1j, ..., {1, 2}, memoryview(b"x")], ids=repr)
def test_any_other_object(describe, kernels, value):
    assert describe(1, 2, value)[2].kind == 74
    assert kernels.echo(value) is value and kernels.echo([value])[0] is value


def test_protocols_that_fail(describe):
    class Bad:
        def __tvm_ffi_int__(self):
            raise ValueError("not today")

    with pytest.raises(ValueError, match="argument #0 of `function`: not today"):
        describe(Bad())


def test_use_raw_stream(kernels):
    assert ffi.get_raw_stream("cuda:0") == 0
    with ffi.use_raw_stream("cuda:0", 4096):
        assert kernels.stream(2, 0).value == 4096
        with ffi.use_raw_stream("cuda:0", ctypes.c_void_p(8192)):
            assert ffi.get_raw_stream("cuda:0") == 8192
        assert ffi.get_raw_stream("cuda:0") == 4096
    assert kernels.stream(2, 0).value is None
    with pytest.raises(ValueError, match="stream"), ffi.use_raw_stream("cuda:0", "x"):
        pass
