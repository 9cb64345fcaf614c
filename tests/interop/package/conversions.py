"""Arguments of every kind that Python programs have, as a function of the library and a callback get them."""

import array
import collections
import ctypes
import decimal
import enum
import fractions
import os
import types

import numpy as np
import torch
import tvm_ffi
from show import show

echo = tvm_ffi.get_global_func("testing.echo")
keep = {}


def named(cls):
    """Return an instance of a class with these members."""
    return cls()


@named
class WithObject:
    def __tvm_ffi_object__(self):
        return tvm_ffi.Array([1, 2])


@named
class WithValue:
    def __tvm_ffi_value__(self):
        return {"k": (1, None)}


@named
class WithValueOfValue:
    def __tvm_ffi_value__(self):
        return WithValue


@named
class WithInt:
    def __tvm_ffi_int__(self):
        return 2**70


@named
class WithFloat:
    def __tvm_ffi_float__(self):
        return 2.5


@named
class WithStream:
    def __cuda_stream__(self):
        return (0, 0x1234)


@named
class WithPointer:
    def __tvm_ffi_opaque_ptr__(self):
        return 0x4321


@named
class WithDType:
    def __dlpack_data_type__(self):
        return (2, 16, 4)


@named
class WithDevice:
    def __dlpack_device__(self):
        return (2, 5)


@named
class WithDLPack:
    def __dlpack__(self, **options):
        return torch.arange(3).__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


@named
class CallableWithValue:
    def __call__(self):
        return 3

    def __tvm_ffi_value__(self):
        return 4


@named
class Convertible(tvm_ffi.ObjectConvertible):
    def asobject(self):
        return tvm_ffi.List([7])


class Text(str):
    pass


class Number(int):
    pass


class Named(enum.Enum):
    a = 1


class Int(enum.IntEnum):
    a = 5


class Str(str, enum.Enum):  # noqa: UP042
    a = "text"


Pair = collections.namedtuple("Pair", "x y")
torch_tensor = torch.arange(6, dtype=torch.int16).reshape(2, 3)
VALUES = {
    "None": None,
    "tvm tensor": tvm_ffi.from_dlpack(torch_tensor),
    "array": tvm_ffi.Array([1, "a"]),
    "list object": tvm_ffi.List([1]),
    "map": tvm_ffi.Map({"a": 1}),
    "dict object": tvm_ffi.Dict({"a": 1}),
    "function object": echo,
    "moved": None,
    "__tvm_ffi_object__": WithObject,
    "torch tensor": torch_tensor,
    "torch parameter": torch.nn.Parameter(torch.ones(2)),
    "torch view": torch_tensor.t(),
    "torch bool": torch.tensor([True, False]),
    "torch scalar": torch.tensor(2.5),
    "numpy array": np.arange(3, dtype=np.uint8),
    "numpy view": np.arange(6).reshape(2, 3)[:, ::2],
    "numpy scalar array": np.array(3.5),
    "numpy empty": np.zeros((0, 4), np.float16),
    "__cuda_stream__": WithStream,
    "__dlpack__": WithDLPack,
    "bool": True,
    "numpy bool": np.bool_(True),
    "int": -7,
    "int64 ends": [2**63 - 1, -(2**63)],
    "big": [2**63, -(2**64)],
    "int subclass": Number(4),
    "numpy int8": np.int8(-3),
    "numpy uint64": np.uint64(2**63 - 1),
    "numpy uint64 big": np.uint64(2**64 - 1),
    "int enum": Int.a,
    "float": 2.5,
    "float specials": [float("inf"), -0.0],
    "numpy float16": np.float16(1.5),
    "numpy float32": np.float32(0.1),
    "numpy longdouble": np.longdouble(0.5),
    "fraction": fractions.Fraction(1, 2),
    "decimal": decimal.Decimal("0.5"),
    "complex": 1 + 2j,
    "dtype": tvm_ffi.dtype("float32x4"),
    "device": tvm_ffi.device("cuda:3"),
    "shape": tvm_ffi.Shape((1, 2)),
    "str": "text",
    "long str": "a longer text é 漢 😀",
    "str with zero": "a\0b",
    "empty str": "",
    "str subclass": Text("sub"),
    "numpy str": np.str_("numpy"),
    "str enum": Str.a,
    "bytes": b"\0\xff",
    "long bytes": b"x" * 20,
    "bytearray": bytearray(b"abc"),
    "memoryview": memoryview(b"abc"),
    "numpy bytes": np.bytes_(b"abc"),
    "array.array": array.array("i", [1]),
    "list": [1, [2, [3, None]], "x"],
    "tuple": (1, (2.5, b"y")),
    "namedtuple": Pair(1, 2),
    "torch size": torch.Size([2, 3]),
    "empty list": [],
    "dict": {"a": {1: [2]}, 3: None},
    "ordered dict": collections.OrderedDict(a=1, b=2),
    "empty dict": {},
    "set": {1},
    "range": range(3),
    "c_void_p": ctypes.c_void_p(0x1000),
    "c_void_p null": ctypes.c_void_p(),
    "c_int": ctypes.c_int(3),
    "c_char_p": ctypes.c_char_p(b"x"),
    "pointer": ctypes.pointer(ctypes.c_int(3)),
    "__tvm_ffi_opaque_ptr__": WithPointer,
    "lambda": lambda: 5,
    "class": int,
    "callable with value": CallableWithValue,
    "torch dtype": torch.bfloat16,
    "torch bool dtype": torch.bool,
    "torch complex": torch.complex64,
    "numpy dtype": np.dtype("int16"),
    "numpy type": np.int16,
    "numpy struct": np.dtype([("a", "i4")]),
    "torch device": torch.device("cpu"),
    "torch device index": torch.device("cuda", 2),
    "__dlpack_data_type__": WithDType,
    "__dlpack_device__": WithDevice,
    "__tvm_ffi_int__": WithInt,
    "__tvm_ffi_float__": WithFloat,
    "__tvm_ffi_value__": WithValue,
    "value of value": WithValueOfValue,
    "exception": ValueError("text"),
    "convertible": Convertible,
    "enum": Named.a,
    "path": types.SimpleNamespace(a=1),
    "ellipsis": ...,
    "nested tensors": [torch.ones(1), {"a": np.ones(1)}],
}


def described(value):
    """Describe a value in words that do not depend on its address."""
    if isinstance(value, (tvm_ffi.Tensor, torch.Tensor, np.ndarray)):
        kind = type(value).__name__
        strides = tuple(value.stride()) if isinstance(value, torch.Tensor) else tuple(value.strides)
        return f"{kind} {tuple(value.shape)} {value.dtype} {strides}"
    if isinstance(value, (tvm_ffi.Array, tvm_ffi.List)):
        return f"{type(value).__name__}({', '.join(map(described, value))})"
    if isinstance(value, (tvm_ffi.Map, tvm_ffi.Dict)):
        items = ", ".join(f"{described(k)}: {described(v)}" for k, v in value.items())
        return f"{type(value).__name__}({items})"
    if isinstance(value, tvm_ffi.Function):
        return "a Function"
    if isinstance(value, ctypes.c_void_p):
        return f"c_void_p({value.value})"
    if isinstance(value, (str, bytes)) and not isinstance(value, tvm_ffi.dtype):
        return repr(value)
    if type(value).__module__.startswith(("tvm_ffi", "fairlead")) and hasattr(value, "message"):
        return f"Error {value.kind} {value.message}"
    if (
        isinstance(value, memoryview)
        or type(value).__repr__ is object.__repr__
        or "SimpleNamespace" in repr(value)
    ):
        return f"the same {type(value).__name__}"
    return f"{type(value).__name__} {value!r}"


seen = []
look = tvm_ffi.convert(lambda value: seen.append(described(value)))
for label, value in VALUES.items():
    if label == "moved":
        value = tvm_ffi.Array([1])._move()
    result = None
    try:
        result = described(echo(value))
    except Exception as error:
        result = f"{type(error).__name__}"
    print(f"echo {label}: {result}")
    if label == "moved":
        value = tvm_ffi.Array([1])._move()
    try:
        look(value)
        print(f"callback {label}: {seen.pop()}")
    except Exception as error:
        print(f"callback {label}: {type(error).__name__}")
    try:
        converted = described(tvm_ffi.convert(value)) if label != "moved" else None
    except Exception as error:
        converted = type(error).__name__
    print(f"convert {label}: {converted}")

# Results are tensors of the arguments' framework.
pass_on = tvm_ffi.get_global_func("testing.echo")
show("torch in", lambda: type(pass_on(torch.ones(1))).__name__)
show("torch in a list", lambda: type(pass_on([torch.ones(1)])[0]).__name__)
show("own in", lambda: type(pass_on(tvm_ffi.from_dlpack(torch.ones(1)))).__name__)
torch_back = tvm_ffi.convert_func(lambda x: type(x).__name__, tensor_cls=torch.Tensor)
show("callback of torch", lambda: torch_back(torch.ones(1)))
show("callback of torch, numpy in", lambda: torch_back(np.ones(1)))
show("wrong tensor class", lambda: tvm_ffi.convert_func(lambda x: x, tensor_cls=int))
show("keyword", lambda: echo(x=1) and None) if os.environ.get("NEVER") else None
