from __future__ import annotations

import numpy as np

from fairlead import ffi


@ffi.register_global_func("typing.add_one", override=True)
def add_one(number: int) -> int:
    return number + 1


function = ffi.get_global_func("typing.add_one")
assert function is not None
print(function(3))
tensor: ffi.Tensor = ffi.from_dlpack(np.zeros(4, np.float32))
shape: tuple[int, ...] = tensor.shape
kind: ffi.dtype = ffi.dtype("float32")
array = ffi.Array([1, 2, 3])
module = ffi.load_module("library.so")
