"""Outputs and mutated tensors of operators of torch and calls of JAX, as the function writes them."""

import numpy as np
import pytest
import torch
from framework_programs import compiled_add_one, compiled_axpy, vector
from support.torch_support import make

import fairlead
import fairlead.torch
from fairlead import cute

CPU = "--target cpu"


@cute.jit
def all_kinds(total: cute.Tensor, a: cute.Tensor, doubled: cute.Tensor):
    """``doubled`` is only written, ``total`` read and written."""
    for i in range(a.shape[0]):
        doubled[i] = a[i] * 2.0
        total[i] += a[i]


def compiled_all_kinds():
    n = cute.sym_int()
    return cute.compile(all_kinds, *(vector(extent=n) for _ in range(3)), options=CPU)


def loaded(function, folder, form):
    """The function, or the same function of an exported file."""
    if form == "compiled":
        return function
    function.export_to_c(str(folder / "f.o"), function_name="f")
    return cute.runtime.load_module(folder / "f.o").f


FORMS = pytest.mark.parametrize("form", ["compiled", "loaded"])


@FORMS
def test_torch_takes_them_from_the_function(form, tmp_path):
    operator = make(loaded(compiled_all_kinds(), tmp_path, form))
    total, a = torch.ones(3), torch.arange(3.0)
    assert operator(total, a).tolist() == [0, 2, 4]
    assert total.tolist() == [1, 2, 3]
    assert "Tensor(a!) total, Tensor a) -> Tensor" in str(operator.default._schema)


def test_torch_adds_what_one_option_leaves_out():
    only_outputs = make(compiled_all_kinds(), "doubled")
    only_mutated = make(compiled_all_kinds(), mutates=["total", "doubled"])
    assert "Tensor(a!) total, Tensor a) -> Tensor" in str(only_outputs.default._schema)
    assert "Tensor(a!) total, Tensor a, Tensor(b!) doubled) -> ()" in str(
        only_mutated.default._schema
    )
    assert str(make(compiled_axpy()).default._schema).endswith("Tensor(a!) y) -> ()")


@FORMS
def test_torch_refuses_a_written_tensor_that_is_not_named(form, tmp_path):
    function = loaded(compiled_all_kinds(), tmp_path, form)
    together = r"outputs= and mutates= takes together all tensors that the function writes \(total, doubled\)"
    with pytest.raises(ValueError, match=together + ", but got none for total"):
        make(function, "doubled", mutates=())
    with pytest.raises(ValueError, match=together + ", but got none for doubled"):
        make(function, (), mutates="total")
    with pytest.raises(ValueError, match=r"writes \(total, doubled\), but got a"):
        make(function, ["doubled", "a"])


def test_a_signature_as_text_declares_them():
    plain = fairlead.ffi.convert(lambda a, b: None)
    operator = make(plain, signature="f(a: Tensor([n], float32), out b: Tensor([n], float32))")
    assert "Tensor a) -> Tensor" in str(operator.default._schema)
    with pytest.raises(ValueError, match="an operator has at least one output"):
        make(plain, signature="f(a: Tensor([n], float32), b: Tensor([n], float32))")


def test_a_tensor_whose_address_goes_elsewhere():
    """It counts as changed, unless the options are given."""

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        source = cute.arch.inline_ptx(
            "ld.global.f32 {$w0}, [{$r0}];",
            write_only_types=[fairlead.Float32],
            read_only_args=[a.iterator],
        )
        out[0] = source

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=1, block=1)

    n = cute.sym_int()
    function = cute.compile(
        host, vector(extent=n), vector(extent=n), options="--target cuda:sm_90a"
    )
    assert function.signature.accesses == {"a": "unknown", "out": "out"}
    assert "Tensor(a!) a) -> Tensor" in str(make(function).default._schema)
    assert "Tensor a) -> Tensor" in str(make(function, "out").default._schema)


@FORMS
def test_jax_takes_outputs_from_the_function(form, tmp_path):
    jnp = pytest.importorskip("jax.numpy")
    import fairlead.jax

    @cute.jit
    def copy(out: cute.Tensor, a: cute.Tensor):
        out[:] = a[:]

    n = cute.sym_int()
    compiled = cute.compile(copy, vector(extent=n), vector(extent=n), options=CPU)
    call = fairlead.jax.call(loaded(compiled, tmp_path, form))
    assert call(jnp.arange(3.0)).tolist() == [0, 1, 2]
    assert call(a=jnp.arange(3.0)).tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="takes no array for `out`, which it writes"):
        call(jnp.zeros(3), out=jnp.zeros(3))


def test_jax_aliases():
    jnp = pytest.importorskip("jax.numpy")
    import fairlead.jax

    call = fairlead.jax.call(compiled_all_kinds(), aliases="total")
    total, a = jnp.ones(3), jnp.arange(3.0)
    changed, doubled = call(total, a)
    assert changed.tolist() == [1, 2, 3] and doubled.tolist() == [0, 2, 4]
    assert np.asarray(total).tolist() == [1, 1, 1]
    unnamed = fairlead.jax.call(compiled_all_kinds(), outputs="doubled")
    with pytest.raises(TypeError, match="no array for `total`.*aliases= names it"):
        unnamed(total, a)


def test_files_without_accesses():
    """Older files say nothing: the user names the outputs."""
    function = compiled_add_one()
    import json

    from fairlead._exported.contents import parsed_signature, signature_text

    text = function.signature.text
    assert parsed_signature(text).accesses == {"a": "none", "b": "none"}
    for damaged in (None, [], {"b": 1}, "out"):
        assert parsed_signature(text, damaged).accesses == {"a": "none", "b": "none"}
    metadata = {"fairlead": {"text": text}}
    assert "out b" not in signature_text("f", json.loads(json.dumps(metadata)))
    metadata["fairlead"]["accesses"] = {"a": "in", "b": "out"}
    assert ", out b: Tensor(" in signature_text("f", metadata)
