"""fairlead.jax.call on the CPU: each transformation of JAX gives the results of JAX's own operations."""

import copy
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from framework_programs import (  # noqa: E402
    add_one,
    compiled_add_one,
    compiled_axpy,
    compiled_outer,
    compiled_row_sums,
)

import fairlead  # noqa: E402
import fairlead.jax  # noqa: E402
from fairlead.errors import DSLError  # noqa: E402

RANDOM = np.random.default_rng(2121)


def vector(count, dtype=np.float32):
    return jnp.asarray(RANDOM.integers(-50, 50, count).astype(dtype))


@pytest.mark.parametrize("count", [0, 1, 7, 33, 1000])
def test_eager_and_jit(count):
    call = fairlead.jax.call(compiled_add_one())
    x = vector(count)
    for made in (call(x), jax.jit(call)(x), jax.jit(lambda x: call(call(x)) - 1)(x)):
        np.testing.assert_array_equal(made, np.asarray(x) + 1)
        assert made.dtype == x.dtype


@pytest.mark.parametrize(
    "dtype", ["Float16", "BFloat16", "Float32", "Int8", "Int16", "Int32", "Uint8", "Uint32"]
)
def test_dtypes(dtype):
    call = fairlead.jax.call(compiled_add_one(getattr(fairlead, dtype)))
    x = vector(40).astype(dtype.lower())
    made = jax.jit(call)(x)
    assert made.dtype == x.dtype
    np.testing.assert_array_equal(made, x + 1)


def test_shapes_of_results_follow_from_the_signature():
    x, y = vector(5), vector(9)
    made = jax.jit(fairlead.jax.call(compiled_outer()))(x, y)
    np.testing.assert_array_equal(made, np.outer(x, y))


def test_named_outputs_may_stand_anywhere():
    # The result is the first parameter of the two that are no arrays of the call.
    call = fairlead.jax.call(compiled_add_one(), outputs="b")
    x = vector(12)
    np.testing.assert_array_equal(call(a=x), np.asarray(x) + 1)


def test_numbers_and_changes_in_place():
    call = fairlead.jax.call(compiled_axpy(), aliases=("y",))
    x, y = vector(100), vector(100)
    expected = np.asarray(y) + 2.5 * np.asarray(x)
    kept = np.asarray(y).copy()
    for made in (
        call(x, y, alpha=2.5),
        jax.jit(lambda x, y: call(x, y, alpha=np.float32(2.5)))(x, y),
    ):
        np.testing.assert_allclose(made, expected)
    np.testing.assert_array_equal(y, kept)  # without donation XLA copies


def test_donation_keeps_the_memory():
    call = fairlead.jax.call(compiled_axpy(), aliases=("y",))
    step = jax.jit(lambda x, y: call(x, y, alpha=1.0), donate_argnums=1)
    x, y = vector(4096), vector(4096) + 0  # memory of XLA's own: that of NumPy it may share
    expected = np.asarray(x) + np.asarray(y)
    place = y.unsafe_buffer_pointer()
    made = step(x, y)
    np.testing.assert_array_equal(made, expected)
    assert made.unsafe_buffer_pointer() == place
    assert y.is_deleted()


METHODS = ["auto", "sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]


@pytest.mark.parametrize("method", METHODS)
def test_every_vmap_method_gives_the_same(method):
    call = fairlead.jax.call(compiled_outer(), vmap=method)
    x, y = jnp.stack([vector(3) for _ in range(4)]), jnp.stack([vector(5) for _ in range(4)])
    expected = np.einsum("bi,bj->bij", x, y)
    np.testing.assert_array_equal(jax.vmap(call)(x, y), expected)
    np.testing.assert_array_equal(jax.jit(jax.vmap(call))(x, y), expected)
    # One operand without the batch, and another axis.
    np.testing.assert_array_equal(
        jax.vmap(call, in_axes=(1, None))(x.T, y[0]), np.einsum("bi,j->bij", x, y[0])
    )
    both = jax.vmap(jax.vmap(call, in_axes=(None, 0)), in_axes=(0, None))(x, y)
    np.testing.assert_array_equal(both, np.einsum("ai,bj->abij", x, y))


def test_vmap_of_a_change_in_place():
    call = fairlead.jax.call(compiled_axpy(), aliases=("y",))
    x, y = vector(8), jnp.stack([vector(8) for _ in range(3)])
    made = jax.vmap(lambda x, y: call(x, y, alpha=3.0), in_axes=(None, 0))(x, y)
    np.testing.assert_array_equal(made, np.asarray(y) + 3 * np.asarray(x))


def test_gradients_by_vjp():
    """outer's derivative is a product with its other operand; the program's own result meets it."""

    def vjp(inputs, outputs, cotangents):
        (x, y), (z,) = inputs, cotangents
        return z @ y, x @ z

    call = fairlead.jax.call(compiled_outer(), vjp=vjp)
    x, y = vector(4), vector(6)
    weights = jnp.asarray(RANDOM.random((4, 6)), jnp.float32)

    def loss(make):
        return lambda x, y: (make(x, y) ** 2 * weights).sum()

    ours = jax.jit(jax.grad(loss(call), argnums=(0, 1)))(x, y)
    theirs = jax.grad(loss(jnp.outer), argnums=(0, 1))(x, y)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    jacobian = jax.jacrev(call)(x, y)
    np.testing.assert_allclose(jacobian, jax.jacrev(jnp.outer)(x, y))


def product_vjp(inputs, outputs, cotangents):
    (x, y), (z,) = inputs, cotangents
    return z @ y, x @ z


def square_sum(make):
    return lambda *arrays: (make(*arrays) ** 2).sum()


def test_derivatives_inside_of_other_transformations():
    call = fairlead.jax.call(compiled_outer(), vjp=product_vjp)
    x, y = jnp.stack([vector(3) for _ in range(4)]), vector(5)

    def step(make):
        return lambda c, t: (make(c, y).mean(1) * t, make(c, y).sum())

    programs = [
        lambda make: jax.jit(jax.jit(make))(x[0], y),
        lambda make: jax.vmap(jax.grad(square_sum(make)), (0, None))(x, y),
        lambda make: jax.jit(jax.vmap(jax.grad(square_sum(make), 1), (0, None)))(x, y),
        lambda make: jax.grad(square_sum(jax.vmap(make, (0, None))))(x, y),
        lambda make: jax.grad(square_sum(jax.checkpoint(lambda x, y: make(jnp.sin(x), y))))(
            x[0], y
        ),
        lambda make: jax.lax.scan(step(make), x[0] / 50, jnp.arange(1.0, 4.0)),
        lambda make: jax.grad(lambda x: jax.lax.scan(step(make), x, jnp.arange(3.0))[1].sum())(
            x[0]
        ),
        lambda make: jax.jacrev(jax.jacrev(square_sum(make)))(x[0], y),
        lambda make: jax.lax.cond(x[0, 0] > 99, lambda: make(x[0], y) * 0, lambda: make(x[1], y)),
    ]
    for program in programs:
        for one, other in zip(
            *(jax.tree.leaves(program(make)) for make in (call, jnp.outer)), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=1e-5)


def test_forward_mode_is_an_error():
    call = fairlead.jax.call(compiled_outer(), vjp=product_vjp)
    x, y = vector(3), vector(5)
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(call, (x, y), (x, y))
    with pytest.raises(TypeError, match="has no derivative"):
        jax.jvp(fairlead.jax.call(compiled_add_one()), (x,), (x,))


def test_derivatives_know_arrays_by_name():
    call = fairlead.jax.call(compiled_outer(), vjp=product_vjp)
    x, y = vector(3), vector(5)
    expected = jax.grad(square_sum(jnp.outer), (0, 1))(x, y)
    for named in (lambda x, y: call(y=y, x=x), lambda x, y: call(y, x=x)):
        made = jax.grad(square_sum(named), (0, 1))(x, y)
        for one, other in zip(made, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_call_without_results():
    """It would write an array that it is given, which JAX takes for unchanged."""
    call = fairlead.jax.call(compiled_add_one())
    x, y = vector(3), vector(3)
    with pytest.raises(DSLError, match="takes 1 arrays, but got 2"):
        call(x, y)
    # A signature as text does not tell which of them it writes.
    text = "add_one(a: Tensor([n], float32), b: Tensor([n], float32))"
    with pytest.raises(DSLError, match="got all of a, b"):
        fairlead.jax.call(compiled_add_one(), signature=text)(x, y)


def test_64_bits():
    with jax.experimental.enable_x64() if not hasattr(jax, "enable_x64") else jax.enable_x64(True):
        for dtype in ("Float64", "Int64"):
            x = vector(9, getattr(np, dtype.lower()))
            made = fairlead.jax.call(compiled_add_one(getattr(fairlead, dtype)))(x)
            assert made.dtype == x.dtype
            np.testing.assert_array_equal(made, np.asarray(x) + 1)
        with pytest.raises(DSLError, match="float32, but got one of float64"):
            fairlead.jax.call(compiled_add_one())(jnp.ones(3))
    # Numbers of Python have no width of their own.
    np.testing.assert_array_equal(
        fairlead.jax.call(compiled_add_one())(jnp.full(3, 2.0)), [3, 3, 3]
    )


def test_copies_and_pickles(tmp_path):
    call = fairlead.jax.call(compiled_outer())
    x, y = vector(3), vector(5)
    call(x, y)
    np.testing.assert_array_equal(copy.deepcopy(call)(x, y), jnp.outer(x, y))
    path = tmp_path / "call.pickle"
    path.write_bytes(pickle.dumps(call))
    assert run_program(_UNPICKLES, path=str(path)) == "done\n"


_UNPICKLES = """
    import pickle
    import jax.numpy as jnp, numpy as np

    call = pickle.load(open({path!r}, "rb"))
    np.testing.assert_array_equal(call(jnp.arange(3.0), jnp.ones(2)), [[0, 0], [1, 1], [2, 2]])
    print("done")
"""


def test_layouts_follow_the_strides():
    matrix = jnp.asarray(RANDOM.integers(0, 9, (5, 7)), jnp.float32)
    for column_major in (False, True):
        call = fairlead.jax.call(compiled_row_sums(column_major))
        np.testing.assert_array_equal(jax.jit(call)(matrix), np.asarray(matrix).sum(1))
        batch = jnp.stack([matrix, matrix + 1, matrix * 2])
        np.testing.assert_array_equal(jax.vmap(call)(batch), np.asarray(batch).sum(2))


def test_a_wrong_layout_is_an_error_of_the_entry():
    call = fairlead.jax.call(compiled_row_sums(True), layouts={"m": (0, 1)})
    with pytest.raises(Exception, match=r"INVALID_ARGUMENT: Mismatched m\.strides"):
        jax.block_until_ready(call(jnp.ones((5, 7))))


def test_decorated_functions_are_compiled_for_what_comes():
    call = fairlead.jax.call(add_one, outputs=jax.ShapeDtypeStruct((20,), jnp.int32))
    x = vector(20, np.int32)
    np.testing.assert_array_equal(jax.jit(call)(x), np.asarray(x) + 1)


@pytest.mark.parametrize("wrap", [lambda struct: struct, lambda struct: [struct]])
def test_a_shape_is_that_of_the_last_parameter(wrap):
    struct = jax.ShapeDtypeStruct((20,), jnp.float32)
    call = fairlead.jax.call(compiled_add_one(), outputs=wrap(struct))
    x = vector(20)
    result = jax.jit(call)(x)
    assert isinstance(result, jax.Array)
    np.testing.assert_array_equal(result, np.asarray(x) + 1)
    with pytest.raises(DSLError, match=r"outputs takes shapes of at most 2 arrays.*but got 3"):
        fairlead.jax.call(compiled_add_one(), outputs=[struct] * 3)


@pytest.mark.parametrize("run", [lambda call: call, jax.jit], ids=["eager", "jit"])
def test_numbers_of_a_decorated_function_stand_anywhere(run):
    @fairlead.cute.jit
    def scale(
        factor: fairlead.Float32,
        x: fairlead.cute.Tensor,
        out: fairlead.cute.Tensor,
        shift: fairlead.Int32 = 2,
        times: fairlead.Constexpr = 1,
    ):
        for i in range(x.shape[0]):
            out[i] = x[i] * factor * times + shift

    x = vector(9)
    call = fairlead.jax.call(scale, outputs=jax.ShapeDtypeStruct((9,), jnp.float32))
    expected = np.asarray(x)
    for keywords, result in (
        ({"factor": 3.0}, expected * 3 + 2),
        ({"factor": 3.0, "shift": 5}, expected * 3 + 5),
        ({"factor": 2.0, "times": 4}, expected * 8 + 2),
        ({"factor": 2.0, "times": 3}, expected * 6 + 2),
    ):
        made = run(lambda x, keywords=keywords: call(x, **keywords))(x)
        np.testing.assert_array_equal(made, result)

    made = run(lambda x: call(x=x, factor=1.0))(x)
    np.testing.assert_array_equal(made, expected + 2)
    with pytest.raises(TypeError, match="`scale`: missing a required argument: 'factor'"):
        call(x)


def test_constants_of_a_decorated_function_count_by_type_and_contents():
    @fairlead.cute.jit
    def function(x: fairlead.cute.Tensor, out: fairlead.cute.Tensor, what: fairlead.Constexpr = 0):
        parts = what if isinstance(what, (list, tuple)) else [what]
        out[0] = x[0] + sum(10 if part is True else part for part in parts)

    call = fairlead.jax.call(function, outputs=jax.ShapeDtypeStruct((1,), jnp.float32))
    zero = jnp.zeros(1, jnp.float32)
    constants = [1, True, (1,), (True,), [2, 3], [4, 5]]
    results = [float(call(zero, what=what)[0]) for what in constants]
    assert results == [1, 10, 1, 10, 5, 9]


def test_functions_with_a_signature_in_one_line(tmp_path):
    from fairlead import cute, ffi

    compiled_add_one().export_library(tmp_path / "add.so", function_name="add")
    x = vector(15)
    loaded = cute.runtime.load_module(tmp_path / "add.so").add
    np.testing.assert_array_equal(fairlead.jax.call(loaded)(x), np.asarray(x) + 1)
    text = "add(a: Tensor([n], float32), b: Tensor([n], float32))"
    np.testing.assert_array_equal(fairlead.jax.call(loaded, signature=text)(x), np.asarray(x) + 1)
    with pytest.raises(DSLError, match="tells no signature"):
        fairlead.jax.call(ffi.convert(lambda *a: None))


def test_errors_keep_their_texts():
    call = fairlead.jax.call(
        compiled_outer(), outputs={"z": jax.ShapeDtypeStruct((3, 3), jnp.float32)}
    )
    with pytest.raises(Exception, match=r"INVALID_ARGUMENT: .*z\.shape\[0\]"):
        jax.block_until_ready(call(vector(4), vector(3)))


def test_a_traced_number_is_refused():
    call = fairlead.jax.call(compiled_axpy(), aliases="y")
    with pytest.raises(DSLError, match="static_argnames"):
        jax.jit(lambda x, alpha: call(x, x, alpha=alpha))(vector(3), 2.0)


def test_results_that_are_not_used_are_not_computed():
    x = vector(3)
    text = jax.jit(lambda x: (fairlead.jax.call(compiled_add_one())(x), x)[1]).lower(x).as_text()
    assert "fairlead_call" not in text
    effect = fairlead.jax.call(compiled_add_one(), has_side_effect=True)
    text = jax.jit(lambda x: (effect(x), x)[1]).lower(x).as_text()
    assert "fairlead_call" in text


_DEVICES = """
    import os
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    import sys, warnings
    sys.path.insert(0, {folder!r})
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import NamedSharding, PartitionSpec as P
    import fairlead.jax
    from framework_programs import compiled_add_one

    call = fairlead.jax.call(compiled_add_one())
    mesh = jax.make_mesh((4,), ("d",))
    x = jax.device_put(jnp.arange(32.0), NamedSharding(mesh, P("d")))
    run = jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("d"), out_specs=P("d")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = run(x)
    assert len(made.sharding.device_set) == 4 and not made.is_fully_replicated
    np.testing.assert_array_equal(made, np.arange(32.0) + 1)
    text = run.lower(x).compile().as_text()
    assert "all-gather" not in text and "f32[8]" in text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(call(x), np.arange(32.0) + 1)
    assert any("shard_map" in str(each.message) for each in caught), caught
    print("done")
"""


_SHARDS_OF_DERIVATIVES = """
    import os
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    import sys
    sys.path.insert(0, {folder!r})
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import PartitionSpec as P
    import fairlead.jax
    from framework_programs import compiled_axpy, compiled_outer

    def vjp(inputs, outputs, cotangents):
        (x, y), (z,) = inputs, cotangents
        return z @ y, x @ z

    call = fairlead.jax.call(compiled_outer(), vjp=vjp)
    mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    x, y = jnp.arange(8.0), jnp.arange(1.0, 4.0)

    # x is in shards, y is the same everywhere: its derivative is the sum over all devices.
    def loss(make):
        shards = jax.shard_map(make, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d", None))
        return lambda x, y: (shards(x, y) ** 2).sum()

    for argnum in (0, 1):
        ours, theirs = (jax.jit(jax.grad(loss(make), argnum))(x, y) for make in (call, jnp.outer))
        np.testing.assert_allclose(ours, theirs)
    batched = jax.vmap(jax.shard_map(call, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d", None)), (0, None))
    np.testing.assert_array_equal(batched(x.reshape(1, 8), y)[0], jnp.outer(x, y))
    try:  # what differs is not the same everywhere
        jax.shard_map(call, mesh=mesh, in_specs=(P("d"), P()), out_specs=P())(x, y)
        raise SystemExit("no error")
    except ValueError as error:
        assert "out_specs" in str(error), error
    change = fairlead.jax.call(compiled_axpy(), aliases="y")
    run = jax.shard_map(lambda x, y: change(x, y, alpha=2.0), mesh=mesh, in_specs=P("d"), out_specs=P("d"))
    np.testing.assert_array_equal(jax.jit(run, donate_argnums=1)(x, x + 1), 3 * x + 1)
    print("done")
"""


def run_program(text, **options):
    folder = str(__import__("pathlib").Path(__file__).parent)
    program = textwrap.dedent(text).format(folder=folder, **options)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", [_DEVICES, _SHARDS_OF_DERIVATIVES])
def test_several_devices(program):
    assert run_program(program).endswith("done\n")


_SECOND_PROCESS = """
    import jax, jax.export, jax.numpy as jnp, numpy as np
    import fairlead.jax

    program = jax.export.deserialize(open({path!r}, "rb").read())
    for shape in ((3, 4), (1, 64), (20, 31)):
        x, y = jnp.arange(shape[0], dtype=jnp.float32), jnp.ones(shape[1], jnp.float32) * 2
        np.testing.assert_array_equal(program.call(x, y), np.outer(x, y))
    print("done")
"""


def test_exported_programs_bring_their_code_along(tmp_path):
    pytest.importorskip("flatbuffers")
    import jax.export

    call = fairlead.jax.call(compiled_outer(), embed=True)
    n, m = jax.export.symbolic_shape("n, m")
    checks = [jax.export.DisabledSafetyCheck.custom_call(fairlead.jax.TARGET)]
    made = jax.export.export(jax.jit(call), disabled_checks=checks)(
        jax.ShapeDtypeStruct((n,), jnp.float32), jax.ShapeDtypeStruct((m,), jnp.float32)
    )
    path = tmp_path / "program.bin"
    path.write_bytes(made.serialize())
    assert run_program(_SECOND_PROCESS, path=str(path)) == "done\n"


def test_no_warning_without_sharding():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = vector(3)
        np.testing.assert_array_equal(fairlead.jax.call(compiled_add_one())(x), np.asarray(x) + 1)


_MANY = """
import jax, jax.numpy as jnp
import fairlead.jax
from fairlead import cute
from fairlead.jax._native import TENSOR, make_handler

@cute.jit
def add(x: cute.Tensor, y: cute.Tensor, by: cute.Constexpr):
    y[0] = x[0] + by

vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
functions = [cute.compile(add, vector, vector, by, options="--target cpu") for by in (1.0, 2.0)]
parameters = (TENSOR, 1, "x"), (TENSOR, 1, "y")
for i in range(100_000):
    handler = make_handler(functions[i % 2], parameters, cuda=False, command_buffer=False, owned=False)
    jax.ffi.register_ffi_target(f"many_{i}", handler, platform="cpu")
shape = jax.ShapeDtypeStruct((1,), jnp.float32)
print([float(jax.ffi.ffi_call(f"many_{i}", shape)(jnp.ones(1))[0]) for i in (0, 1023, 1024, 99_999)])
"""


def test_a_hundred_thousand_functions_in_one_process(tmp_path):
    """Other bindings have a fixed number of handlers, 1,024."""
    program = tmp_path / "many.py"
    program.write_text(_MANY)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.stdout == "[2.0, 3.0, 2.0, 3.0]\n", done.stderr


def test_an_older_jax_is_refused():
    program = "import jax\njax.__version_info__ = (0, 6, 2)\nimport fairlead.jax\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: fairlead.jax needs jax 0.7 or newer, but this one is " in done.stderr
