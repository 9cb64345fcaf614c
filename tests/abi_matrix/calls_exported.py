"""Calls the library of exports.py through the package tvm_ffi: `calls_exported.py LIBRARY`."""

import sys

import numpy as np
import tvm_ffi

function = tvm_ffi.load_module(sys.argv[1]).add_one
a, b = np.arange(300, dtype=np.float32), np.zeros(300, np.float32)
function(tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(b))
assert (b == a + 1).all(), b
try:
    function(tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(b[:3].copy()))
except ValueError as error:
    assert "b.shape[0]" in str(error) and "add_one(" in str(error), error
else:
    sys.exit("a tensor of another length was taken")
print("all as expected")
