"""Custom operators of ONNX Runtime that `fairlead bundle --onnxruntime` makes, in the real ONNX Runtime."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

import fairlead
from fairlead import cute
from fairlead.bundles import bundle

onnxruntime = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

FLOAT, INT64, FLOAT16 = 1, 7, 10


# A model is a message of Protocol Buffers; these few fields of ONNX's are all that the tests need.
def field(number, value):
    """A field of bytes, text or a number."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def value_info(name, element_type, rank):
    shape = b"".join(field(1, field(2, f"{name}{i}")) for i in range(rank))
    return field(1, name) + field(2, field(1, field(1, element_type) + field(2, shape)))


def attribute(name, value):
    if isinstance(value, float):
        number = varint(2 << 3 | 5) + np.float32(value).tobytes()
        return field(1, name) + number + field(20, 1)
    return field(1, name) + field(3, value) + field(20, 2)


def model(operator, inputs, outputs, domain="kernels", **attributes):
    """A model of one node. `inputs`, `outputs`: name -> (element type, rank)."""
    node = b"".join(field(1, name) for name in inputs)
    node += b"".join(field(2, name) for name in outputs)
    node += field(4, operator) + field(7, domain)
    node += b"".join(field(5, attribute(*each)) for each in attributes.items())
    graph = field(1, node) + field(2, "graph")
    graph += b"".join(field(11, value_info(name, *kind)) for name, kind in inputs.items())
    graph += b"".join(field(12, value_info(name, *kind)) for name, kind in outputs.items())
    sets = field(8, field(1, "") + field(2, 18)) + field(8, field(1, domain) + field(2, 1))
    return field(1, 8) + field(7, graph) + sets


def session(library, *args, **attributes):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(str(library))
    return onnxruntime.InferenceSession(model(*args, **attributes), options)


def row_major(dtype, *extents):
    order = tuple(reversed(range(len(extents))))
    return cute.runtime.make_fake_compact_tensor(dtype, extents, stride_order=order)


@cute.jit
def outer(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i] * y[j]


@cute.kernel
def scale_kernel(x: cute.Tensor, by: cute.Float32, out: cute.Tensor):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    out[i, j] = x[i, j] * by


@cute.jit
def scale(
    x: cute.Tensor, by: cute.Float32, shift: cute.Int32, out: cute.Tensor, twice: cute.Tensor
):
    scale_kernel(x, by, out).launch(grid=x.shape[0], block=x.shape[1])
    for i in range(twice.shape[0]):
        twice[i] = x[i, 0] * 2.0 + shift.to(cute.Float32)


@cute.jit
def halve(x: cute.Tensor, out: cute.Tensor):
    for i in range(x.shape[0]):
        out[i] = x[i] * cute.Float16(0.5)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("onnx")
    n, m = cute.sym_int(), cute.sym_int(divisibility=2)
    vector = row_major(cute.Float32, n), row_major(cute.Float32, m), row_major(cute.Float32, n, m)
    half = row_major(cute.Float16, n)
    for name, function, arguments in (
        ("outer", outer, vector),
        (
            "scale",
            scale,
            (vector[2], cute.Float32, cute.Int32, row_major(cute.Float32, n, m), vector[0]),
        ),
        ("halve", halve, (half, half)),
    ):
        compiled = cute.compile(function, *arguments, options="--target cpu")
        compiled.export_to_c(str(folder / f"{name}.o"), function_name=name)
    path = folder / "libkernels.so"
    operators = {"outer": "out", "scale": ("out", "twice"), "halve": ["out"]}
    bundle([folder], path, onnxruntime=operators)
    return path


def test_outputs_are_allocated_in_the_shapes_of_the_signature(library):
    inputs = {"x": (FLOAT, 1), "y": (FLOAT, 1)}
    run = session(library, "outer", inputs, {"out": (FLOAT, 2)}).run
    for n, m in ((3, 4), (1, 2), (5, 6)):
        x, y = np.arange(n, dtype=np.float32), np.ones(m, np.float32)
        (found,) = run(None, {"x": x, "y": y})
        np.testing.assert_array_equal(found, np.outer(x, y))


def test_numbers_are_attributes_and_there_may_be_several_outputs(library):
    outputs = {"out": (FLOAT, 2), "twice": (FLOAT, 1)}
    run = session(library, "scale", {"x": (FLOAT, 2)}, outputs, by=2.5, shift=7).run
    x = np.random.default_rng(0).random((3, 4), np.float32)
    out, twice = run(None, {"x": x})
    np.testing.assert_array_equal(out, x * np.float32(2.5))
    np.testing.assert_array_equal(twice, x[:, 0] * 2 + 7)
    with pytest.raises(Exception, match="by"):
        session(library, "scale", {"x": (FLOAT, 2)}, outputs, shift=7)


def test_half_precision(library):
    run = session(library, "halve", {"x": (FLOAT16, 1)}, {"out": (FLOAT16, 1)}).run
    x = np.arange(6, dtype=np.float16)
    np.testing.assert_array_equal(run(None, {"x": x})[0], x / 2)


def test_errors_keep_their_texts_and_the_session_goes_on(library):
    inputs = {"x": (FLOAT, 1), "y": (FLOAT, 1)}
    run = session(library, "outer", inputs, {"out": (FLOAT, 2)}).run
    x = np.ones(3, np.float32)
    with pytest.raises(
        Exception, match=r"ValueError: Invalid y\.shape\[0\].*divisible by 2.*got 3"
    ):
        run(None, {"x": x, "y": x})
    assert run(None, {"x": x, "y": np.ones(2, np.float32)})[0].shape == (3, 2)


def test_types_of_the_model_are_checked(library):
    with pytest.raises(Exception, match="[Tt]ype"):
        session(library, "halve", {"x": (FLOAT, 1)}, {"out": (FLOAT, 1)})


def test_the_library_is_one_of_the_open_abi_too(library):
    x, y, out = np.ones(3, np.float32), np.ones(2, np.float32), np.zeros((3, 2), np.float32)
    cute.runtime.load_module(str(library)).outer(x, y, out)
    assert out.sum() == 6


@pytest.mark.parametrize(
    ("operators", "text"),
    [
        ({"inner": "out"}, "onnxruntime takes functions of the open ABI .*'inner'"),
        ({"outer": "z"}, "onnxruntime must name tensor parameters of .*'z'"),
        ({"outer": ("out", "y")}, "does not follow from the inputs"),
    ],
)
def test_what_is_no_operator(operators, text, library, tmp_path):
    with pytest.raises(fairlead.DSLError, match=text):
        bundle([library.parent / "outer.o"], tmp_path / "lib.so", onnxruntime=operators)
    assert not list(tmp_path.iterdir())


def test_the_command_line(library, tmp_path):
    command = [sys.executable, "-m", "fairlead", "bundle", str(library.parent / "outer.o")]
    made = [*command, "-o", str(tmp_path / "libkernels.so"), "--onnxruntime"]
    done = subprocess.run([*made, "outer=out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    inputs = {"x": (FLOAT, 1), "y": (FLOAT, 1)}
    run = session(tmp_path / "libkernels.so", "outer", inputs, {"out": (FLOAT, 2)}).run
    assert run(None, {"x": np.ones(3, np.float32), "y": np.ones(2, np.float32)})[0].sum() == 6
    done = subprocess.run([*made, "outer"], capture_output=True, text=True)
    assert done.returncode == 1 and "expected --onnxruntime FUNCTION=OUTPUT" in done.stderr
