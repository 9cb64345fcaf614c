"""Options of fairlead.torch.op: several outputs, streams, rules for vmap, tags; and refused ones."""

import re
import threading
import uuid

import pytest
import torch
import torch._dynamo.testing
from framework_programs import compiled_add_one, compiled_axpy, compiled_outer, vector
from support import forked
from support.torch_support import check, make
from torch._inductor.utils import run_and_get_code

import fairlead
import fairlead.torch
from fairlead import cute
from fairlead.errors import DSLError


@cute.jit
def extremes(x: cute.Tensor, low: cute.Tensor, high: cute.Tensor):
    """Return the least and the greatest element of each row."""
    for i in range(x.shape[0]):
        least = x[i, 0]
        greatest = x[i, 0]
        for j in range(x.shape[1]):
            least = min(least, x[i, j])
            greatest = max(greatest, x[i, j])
        low[i] = least
        high[i] = greatest


def compiled_extremes():
    n, m = cute.sym_int(), cute.sym_int()
    matrix = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n, m), stride_order=(1, 0))
    return cute.compile(
        extremes, matrix, vector(extent=n), vector(extent=n), options="--target cpu"
    )


def test_several_outputs():
    def backward(inputs, outputs, gradients):
        (x,), (low, high), (of_low, of_high) = inputs, outputs, gradients
        return (x == low[:, None]) * of_low[:, None] + (x == high[:, None]) * of_high[:, None]

    operator = make(compiled_extremes(), ("low", "high"), backward=backward)
    x = torch.randn(4, 6)
    for made in (operator, torch.compile(lambda x: operator(x), fullgraph=True, dynamic=True)):
        low, high = made(x)
        assert torch.equal(low, x.amin(1)) and torch.equal(high, x.amax(1))
    check(operator, x, out=(torch.zeros(4), torch.zeros(4)))
    batch = torch.randn(3, 4, 6)
    low, high = torch.vmap(operator)(batch)
    assert torch.equal(low, batch.amin(2)) and torch.equal(high, batch.amax(2))
    leaf = x.clone().requires_grad_()
    low, high = operator(leaf)
    (low.sum() + 2 * high.sum()).backward()
    other = x.clone().requires_grad_()
    (other.amin(1).sum() + 2 * other.amax(1).sum()).backward()
    assert torch.equal(leaf.grad, other.grad)


def test_a_batch_where_inputs_are_written_and_outputs_returned():
    operator = make(compiled_extremes(), "high", mutates="low")
    batch, low = torch.randn(3, 4, 6), torch.zeros(3, 4)
    high = torch.vmap(operator)(batch, low)
    assert torch.equal(low, batch.amin(2)) and torch.equal(high, batch.amax(2))


def programs_of(function, *args):
    torch._dynamo.reset()
    return run_and_get_code(torch.compile(function, fullgraph=True, dynamic=True), *args)


@pytest.mark.parametrize("is_kept", [True, False])
def test_programs_of_inductor_call_the_function(is_kept):
    """And where they do not find it, the operator that writes its outputs."""
    pytest.importorskip("torch._inductor.codegen.custom_extern_kernel_codegen")  # torch 2.13
    # Programs are kept by the names of operators.
    names = [f"fairlead_tests::op_{uuid.uuid4().hex}" for _ in range(2)]
    one = fairlead.torch.op(compiled_outer(), names[0], "z")
    two = fairlead.torch.op(compiled_extremes(), names[1], ("low", "high"))
    overloads = one.default, two.default
    if not is_kept:
        for overload in overloads:
            del overload._fairlead_function

    def model(x, y):
        low, high = two(one(x.sin(), y))
        return low + 1, high * 2

    x, y = torch.randn(4), torch.randn(6)
    made, (program,) = programs_of(model, x, y)
    expected = torch.outer(x.sin(), y)
    torch.testing.assert_close(made, (expected.amin(1) + 1, expected.amax(1) * 2))
    for overload in overloads:
        name = f"torch_ops_fairlead_tests_{overload._opname}_default"
        assert f"  call_{name}(" in program, program


def test_programs_of_inductor_call_operators_that_change_their_inputs():
    """Whose arguments are checked."""
    change = make(compiled_axpy(), mutates="y")
    x, y = torch.randn(5), torch.randn(5)
    expected = (y + 2 * x) * 3

    def model(x, y):
        change(x, 2.0, y)
        return y * 3

    made, (program,) = programs_of(model, x, y)
    torch.testing.assert_close(made, expected)
    assert "call_torch_ops" not in program


def test_streams_are_no_arguments():
    @cute.jit
    def copy(x: cute.Tensor, stream, y: cute.Tensor):
        y[0] = x[0]

    arguments = vector(extent=1), cute.runtime.make_fake_stream(), vector(extent=1)
    function = cute.compile(copy, *arguments, options="--target cpu")
    operator = make(function, "y")
    assert str(operator.default._schema).endswith("(Tensor x) -> Tensor")
    x = torch.tensor([3.0])
    assert operator(x).item() == 3

    def run(x):
        y = torch.zeros(1)
        function(x, 0, y)  # traced without its stream
        return y

    assert torch.compile(run, fullgraph=True)(x).item() == 3


def test_a_rule_for_vmap():
    seen = []

    def rule(info, in_dims, x, y):
        seen.append(in_dims)
        rows = x.movedim(in_dims[0], 0).reshape(-1)
        made = operator(rows.contiguous(), y)  # one call for the whole batch
        return made.reshape(info.batch_size, -1, y.shape[0]), 0

    operator = make(compiled_outer(), "z", vmap=rule)
    x, y = torch.randn(3, 5), torch.randn(4)
    made = torch.vmap(operator, in_dims=(1, None))(x, y)
    torch.testing.assert_close(made, torch.einsum("ib,j->bij", x, y))
    assert seen == [(1, None)]


def test_tags():
    operator = make(compiled_add_one(), "b", tags=[torch.Tag.nondeterministic_seeded])
    assert {torch.Tag.nondeterministic_seeded, torch.Tag.pt2_compliant_tag} <= {
        *operator.default.tags
    }


def test_numbers_that_are_extents_do_not_make_new_graphs():
    """An integer of the signature is a SymInt of the schema, and one graph serves all of its values."""

    @cute.jit
    def repeat(x: cute.Tensor, n: fairlead.Int32, y: cute.Tensor):
        for i in range(y.shape[0]):
            y[i] = x[0]

    n = cute.sym_int()
    function = cute.compile(repeat, vector(extent=1), n, vector(extent=n), options="--target cpu")
    operator = make(function, "y")
    assert "SymInt n" in str(operator.default._schema)
    counter = torch._dynamo.testing.CompileCounter()
    model = torch.compile(
        lambda x, y: operator(x, y.shape[0] + 1) * 2, backend=counter, fullgraph=True, dynamic=True
    )
    for count in (3, 5, 8):
        assert torch.equal(model(torch.ones(1), torch.zeros(count)), torch.full((count + 1,), 2.0))
    assert counter.frame_count == 1


def test_the_gil_is_free_during_a_call():
    @cute.jit
    def work(x: cute.Tensor, y: cute.Tensor):
        total = fairlead.Float32(0)
        for i in range(x.shape[0]):
            total = total * 0.5 + x[i]
        y[0] = total

    function = cute.compile(work, vector(), vector(extent=1), options="--target cpu")
    operator = make(function, "y")
    x, out = torch.ones(1 << 25), torch.zeros(1)
    done = threading.Event()

    def run():
        operator.out(x, out)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    steps = 0
    while not done.is_set():
        steps += 1
    thread.join()
    assert steps > 1000  # with the GIL held this thread would wait for the end
    assert out.item() == 2


_MANY = """
import torch, fairlead.torch
from fairlead import cute

@cute.jit
def add(x: cute.Tensor, y: cute.Tensor, by: cute.Constexpr):
    y[0] = x[0] + by

vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
functions = [cute.compile(add, vector, vector, by, options="--target cpu") for by in (1.0, 2.0)]
for i in range(1100):
    fairlead.torch.op(functions[i % 2], f"many::add_{i}", "y")
x = torch.ones(1)
print([getattr(torch.ops.many, f"add_{i}")(x).item() for i in (0, 1023, 1024, 1099)])
"""


def test_more_than_1024_operators_in_one_process(tmp_path):
    """Other bindings have a fixed number of functions, 1,024; here there is no limit."""
    program = tmp_path / "many.py"
    program.write_text(_MANY)
    done = forked.run(program)
    assert done.stdout == "[2.0, 3.0, 2.0, 3.0]\n", done.stderr


BAD_NAMES = ["add", "::add", "ns::", "a::b::c", "1a::b", "a::b.out", "a b::c", 3, None]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names(name):
    with pytest.raises(DSLError, match=f"such as mylib::add_one.*but got {name!r}"):
        fairlead.torch.op(compiled_add_one(), name, "b")


def test_names_that_are_taken():
    fairlead.torch.op(compiled_add_one(), "fairlead_tests::taken", "b")
    for name in ("fairlead_tests::taken", "fairlead_tests::taken_out", "aten::add"):
        with pytest.raises(DSLError, match=f"{name}.* exists already"):
            fairlead.torch.op(compiled_add_one(), name, "b")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"outputs": "c"}, r"outputs must name tensor parameters .*\(x, y\), but got 'c'"),
        ({"outputs": "alpha"}, r"outputs must name .*'alpha'"),
        ({"outputs": ("y", "y")}, r"outputs must name .*each once .*'y'"),
        ({"outputs": "y", "mutates": "y"}, r"mutates must name .*each once .*'y'"),
        ({"mutates": "z"}, r"mutates must name .*'z'"),
        (
            {"outputs": (), "mutates": ()},
            "outputs must name .*none: an operator has at least one output",
        ),
    ],
)
def test_outputs(options, text):
    with pytest.raises(DSLError, match=text):
        make(compiled_axpy(), **options)


def _compiled(function, *shapes):
    n, m = cute.sym_int(), cute.sym_int()
    matrix = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n, m), stride_order=(1, 0))
    kinds = {"n": vector(extent=n), "m": vector(extent=m), "nm": matrix}
    return cute.compile(function, *(kinds[each] for each in shapes), options="--target cpu")


def test_parameters_of_a_compiled_backward():
    """They are matched by name; the error lists all allowed names."""

    @cute.jit
    def swapped(x, y, g, dx):
        pass

    @cute.jit
    def silent(x, y, grad_z):
        pass

    name = f"fairlead_tests::{uuid.uuid4().hex.join('aa')}"
    expected = (
        "may read x, y, z, grad_z, and writes at least one of grad_x, grad_y, but `{}.*` has {}"
    )
    for function, shapes, got in (
        (swapped, ("n", "m", "nm", "n"), "`g`, `dx`"),
        (silent, ("n", "m", "nm"), "none of the gradients that it writes"),
    ):
        with pytest.raises(DSLError) as caught:
            fairlead.torch.op(compiled_outer(), name, "z", backward=_compiled(function, *shapes))
        found = re.search(expected.format(function.__name__, got), str(caught.value))
        assert found, caught.value
    # The failure has registered nothing, so the mended program can use the name.
    fairlead.torch.op(compiled_outer(), name, "z")


@pytest.mark.parametrize("backward", [extremes, "z", 3])
def test_what_is_no_backward(backward):
    with pytest.raises(DSLError, match="backward takes a compiled function, or a Python function"):
        make(compiled_outer(), "z", backward=backward)


def test_devices_without_code():
    """A function for GPUs alone is no operator of CPUs: torch says so."""
    operator = make(compiled_add_one(target="cuda:sm_90a"), "b")
    with pytest.raises(NotImplementedError, match="'fairlead_tests::op.*'CPU' backend"):
        operator(torch.zeros(3))
    with torch._subclasses.FakeTensorMode():
        assert operator(torch.zeros(3)).shape == (3,)


def test_parameters_that_torch_has_no_value_for():
    @cute.jit
    def take(p: cute.Pointer, x: cute.Tensor):
        pass

    pointer = cute.runtime.make_ptr(fairlead.Float32, 256, cute.AddressSpace.gmem)
    function = cute.compile(take, pointer, vector(), options="--target cpu")
    with pytest.raises(DSLError, match="cannot be called by a framework: `p` is a pointer"):
        make(function, "x")
    for wrong in (len, take):
        with pytest.raises(DSLError, match=f"expected a compiled function.*{type(wrong).__name__}"):
            make(wrong, "x")
