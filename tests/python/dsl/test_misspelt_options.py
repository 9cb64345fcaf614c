"""A keyword that a function does not have is an error that names the nearest one it has, never ignored."""

import importlib
import inspect
import sys
from enum import Enum
from types import FunctionType

import numpy as np
import pytest

from fairlead import Float32, cute, utils
from fairlead._hints import names_keywords
from fairlead.cute import nvgpu

VALUES = np.zeros(8, np.float32)


@cute.jit
def copy_atom(x: cute.Tensor):
    cute.make_copy_atom(nvgpu.CopyUniversalOp(), Float32, num_bits_per_cpy=128)


@cute.jit
def vector_copy(x: cute.Tensor):
    cute.copy(x, x, x, cache_polcy=None)


@cute.jit
def atomic(x: cute.Tensor):
    cute.arch.atomic_add(x.iterator, Float32(1), scop="sys")


@cute.jit
def layout(x: cute.Tensor):
    cute.make_layout((4, 2), strides=(2, 1))


@cute.jit
def tensor_memory(x: cute.Tensor):
    utils.TmemAllocator(x.iterator, barrier_for_retreive=None)


@pytest.mark.parametrize(
    ("function", "misspelt", "meant"),
    [
        (copy_atom, "num_bits_per_cpy", "num_bits_per_copy"),
        (vector_copy, "cache_polcy", "cache_policy"),
        (atomic, "scop", "scope"),
        (layout, "strides", "stride"),
        (tensor_memory, "barrier_for_retreive", "barrier_for_retrieve"),
    ],
)
def test_in_a_traced_function(function, misspelt, meant):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{misspelt}'") as caught:
        function(VALUES)
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == [f"    help: did you mean `{meant}`?"]


@cute.jit
def filled(x: cute.Tensor):
    x.fill(0.0, valu=1.0)


@cute.jit
def reduced(x: cute.Tensor):
    x.load().reduce(cute.ReductionOp.ADD, 0.0, reduction_profil=0)


@cute.jit
def aligned(x: cute.Tensor):
    x.iterator.align(min_algn=16)


@pytest.mark.parametrize(
    ("function", "misspelt", "meant"),
    [
        (filled, "valu", "value"),
        (reduced, "reduction_profil", "reduction_profile"),
        (aligned, "min_algn", "min_align"),
    ],
)
def test_of_a_method(function, misspelt, meant):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{misspelt}'") as caught:
        function(VALUES)
    assert caught.value.diagnostic == "KeywordUnknown"
    assert caught.value.help == f"did you mean `{meant}`?"


def test_of_arguments_that_are_missing_or_too_many():
    @cute.jit
    def none(x: cute.Tensor):
        x.iterator.align()

    @cute.jit
    def two(x: cute.Tensor):
        x.iterator.align(16, 32)

    with pytest.raises(TypeError, match="align: expected an argument `min_align`, but got none"):
        none(VALUES)
    with pytest.raises(TypeError, match="align: expected at most 1 arguments, but got 2"):
        two(VALUES)


@pytest.mark.parametrize("call", [cute.gemm, cute.mma_atom_call])
def test_of_products(call):
    with pytest.raises(TypeError, match="unexpected keyword argument 'zero_init'"):
        call(None, None, None, None, None, zero_init=True)


def test_options_of_other_instructions():
    @cute.jit
    def function(x: cute.Tensor):
        atom = cute.make_copy_atom(nvgpu.CopyUniversalOp(), Float32)
        cute.copy(atom, x, x, mcast_mask=1)

    with pytest.raises(
        TypeError, match=r"no mcast_mask for copies by CopyUniversalOp\(\), but got 1"
    ):
        function(VALUES)


def test_without_a_similar_one():
    @cute.jit
    def function(x: cute.Tensor):
        cute.make_layout((4, 2), zebra=1)

    with pytest.raises(TypeError, match="unexpected keyword argument 'zebra'") as caught:
        function(VALUES)
    assert not getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize(
    ("keyword", "meant"), [("optins", "options"), ("scal", "scale"), ("zebra", None)]
)
def test_of_compile(keyword, meant):
    @cute.jit
    def function(x: cute.Tensor, scale: Float32):
        x[0] = scale

    text = f"unexpected keyword argument '{keyword}'" + (
        f", did you mean `{meant}`?" if meant else ""
    )
    with pytest.raises(TypeError) as caught:
        cute.compile(function, VALUES, scale=1.0, **{keyword: 2})
    assert str(caught.value).endswith(text)


def test_attributes_of_a_loop():
    with pytest.raises(TypeError, match="unexpected keyword argument 'pipelining'"):
        cute.range(4, pipelining=2)


@cute.jit
def flushing_minimum(x: cute.Tensor):
    x[0] = cute.math.min(x[0], x[1], ftz=True)


@cute.jit
def flushing_maximum(x: cute.Tensor):
    x[0] = cute.math.max(x[0], x[1], ftz=True)


@cute.jit
def flushing_limits(x: cute.Tensor):
    x[0] = cute.math.clamp(x[0], 0.0, 1.0, ftz=True)


@pytest.mark.parametrize("function", [flushing_minimum, flushing_maximum, flushing_limits])
def test_of_published_functions_without_effect(function):
    with pytest.raises(TypeError, match="unexpected keyword argument 'ftz'"):
        function(VALUES)


@pytest.mark.parametrize("option", ["zero_init", "packed"])
def test_of_published_structs(option):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        cute.native_struct(**{option: True})


def test_of_published_tensors():
    with pytest.raises(TypeError, match="unexpected keyword argument 'enable_tvm_ffi'"):
        cute.runtime.from_dlpack(VALUES, enable_tvm_ffi=True)


@cute.jit
def scaled(x: cute.Tensor, factor: Float32, result: cute.Tensor):
    result[:] = x[:] * factor


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        (
            {"factor": 2.0, "reslut": VALUES},
            "missing a required argument: 'result'; and no parameter is called 'reslut', did you mean `result`?",
        ),
        (
            {"factor": 2.0, "result": VALUES, "reslut": VALUES},
            "`scaled`: got an unexpected keyword argument 'reslut', did you mean `result`?",
        ),
        ({"factor": 2.0}, "`scaled`: missing a required argument: 'result'"),
        ({"factro": 2.0, "result": VALUES}, "did you mean `factor`?"),
    ],
)
def test_of_a_call(keywords, message):
    with pytest.raises(TypeError) as caught:
        scaled(VALUES, **keywords)
    assert str(caught.value).endswith(message)
    with pytest.raises(TypeError) as caught:
        cute.compile(scaled, VALUES, **keywords)
    assert str(caught.value).endswith(message)


#: Modules whose functions run outside of traced functions, and such functions of `fairlead` and `fairlead.cute`.
HOST_MODULES = (
    "bundles checks coverage cute.runtime cute.testing ffi.cpp jax kernels ops pictures plans timeline torch "
    "tuning"
)
HOST_FUNCTIONS = "compile_set make_layout make_ptr on_compile sym_int sym_int64 tune"


def _functions(module):
    """Yield the public functions of a module, and the methods of its public classes, with their names."""
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, FunctionType):
            yield name, value
        elif isinstance(value, type) and value.__module__.startswith(module.__name__):
            if not issubclass(value, (Enum, BaseException, tuple)):
                methods = vars(value).items()
                yield from (
                    (f"{name}.{method}", function)
                    for method, function in methods
                    if isinstance(function, FunctionType) and not method.startswith("_")
                )


def _misspelt(function):
    """Return a parameter's name without its third letter, and the name; None if no name is long enough."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters):
        return None
    names = [
        parameter.name for parameter in parameters if parameter.kind != parameter.VAR_POSITIONAL
    ]
    candidates = [name for name in names if len(name) > 3 and name[:2] + name[3:] not in names]
    return (candidates[-1][:2] + candidates[-1][3:], candidates[-1]) if candidates else None


def _expect_the_nearest(name, function):
    misspelling = _misspelt(function)
    if misspelling is None:
        return False
    misspelt, meant = misspelling
    with pytest.raises(TypeError, match=f"'{misspelt}'.*, did you mean `{meant}`") as caught:
        function(**{misspelt: None})
        pytest.fail(f"{name} takes `{misspelt}`")
    assert str(caught.value).count("did you mean") == 1
    return True


@pytest.mark.parametrize("name", HOST_MODULES.split())
def test_of_functions_of_the_host(name):
    if name in ("torch", "jax"):
        pytest.importorskip(name)
    module = importlib.import_module(f"fairlead.{name}")
    assert sum(_expect_the_nearest(*entry) for entry in _functions(module)) > 0


def test_of_functions_of_the_language_for_the_host():
    import fairlead

    for name in HOST_FUNCTIONS.split():
        function = getattr(cute, name, None) or getattr(fairlead, name)
        assert _expect_the_nearest(name, function), name


def test_of_a_compiled_function():
    @cute.jit
    def function(values: cute.Tensor):
        values[0] = Float32(1)

    compiled = cute.compile(function, VALUES)
    with pytest.raises(
        TypeError, match=r"keyword argument 'valeus' when .*did you mean `values`\?$"
    ):
        compiled(valeus=VALUES)
    for name in ("export_to_c", "export_library", "export_for_torch_inductor"):
        if hasattr(compiled, name):
            assert _expect_the_nearest(name, getattr(compiled, name))


def test_errors_inside_of_a_function_stay_as_they_are():
    """A TypeError about a keyword that the function's own code raises is not of the call."""

    @names_keywords
    def outer(scale=1):
        return dict(fromkeys=scale).get(key=1)

    with pytest.raises(TypeError) as caught:
        outer(scale=2)
    assert "did you mean" not in str(caught.value)
