"""DLPack capsules of own making, with every field as it must not be: an error that says so, and each is given back."""

import ctypes
import gc

import numpy as np
import pytest

from fairlead import Float32, cute

# Not ctypes.pythonapi, whose types other packages set.
CDLL = ctypes.PyDLL(None)
CDLL.PyCapsule_New.restype = ctypes.py_object
CDLL.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Legacy(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


class Producer:
    """Return a tensor of 128 floats with these fields changed."""

    def __init__(self, versioned=False, shape=(128,), strides=None, name=None, major=1, **fields):
        memory = (ctypes.c_float * 192)()
        start = -(-ctypes.addressof(memory) // 64) * 64
        self.kept = [memory]
        self.capsules = self.deleted = 0
        self.managed = (Versioned if versioned else Legacy)()
        self.name = name or (b"dltensor_versioned" if versioned else b"dltensor")
        if versioned:
            self.managed.major, self.managed.flags = major, fields.pop("flags", 0)
        values = {"data": start, "device_type": 1, "code": 2, "bits": 32, "lanes": 1}
        values["ndim"] = 1 if shape is None else len(shape)
        for name, value in (values | fields).items():
            setattr(self.managed.tensor, name, value)
        for name, numbers in (("shape", shape), ("strides", strides)):
            if numbers is not None:
                array = (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
                self.kept.append(array)
                setattr(
                    self.managed.tensor, name, ctypes.cast(array, ctypes.POINTER(ctypes.c_int64))
                )

        def delete(_):
            # A deleter that is Python code, and runs some.
            self.deleted += len([1])

        self.kept.append(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(delete))
        self.managed.deleter = ctypes.cast(self.kept[-1], ctypes.c_void_p)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, max_version=None, **options):
        self.capsules += 1
        return CDLL.PyCapsule_New(ctypes.addressof(self.managed), self.name, None)


@cute.jit
def one(a: cute.Tensor):
    pass


@pytest.fixture(scope="module")
def compiled():
    vector = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
    return cute.compile(one, vector, options="--target cpu")


NAMES = r" on argument #0 when calling: `one\(a: Tensor\(\[n0\], float32\)\)`, "
MALFORMED = r"argument #0 \(`a`\) of `one\(.*\)`: the DLPack tensor is malformed: it has "
CASES = {
    "ndim -1": ({"ndim": -1}, BufferError, MALFORMED + "ndim -1"),
    "the least ndim": ({"ndim": -(2**31)}, BufferError, MALFORMED + "ndim -2147483648"),
    "the most ndim": ({"ndim": 2**31 - 1}, BufferError, MALFORMED + "ndim 2147483647"),
    "no shape": ({"shape": None}, BufferError, MALFORMED + "a shape that is null, ndim 1"),
    "two modes": (
        {"shape": (2, 3)},
        ValueError,
        "Mismatched ndim" + NAMES + "expected 1, but got 2",
    ),
    "many modes": ({"shape": (1,) * 65}, ValueError, "Mismatched ndim" + NAMES + ".* got 65"),
    "no mode": ({"shape": ()}, ValueError, "Mismatched ndim" + NAMES + "expected 1, but got 0"),
    "no data": ({"data": 0}, ValueError, "Tensor without data on argument #0 .* pointer is null"),
    "0 lanes": ({"lanes": 0}, TypeError, r"but got DLDataType\(code=2, bits=32, lanes=0\)"),
    "4 lanes": ({"lanes": 4}, TypeError, "expected float32, but got float32x4"),
    "65535 lanes": ({"lanes": 65535}, TypeError, r"got DLDataType\(code=2, bits=32, lanes=65535\)"),
    "0 bits": ({"bits": 0}, TypeError, "expected float32, but got float0"),
    "unknown code": ({"code": 200}, TypeError, r"DLDataType\(code=200, bits=32, lanes=1\)"),
    "offset 2": (
        {"byte_offset": 2},
        ValueError,
        "Misaligned Tensor data" + NAMES + ".* 2 bytes past",
    ),
    "offset -1": (
        {"byte_offset": 2**64 - 1},
        ValueError,
        "Misaligned .* 3 bytes past a multiple of it",
    ),
    "odd data": ({"data": 4097}, ValueError, "Misaligned Tensor data" + NAMES + ".* 1 bytes past"),
    "extent -1": ({"shape": (-1,)}, ValueError, r"Invalid a.shape\[0\]" + NAMES + ".* got -1"),
    "2^31": ({"shape": (2**31,)}, ValueError, r"Invalid a.shape\[0\].* got 2147483648"),
    "least extent": ({"shape": (-(2**63),)}, ValueError, "got -9223372036854775808"),
    "stride -1": (
        {"strides": (-1,)},
        ValueError,
        r"Mismatched a.strides\[0\]" + NAMES + ".* got -1",
    ),
    "stride 0": ({"strides": (0,)}, ValueError, r"Mismatched a.strides\[0\].* got 0"),
    "least stride": ({"strides": (-(2**63),)}, ValueError, "got -9223372036854775808"),
    "cuda": ({"device_type": 2}, ValueError, "Mismatched device" + NAMES + ".* is on cuda:0"),
    "device -1": ({"device_type": 2, "device_id": -1}, ValueError, "the tensor is on cuda:-1"),
    "device type 0": ({"device_type": 0}, ValueError, "the tensor is on device type 0:0"),
}


@pytest.mark.parametrize("name", CASES)
def test_calls(compiled, name):
    fields, kind, message = CASES[name]
    for options in ({}, {"versioned": True}):
        producer = Producer(**options | fields)
        for count in (1, 2):
            with pytest.raises(kind, match=message):
                compiled(producer)
            gc.collect()
            assert (producer.capsules, producer.deleted) == (count, count)


@pytest.mark.parametrize("flags", [1, 3, 2**64 - 1])
def test_read_only_memory_that_is_written(flags):
    @cute.jit
    def write(a: cute.Tensor):
        a[0] = 1.0

    vector = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
    writing = cute.compile(write, vector, options="--target cpu")
    producer = Producer(versioned=True, flags=flags)
    for count in (1, 2):
        with pytest.raises(BufferError, match="the tensor is read-only, and the function writes"):
            writing(producer)
        gc.collect()
        assert (producer.capsules, producer.deleted) == (count, count)


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({"versioned": True, "major": 2}, BufferError, "DLPack version 2.0 cannot be read"),
        ({"versioned": True, "major": 0}, BufferError, "DLPack version 0.0 cannot be read"),
        ({"name": b"used_dltensor"}, (ValueError, TypeError), "used"),
        ({"name": b"other"}, TypeError, 'but got "other"'),
    ],
)
def test_capsules_that_are_not_taken(compiled, fields, kind, message):
    producer = Producer(**fields)
    for call in (compiled, one, cute.runtime.from_dlpack):
        with pytest.raises(kind, match=message):
            call(producer)
    assert producer.deleted == 0  # it stays the capsule's


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"versioned": True},
        {"strides": (1,)},
        {"byte_offset": 4},
        {"shape": (0,), "data": 0},
        {"shape": (1,), "strides": (77,)},
        {"shape": (1,), "strides": (-(2**63),)},
        {"versioned": True, "flags": 1},
        {"versioned": True, "flags": 2},
        {"versioned": True, "flags": 2**64 - 1},
        {"device_id": 5},
    ],
)
def test_what_is_odd_but_right(compiled, fields):
    producer = Producer(**fields)
    for count in (1, 2, 3):
        compiled(producer)
        assert (producer.capsules, producer.deleted) == (count, count)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"ndim": -1}, "ndim -1"),
        ({"ndim": 2**31 - 1}, "ndim 2147483647"),
        ({"shape": None}, "a shape that is null, ndim 1"),
        ({"shape": (3, -1)}, "the extent -1"),
        ({"shape": (-(2**63),)}, "the extent -9223372036854775808"),
    ],
)
def test_examples(fields, problem):
    for options in ({}, {"versioned": True}):
        producer = Producer(**options | fields)
        with pytest.raises(BufferError, match=f"is malformed: it has {problem}"):
            cute.runtime.from_dlpack(producer)
        if "ndim" in fields or fields["shape"] is None:
            with pytest.raises(BufferError, match=f"is malformed: it has {problem}"):
                one(producer)


def test_no_leak_of_failed_calls(compiled):
    good, bad = np.zeros(4, np.float32), Producer(lanes=4)
    wrong = [bad, np.zeros(4), np.zeros((2, 2), np.float32), None, 3, "x", good[::2], object()]

    def fail(times):
        for _ in range(times):
            for value in wrong:
                try:
                    compiled(value)
                except (TypeError, ValueError):
                    continue
                raise AssertionError("no error")

    def memory():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    fail(2000)
    before = memory()
    fail(12_500)
    assert memory() - before < 2 << 20
    assert bad.deleted == bad.capsules
