"""Python callables as functions of the ABI."""

import gc
import threading
import weakref

import numpy as np
import pytest

from fairlead import ffi


@pytest.mark.parametrize(
    "value", [None, True, 3, 2.5, "text", "a longer text", b"bytes", (1, (2,))]
)
def test_values(kernels, value):
    seen = []

    def callback(*args):
        seen.extend(args)
        return args[0]

    assert kernels.apply(callback, value, 1) == value
    assert seen == [value, 1]


def test_function_arguments(kernels):
    assert kernels.apply(lambda f, x: f(x) + 1, kernels.echo, 4) == 5
    assert kernels.apply(kernels.apply, lambda x: x, 4) == 4


def test_many_arguments(kernels):
    assert kernels.apply(lambda *args: args, *range(40)) == tuple(range(40))


def test_borrowed_tensor_expires(address):
    apply = ffi.make_function(address("apply"), views=True)
    source = np.arange(4, dtype="float32")
    kept = []

    def callback(x):
        assert x.shape == (4,) and x.data_ptr() == source.__array_interface__["data"][0]
        assert np.from_dlpack(x).sum() == 6
        kept.append(x)

    apply(callback, source)
    with pytest.raises(ValueError, match="callback that has returned"):
        kept[0].shape  # noqa: B018
    with pytest.raises(ValueError, match="callback that has returned"):
        kept[0].__dlpack__()
    assert "returned" in repr(kept[0])


def test_borrowed_tensor_cannot_be_returned(address):
    apply = ffi.make_function(address("apply"), views=True)
    with pytest.raises(TypeError, match="borrowed"):
        apply(lambda x: x, np.zeros(3))


def test_owned_tensor_stays(kernels):
    kept = []
    kernels.apply(kept.append, np.arange(3, dtype="float32"))
    gc.collect()
    assert np.from_dlpack(kept[0]).tolist() == [0, 1, 2]


def test_returned_tensor(kernels):
    torch = pytest.importorskip("torch")
    x = torch.arange(3)
    result = kernels.apply(lambda: x)
    assert isinstance(result, ffi.Tensor) and result.data_ptr() == x.data_ptr()


def test_callable_lives_as_long_as_its_function(kernels):
    class Callable:
        def __call__(self):
            return 3

    callable = Callable()
    gone = weakref.ref(callable)
    kernels.swap(callable)
    del callable
    gc.collect()
    assert gone() is not None
    assert kernels.swap(None)() == 3
    gc.collect()
    assert gone() is None


def test_convert_func():
    function = ffi.convert_func(lambda x: x * 2)
    assert function(4) == 8
    assert ffi.convert_func(function) is function


def test_other_thread_releases(kernels):
    """The last reference to a callable may go where Python is not running."""
    array = np.zeros(3)
    gone = weakref.ref(array)
    kernels.swap(array)
    del array
    thread = threading.Thread(target=kernels.swap, args=(None,))
    thread.start()
    thread.join()
    gc.collect()
    assert gone() is None
