"""Operators and compiled functions in torch.func's transforms and in forward mode: the results are those of torch's own
operations, or an error."""

import copy
import pickle
from pathlib import Path

import pytest
import torch
from framework_programs import add_one, compiled_add_one, compiled_axpy, compiled_outer, vector
from support import forked
from support.torch_support import make
from torch.autograd import forward_ad

import fairlead.torch  # noqa: F401
from fairlead import cute
from fairlead.errors import DSLError


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    torch.manual_seed(2121)


def backward(inputs, outputs, gradients):
    (x, y), (gradient,) = inputs, gradients
    return gradient @ y, x @ gradient


def differentiable():
    return make(compiled_outer(), "z", backward=backward)


def square_sum(function):
    return lambda *args: (function(*args) ** 2).sum()


def same(program, x, y):
    """`program(operator)` against the same of torch.outer."""
    for one, other in zip(
        *(
            torch.utils._pytree.tree_leaves(program(each))
            for each in (differentiable(), torch.outer)
        ),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


PROGRAMS = {
    "grad": lambda f: lambda x, y: torch.func.grad(square_sum(f), (0, 1))(x[0], y),
    "vjp": lambda f: lambda x, y: torch.func.vjp(f, x[0], y)[1](torch.ones(3, 4)),
    "jacrev": lambda f: lambda x, y: torch.func.jacrev(f)(x[0], y),
    "grad of grad": lambda f: (
        lambda x, y: torch.func.grad(
            lambda s: torch.func.grad(lambda s: square_sum(f)(s * x[0], y))(s)
        )(torch.tensor(2.0))
    ),
    "vmap": lambda f: lambda x, y: torch.vmap(f, (0, None))(x, y),
    "vmap of vmap": lambda f: (
        lambda x, y: torch.vmap(torch.vmap(f, (None, 0)), (0, None))(x, torch.stack([y, y + 1]))
    ),
    "vmap in chunks": lambda f: lambda x, y: torch.vmap(f, (0, None), chunk_size=2)(x, y),
    "vmap of grad": lambda f: (
        lambda x, y: torch.vmap(torch.func.grad(square_sum(f), 1), (0, None))(x, y)
    ),
    "grad of vmap": lambda f: (
        lambda x, y: torch.func.grad(square_sum(torch.vmap(f, (0, None))))(x, y)
    ),
    "jvp of another": lambda f: (
        lambda x, y: torch.func.jvp(
            lambda s: s * f(x[0], y), (torch.tensor(2.0),), (torch.tensor(3.0),)
        )
    ),
    "functionalize": lambda f: lambda x, y: torch.func.functionalize(f)(x[0], y),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_transforms(name):
    x, y = torch.randn(5, 3), torch.randn(4)
    same(lambda function: PROGRAMS[name](function)(x, y), x, y)


def test_vmap_before_backward():
    y = torch.randn(4)

    def gradient(function):
        x = torch.arange(15.0).view(5, 3).requires_grad_()
        (torch.vmap(function, (0, None))(x, y) ** 2).sum().backward()
        return x.grad

    torch.testing.assert_close(gradient(differentiable()), gradient(torch.outer))


def test_gradients_in_batches_of_autograd():
    x, y = torch.randn(3, requires_grad=True), torch.randn(4)

    def jacobian(function):
        return torch.autograd.functional.jacobian(lambda x: function(x, y), x, vectorize=True)

    torch.testing.assert_close(jacobian(differentiable()), jacobian(torch.outer))
    assert torch.autograd.gradcheck(
        lambda x: differentiable()(x, y), (x,), eps=1e-2, atol=1e-2, raise_exception=True
    )


def test_checkpoints():
    from torch.utils.checkpoint import checkpoint

    y = torch.randn(4)

    def gradient(function, compile=False):
        x = torch.arange(3.0, requires_grad=True)

        def loss(x):
            return (checkpoint(lambda x: function(x.sin(), y), x, use_reentrant=False) ** 2).sum()

        (torch.compile(loss, fullgraph=True) if compile else loss)(x).backward()
        return x.grad

    expected = gradient(torch.outer)
    torch.testing.assert_close(gradient(differentiable()), expected)
    torch.testing.assert_close(gradient(differentiable(), compile=True), expected)


def test_derivatives_that_are_none_in_transforms():
    """An operator without `backward=`, and the form that writes its output."""
    x, y = torch.randn(3), torch.randn(4)

    def written(operator):
        def run(x):
            z = torch.zeros(3, 4)
            operator(x, y, z)
            return z.sum()

        return run

    plain = make(compiled_outer(), "z")
    change = make(compiled_axpy(), mutates="y")

    def changed(x):
        z = torch.zeros(3)
        change(x, 2.0, z)
        return z.sum()

    for run in (
        lambda x: plain(x, y).sum(),
        lambda x: torch.vmap(lambda x: plain(x, y))(x[None]).sum(),
        written(plain),
        written(differentiable()),
        changed,
    ):
        with pytest.raises(DSLError, match="has no derivative, and . requires grad"):
            torch.func.grad(run)(x)
    # The gradient of another input.
    z = torch.func.grad(lambda s: (s * plain(x, y)).sum())(torch.tensor(1.0))
    torch.testing.assert_close(z, torch.outer(x, y).sum())


@cute.jit
def _half_square(x: cute.Tensor, y: cute.Tensor):
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i] / 2


@cute.jit
def _half_square_backward(x: cute.Tensor, grad_y: cute.Tensor, grad_x: cute.Tensor):
    for i in range(x.shape[0]):
        grad_x[i] = grad_y[i] * x[i]


def half_square():
    """With a compiled function as its derivative."""
    functions = []
    for function, count in ((_half_square, 2), (_half_square_backward, 3)):
        n = cute.sym_int()
        arguments = (vector(extent=n) for _ in range(count))
        functions.append(cute.compile(function, *arguments, options="--target cpu"))
    return make(functions[0], "y", backward=functions[1])


def test_a_compiled_function_as_backward():
    operator = half_square()
    x = torch.randn(2, 5)
    torch.testing.assert_close(torch.func.grad(lambda x: operator(x).sum())(x[0]), x[0])
    per_sample = torch.vmap(torch.func.grad(lambda x: operator(x).sum()))
    torch.testing.assert_close(per_sample(x), x)
    leaf = x[0].clone().requires_grad_()
    torch.compile(lambda x: operator(x * 3).sum(), fullgraph=True)(leaf).backward()
    torch.testing.assert_close(leaf.grad, 9 * x[0])


def test_a_compiled_backward_has_no_derivative():
    operator = half_square()
    x = torch.randn(5, requires_grad=True)
    (gradient,) = torch.autograd.grad(operator(x).sum(), x, create_graph=True)
    torch.testing.assert_close(gradient, x)
    with pytest.raises(DSLError, match="_backward` has no derivative, and . requires grad"):
        gradient.sum().backward()
    with pytest.raises(DSLError, match="_backward` has no derivative"):
        torch.func.grad(lambda x: torch.func.grad(lambda x: operator(x).sum())(x).sum())(x.detach())


FORWARD = r"has no derivative in forward mode, and x has a tangent|must implement the jvp"


def test_forward_mode_of_transforms():
    x, y = torch.randn(3), torch.randn(4)
    for operator in (differentiable(), make(compiled_outer(), "z")):
        for run in (
            lambda f: torch.func.jvp(lambda x: f(x, y), (x,), (x,)),
            lambda f: torch.func.jacfwd(lambda x: f(x, y))(x),
            lambda f: torch.vmap(lambda x: torch.func.jvp(lambda x: f(x, y), (x,), (x,)))(x[None]),
            lambda f: torch.func.jvp(torch.vmap(lambda x: f(x, y)), (x[None],), (x[None],)),
        ):
            with pytest.raises(DSLError, match=FORWARD):
                run(operator)
    with pytest.raises((RuntimeError, NotImplementedError), match=FORWARD):
        torch.func.hessian(lambda x: square_sum(differentiable())(x, y))(x)


def test_forward_mode_without_transforms():
    """Torch's own operators, functions without an operator, and torch.ops."""
    n = cute.sym_int()
    function = cute.compile(add_one, vector(extent=n), vector(extent=n), options="--target cpu")
    operator = make(compiled_add_one(), "b")
    raw = operator.default
    x = torch.randn(3)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3))
        for call in (operator, raw):
            with pytest.raises(RuntimeError, match="a has a tangent"):
                call(dual)
        with pytest.raises(RuntimeError, match="a has a tangent"):
            operator(dual, torch.empty(3))
        for call in (function, add_one):
            for given in (dual, dual.view(3), dual.detach().requires_grad_() * dual):
                with pytest.raises(RuntimeError, match="has a tangent of forward mode"):
                    call(given, torch.empty(3))
            with torch.no_grad(), pytest.raises(RuntimeError, match="has a tangent"):
                call(dual, torch.empty(3))
            b = torch.empty(3)
            call(dual.detach(), b)
            assert torch.equal(b, x + 1)
        assert torch.equal(operator(dual.detach()), x + 1)
    b = torch.empty(3)
    function(dual, b)  # outside of its level it has none
    assert torch.equal(b, x + 1)


def test_vmap_of_writes():
    change = make(compiled_axpy(), mutates="y")
    x, start = torch.randn(5, 3), torch.randn(5, 3)

    def run(x, y):
        change(x, 2.0, y)
        return y

    for batch in (start.clone(), start.t().contiguous().t()):
        torch.vmap(run)(x, batch)
        torch.testing.assert_close(batch, start + 2 * x)
    one = start[0].clone()
    batch = torch.stack([one, one], 1)
    torch.vmap(run, (None, 1))(x[0], batch)
    torch.testing.assert_close(batch, torch.stack([one + 2 * x[0]] * 2, 1))
    with pytest.raises(DSLError, match="writes y, which has no batch"):
        torch.vmap(lambda x: run(x, one))(x)
    operator, y, z = make(compiled_outer(), "z"), torch.randn(4), torch.zeros(3, 5, 4)

    def write(x, z):
        operator(x, y, z)
        return x

    torch.vmap(write, (0, 1))(x, z)
    torch.testing.assert_close(z.transpose(0, 1), torch.vmap(torch.outer, (0, None))(x, y))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_transforms_that_are_compiled(backend):
    """If torch takes the derivative of a Function's forward, Python makes the call."""
    x, y = torch.randn(5, 3), torch.randn(4)
    operator = differentiable()
    made = torch.compile(torch.vmap(operator, (0, None)), fullgraph=True, backend=backend)(x, y)
    torch.testing.assert_close(made, torch.vmap(torch.outer, (0, None))(x, y))

    def gradient(f):
        return lambda x: torch.func.grad(lambda x: square_sum(f)(x.sin(), y))(x)

    expected = gradient(torch.outer)(x[0])
    torch.testing.assert_close(torch.compile(gradient(operator), backend=backend)(x[0]), expected)
    torch._dynamo.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"in a derivative of torch\.func"):
        torch.compile(gradient(operator), fullgraph=True, backend=backend)(x[0])
    torch._dynamo.reset()
    with pytest.raises(DSLError, match=FORWARD):
        torch.compile(
            lambda x: torch.func.jvp(lambda x: operator(x, y), (x,), (x,)), backend=backend
        )(x[0])


@pytest.mark.parametrize("dynamic", [True, False])
def test_exports_of_transforms(dynamic):
    operator = differentiable()

    class Model(torch.nn.Module):
        def forward(self, x, y):
            return torch.vmap(operator, (0, None))(x, y)

    x, y = torch.randn(5, 3), torch.randn(4)
    dims = {"x": {1: torch.export.Dim("n")}, "y": None} if dynamic else None
    program = torch.export.export(Model(), (x, y), dynamic_shapes=dims).module()
    torch.testing.assert_close(program(x, y), torch.vmap(torch.outer, (0, None))(x, y))


def test_sizes_that_data_decide():
    operator = make(compiled_add_one(), "b")
    x = torch.randn(20)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        made = torch.compile(lambda x: operator(x[x > 0]).sum(), fullgraph=True)(x)
    torch.testing.assert_close(made, (x[x > 0] + 1).sum())


def test_programs_of_inductor_in_cpp():
    operator, change = make(compiled_outer(), "z"), make(compiled_axpy(), mutates="y")

    def model(x, y):
        z = y * 2
        change(y, 3.0, z)
        return operator(x.sin(), z).sum(0) + 1

    x, y = torch.randn(3), torch.randn(4)
    with torch._inductor.config.patch(cpp_wrapper=True):
        made = torch.compile(model, fullgraph=True)(x, y)
    torch.testing.assert_close(made, torch.outer(x.sin(), 5 * y).sum(0) + 1)


@cute.jit
def print_shape(x: cute.Tensor):
    cute.printf("%d", x.shape[0])


def test_views_with_the_other_sign():
    """torch.Tensor.is_neg: the memory has other numbers than the tensor."""
    n, step = cute.sym_int(), cute.sym_int()
    strided = cute.runtime.make_fake_tensor(fairlead.Float32, (n,), (step,))
    function = cute.compile(add_one, strided, vector(extent=n), options="--target cpu")
    view = torch.tensor([1 + 2j, 3 + 4j]).conj().imag
    assert view.is_neg()
    b = torch.zeros(2)
    for call in (function, add_one):
        with pytest.raises(RuntimeError, match=r"resolve_neg\(\)"):
            call(view, b)
        call(view.resolve_neg(), b)
        assert torch.equal(b, torch.tensor([-1.0, -3.0]))
    assert torch.equal(make(function, "b")(view), torch.tensor([-1.0, -3.0]))
    with pytest.raises(RuntimeError, match=r"resolve_neg\(\)"):
        print_shape(view[:, None])
    # Also the first tensor of a process, which shows its place in Python's objects.
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import torch
from framework_programs import add_one
view, b = torch.tensor([1 + 2j]).conj().imag, torch.zeros(1)
try:
    add_one(view, b)
except RuntimeError as error:
    print(error)
"""
    done = forked.run("-c", program)
    assert "resolve_neg()" in done.stdout, done.stderr


def test_copies_and_pickles():
    operator = differentiable()
    x, y = torch.randn(3), torch.randn(4)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.operator, self.weight = operator, torch.nn.Parameter(y)

        def forward(self, x):
            return self.operator(x, self.weight)

    torch.testing.assert_close(copy.deepcopy(Model())(x), torch.outer(x, y))
    assert pickle.loads(pickle.dumps(operator)) is operator
    other = pickle.dumps(operator, 0).replace(b"::op", b"::no")
    with pytest.raises(LookupError, match=r"no operator fairlead_tests::no\d+ in this process"):
        pickle.loads(other)


def test_inference_mode():
    operator = differentiable()
    x, y = torch.randn(3), torch.randn(4)
    with torch.inference_mode():
        made = operator(x.clone().requires_grad_(), y)
        assert made.is_inference()
        torch.testing.assert_close(made, torch.outer(x, y))
