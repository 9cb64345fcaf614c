"""fairlead.torch.op on the CPU: eager, compiled, exported, differentiated and batched."""

import ctypes
import itertools
import textwrap
from pathlib import Path

import pytest
import torch
from framework_programs import (
    add_one,
    compiled_add_one,
    compiled_axpy,
    compiled_outer,
    compiled_row_sums,
    outer,
    vector,
)
from support import forked
from support.thinned import IS_SHORT
from support.torch_support import MISMATCH, check, make

import fairlead
import fairlead.torch
from fairlead import cute
from fairlead.errors import DSLError


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    torch.manual_seed(2121)


def outer_op(**options):
    return make(compiled_outer(), "z", **options)


DTYPES = ["Float16", "BFloat16", "Float32", "Float64", "Int8", "Int16", "Int32", "Int64", "Uint8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck_over_dtypes(dtype):
    operator = make(compiled_add_one(getattr(fairlead, dtype)), "b")
    x = torch.arange(33).to(getattr(torch, dtype.lower()))
    assert torch.equal(operator(x), x + 1)
    check(operator, x, out=(torch.zeros_like(x),))
    check(operator, x[:0], out=(torch.zeros_like(x[:0]),))


@cute.kernel
def _copy(a: cute.Tensor, b: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    b[i] = a[i]


@cute.jit
def copy(a: cute.Tensor, b: cute.Tensor):
    """Elements that torch itself cannot add."""
    _copy(a, b).launch(grid=1, block=a.shape[0])


FLOAT8 = "4m3fn", "5m2", "8m0fnu"
OTHERS = ["Boolean", "Uint16", "Uint32", "Uint64", *(f"Float8E{each.upper()}" for each in FLOAT8)]


def tells(dtype):
    """Return whether this torch's C functions give the dtype's number: for some dtypes from 2.11 on."""
    path = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    return hasattr(ctypes.CDLL(str(path)), f"aoti_torch_dtype_{dtype}")


@pytest.mark.parametrize("dtype", OTHERS)
def test_opcheck_over_other_dtypes(dtype):
    if dtype == "Float8E8M0FNU" and not tells("float8_e8m0fnu"):
        pytest.skip("an older torch")
    element, n = getattr(fairlead, dtype), cute.sym_int()
    arguments = vector(element, n), vector(element, n)
    operator = make(cute.compile(copy, *arguments, options="--target cpu"), "b")
    names = {"Boolean": "bool", **{f"Float8E{each.upper()}": f"float8_e{each}" for each in FLOAT8}}
    torch_dtype = getattr(torch, names.get(dtype, dtype.lower()))
    x = torch.randint(0, 2, (32,), dtype=torch.uint8).view(torch_dtype)
    assert torch.equal(operator(x).view(torch.uint8), x.view(torch.uint8))
    if dtype.startswith("Float8"):
        # Torch's check of the schema multiplies, which it cannot do with these.
        utils = "autograd_registration", "faketensor", "aot_dispatch_static", "aot_dispatch_dynamic"
        made = torch.library.opcheck(
            operator.default, (x,), test_utils=[f"test_{each}" for each in utils]
        )
        assert set(made.values()) == {"SUCCESS"}
    else:
        check(operator, x, out=(torch.zeros_like(x),))


def test_opcheck_of_several_tensors_numbers_and_changes_in_place():
    x, y = torch.randn(5), torch.randn(7)
    operator = outer_op()
    torch.testing.assert_close(operator(x, y), torch.outer(x, y))
    check(operator, x, y, out=(torch.zeros(5, 7),))
    change = make(compiled_axpy(), mutates="y")
    expected = y + 2.5 * y
    target = y.clone()
    assert change(y, 2.5, target) is None
    torch.testing.assert_close(target, expected)
    check(change, y, 2.5, target)


def test_shapes_and_strides_of_results():
    """An output's layout is the one that the signature says, also where it is not row-major."""
    n, m = cute.sym_int(), cute.sym_int()
    z = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n, m), stride_order=(0, 1))
    operator = make(
        cute.compile(outer, vector(extent=n), vector(extent=m), z, options="--target cpu"), "z"
    )
    made = operator(torch.arange(3.0), torch.arange(4.0))
    assert made.shape == (3, 4) and made.stride() == (1, 3)
    torch.testing.assert_close(made, torch.outer(torch.arange(3.0), torch.arange(4.0)))
    check(operator, torch.randn(3), torch.randn(4))


def test_the_out_form_and_keywords():
    operator = outer_op()
    x, y, z = torch.randn(2), torch.randn(3), torch.zeros(2, 3)
    assert operator(x, y, z) is None
    torch.testing.assert_close(z, torch.outer(x, y))
    torch.testing.assert_close(operator(y=y, x=x), z)
    with pytest.raises(TypeError, match="takes x, y"):
        operator(x, w=y)


def test_errors_are_those_of_the_function():
    operator = make(compiled_add_one(), "b")
    with pytest.raises(MISMATCH, match=r"Mismatched ndim on argument #0"):
        operator(torch.zeros(2, 2))
    with pytest.raises(MISMATCH, match=r"Mismatched b\.shape\[0\]"):
        operator(torch.zeros(3), torch.zeros(4))
    with pytest.raises(RuntimeError, match=r"TypeError: Mismatched dtype on argument #0"):
        operator(torch.zeros(3, dtype=torch.int32))


def test_arguments_that_are_no_tensors():
    operator = make(compiled_add_one(), "b")
    for wrong, name in (([1.0], "list"), (None, "None"), (torch.ones(3).numpy(), "ndarray")):
        with pytest.raises(
            TypeError, match=rf"argument #0 \(`a`\) of .* is a tensor of torch, but got {name}"
        ):
            operator(wrong)
    with pytest.raises(TypeError, match=r"`.*` takes a, but got 0 arguments$"):
        operator()


def test_compiled_graphs():
    operator = outer_op()

    def model(x, y):
        return operator(x.sin(), y * 2).sum(0) + 1

    compiled = torch.compile(model, fullgraph=True, dynamic=True)
    counter = torch._dynamo.testing.CompileCounter()
    counted = torch.compile(model, backend=counter, fullgraph=True, dynamic=True)
    for n, m in itertools.product((2, 5, 9), (3, 8)):
        x, y = torch.randn(n), torch.randn(m)
        torch.testing.assert_close(compiled(x, y), model(x, y))
        counted(x, y)
    assert counter.frame_count == 1


def test_calls_of_the_function_itself_are_traced():
    function = compiled_outer()
    outer_op()

    def model(x, y):
        z = torch.empty(x.shape[0], y.shape[0])
        function(x, y, z)
        return z * 2

    x, y = torch.randn(4), torch.randn(6)
    torch.testing.assert_close(torch.compile(model, fullgraph=True)(x, y), model(x, y))

    class Model(torch.nn.Module):
        def forward(self, x, y):
            return model(x, y)

    graph = torch.export.export(Model(), (x, y)).graph_module.code
    assert "fairlead_tests" in graph and "_out" in graph


def test_wrong_shapes_fail_while_tracing():
    operator = make(compiled_add_one(), "b")
    with pytest.raises(Exception, match="number of dimensions of a"):
        torch.compile(lambda x: operator(x), fullgraph=True)(torch.zeros(2, 2))


def test_divisibility_is_known_while_tracing():
    n = cute.sym_int(divisibility=4)
    operator = make(
        cute.compile(add_one, vector(extent=n), vector(extent=n), options="--target cpu"), "b"
    )
    compiled = torch.compile(operator, fullgraph=True, dynamic=True)
    assert torch.equal(compiled(torch.zeros(8)), torch.ones(8))
    with pytest.raises(Exception, match=r"a\.shape\[0\] % 4"):
        torch.compile(lambda x: operator(x), fullgraph=True)(torch.zeros(6))


def test_saved_tensors_that_are_overwritten_are_noticed():
    """Calls of the operator and of the function itself."""
    function = compiled_add_one()
    operator = make(function, "b")
    for write in (operator, function):
        x = torch.randn(8, requires_grad=True)
        y = torch.zeros(8)
        product = x * y
        write(torch.ones(8), y)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.sum().backward()


@pytest.mark.parametrize("loaded", [False, True])
def test_writes_of_functions_without_an_operator(loaded, tmp_path):
    n = cute.sym_int()
    arguments = vector(extent=n), vector(extent=n)
    function = cute.compile(add_one, *arguments, options="--target cpu")
    if loaded:
        function.export_to_c(tmp_path / "add.o", function_name="add")
        function = cute.runtime.load_module(tmp_path / "add.o").add

    def overwrites():
        x, y = torch.randn(8, requires_grad=True), torch.zeros(8)
        product = x * y
        function(torch.ones(8), y)
        product.sum().backward()
        return x.grad

    assert torch.equal(overwrites(), torch.full((8,), 2.0))  # wrong: y was 0 in the product
    fairlead.torch.writes(function, "b")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        overwrites()
    with torch.no_grad():
        function(torch.ones(8), torch.zeros(8))
    with torch.inference_mode():
        y = torch.zeros(8)
        function(torch.ones(8), y)
        assert torch.equal(y, torch.full((8,), 2.0))
    with pytest.raises(DSLError, match="writes must name tensor parameters of .*'c'"):
        fairlead.torch.writes(function, "c")


def test_no_gradient_is_lost():
    operator = outer_op()
    x, y = torch.randn(3, requires_grad=True), torch.randn(4)
    with pytest.raises(DSLError, match="has no derivative"):
        operator(x, y)
    with pytest.raises(DSLError, match="has no derivative"):
        operator(x, y, torch.zeros(3, 4))
    with torch.no_grad():
        torch.testing.assert_close(operator(x, y), torch.outer(x.detach(), y))


def backward(inputs, outputs, gradients):
    (x, y), (z,), (gradient,) = inputs, outputs, gradients
    assert z.shape == gradient.shape
    return gradient @ y, x @ gradient


def test_gradients():
    operator = outer_op(backward=backward)
    x, y = torch.randn(3, requires_grad=True), torch.randn(4, requires_grad=True)
    (operator(x, y) ** 2).sum().backward()
    expected = torch.autograd.grad((torch.outer(x, y) ** 2).sum(), (x, y))
    torch.testing.assert_close(x.grad, expected[0])
    torch.testing.assert_close(y.grad, expected[1])


def test_training_steps_of_a_compiled_model():
    operator = outer_op(backward=backward)

    def loss(make, weight, x):
        return (make(weight.tanh(), x) - 1).square().mean()

    x = torch.randn(6)
    weights = [torch.linspace(-1, 1, 5).requires_grad_() for _ in range(2)]
    steps = [
        torch.compile(lambda w, x: loss(operator, w, x), fullgraph=True),
        lambda w, x: loss(torch.outer, w, x),
    ]
    for weight, step in zip(weights, steps, strict=True):
        optimiser = torch.optim.SGD([weight], lr=0.5)
        for _ in range(5):
            optimiser.zero_grad()
            step(weight, x).backward()
            optimiser.step()
    torch.testing.assert_close(*weights)


@cute.kernel
def _outer_backward(x, y, grad_z, grad_x, grad_y):
    i = cute.arch.block_idx()[0]
    n, m = grad_z.shape
    if i < n:
        total = fairlead.Float32(0)
        for j in range(m):
            total += grad_z[i, j] * y[j]
        grad_x[i] = total
    else:
        total = fairlead.Float32(0)
        for j in range(n):
            total += grad_z[j, i - n] * x[j]
        grad_y[i - n] = total


@cute.jit
def outer_backward(x, y, grad_z, grad_x, grad_y):
    _outer_backward(x, y, grad_z, grad_x, grad_y).launch(
        grid=(x.shape[0] + y.shape[0], 1, 1), block=(1, 1, 1)
    )


def test_a_compiled_function_as_backward():
    n, m = cute.sym_int(), cute.sym_int()
    z = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n, m), stride_order=(1, 0))
    vectors = [vector(extent=each) for each in (n, m, n, m)]
    function = cute.compile(
        outer_backward, vectors[0], vectors[1], z, *vectors[2:], options="--target cpu"
    )
    operator = outer_op(backward=function)
    x, y = torch.randn(3, requires_grad=True), torch.randn(4, requires_grad=True)
    weights = torch.randn(3, 4)
    (operator(x, y) * weights).sum().backward()
    torch.testing.assert_close(x.grad, weights @ y.detach())
    torch.testing.assert_close(y.grad, x.detach() @ weights)


def test_a_backward_with_another_number_of_results():
    operator = outer_op(backward=lambda inputs, outputs, gradients: gradients)
    with pytest.raises(DSLError, match="its 2 inputs"):
        operator(torch.randn(3, requires_grad=True), torch.randn(4)).sum().backward()


def test_vmap():
    operator = outer_op()
    x, y = torch.randn(5, 3), torch.randn(4, 5)
    torch.testing.assert_close(
        torch.vmap(operator, in_dims=(0, 1))(x, y), torch.einsum("bi,jb->bij", x, y)
    )
    torch.testing.assert_close(
        torch.vmap(operator, in_dims=(None, 1))(x[0], y), torch.einsum("i,jb->bij", x[0], y)
    )


def test_layouts_that_do_not_fit():
    operator = make(compiled_row_sums(True), "s")
    matrix = torch.randn(4, 5)
    with pytest.raises(MISMATCH, match=r"m\.strides"):
        operator(matrix)
    torch.testing.assert_close(operator(matrix.t().contiguous().t()), matrix.sum(1))


def test_operators_of_files(tmp_path):
    compiled_outer().export_library(tmp_path / "libkernels.so", function_name="outer_of_file")
    made = fairlead.torch.load(tmp_path / "libkernels.so", {"outer_of_file": "z"})
    x, y = torch.randn(4), torch.randn(3)
    torch.testing.assert_close(made["outer_of_file"](x, y), torch.outer(x, y))
    torch.testing.assert_close(torch.ops.kernels.outer_of_file(x, y), torch.outer(x, y))
    check(made["outer_of_file"], x, y)


def test_files_tell_which_functions_were_operators(tmp_path):
    function = compiled_axpy()
    make(function, mutates="y")
    function.export_library(tmp_path / "told.so", function_name="axpy_told")
    with pytest.raises(DSLError, match="exists already"):
        fairlead.torch.load(tmp_path / "told.so")  # under the name that it has in this process
    made = fairlead.torch.load(tmp_path / "told.so", namespace="told")
    assert list(made) == ["axpy_told"]
    x, y = torch.randn(4), torch.randn(4)
    expected = y + 2 * x
    torch.ops.told.axpy_told(x, 2.0, y)
    torch.testing.assert_close(y, expected)


_IN_ANOTHER_PROCESS = """
    import sys
    sys.path.insert(0, {folder!r})
    import torch, fairlead.torch
    fairlead.torch.load({library!r}, {{"outer_saved": "z"}}, namespace="saved")
    x, y = torch.arange(3.0), torch.arange(5.0)
    expected = torch.outer(x.cos(), y) + 1
    torch.testing.assert_close(torch.export.load({program!r}).module()(x, y), expected)
    package = {package!r}
    if package:
        made = torch._inductor.aoti_load_package(package)(x, y)
        torch.testing.assert_close(made, expected)
    print("done")
"""


def run_elsewhere(**options):
    program = textwrap.dedent(_IN_ANOTHER_PROCESS).format(
        folder=str(Path(__file__).parent), **options
    )
    done = forked.run("-c", program)
    assert done.stdout.endswith("done\n"), done.stderr


def test_exported_programs_run_in_another_process(tmp_path):
    library = str(tmp_path / "saved.so")
    compiled_outer().export_library(library, function_name="outer_saved")
    operator = fairlead.torch.load(library, {"outer_saved": "z"}, namespace="saved")["outer_saved"]

    class Model(torch.nn.Module):
        def forward(self, x, y):
            return operator(x.cos(), y) + 1

    dims = {"x": {0: torch.export.Dim("n")}, "y": {0: torch.export.Dim("m")}}
    made = torch.export.export(Model(), (torch.randn(4), torch.randn(6)), dynamic_shapes=dims)
    path = str(tmp_path / "program.pt2")
    torch.export.save(made, path)
    package = ""  # test_torch_register.py runs another one of the same model
    if not IS_SHORT:
        package = torch._inductor.aoti_compile_and_package(
            made, package_path=str(tmp_path / "package.pt2")
        )
    run_elsewhere(library=library, program=path, package=package)
