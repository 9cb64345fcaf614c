"""Functions that may keep their tensors: keeping none costs nothing, keeping one holds its data."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

from fairlead import ffi

torch = pytest.importorskip("torch")


@pytest.fixture
def swap(address):
    """Keep the argument, and return the one kept before."""
    function = ffi.make_function(address("swap"), views=False)
    function(None)
    yield function
    function(None)


@pytest.fixture(params=[True, False], ids=["released", "held"])
def drop_in_thread(request, address):
    """Drops what `swap` kept in a thread without the GIL, while the caller holds it or not."""
    return ffi.make_function(address("drop_in_thread"), release_gil=request.param)


def tensor(kind, count):
    if kind == "torch":
        return torch.arange(float(count))
    return np.arange(count, dtype="float32")


KINDS = pytest.mark.parametrize("kind", ["torch", "numpy"])


@KINDS
def test_data_lives_on(swap, kind):
    swap(tensor(kind, 1000))
    gc.collect()
    filler = [tensor(kind, 1000) * 0 - 1 for _ in range(50)]
    assert np.from_dlpack(swap(None)).tolist() == list(range(1000))
    assert len(filler) == 50


def test_tensor_that_is_given_other_data(swap):
    x = torch.arange(1000.0)
    swap(x)
    x.data = torch.zeros(2)
    filler = [torch.full((1000,), -1.0) for _ in range(50)]
    assert np.from_dlpack(swap(None)).tolist() == list(range(1000))
    assert len(filler) == 50


def test_shape_is_the_one_of_the_call(swap):
    x = torch.arange(6.0)
    swap(x)
    x.unsqueeze_(0)
    assert swap(None).shape == (6,)


@KINDS
def test_kept_tensors_are_different_ones(address, kind):
    """A tensor that was kept is not lent again."""
    swap = ffi.make_function(address("swap"), views=False)
    before = [swap(tensor(kind, i)) for i in range(1, 20)][1:] + [swap(None)]
    assert [each.shape for each in before] == [(i,) for i in range(1, 20)]
    assert len({ffi.from_dlpack(each).data_ptr() for each in before}) == 19


@KINDS
def test_nothing_is_kept(address, kind):
    """No reference is made for a function that keeps nothing."""
    nop = ffi.make_function(address("nop"), views=False)
    x = tensor(kind, 5)
    for _ in range(100):
        nop(x, x, x)
    assert sys.getrefcount(x) == 2
    seen = ffi.make_function(address("describe"), views=False)
    assert seen(x).split()[0] == seen(x).split()[0]


@KINDS
def test_reference_goes(swap, kind):
    x = tensor(kind, 5)
    gone = weakref.ref(x)
    swap(x)
    swap(None)
    del x
    gc.collect()
    assert gone() is None


def test_last_reference_in_other_thread(swap, drop_in_thread):
    """The reference is dropped by the next call, or by the main thread when it comes round."""
    x = np.zeros(3)
    gone = weakref.ref(x)
    swap(x)
    del x
    assert gone() is not None
    drop_in_thread()
    for _ in range(100):
        pass
    swap(None)
    assert gone() is None


def test_other_objects_in_other_thread(swap, drop_in_thread):
    class Owner:
        def __call__(self):
            pass

    owner = Owner()
    gone = weakref.ref(owner)
    swap(owner)
    del owner
    assert gone() is not None
    drop_in_thread()
    swap(None)
    assert gone() is None


def test_callback_keeps(address):
    apply = ffi.make_function(address("apply"), views=False)
    kept = []
    apply(lambda *tensors: kept.extend(tensors), torch.arange(3.0), np.arange(4.0))
    assert [np.from_dlpack(each).tolist() for each in kept[-2:]] == [[0, 1, 2], [0, 1, 2, 3]]


def test_returned(kernels):
    x = torch.arange(3.0)
    same = kernels.echo(x)
    assert isinstance(same, torch.Tensor) and same.data_ptr() == x.data_ptr()
    del x
    assert same.tolist() == [0, 1, 2]


def test_kept_while_the_call_fails(address, swap):
    """The callee's reference counts are right, however the call ends."""
    apply = ffi.make_function(address("apply"), views=False)
    kept = []

    def fail(x):
        kept.append(x)
        raise KeyError("kept")

    for _ in range(3):
        with pytest.raises(KeyError, match="kept"):
            apply(fail, torch.arange(5.0))
    assert all(np.from_dlpack(each).tolist() == [0, 1, 2, 3, 4] for each in kept)


def test_read_only_arrays(kernels):
    array = np.arange(3.0)
    array.setflags(write=False)
    assert kernels.echo(array).shape == (3,)


def test_many_dimensions(kernels):
    assert kernels.echo(torch.zeros((1,) * 12)).shape == (1,) * 12
    assert kernels.echo(np.zeros((1,) * 12)).shape == (1,) * 12


@KINDS
def test_threads(address, kind):
    """Keeping and dropping from several threads at once."""
    echo = ffi.make_function(address("echo"), views=False)
    nop = ffi.make_function(address("nop"), views=False)
    errors = []

    def work(number):
        try:
            kept = []
            for i in range(300):
                x = tensor(kind, 8) + number
                nop(x, x)
                kept.append(echo(x))
                if i % 3 == 0:
                    kept.clear()
                for each in kept:
                    assert np.from_dlpack(each)[7] == 7 + number
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
