"""The protocol that is used for a class with several, and the protocols that give values."""

import ctypes
import functools
import operator

import pytest

from fairlead import ffi

POINTER, DTYPE, DEVICE, ERROR, FUNCTION, ARRAY, MAP, SHAPE = 4, 5, 6, 67, 68, 71, 72, 69
INT, FLOAT = 1, 3


class Value:
    def __tvm_ffi_value__(self):
        return 6


class Callable:
    def __call__(self):
        return "called"


def made(*bases, **members):
    """An instance of a class with methods that return the values."""
    methods = {name: (lambda value: lambda self: value)(value) for name, value in members.items()}
    return type("Made", bases, methods)()


def test_callable_is_a_function(describe, kernels):
    for callable in (
        made(Callable, Value),
        made(Callable, __tvm_ffi_int__=5),
        made(Callable, __dlpack_data_type__=(0, 32, 1)),
        made(Callable, __dlpack_device__=(1, 0)),
        functools.partial(int, "7"),
        operator.itemgetter(0),
        len,
        dict,
        lambda: None,
    ):
        assert describe(1, callable)[1].kind == FUNCTION
    assert kernels.echo(made(Callable, Value))() == "called"


@pytest.mark.parametrize(
    "value, kind, bits",
    [
        (made(Callable, __tvm_ffi_opaque_ptr__=0x10), POINTER, 0x10),
        (made(Callable, __cuda_stream__=(0, 0x20)), POINTER, 0x20),
        (made(int, __tvm_ffi_value__=6), INT, 0),
        (made(float, __tvm_ffi_value__=6), FLOAT, 0),
        (made(Value, __tvm_ffi_int__=5), INT, 5),
        (made(Value, __tvm_ffi_int__=5, __tvm_ffi_float__=1.5), INT, 5),
        (made(__tvm_ffi_float__=1.5), FLOAT, 0x3FF8 << 48),
        (made(__tvm_ffi_float__=2), FLOAT, 0x4000 << 48),
        (made(__cuda_stream__=("cuda", 0x40)), POINTER, 0x40),
        (made(Exception, __tvm_ffi_value__=6), INT, 6),
        (type("Address", (ctypes.c_void_p,), {})(0x30), POINTER, 0x30),
    ],
    ids=str,
)
def test_order(describe, value, kind, bits):
    (seen,) = describe(value)
    assert (seen.kind, seen.bits) == (kind, bits)


def test_values_of_subclasses(kernels):
    """A subclass of str, list or dict is what its base is, whatever else it offers."""
    assert kernels.echo(made(str, __tvm_ffi_value__=6)) == ""
    assert isinstance(kernels.echo(made(list, __tvm_ffi_value__=6)), ffi.Array)
    assert isinstance(kernels.echo(made(dict, __tvm_ffi_value__=6)), ffi.Map)
    assert kernels.echo(made(bytes, __tvm_ffi_value__=6)) == b""


def test_types_and_devices(describe, kernels):
    for value in (
        made(__dlpack_data_type__=(2, 32, 4)),
        made(Value, __dlpack_data_type__=(2, 32, 4)),
    ):
        assert describe(1, value)[1].kind == DTYPE
        assert kernels.echo(value) == "float32x4"
    for value in (made(__dlpack_device__=(2, 3)), made(Value, __dlpack_device__=(2, 3))):
        assert describe(1, value)[1].kind == DEVICE
        assert kernels.echo(value) == ffi.Device("cuda", 3)
    for wrong in ((1, 2), (1, 2, 3, 4), (300, 1, 1)):
        with pytest.raises(ValueError, match="argument #0"):
            describe(made(__dlpack_data_type__=wrong))
    with pytest.raises(ValueError, match="argument #0"):
        describe(made(__dlpack_device__=(2**40, 0)))


def test_objects(describe, kernels):
    assert describe(1, ValueError("text"))[1].kind == ERROR
    assert kernels.echo(ValueError("text")).message == "text"
    assert describe(1, [1])[1].kind == describe(1, (1,))[1].kind == ARRAY
    assert describe(1, {1: 2})[1].kind == MAP
    assert describe(1, ffi.Shape((2, 3)))[1].kind == SHAPE


def test_cuda_driver_stream(describe):
    """The class of cuda.bindings, known by its name and module."""
    stream = type(
        "CUstream", (), {"__int__": lambda self: 0x40, "__module__": "cuda.bindings.driver"}
    )
    (seen,) = describe(stream())
    assert (seen.kind, seen.bits) == (POINTER, 0x40)
