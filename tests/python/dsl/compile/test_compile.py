"""compile: signatures, scalars, constants, defaults, options, targets, artifacts."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Float32, Int32, cute


@cute.kernel
def device_axpy(a, x, y, alpha, negate):
    i = cute.arch.block_idx()[0] * 32 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        y[i] = (-a if negate else a) * alpha * x[i] + y[i]


@cute.jit
def axpy(
    a: Float32,
    x: cute.Tensor,
    y: cute.Tensor,
    alpha: fairlead.Constexpr[float] = 1.0,
    negate: fairlead.Constexpr = False,
):
    device_axpy(a, x, y, alpha, negate).launch(grid=(cute.ceil_div(x.shape[0], 32),), block=(32,))


def vectors():
    n = cute.sym_int()
    return support.vector(Float32, n), support.vector(Float32, n)


def test_signature_drops_constants():
    compiled = cute.compile(axpy, 1.0, *vectors(), 2.0, negate=True, options="--target cpu")
    assert (
        str(compiled.signature)
        == "axpy(a: float32, x: Tensor([n0], float32), inout y: Tensor([n0], float32))"
    )
    x, y = np.arange(40, dtype=np.float32), np.ones(40, np.float32)
    compiled(3.0, x, y)
    np.testing.assert_array_equal(y, 1 - 6 * x)


def test_numeric_class_as_hint_and_keywords():
    compiled = cute.compile(axpy, cute.Float32, *vectors(), options="--target cpu")
    x, y = np.arange(40, dtype=np.float32), np.ones(40, np.float32)
    compiled(y=y, x=x, a=2)
    np.testing.assert_array_equal(y, 1 + 2 * x)


def test_defaults():
    @cute.jit
    def host(y: cute.Tensor, value: Float32 = Float32(4.5), count: Int32 = 2):  # noqa: B008
        y[:] = value + count

    compiled = cute.compile(host, support.vector(Float32), options="--target cpu")
    y = support.poisoned(5, np.float32)
    compiled(y)
    np.testing.assert_array_equal(y, [6.5] * 5)
    compiled(y, count=3)
    np.testing.assert_array_equal(y, [7.5] * 5)


@pytest.mark.parametrize(
    ("example", "text", "value"),
    [
        (True, "bool", True),
        (7, "int32", -5),
        (1.5, "float32", 2.25),
        (cute.Int64, "int64", 2**40),
        (cute.Uint8(1), "uint8", 200),
    ],
)
def test_scalar_kinds(example, text, value):
    @cute.jit
    def host(s, y):
        y[:] = s * 1

    compiled = cute.compile(host, example, support.vector(cute.Float64), options="--target cpu")
    assert str(compiled.signature) == f"host(s: {text}, out y: Tensor([n0], float64))"
    y = support.poisoned(3, np.float64)
    compiled(value, y)
    np.testing.assert_array_equal(y, [float(value)] * 3)


def test_symbols_are_numbered_by_first_appearance():
    m, n = cute.sym_int(), cute.sym_int64()

    @cute.jit
    def host(a, b, c):
        pass

    compact = cute.runtime.make_fake_compact_tensor
    compiled = cute.compile(
        host,
        compact(Float32, (n, 256)),
        compact(Int32, (m,)),
        compact(Int32, (m, n)),
        options="--target cpu",
    )
    assert str(compiled.signature) == (
        "host(a: Tensor([n0, 256], float32, strides=[1, n0]), b: Tensor([n1], int32),"
        " c: Tensor([n1, n0], int32, strides=[1, n1]))"
    )


def test_what_signatures_print():
    """Strides unless they are row-major, alignment unless every element has it, divisibility."""

    @cute.jit
    def host(a):
        pass

    def text(tensor):
        return str(cute.compile(host, tensor, options="--target cpu").signature)

    m, n = cute.sym_int(), cute.sym_int()
    compact, fake = cute.runtime.make_fake_compact_tensor, cute.runtime.make_fake_tensor
    rows = "host(a: Tensor([n0, n1], float32))"
    assert text(compact(Float32, (m, n), stride_order=(1, 0))) == rows
    assert text(fake(Float32, (m, n), (cute.sym_int(), 1))) == rows.replace(
        "float32)", "float32, strides=[n2, 1])"
    )
    assert text(compact(Float32, (m, n), stride_order=(1, 0), assumed_align=16)) == rows.replace(
        "float32)", "float32, align=16)"
    )
    even = compact(Float32, (m, cute.sym_int(divisibility=2)), stride_order=(1, 0))
    assert text(even) == rows + " where n1 % 2 == 0"
    assert text(fake(Float32, (m, n), (16, 1))).endswith("strides=[16, 1]))")
    assert text(fake(Float32, (m, n), (1, cute.sym_int()))).endswith("strides=[1, n2]))")
    assert text(fake(Float32, (m,), (3,))).endswith("strides=[3]))")
    compiled = cute.compile(host, even, options="--target cpu")
    assert repr(compiled) == f"<CompiledFunction {rows} where n1 % 2 == 0 for cpu>"
    with pytest.raises(TypeError, match=re.escape(f"`{rows}`")):  # calls are told without
        compiled(1)


def test_environment_stream_is_no_argument():
    @cute.jit
    def host(y, stream):
        y[:] = 1.0

    stream = cute.runtime.make_fake_stream(use_tvm_ffi_env_stream=True)
    compiled = cute.compile(host, support.vector(Float32), stream, options="--target cpu")
    y = support.poisoned(3, np.float32)
    compiled(y)
    np.testing.assert_array_equal(y, [1] * 3)
    assert compiled.signature.num_arguments == 1
    explicit = cute.compile(
        host, support.vector(Float32), cute.runtime.make_fake_stream(), options="--target cpu"
    )
    assert "stream: Stream" in str(explicit.signature) and explicit.signature.num_arguments == 2


@pytest.mark.parametrize(
    "compile",
    [
        lambda f, *a: cute.compile(f, *a, options="--enable-tvm-ffi --opt-level=0 --target cpu"),
        lambda f, *a: cute.compile(f, *a, options="--opt-level 2 --target=cpu"),
        lambda f, *a: cute.compile[cute.OptLevel(1), cute.EnableTVMFFI, cute.TargetOption("cpu")](
            f, *a
        ),
        lambda f, *a: cute.compile[(cute.TargetOption("cpu"), cute.EnableTVMFFI(True))](f, *a),
    ],
)
def test_options(compile):
    compiled = compile(axpy, 1.0, *vectors())
    x, y = np.arange(40, dtype=np.float32), np.ones(40, np.float32)
    compiled(3.0, x, y)
    np.testing.assert_array_equal(y, 1 + 3 * x)


@pytest.mark.parametrize("name", ["FAIRLEAD_TARGET", "CUTE_DSL_ARCH"])
def test_target_of_the_environment(name, monkeypatch):
    monkeypatch.delenv("FAIRLEAD_TARGET", raising=False)
    monkeypatch.setenv(name, "sm_80")
    compiled = compile_only()
    assert compiled[0] == "cuda:sm_80" and ".target sm_80" in compiled[1]


def compile_only():
    """Target and PTX of a compile that is not loaded: there may be no GPU."""
    from fairlead import _compiler
    from fairlead._tracing.trace import run
    from fairlead.cute._arguments import Parameters
    from fairlead.cute._options import Options

    parameters = Parameters(axpy.function, (), (1.0, *vectors()), {})
    program = _compiler.Program(parameters.built.signature, Options().resolve_targets(False))
    run(program, "axpy", lambda values: parameters.call(axpy.traced, values))
    artifact = _compiler.compile([program], 3)
    return str(artifact.target), artifact.ptx


def test_keep_files(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    cute.compile(axpy, 1.0, *vectors(), options="--keep-ir --target cpu")
    assert "define" in (tmp_path / "axpy.ll").read_text()


def test_phases_and_artifact():
    compiled = cute.compile(axpy, 1.0, *vectors(), options="--target cpu")
    assert {"trace", "lower", "codegen", "load"} <= set(compiled.phases)
    assert all(milliseconds >= 0 for milliseconds in compiled.phases.values())
    assert (
        compiled.artifact.object[:4] == b"\x7fELF"
        and "define" in compiled.ir
        and compiled.ptx == ""
    )
    assert "axpy" in repr(compiled)


def test_compiled_is_a_function():
    from fairlead import ffi

    assert isinstance(cute.compile(axpy, 1.0, *vectors(), options="--target cpu"), ffi.Function)


PROGRAM = """
import sys, numpy as np
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
x, y = np.arange(40, dtype=np.float32), np.ones(40, np.float32)
module.axpy2(3.0, x, y)
assert (y == 1 + 3 * x).all(), y
maps = open("/proc/self/maps").read()
assert "libfairlead.so" not in maps and "_compiler" not in maps, "the compiler was loaded"
print("ok")
"""


@pytest.mark.parametrize("linked_here", [True, False])
def test_export(tmp_path, linked_here):
    compiled = cute.compile(axpy, 1.0, *vectors(), options="--target cpu")
    library = tmp_path / "axpy.so"
    if linked_here:
        compiled.export_library(library, function_name="axpy2")
    else:
        compiled.export_to_c(tmp_path / "axpy.o", function_name="axpy2")
        libraries = cute.runtime.find_runtime_libraries(enable_tvm_ffi=True)
        subprocess.run(
            ["gcc", "-shared", "-o", library, tmp_path / "axpy.o", *libraries], check=True
        )
    done = subprocess.run([sys.executable, "-c", PROGRAM, library], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_direct_call_compiles_once_for_each_type():
    traced = []

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, scale: float, flag: fairlead.Constexpr = False):
        traced.append(a.element_type.__name__)
        b[:] = a[:] * (scale if flag else 2.0)

    for dtype in (np.float32, np.float64):
        for n in (5, 6):
            a, b = np.arange(n, dtype=dtype), support.poisoned(n, dtype)
            host(a, b, 3.0)
            np.testing.assert_array_equal(b, a * 2)
    host(a, b, 3.0, flag=True)
    np.testing.assert_array_equal(b, a * 3)
    host(a, b, 4.0, flag=True)
    np.testing.assert_array_equal(b, a * 4)
    assert traced == ["Float32", "Float64", "Float64"]


def test_direct_call_of_a_kernel_launch():
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    axpy(2.0, x, y)
    np.testing.assert_array_equal(y, 1 + 2 * x)


def test_import_is_cheap_and_loads_no_compiler():
    """A room is imported at the first use of a name of it. Few modules of Python's library are."""
    code = """
import sys
before = set(sys.modules)
import fairlead, fairlead.cute
new = set(sys.modules) - before
print(sorted(name for name in new if name.partition(".")[0] not in sys.stdlib_module_names))
print(len(new))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True
    )
    modules, count = done.stdout.splitlines()
    assert modules == "['fairlead', 'fairlead.cute']" and int(count) <= 12
