"""Compiles and calls with Fairlead while the package tvm_ffi provides the runtime, and passes values between both."""

import os

import exports
import numpy as np
import tvm_ffi

import fairlead.ffi

compiled = exports.compiled()
a, b = np.arange(300, dtype=np.float32), np.zeros(300, np.float32)
compiled(a, b)
assert (b == a + 1).all(), b
try:
    compiled(a, b[:3])
except ValueError as error:
    assert "b.shape[0]" in str(error), error
else:
    raise SystemExit("a tensor of another length was taken")

tvm_ffi.register_global_func("abi_matrix.theirs", lambda x, values: [x, len(values)])
fairlead.ffi.register_global_func("abi_matrix.ours", lambda text: {"text": text + "!"})
assert list(fairlead.ffi.get_global_func("abi_matrix.theirs")(2**62, [1, 2, 3])) == [2**62, 3]
assert str(tvm_ffi.get_global_func("abi_matrix.ours")("a text")["text"]) == "a text!"

words = {word for line in open("/proc/self/maps") for word in line.split()[-1:]}
loaded = {os.path.realpath(word) for word in words if word.endswith("/libtvm_ffi.so")}
assert loaded == {os.path.join(os.path.dirname(tvm_ffi.__file__), "lib", "libtvm_ffi.so")}, loaded
print("all as expected")
