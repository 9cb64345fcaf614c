"""Operators called as torch.ops.namespace.name, which have no derivative: a call that needs a gradient is an error."""

import subprocess
import textwrap
import warnings

import pytest
import torch
from framework_programs import compiled_axpy, compiled_outer
from support import forked
from support.torch_support import make
from test_torch_op import backward
from test_torch_register import RUNTIME
from torch._subclasses.fake_tensor import FakeTensorMode


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    torch.manual_seed(2121)


@pytest.fixture(params=["no backward", "with backward"])
def outer(request):
    return make(compiled_outer(), "z", backward=backward if "with " in request.param else None)


def tensors():
    return torch.randn(3, requires_grad=True), torch.randn(4)


def raw(operator):
    space, _, own = operator.name.partition("::")
    return getattr(getattr(torch.ops, space), own)


def refused(call, name="x"):
    with pytest.raises(
        RuntimeError,
        match=rf"torch\.ops\.fairlead_tests\.op\d+(_out)?` has no derivative, and {name} requires grad: .*"
        rf"fairlead\.torch\.op\(\.\.\., backward=\.\.\.\).*torch\.no_grad\(\).*{name}\.detach\(\)",
    ):
        call()


def test_a_call_that_needs_a_gradient_is_an_error(outer):
    x, y = tensors()
    refused(lambda: raw(outer)(x, y))
    refused(lambda: raw(outer).default(x, y))
    refused(lambda: raw(outer)(y=x, x=y), "y")
    refused(lambda: raw(outer)(x * 2, y))
    refused(lambda: outer.out(x, y, torch.zeros(3, 4)))
    refused(lambda: outer.out(y, y, torch.zeros(4, 4, requires_grad=True)), "z")


def test_calls_that_need_none(outer):
    x, y = tensors()
    expected = torch.outer(x, y).detach()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.testing.assert_close(raw(outer)(x.detach(), y), expected)
        with torch.no_grad():
            made = raw(outer)(x, y)
        torch.testing.assert_close(made, expected)
        assert not made.requires_grad
        with torch.inference_mode():
            torch.testing.assert_close(raw(outer)(x, y), expected)
            written = torch.zeros(3, 4)
            outer.out(x, y, written)
            torch.testing.assert_close(written, expected)
    with torch.enable_grad():
        refused(lambda: raw(outer)(x, y))


def test_the_operator_with_a_backward_keeps_its_gradient():
    x, y = tensors()
    operator = make(compiled_outer(), "z", backward=backward)
    (operator(x, y) ** 2).sum().backward()
    expected = torch.autograd.grad((torch.outer(x, y) ** 2).sum(), x)[0]
    torch.testing.assert_close(x.grad, expected)


def test_writes_in_place():
    operator = make(compiled_axpy(), mutates="y")
    x, y = torch.ones(4), torch.ones(4)
    raw(operator)(x, 2.0, y)
    assert torch.equal(y, torch.full((4,), 3.0))
    refused(lambda: raw(operator)(x.clone().requires_grad_(), 2.0, y))
    weight = torch.nn.Parameter(y)
    refused(lambda: raw(operator)(x, 2.0, weight), "y")
    with torch.no_grad():
        raw(operator)(x, 2.0, weight)
    assert torch.equal(weight.detach(), torch.full((4,), 5.0))


def test_fake_tensors(outer):
    with FakeTensorMode():
        x, y = torch.empty(3), torch.empty(4)
        assert raw(outer)(x, y).shape == (3, 4)
        refused(lambda: raw(outer)(x.requires_grad_(), y))
        with torch.no_grad():
            assert raw(outer)(x, y).shape == (3, 4)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_programs(outer, dynamic):
    x, y = tensors()
    program = torch.compile(lambda x, y: raw(outer)(x, y) + 1, fullgraph=True, dynamic=dynamic)
    torch.testing.assert_close(program(y, y), torch.outer(y, y) + 1)
    with torch.no_grad():
        torch.testing.assert_close(program(x, y), torch.outer(x, y) + 1)
    with pytest.raises(Exception, match="has no derivative, and x requires grad"):
        program(x, y)


def test_transforms(outer):
    x, y = torch.randn(3), torch.randn(4)
    batch = torch.randn(5, 3)
    torch.testing.assert_close(
        torch.vmap(raw(outer), (0, None))(batch, y), batch[:, :, None] * y[None, None, :]
    )
    functional = torch.func.functionalize(raw(outer))
    torch.testing.assert_close(functional(x, y), torch.outer(x, y))
    for run in (torch.func.grad, lambda f: torch.vmap(torch.func.grad(f))):
        refused(
            lambda run=run: run(lambda x: raw(outer)(x, y).sum())(
                x if run is torch.func.grad else batch
            )
        )
    # An operator inside of a derivative whose own arguments are not differentiated.
    scaled = torch.func.grad(lambda s: (s * raw(outer)(x, y)).sum())(torch.tensor(1.0))
    torch.testing.assert_close(scaled, torch.outer(x, y).sum())


def test_below_autograd_no_gradient_is_needed(outer):
    """The body of another operator."""

    @torch.library.custom_op(f"{outer.name}_body", mutates_args=())
    def body(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return raw(outer)(x, y)

    x, y = tensors()
    torch.testing.assert_close(body(x, y), torch.outer(x, y).detach())


def test_a_derivative_that_is_registered_later_counts():
    operator = make(compiled_outer(), "z")

    def save(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def differentiate(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient @ y, x @ gradient

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is a kernel already
        torch.library.register_autograd(operator.name, differentiate, setup_context=save)
    x, y = tensors()
    raw(operator)(x, y).sum().backward()
    torch.testing.assert_close(x.grad, y.sum().expand(3))


def test_libraries_that_register_themselves(tmp_path):
    """Without Fairlead's package in the process."""
    make_library = f"""
        import sys
        sys.path.insert(0, {str(__file__).rpartition("/")[0]!r})
        import fairlead.torch
        from framework_programs import compiled_outer
        outer = compiled_outer()
        fairlead.torch.op(outer, "raw::outer", outputs="z")
        outer.export_to_c({str(tmp_path / "outer.o")!r}, function_name="outer")
    """
    done = forked.run("-c", textwrap.dedent(make_library))
    assert done.returncode == 0, done.stderr
    library = tmp_path / "libouter.so"
    subprocess.run(["cc", "-shared", "-o", library, tmp_path / "outer.o", *RUNTIME], check=True)
    use = f"""
        import ctypes, torch
        assert ctypes.CDLL({str(library)!r}).fairlead_register_torch() == 0
        x = torch.ones(3, requires_grad=True)
        try:
            torch.ops.raw.outer(x, torch.ones(4))
        except RuntimeError as error:
            print(error)
        with torch.no_grad():
            assert torch.equal(torch.ops.raw.outer(x, torch.ones(4)), torch.ones(3, 4))
    """
    done = forked.run("-c", textwrap.dedent(use))
    assert done.returncode == 0, done.stderr
    assert "`torch.ops.raw.outer` has no derivative, and x requires grad" in done.stdout
