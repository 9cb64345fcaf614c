"""Element types and kinds of devices as Python objects."""

import copy
import pickle

import numpy as np
import pytest

from fairlead import ffi

# Name, DLPack's code, bits, lanes, bytes.
TYPES = [
    ("bool", 6, 8, 1, 1),
    ("int8", 0, 8, 1, 1),
    ("int64", 0, 64, 1, 8),
    ("uint16", 1, 16, 1, 2),
    ("float32", 2, 32, 1, 4),
    ("float32x4", 2, 32, 4, 16),
    ("bfloat16", 4, 16, 1, 2),
    ("float8_e4m3fn", 10, 8, 1, 1),
    ("float8_e5m2", 12, 8, 1, 1),
    ("float6_e2m3fn", 15, 6, 1, 1),
    ("float4_e2m1fn", 17, 4, 1, 1),
    ("float4_e2m1fnx2", 17, 4, 2, 1),
    ("float4_e2m1fnx3", 17, 4, 3, 2),
]


@pytest.mark.parametrize("name, code, bits, lanes, size", TYPES)
def test_parts(kernels, name, code, bits, lanes, size):
    dtype = ffi.dtype(name)
    assert (dtype.type_code, dtype.bits, dtype.lanes, dtype.itemsize) == (code, bits, lanes, size)
    assert dtype == name and hash(dtype) == hash(name) and repr(dtype) == f"dtype({name!r})"
    assert ffi.dtype.from_dlpack_data_type((code, bits, lanes)) == dtype
    assert type(kernels.echo(dtype)) is ffi.dtype and kernels.echo(dtype).bits == bits
    for copied in (copy.copy(dtype), pickle.loads(pickle.dumps(dtype)), ffi.dtype(dtype)):
        assert type(copied) is ffi.dtype and copied == dtype and copied.lanes == lanes


def test_kinds():
    assert [ffi.dtype(n).is_bool for n in ("bool", "int8", "float32")] == [True, False, False]
    assert [ffi.dtype(n).is_integer for n in ("uint8", "bool", "float32")] == [True, False, False]
    assert [ffi.dtype(n).is_float for n in ("float8_e4m3", "bfloat16", "int8")] == [
        True,
        True,
        False,
    ]
    assert ffi.dtype("handle").is_handle and not ffi.dtype("int64").is_handle


def test_lanes():
    four = ffi.dtype("float16").with_lanes(4)
    assert four == "float16x4" and type(four) is ffi.dtype and four.itemsize == 8
    assert four.with_lanes(1) == "float16"
    for wrong in (0, -1, 70000):
        with pytest.raises(ValueError):
            four.with_lanes(wrong)
    with pytest.raises(ValueError):
        ffi.dtype.from_dlpack_data_type((2, 32))
    with pytest.raises(ValueError):
        ffi.dtype.from_dlpack_data_type((2, 300, 1))


def test_unknown():
    for wrong in ("nonsense", "float3q", "int8x", "float32\0", "ü"):
        with pytest.raises(ValueError, match="dtype"):
            ffi.dtype(wrong)


def test_literals():
    for name, *_ in TYPES[:8]:
        if "x" not in name:
            assert getattr(ffi, name) == name and type(getattr(ffi, name)) is ffi.dtype
    assert ffi.float4_e2m1fnx2.lanes == 2
    from fairlead.ffi import _dtypes

    names = [name for name in vars(_dtypes) if isinstance(getattr(_dtypes, name), ffi.dtype)]
    assert len(names) == 25 and all(getattr(ffi, name) == name for name in names)


def test_frameworks_types():
    assert ffi.dtype(np.dtype("float32")) == "float32"
    assert ffi.dtype(np.dtype("bool")) == ffi.bool
    torch = pytest.importorskip("torch")
    assert ffi.dtype(torch.bfloat16).bits == 16
    with pytest.raises(ValueError):
        ffi.dtype(np.dtype("datetime64[s]"))


def test_device_types(kernels):
    assert ffi.DLDeviceType.kDLCUDA == 2
    for kind in ffi.DLDeviceType:
        device = ffi.Device(kind, 1)
        assert device.dlpack_device_type() == kind and type(device.dlpack_device_type()) is int
        assert kernels.echo(device) == device
        assert ffi.device(device.type, 1) == device == ffi.device(f"{device.type}:1")
    assert (ffi.device("cuda:1").type, ffi.device("cuda:1").index) == ("cuda", 1)
    assert repr(ffi.device("cuda", 1)) == "device(type='cuda', index=1)"


def test_text(kernels):
    assert isinstance(kernels.echo("text longer than eight"), ffi.String)
    assert isinstance(kernels.echo(b"bytes longer than eight"), ffi.Bytes)
    assert kernels.echo(ffi.String("text")) == "text"
