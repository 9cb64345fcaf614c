"""Functions: arguments and results of every kind, callbacks, the registry."""

import ctypes

import numpy as np
import torch
import tvm_ffi
from show import show

echo = tvm_ffi.get_global_func("testing.echo")
show("echo function", lambda: type(echo).__name__)
for value in [
    None,
    True,
    7,
    -(2**63),
    2**63,
    -(2**70),
    1.5,
    "abc",
    "a longer string than seven",
    b"abc",
    b"a longer bytes value",
    tvm_ffi.dtype("float32"),
    tvm_ffi.dtype("bfloat16x4"),
    tvm_ffi.device("cuda:3"),
    [1, 2.5, "x"],
    (1, (2, 3)),
    {"a": 1, "b": [1, 2]},
    torch.float16,
    np.dtype("int8"),
    ctypes.c_void_p(0x1234),
    tvm_ffi.Shape((1, 2, 3)),
]:
    show(f"echo {value!r}", lambda value=value: echo(value))

show("unknown function", lambda: tvm_ffi.get_global_func("no.such.function"))
show("allow missing", lambda: tvm_ffi.get_global_func("no.such.function", allow_missing=True))


@tvm_ffi.register_global_func("package.add")
def add(a, b):
    return a + b


show("registered", lambda: tvm_ffi.get_global_func("package.add")(3, 4))
show("registered twice", lambda: tvm_ffi.register_global_func("package.add", add))
show(
    "override",
    lambda: type(tvm_ffi.register_global_func("package.add", add, override=True)).__name__,
)
show("listed", lambda: "package.add" in tvm_ffi.registry.list_global_func_names())
show("removed", lambda: tvm_ffi.remove_global_func("package.add"))
show("gone", lambda: tvm_ffi.get_global_func("package.add", allow_missing=True))

apply = tvm_ffi.get_global_func("testing.apply")
show("callback", lambda: apply(lambda *args: sum(args), 1, 2, 3))
show("callback result list", lambda: apply(lambda *args: list(args), 1, "two", 3.0))
show("callback of function", lambda: apply(echo, "x"))
fn = tvm_ffi.convert(lambda x: x * 2)
show("converted", lambda: fn(21))
show("same", lambda: fn.same_as(fn))

nop = tvm_ffi.get_global_func("testing.nop")
show("nop", lambda: nop(1, 2, 3))
for name in ["testing.add_one", "testing.test_raise_error", "testing.object_use_count"]:
    f = tvm_ffi.get_global_func(name, allow_missing=True)
    print(name, f is not None)

x = tvm_ffi.from_dlpack(torch.arange(6, dtype=torch.float32).reshape(2, 3))
show("tensor shape", lambda: x.shape)
show("tensor strides", lambda: x.strides)
show("tensor dtype", lambda: x.dtype)
show("tensor device", lambda: x.device)
show("tensor numel", lambda: x.numel())
show("tensor contiguous", lambda: x.is_contiguous())
show("tensor to torch", lambda: torch.from_dlpack(x).tolist())
show("tensor to numpy", lambda: np.from_dlpack(x).tolist())
show("echo torch", lambda: echo(torch.ones(2)).tolist())
show("echo numpy", lambda: np.from_dlpack(echo(np.ones(2, dtype="int16"))).tolist())
show("bad alignment", lambda: tvm_ffi.from_dlpack(torch.arange(7)[1:], require_alignment=64).shape)
show(
    "not contiguous",
    lambda: tvm_ffi.from_dlpack(torch.ones(2, 3).t(), require_contiguous=True).shape,
)

for text in ["cpu", "cuda:1", "metal", "rocm:2", "nope", "cuda:x", "cuda:1:2"]:
    show(f"device {text}", lambda text=text: tvm_ffi.device(text))
for text in [
    "int8",
    "float8_e4m3fn",
    "float4_e2m1fnx2",
    "bool",
    "uint16x8",
    "",
    "q7",
    "int0",
    "float32x0",
    "int32xvscalex4",
]:
    show(f"dtype {text}", lambda text=text: tvm_ffi.dtype(text))
show("dtype itemsize", lambda: [tvm_ffi.dtype(t).itemsize for t in ("int8", "float16", "int32x4")])
show("metadata", lambda: tvm_ffi.get_global_func_metadata("testing.schema_id_int"))
show("metadata missing", lambda: tvm_ffi.get_global_func_metadata("no.such.function"))

device = tvm_ffi.device("cuda:0")
with tvm_ffi.use_raw_stream(device, 0x1234):
    show("stream", lambda: tvm_ffi.get_raw_stream(device))
    with tvm_ffi.use_raw_stream(device, 0x5678):
        show("inner stream", lambda: tvm_ffi.get_raw_stream(device))
    show("outer stream", lambda: tvm_ffi.get_raw_stream(device))
show("no stream", lambda: tvm_ffi.get_raw_stream(device))
show("bad stream", lambda: tvm_ffi.use_raw_stream(device, "x"))
show("system lib", lambda: tvm_ffi.system_lib("none").kind)
