"""The stream and the allocator of the arguments' framework, through an exchange API that is made up here."""

import ctypes
import sys
import types

import pytest

from fairlead import ffi

CPU, CUDA = 1, 2


class DLTensor(ctypes.Structure):
    _fields_ = [
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
    ]


ALLOCATE = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
MANAGED = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
FILL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
STREAM = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
)


class Api(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ALLOCATE),
        ("fromPython", MANAGED),
        ("toPython", MANAGED),
        ("fill", FILL),
        ("stream", STREAM),
    ]


SHAPE = (ctypes.c_int64 * 1)(4)
STRIDES = (ctypes.c_int64 * 1)(1)
queries = []


@FILL
def fill(tensor, out):
    device = tensor.device
    out[0] = DLTensor(64, *device, 1, 2, 32, 1, SHAPE, STRIDES, 0)
    return 0


@STREAM
def stream(kind, index, out):
    queries.append((kind, index))
    out[0] = FakeTensor.current
    return 0


API = Api(
    1,
    3,
    None,
    ALLOCATE(lambda *args: -1),
    MANAGED(lambda *args: -1),
    MANAGED(lambda *args: -1),
    fill,
    stream,
)


class FakeTensor:
    """A tensor without data on any device."""

    current = 0x1000
    __dlpack_c_exchange_api__ = ctypes.addressof(API)

    def __init__(self, kind, index=0):
        self.device = kind, index


@pytest.fixture
def fakes(address):
    """`stream`, which returns the environment's stream of a device."""
    queries.clear()
    FakeTensor.current = 0x1000
    return ffi.make_function(address("stream"), views=True)


def test_stream_of_first_device(fakes):
    assert fakes(CUDA, 1, FakeTensor(CPU), FakeTensor(CUDA, 1), FakeTensor(CUDA, 0)).value == 0x1000
    assert queries == [(CUDA, 1)]
    # The environment is as before.
    assert ffi.get_raw_stream("cuda:1") == 0
    assert fakes(CUDA, 0, FakeTensor(CUDA, 1)).value is None


def test_stream_of_wrapped_tensor(fakes):
    class Wrapper:
        """A tensor behind a class that offers DLPack too."""

        def __tvm_ffi_value__(self):
            return FakeTensor(CUDA)

        def __dlpack__(self, **options):
            raise AssertionError("the tensor itself is wanted")

    assert fakes(CUDA, 0, Wrapper()).value == 0x1000


def test_stream_is_restored(fakes):
    with ffi.use_raw_stream("cuda:0", 0x2000):
        assert fakes(CUDA, 0, FakeTensor(CUDA)).value == 0x1000
        assert fakes(CUDA, 0).value == 0x2000
        FakeTensor.current = 0x2000
        assert fakes(CUDA, 0, FakeTensor(CUDA)).value == 0x2000
        assert ffi.get_raw_stream("cuda:0") == 0x2000


def test_stream_is_restored_after_errors(address, kernels):
    fail = ffi.make_function(address("fail_silently"), views=True)
    with pytest.raises(RuntimeError):
        fail(FakeTensor(CUDA))
    assert ffi.get_raw_stream("cuda:0") == 0


def test_cpu_calls_leave_the_stream_alone(fakes):
    with ffi.use_raw_stream("cuda:0", 0x2000):
        assert fakes(CUDA, 0, FakeTensor(CPU), 1, None).value == 0x2000
    assert not queries


def test_wrong_major_version(fakes):
    api = Api(2, 0, None)

    class Newer:
        __dlpack_c_exchange_api__ = ctypes.addressof(api)

    assert fakes(CUDA, 0, Newer()).value is None

    chained = Api(2, 0, ctypes.addressof(API))

    class Both(FakeTensor):
        __dlpack_c_exchange_api__ = ctypes.addressof(chained)

    assert fakes(CUDA, 0, Both(CUDA)).value == 0x1000


def capsule_on(kind):
    """A DLPack capsule of a tensor without data."""
    make = ctypes.PyDLL(None).PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
    # DLManagedTensor: data; device; modes, float32; shape, strides, offset; context and deleter.
    memory = (ctypes.c_int32 * 24)(0, 0, kind, 0, 0, 0x0001_2002)
    capsules.append(memory)
    return make(ctypes.addressof(memory), b"dltensor", None)


capsules = []


class Producer:
    """A tensor of a framework that has DLPack's Python interface alone."""

    def __init__(self, kind=CUDA):
        self.kind, self.asked = kind, None

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, **options):
        self.asked = options.get("stream")
        return capsule_on(self.kind)


def test_producers_tell_their_stream(fakes):
    """Paddle's protocol: `__tvm_ffi_env_stream__`."""

    class Telling(Producer):
        def __tvm_ffi_env_stream__(self):
            return 0x3000

    first, second = Telling(), Telling(CPU)
    assert fakes(CUDA, 0, second, first, FakeTensor(CUDA)).value == 0x3000
    assert (first.asked, second.asked) == (0x3000, None)
    with ffi.use_raw_stream("cuda:0", 0x2000):
        assert fakes(CUDA, 0, first).value == 0x3000
        assert fakes(CUDA, 0).value == 0x2000
    # The first tensor names the device, and the others are made ready for that stream.
    assert fakes(CUDA, 0, FakeTensor(CUDA), first).value == 0x1000
    assert first.asked == 0x1000
    plain = Producer()
    assert fakes(CUDA, 0, plain).value is None and plain.asked == 1

    class Failing(Producer):
        def __tvm_ffi_env_stream__(self):
            raise RuntimeError("no stream")

    with pytest.raises(RuntimeError, match="argument #2 .*no stream"):
        fakes(CUDA, 0, Failing())


def test_arrays_of_cupy_run_on_its_current_stream(fakes, monkeypatch):
    array = type("ndarray", (Producer,), {"__module__": "cupy"})
    current = types.SimpleNamespace(ptr=0x4000)
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: current)
    assert fakes(CUDA, 0, array()).value is None  # no CuPy in the process
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    x = array()
    assert fakes(CUDA, 0, x).value == 0x4000 and x.asked == 0x4000
    current.ptr = 0
    assert fakes(CUDA, 0, x).value is None and x.asked == 1
    # A stream that the program has set counts more, as programs for the published package set one.
    current.ptr = 0x4000
    with ffi.use_raw_stream("cuda:0", 0x2000):
        assert fakes(CUDA, 0, x).value == 0x2000 and x.asked == 0x2000
    assert fakes(CUDA, 0, array(CPU)).value is None
    del cupy.cuda
    with pytest.raises(AttributeError, match="argument #2.*cuda"):
        fakes(CUDA, 0, x)


def test_allocator(address):
    """A function that may allocate finds the framework's allocator; afterwards it is gone."""
    look = ffi.make_function(address("allocator"), views=True, env_allocator=True)
    assert look().value is None
    expected = ctypes.cast(API.allocate, ctypes.c_void_p).value
    assert look(FakeTensor(CPU)).value == expected
    assert look().value is None
    without = ffi.make_function(address("allocator"), views=True)
    assert without(FakeTensor(CPU)).value is None


class Entered:
    """A context manager that notes its calls."""

    def __init__(self):
        self.steps = []

    def __enter__(self):
        self.steps.append("in")

    def __exit__(self, *error):
        self.steps.append(error[0])


def test_stream_context():
    assert ffi.StreamContext is ffi.use_raw_stream
    with pytest.raises(KeyError), ffi.StreamContext(ffi.device("cuda:0"), 4096):
        assert ffi.get_raw_stream(ffi.device("cuda", 0)) == 4096
        raise KeyError
    assert ffi.get_raw_stream("cuda:0") == 0


def test_torch_stream_without_cuda():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("torch has CUDA")
    context = Entered()
    with pytest.raises(RuntimeError, match="needs torch with a CUDA device"):
        ffi.use_torch_stream(context).__enter__()
    assert context.steps == ["in", RuntimeError]
    with pytest.raises(TypeError, match="context manager of torch, but got int"):
        ffi.use_torch_stream(3)


def test_torch_stream(monkeypatch):
    """A stand-in gives torch's answer for a device."""
    torch = pytest.importorskip("torch")

    class Current:
        device_index, cuda_stream = 1, 4096

    monkeypatch.setattr(torch.cuda, "current_stream", Current)
    context = Entered()
    with ffi.use_torch_stream(context):
        assert ffi.get_raw_stream("cuda:1") == 4096 and context.steps == ["in"]
    assert ffi.get_raw_stream("cuda:1") == 0 and context.steps == ["in", None]
    with ffi.use_torch_stream():
        assert ffi.get_raw_stream("cuda:1") == 4096
    assert ffi.get_raw_stream("cuda:1") == 0


def test_torch_stream_without_torch(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [])
    with pytest.raises(ImportError, match="use_torch_stream needs torch"):
        ffi.use_torch_stream()
