"""Memory that may not be written to, in calls of compiled functions: refused where the function writes, else read."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

import fairlead
from fairlead import cute, ffi

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import fairlead.jax  # noqa: E402

IMMUTABLE = r"argument #{} \(`{}`\) of `.*`: the function writes it, and JAX arrays are immutable.*fairlead\.jax\.call"
READ_ONLY = r"argument #{} \(`{}`\) of `.*`: the tensor is read-only, and the function writes it"


@cute.jit
def double(a: cute.Tensor, out: cute.Tensor):
    for i in range(a.shape[0]):
        out[i] = a[i] * 2.0


@cute.jit
def bare(a, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * 2.0


def vector():
    return cute.runtime.make_fake_compact_tensor(fairlead.Float32, (cute.sym_int(),))


def compiled():
    return cute.compile(double, vector(), vector(), options="--target cpu")


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """All ways to call a function."""
    folder = tmp_path_factory.mktemp("immutable")
    plain = compiled()
    plain.export_to_c(str(folder / "f.o"), function_name="double")
    plain.export_library(folder / "f.so", function_name="double")
    return {
        "direct": double,
        "bare": bare,
        "compiled": plain,
        "pickled": pickle.loads(pickle.dumps(plain)),
        "object": cute.runtime.load_module(folder / "f.o").double,
        "library": cute.runtime.load_module(folder / "f.so").double,
        "module": ffi.load_module(folder / "f.so").double,
    }


WAYS = "direct bare compiled pickled object library module".split()


def numbers():
    return np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("named", [False, True])
def test_jax(ways, way, named):
    call, out, target = ways[way], numbers() * 0, jnp.ones(4)
    alias = target
    call(jnp.asarray(numbers()), out)
    np.testing.assert_array_equal(out, numbers() * 2)
    for _ in range(2):
        with pytest.raises(BufferError, match=IMMUTABLE.format(1, "out")):
            call(a=numbers(), out=target) if named else call(numbers(), target)
    assert (np.asarray(alias) == 1).all()


@pytest.mark.parametrize("way", WAYS)
def test_read_only_arrays(ways, way):
    call, out, fixed = ways[way], numbers() * 0, numbers()
    fixed.flags.writeable = False
    call(fixed, out)
    np.testing.assert_array_equal(out, fixed * 2)
    with pytest.raises(BufferError, match=READ_ONLY.format(1, "out")):
        call(out, fixed)
    np.testing.assert_array_equal(fixed, numbers())


class Producer:
    """A tensor of a package that has DLPack's protocol alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Wrapper:
    """An object that stands for an array."""

    def __init__(self, array):
        self._array = array

    def __tvm_ffi_value__(self):
        return self._array


def test_the_flag_of_dlpack():
    call, out, fixed = compiled(), numbers() * 0, numbers()
    fixed.flags.writeable = False
    call(Producer(fixed), out)
    np.testing.assert_array_equal(out, fixed * 2)
    with pytest.raises(BufferError, match=READ_ONLY.format(1, "out")):
        call(out, Producer(fixed))
    with pytest.raises(BufferError, match=READ_ONLY.format(1, "out")):
        call(out, fixed.__dlpack__(max_version=(1, 1)))


def test_an_array_that_something_stands_for():
    call, target = compiled(), jnp.ones(4)
    with pytest.raises(BufferError, match=IMMUTABLE.format(1, "out")):
        call(numbers(), Wrapper(target))
    with pytest.raises(BufferError, match=IMMUTABLE.format(1, "out")):
        call(numbers(), cute.runtime.from_dlpack(target))
    with pytest.raises(BufferError, match=IMMUTABLE.format(1, "out")):
        double(numbers(), cute.runtime.from_dlpack(target))
    assert (np.asarray(target) == 1).all()


class Pair(NamedTuple):
    a: cute.Tensor
    out: cute.Tensor


@cute.jit
def pairwise(first: Pair, second: Pair):
    first.out[0] = first.a[0]
    second.out[0] = second.a[0] + 1.0


def test_structures():
    fixed, free = jnp.ones(4), [numbers() for _ in range(2)]
    pairwise(Pair(fixed, free[0]), Pair(fixed, free[1]))
    assert free[0][0] == 1 and free[1][0] == 2
    with pytest.raises(BufferError, match="argument #3 .*JAX arrays are immutable"):
        pairwise(Pair(fixed, free[0]), Pair(fixed, fixed))
    assert (np.asarray(fixed) == 1).all()


@pytest.mark.parametrize("at", [0, 62, 63, 64, 69])
def test_many_arguments(at):
    """From the 64th argument on, one that is written makes all of them count as written."""

    @cute.jit
    def many(*tensors):
        tensors[at][0] = 5.0

    def call(fixed_at):
        arrays = [np.zeros(1, np.float32) for _ in range(70)]
        if fixed_at is not None:
            arrays[fixed_at] = jnp.zeros(1)
        many(*arrays)
        return arrays[at][0]

    assert call(None) == 5 and call(5) == 5
    with pytest.raises(BufferError, match=f"argument #{at} .*JAX arrays are immutable"):
        call(at)


def test_functions_of_which_nothing_is_known_take_jax_arrays():
    echo = ffi.convert(lambda x: x)
    assert echo(jnp.ones(2)).tolist() == [1, 1]


def test_the_remedy():
    call = fairlead.jax.call(compiled(), outputs={"out": jax.ShapeDtypeStruct((4,), jnp.float32)})
    assert call(jnp.asarray(numbers())).tolist() == [0, 2, 4, 6]


def test_damaged_metadata():
    from fairlead.ffi._writes import note_writes

    call = compiled()
    for wrong in ([2], [-1], [True], ["0"], "01", 1, None):
        with pytest.raises(ValueError, match="writes"):
            note_writes(call, wrong, 2)
