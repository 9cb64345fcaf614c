"""Memory that its producer says is read-only stays so as a Tensor."""

import numpy as np
import pytest

from fairlead import Float32, cute, ffi


@cute.jit
def write(out: cute.Tensor):
    out[0] = Float32(1)


@cute.jit
def copy(source: cute.Tensor, out: cute.Tensor):
    out[0] = source[0]


def read_only():
    array = np.full(3, 2, np.float32)
    array.flags.writeable = False
    return array


class Producer:
    def __init__(self, array, **forced):
        self.array, self.forced = array, forced

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**{**options, **self.forced})

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    "make",
    [read_only, lambda: Producer(read_only()), lambda: read_only().__dlpack__(max_version=(1, 0))],
    ids=["array", "producer", "capsule"],
)
def test_functions_that_write_refuse_it(make):
    tensor = ffi.from_dlpack(make())
    with pytest.raises(BufferError, match="read-only, and the function writes it"):
        write(tensor)
    out = np.zeros(1, np.float32)
    copy(tensor, out)
    assert out[0] == 2


def test_compiled_functions_refuse_it():
    tensor = ffi.from_dlpack(read_only())
    compiled = cute.compile(write, np.zeros(3, np.float32))
    with pytest.raises(BufferError, match="read-only, and the function writes it"):
        compiled(tensor)


def test_its_own_capsules_say_so():
    again = np.from_dlpack(ffi.from_dlpack(read_only()))
    assert not again.flags.writeable
    assert not np.from_dlpack(ffi.from_dlpack(ffi.from_dlpack(read_only()))).flags.writeable
    assert np.from_dlpack(ffi.from_dlpack(np.zeros(3, np.float32))).flags.writeable


def test_writeable_memory_is_written():
    array = np.zeros(3, np.float32)
    write(ffi.from_dlpack(array))
    assert array[0] == 1


def test_capsules_of_the_old_form_do_not_say_it():
    array = np.zeros(3, np.float32)
    write(ffi.from_dlpack(Producer(array, max_version=None)))
    assert array[0] == 1


def test_arrays_of_jax_are_immutable():
    jax = pytest.importorskip("jax")
    array = jax.numpy.full(3, 2, np.float32)
    with pytest.raises(BufferError):
        write(ffi.from_dlpack(array))
    assert array[0] == 2
