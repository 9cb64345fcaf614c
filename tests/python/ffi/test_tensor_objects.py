"""How tensors of each framework reach a function."""

import gc
import weakref

import numpy as np
import pytest

from fairlead import ffi

torch = pytest.importorskip("torch")

FLOAT32 = (2, 32, 1)


def same(seen, describe, array, itemsize):
    """Return whether the function saw the array's own data and layout."""
    strides = tuple(stride // itemsize for stride in array.strides)
    assert seen.kind == describe.tensorKind
    assert seen.device == (1, 0)
    assert (seen.shape, seen.strides) == (array.shape, strides)
    assert seen.address == array.__array_interface__["data"][0]


def test_torch_tensor(describe):
    x = torch.zeros(3, 4)
    (seen,) = describe(x)
    assert seen.kind == describe.tensorKind
    assert (seen.dtype, seen.device) == (FLOAT32, (1, 0))
    assert (seen.shape, seen.strides, seen.address) == ((3, 4), (4, 1), x.data_ptr())


def test_torch_view_and_parameter(describe):
    x = torch.zeros(6, 8)[1::2, ::3]
    p = torch.nn.Parameter(torch.zeros(5))
    with torch.no_grad():  # compiled functions refuse what autograd would lose
        first, second = describe(x, p)
    assert (first.shape, first.strides, first.address) == ((3, 3), (16, 3), x.data_ptr())
    assert (second.shape, second.address) == ((5,), p.data_ptr())


@pytest.mark.parametrize(
    "dtype, expected",
    [
        (torch.bfloat16, (4, 16, 1)),
        (torch.float16, (2, 16, 1)),
        (torch.float64, (2, 64, 1)),
        (torch.int8, (0, 8, 1)),
        (torch.uint8, (1, 8, 1)),
        (torch.int64, (0, 64, 1)),
        (torch.bool, (6, 8, 1)),
        (torch.complex64, (5, 64, 1)),
        (torch.float8_e4m3fn, (10, 8, 1)),
    ],
)
def test_torch_types(describe, dtype, expected):
    (seen,) = describe(torch.zeros(4, dtype=dtype))
    assert seen.dtype == expected


NUMPY_TYPES = {
    "bool": (6, 8, 1),
    "int8": (0, 8, 1),
    "uint8": (1, 8, 1),
    "int16": (0, 16, 1),
    "uint16": (1, 16, 1),
    "int32": (0, 32, 1),
    "uint32": (1, 32, 1),
    "int64": (0, 64, 1),
    "uint64": (1, 64, 1),
    "longlong": (0, 64, 1),
    "float16": (2, 16, 1),
    "float32": FLOAT32,
    "float64": (2, 64, 1),
    "complex64": (5, 64, 1),
    "complex128": (5, 128, 1),
}


@pytest.mark.parametrize("name", NUMPY_TYPES)
def test_numpy_types(describe, name):
    array = np.zeros((2, 3), name)
    (seen,) = describe(array)
    assert seen.dtype == NUMPY_TYPES[name]
    same(seen, describe, array, array.itemsize)


@pytest.mark.parametrize(
    "name, expected",
    [("bfloat16", (4, 16, 1)), ("float8_e4m3fn", (10, 8, 1)), ("float8_e5m2", (12, 8, 1))],
)
def test_numpy_extension_types(describe, name, expected):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.zeros((4, 2), getattr(ml_dtypes, name))[::2]
    for _ in range(3):
        (seen,) = describe(array)
        assert seen.dtype == expected
        same(seen, describe, array, array.itemsize)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 6), "float32")[1:, ::2],
        np.zeros((4, 6), "float32").T,
        np.zeros((4, 6), "float32")[::-1, ::-1],
        np.zeros((), "float32"),
        np.zeros((0, 3), "float32"),
        np.zeros((2, 0, 5), "float32"),
        np.zeros((1,) * 32, "float32"),
        np.broadcast_to(np.zeros(3, "float32"), (2, 3)).copy()[None],
        np.zeros((4, 4), "float32").view(np.matrix),
        np.frombuffer(bytearray(64), "float32", count=8, offset=12),
    ],
    ids=[
        "sliced",
        "transposed",
        "reversed",
        "0d",
        "empty",
        "emptyMiddle",
        "32d",
        "newaxis",
        "matrix",
        "offset",
    ],
)
def test_numpy_layouts(describe, array):
    (seen,) = describe(array)
    same(seen, describe, array, 4)


def test_many_dimensions_in_one_call(describe):
    arrays = [np.zeros((1, 2) * 8, "float32") for _ in range(20)]
    for seen, array in zip(describe(*arrays), arrays, strict=True):
        same(seen, describe, array, 4)


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: np.zeros(3, ">f4"), "dtype"),
        (lambda: np.zeros(3, "longdouble"), "dtype"),
        (lambda: np.array(["a"]), "dtype"),
        (lambda: np.array([object()]), "dtype"),
        (lambda: np.zeros(3, "datetime64[s]"), "dtype"),
        (lambda: np.zeros(4, [("a", "i1"), ("b", "f4")])["b"], "strides"),
    ],
    ids=["byteOrder", "longdouble", "text", "object", "datetime", "packed"],
)
def test_numpy_refused(describe, make, text):
    with pytest.raises(BufferError, match=f"argument #1 .*{text}"):
        describe(1, make())


def test_numpy_sub_byte_types_refused(describe):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(BufferError, match="dtype"):
        describe(np.zeros(3, ml_dtypes.int4))


def test_numpy_read_only(describe):
    array = np.zeros(3, "float32")
    array.flags.writeable = False
    if describe.views:
        with pytest.raises(BufferError, match="argument #0 .*read-only"):
            describe(array)
    else:
        same(*describe(array), describe, array, 4)


class Producer:
    """A tensor of a package that knows `__dlpack__` and no more."""

    def __init__(self, array, versions=True):
        self.array, self.versions = array, versions
        self.options = None

    def __dlpack__(self, **options):
        self.options = options
        if not self.versions and "max_version" in options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("versions", [True, False])
def test_producer(describe, versions):
    array = np.zeros((4, 6), "float32")[1:, ::2]
    producer = Producer(array, versions)
    same(*describe(producer), describe, array, 4)
    assert ("max_version" in producer.options) == versions


def test_producer_read_only(describe):
    array = np.zeros(3, "float32")
    array.flags.writeable = False
    if describe.views:
        with pytest.raises(BufferError, match="argument #0 .*read-only"):
            describe(Producer(array))
    else:
        same(*describe(Producer(array)), describe, array, 4)


def test_producer_fails(describe):
    class Broken(Producer):
        def __dlpack__(self, **options):
            raise BufferError("cannot be shared")

    with pytest.raises(BufferError, match="argument #1 .*: cannot be shared") as raised:
        describe(0, Broken(np.zeros(3)))
    assert isinstance(raised.value.__cause__, BufferError)

    class Odd(Producer):
        def __dlpack__(self, **options):
            return 7

    with pytest.raises(TypeError, match="returned a int instead of a capsule"):
        describe(Odd(np.zeros(3)))


@pytest.mark.parametrize("options", [{}, {"max_version": (1, 0)}], ids=["legacy", "versioned"])
def test_capsule(describe, options):
    array = np.zeros((2, 3), "float32")
    capsule = array.__dlpack__(**options)
    same(*describe(capsule), describe, array, 4)
    with pytest.raises(ValueError, match="argument #0 .*capsule was used before"):
        describe(capsule)


def test_capsule_of_another_kind(describe):
    import datetime

    with pytest.raises(TypeError, match="dltensor"):
        describe(datetime.datetime_CAPI)


def test_capsule_releases_its_tensor(describe):
    array = np.zeros(3, "float32").view(Tracked)
    gone = weakref.ref(array)
    capsule = array.__dlpack__()
    del array
    describe(capsule)
    gc.collect()
    assert gone() is None


class Tracked(np.ndarray):
    """An array whose end can be seen."""


@pytest.mark.parametrize("wrap", [lambda array: array, Producer], ids=["numpy", "producer"])
def test_owned_tensor_keeps_its_data(kernels, wrap):
    array = np.arange(3, dtype="float32").view(Tracked)
    gone = weakref.ref(array)
    kernels.swap(wrap(array))
    del array
    gc.collect()
    assert gone() is not None
    kept = kernels.swap(None)
    assert np.from_dlpack(kept).tolist() == [0, 1, 2]
    del kept
    gc.collect()
    assert gone() is None


def test_jax_array(describe):
    jnp = pytest.importorskip("jax.numpy")
    array = jnp.arange(12, dtype="float32").reshape(3, 4)
    (seen,) = describe(array)
    assert (seen.kind, seen.dtype, seen.device) == (describe.tensorKind, FLOAT32, (1, 0))
    assert (seen.shape, seen.address) == ((3, 4), array.unsafe_buffer_pointer())


def test_results(kernels):
    made = kernels.arange(5)
    assert isinstance(made, ffi.Tensor)
    assert (made.shape, made.strides, made.ndim) == ((5,), (1,), 1)
    assert made.dtype == "float32" and isinstance(made.dtype, ffi.dtype)
    assert made.device == ffi.Device("cpu", 0)
    assert made.numel() == 5 and made.is_contiguous()
    assert np.from_dlpack(made).tolist() == [0, 1, 2, 3, 4]
    assert torch.from_dlpack(made).tolist() == [0, 1, 2, 3, 4]
    assert np.from_dlpack(made).__array_interface__["data"][0] == made.data_ptr()


def test_result_is_of_the_callers_framework(kernels):
    x = torch.zeros(2)
    made = kernels.arange(4, x)
    assert isinstance(made, torch.Tensor) and made.tolist() == [0, 1, 2, 3]
    echoed = kernels.echo(x)
    assert isinstance(echoed, torch.Tensor) and echoed.data_ptr() == x.data_ptr()
    assert isinstance(kernels.echo([x, 1])[0], torch.Tensor)


def test_result_of_numpy_callers(kernels):
    made = kernels.arange(4, np.zeros(2))
    assert type(made) is np.ndarray and made.tolist() == [0, 1, 2, 3]
    array = np.ones((2, 3), "int16")
    same = kernels.echo(array)
    assert type(same) is np.ndarray and same.dtype == "int16"
    same[1, 2] = 7
    assert array[1, 2] == 7
    # One of torch's decides, as before.
    assert isinstance(kernels.arange(4, np.zeros(2), torch.zeros(2)), torch.Tensor)
    # Types that NumPy lacks stay as they are.
    bfloat16 = ffi.from_dlpack(torch.zeros(3, dtype=torch.bfloat16))
    assert isinstance(kernels.apply(lambda array: bfloat16, np.zeros(2)), ffi.Tensor)


def test_result_of_jax_callers(kernels):
    jax = pytest.importorskip("jax")
    made = kernels.arange(4, jax.numpy.zeros(2))
    assert isinstance(made, jax.Array) and made.tolist() == [0, 1, 2, 3]


def test_result_outlives_the_call(kernels):
    array = np.from_dlpack(kernels.arange(1000))
    gc.collect()
    assert array.sum() == 499500


def test_tensor_as_argument(describe, kernels):
    made = kernels.arange(3)
    (seen,) = describe(made)
    assert (seen.kind, seen.shape, seen.address) == (describe.tensorKind, (3,), made.data_ptr())


def test_dlpack_of_tensor(kernels):
    made = kernels.arange(3)
    assert made.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(made.__dlpack__(max_version=(1, 0)))
    assert "dltensor_versioned" not in repr(made.__dlpack__(max_version=(0, 8)))
    assert "dltensor_versioned" not in repr(made.__dlpack__())
    with pytest.raises(BufferError, match="copy=True"):
        made.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="cannot go to"):
        made.__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize("make", [np.zeros, torch.zeros], ids=["numpy", "torch"])
def test_from_dlpack(make):
    source = make((2, 3))
    tensor = ffi.from_dlpack(source)
    assert tensor.shape == (2, 3)
    assert ffi.from_dlpack(tensor) is tensor
    np.from_dlpack(tensor)[1, 2] = 7
    assert source[1, 2] == 7
    with pytest.raises(TypeError, match="expected a tensor"):
        ffi.from_dlpack(3)


def test_from_dlpack_requirements():
    array = np.zeros((4, 6), np.float32)
    assert ffi.from_dlpack(array, require_contiguous=True).is_contiguous()
    with pytest.raises(ValueError, match=r"contiguous.*\(6, 4\).*\(1, 6\)"):
        ffi.from_dlpack(array.T, require_contiguous=True)
    address = array.ctypes.data
    alignment = address & -address  # The largest that it has.
    assert ffi.from_dlpack(array, require_alignment=alignment).data_ptr() == address
    with pytest.raises(ValueError, match=f"{2 * alignment} bytes.*0x{address:x}"):
        ffi.from_dlpack(array, require_alignment=2 * alignment)
    with pytest.raises(ValueError, match="-1"):
        ffi.from_dlpack(array, require_alignment=-1)


def test_sizes():
    tensor = ffi.from_dlpack(np.zeros((4, 6), np.float32))
    assert (tensor.numel(), tensor.size(0), tensor.size(1)) == (24, 4, 6)
    assert (tensor.size(-1), tensor.size(-2)) == (6, 4)
    for wrong in (2, -3, 2**70):
        with pytest.raises(IndexError):
            tensor.size(wrong)
    with pytest.raises(TypeError):
        tensor.size("x")
    assert not ffi.from_dlpack(np.zeros((4, 6), np.float32).T).is_contiguous()
    assert ffi.from_dlpack(np.zeros((4, 1), np.float32)[::2]).numel() == 2


def test_add(kernels):
    a, b, c = (torch.rand(37) for _ in range(3))
    kernels.add(a, b, c)
    assert torch.equal(c, a + b)
    a, b, c = (np.random.rand(37).astype("float32") for _ in range(3))
    kernels.add(a, b, c)
    assert (c == a + b).all()
