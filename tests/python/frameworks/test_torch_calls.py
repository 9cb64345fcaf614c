"""Calls with tensors that torch traces, transforms or differentiates are right, or errors that name the operator."""

import subprocess
import sys
import warnings

import pytest
import torch
from framework_programs import add_one, compiled_add_one
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx


@pytest.fixture(params=["compiled", "loaded", "direct"])
def function(request, tmp_path):
    """b = a + 1 in three forms without an operator."""
    if request.param == "direct":
        return add_one
    import fairlead
    from fairlead import cute

    n = cute.sym_int()
    a, b = (cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n,)) for _ in range(2))
    compiled = cute.compile(add_one, a, b, options="--target cpu")
    if request.param == "compiled":
        return compiled
    compiled.export_to_c(tmp_path / "add.o", function_name="add")
    return cute.runtime.load_module(tmp_path / "add.o").add


def tensors(**options):
    return torch.arange(8.0, **options), torch.zeros(8)


def test_plain_tensors(function):
    a, b = tensors()
    function(a, b)
    assert torch.equal(b, a + 1)


def refused(run):
    with pytest.raises((RuntimeError, TypeError), match=r"fairlead\.torch\.op"):
        run()


def test_gradients_are_not_lost(function):
    a, b = tensors(requires_grad=True)
    refused(lambda: function(a, b))
    refused(lambda: function(a * 2, b))
    refused(lambda: function(b, a))
    refused(lambda: function(torch.nn.Parameter(b), b))
    assert torch.equal(b, torch.zeros(8))
    with torch.no_grad():
        function(a, b)
    assert torch.equal(b, torch.arange(8.0) + 1)
    function(a.detach(), b)
    with torch.enable_grad():
        refused(lambda: function(a, b))


def test_the_body_of_an_operator_takes_tensors_that_require_grad(function):
    """Autograd sees no calls there, torch's own neither."""

    @torch.library.custom_op("fairlead_tests::plus_one", mutates_args=())
    def plus_one(a: torch.Tensor) -> torch.Tensor:
        b = torch.zeros(8)
        function(a, b)
        return b

    a, _ = tensors(requires_grad=True)
    assert torch.equal(plus_one(a), a.detach() + 1)
    refused(lambda: function(a, torch.zeros(8)))


def test_fake_tensors(function):
    with FakeTensorMode():
        fake = torch.empty(8)
        refused(lambda: function(fake, fake))
    refused(lambda: function(fake, fake))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_traces(function, mode):
    def traced(a):
        b = torch.empty_like(a)
        function(a, b)
        return b

    refused(lambda: make_fx(traced, tracing_mode=mode)(torch.zeros(8)))


def test_export(function):
    class Model(torch.nn.Module):
        def forward(self, a):
            b = torch.empty_like(a)
            function(a, b)
            return b

    refused(lambda: torch.export.export(Model(), (torch.zeros(8),)))


def test_transforms(function):
    _, b = tensors()

    def run(a):
        function(a, b)
        return b.sum()

    x = torch.ones(8)
    refused(lambda: torch.vmap(run)(torch.ones(3, 8)))
    refused(lambda: torch.func.grad(run)(x))
    refused(lambda: torch.func.jvp(run, (x,), (x,)))
    refused(lambda: torch.func.functionalize(run)(x))
    assert torch.equal(b, torch.zeros(8))


def test_wrappers_of_programs(function):
    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError

    _, b = tensors()
    wrapped = torch.Tensor._make_wrapper_subclass(Wrapper, (8,))
    refused(lambda: function(wrapped, b))


def test_subclasses_with_memory(function):
    class Named(torch.Tensor):
        pass

    a, b = tensors()
    function(a.as_subclass(Named), b)
    assert torch.equal(b, a + 1)


def test_modes_of_programs(function):
    """They count or log torch's own operations, and have nothing to do with this one."""
    from torch.utils.flop_counter import FlopCounterMode

    a, b = tensors()
    with FlopCounterMode(display=False):
        function(a, b)
    assert torch.equal(b, a + 1)


def test_inference_mode(function):
    with torch.inference_mode():
        a, b = tensors()
        function(a, b)
        assert torch.equal(b, a + 1)


def test_torch_compile_leaves_it_to_python(function):
    def run(a, b):
        function(a * 2, b)
        return b * 3

    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.compile(run, backend="eager")(*tensors())
    assert torch.equal(made, (torch.arange(8.0) * 2 + 1) * 3)


def test_a_full_graph_names_the_operator(function):
    def run(a, b):
        function(a * 2, b)
        return b * 3

    torch._dynamo.reset()
    with pytest.raises(
        torch._dynamo.exc.Unsupported, match=r"is no operator: .* fairlead\.torch\.op"
    ):
        torch.compile(run, backend="eager", fullgraph=True)(*tensors())


def test_calls_load_no_torch():
    """torch.compile's view of calls disturbs no program: also calls by the class, as subclasses make them."""
    program = """
import sys
from fairlead import cute, ffi
class Counted(ffi.Function):
    def __call__(self, *args):
        return 10 + super().__call__(*args)
double = ffi.convert(lambda x: 2 * x)
assert Counted._from_handle(double.__chandle__())(4) == 18
assert "torch" not in sys.modules
import torch
assert Counted._from_handle(double.__chandle__())(4) == 18
assert "torch._dynamo" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_functions_without_an_operator_keep_their_calls():
    """Once some function has an operator, others are called as before; and so are instances of later subclasses."""
    from support.torch_support import make

    from fairlead import ffi

    make(compiled_add_one(), "b")
    double = ffi.convert(lambda x: 2 * x)
    assert double(4) == 8

    class Late(ffi.Function):
        """Made after torch.compile was shown what calls do."""

    class Own(ffi.Function):
        def __call__(self, *args):
            return "its own"

    handle = double.__chandle__()
    assert Late._from_handle(handle)(5) == 10
    assert Own._from_handle(handle)(5) == "its own"
