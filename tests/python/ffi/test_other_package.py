"""Values of an installed apache-tvm-ffi package, which shares the runtime library with Fairlead."""

import importlib
import os

import numpy as np
import pytest
from support import apache
from support.ffi_support import parse

from fairlead import ffi

if os.environ.get("FAIRLEAD_FORCE_OWN_FFI") == "1":
    pytest.skip("two runtime libraries in one process", allow_module_level=True)
if apache.package() is None:
    pytest.skip("apache-tvm-ffi is not installed", allow_module_level=True)
tvm_ffi = importlib.import_module("tvm_ffi")


def test_its_tensors(kernels, describe):
    array = np.arange(6, dtype="float32").reshape(2, 3)
    tensor = tvm_ffi.from_dlpack(array)
    (seen,) = describe(tensor)
    assert seen.kind in (7, 70) and seen.shape == (2, 3)
    assert seen.address == array.__array_interface__["data"][0]
    assert ffi.from_dlpack(tensor).data_ptr() == seen.address


def test_its_objects(kernels):
    assert kernels.echo(tvm_ffi.Array([1, "two"])) == (1, "two")
    assert kernels.apply(tvm_ffi.convert(lambda x: x + 1), 4) == 5
    assert kernels.echo(tvm_ffi.Shape((2, 3))) == (2, 3)
    assert kernels.echo(tvm_ffi.device("cuda:1")) == ffi.Device("cuda", 1)
    dtype = kernels.echo(tvm_ffi.dtype("int8"))
    assert isinstance(dtype, ffi.dtype) and dtype == "int8"


def test_global_functions_are_shared():
    name = "fairlead.test.shared"
    ffi.register_global_func(name, lambda x: x * 2)
    try:
        assert tvm_ffi.get_global_func(name)(21) == 42
    finally:
        ffi.remove_global_func(name)


def test_it_calls_our_functions(address):
    ours = ffi.make_function(address("describe"), views=True)
    theirs = tvm_ffi.convert(lambda f: f(1, 2.0))
    assert [seen.kind for seen in parse(theirs(ours))] == [1, 3]


def test_its_errors_come_back(kernels):
    def fail():
        raise ValueError("from its callback")

    with pytest.raises(ValueError, match="from its callback"):
        kernels.apply(tvm_ffi.convert(fail))
    with pytest.raises(KeyError, match="from ours"):
        tvm_ffi.convert(lambda f: f())(ffi.convert_func(lambda: {}["from ours"]))
