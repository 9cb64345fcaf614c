"""Tensors that a kernel in CUDA C++ may write: those whose parameter does not point to const."""

import numpy as np
import pytest

import fairlead

SIGNATURE = "f(x: Tensor([n], float32), y: Tensor([n], float32))"
BODY = "{ y[0] = x[0]; }"


def written(source, name="f", signature=SIGNATURE, **launch):
    function = fairlead.kernel(source, name, signature, arch="compute_80", **launch)
    return function.artifact.signature.written_arguments


def c_kernel(params, before=""):
    return f'{before}extern "C" __global__ void f({params}) {BODY}'


@pytest.mark.parametrize(
    "params",
    [
        "const float* x, float* y",
        "float const *__restrict__ x, float *__restrict__ y",
        "const float* /* not const: , */ x, // const\n float* const y",
        "const volatile float* x, float* y",
    ],
)
def test_pointers_to_const_are_read(params):
    assert written(c_kernel(params)) == [1]


def test_other_pointers_count_as_written():
    assert written(c_kernel("float* x, float* y")) == [0, 1]
    assert written(c_kernel("In x, float* y", "typedef const float* In;\n")) == [0, 1]
    box = "template <class T> using Box = float;\n"
    assert written(c_kernel("Box<const int>* x, float* y", box)) == [0, 1]


def test_every_declaration_must_say_const():
    other = '#if 0\nextern "C" __global__ void f(float* x, float* y);\n#endif\n'
    assert written(c_kernel("const float* x, float* y", other)) == [0, 1]


def test_mangled_symbols_say_it():
    source = f"template <class T> __global__ void f(const T* x, T* y) {BODY}"
    assert written(source, "f<float>") == [1]
    ptx = fairlead.kernel(source, "f<float>", SIGNATURE, arch="compute_80").artifact.ptx
    symbol = ptx.partition(".entry ")[2].partition("(")[0].strip()
    assert symbol.startswith("_Z") and written(ptx, symbol) == [1]


def test_symbols_of_c_in_ptx_say_nothing():
    ptx = fairlead.kernel(
        c_kernel("const float* x, float* y"), "f", SIGNATURE, arch="compute_80"
    ).artifact.ptx
    assert written(ptx) == [0, 1]


def test_dtype_variables():
    source = f"template <class T> __global__ void f(const T* x, T* y) {BODY}"
    signature = "f(x: Tensor([n], T), y: Tensor([n], T)) where T in {float32, float64}"
    assert written(source, "f<{T}>", signature) == [1]


def test_arguments_in_another_order():
    signature = "f(y: Tensor([n], float32), z: Tensor([n], float32), x: Tensor([n], float32))"
    source = c_kernel("const float* x, float* y")
    assert written(source, signature=signature, args=("x", "y")) == [0]  # z is not passed


def test_calls_refuse_read_only_memory_for_what_is_written():
    function = fairlead.kernel(
        c_kernel("const float* x, float* y"), "f", SIGNATURE, arch="compute_80"
    )
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    with pytest.raises(BufferError, match="read-only, and the function writes it"):
        function(np.zeros(4, np.float32), array)
    with pytest.raises(Exception) as caught:  # noqa: PT011  the device is the next thing that is checked
        function(array, np.zeros(4, np.float32))
    assert "read-only" not in str(caught.value)
    jax = pytest.importorskip("jax")
    with pytest.raises(BufferError, match="JAX arrays are immutable"):
        function(np.zeros(4, np.float32), jax.numpy.zeros(4, np.float32))
