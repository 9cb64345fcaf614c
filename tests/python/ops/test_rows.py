"""fairlead.ops on rows of matrices: softmax, norms, reductions; against float64."""

import math

import numpy as np
import pytest
from support.thinned import crossed, thinned
from test_hopper_kernels import assembled, needs_ptxas

import fairlead.ops as ops
from fairlead import cute
from fairlead.ops import _row_kernels, _rows, _streamed_rows
from fairlead.ops._arrays import Described, describe
from fairlead.ops._staged_rows import StagedForm, StagedRows
from fairlead.ops._streamed_rows import StreamedForm, StreamedRows

torch = pytest.importorskip("torch")

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
SHAPES = [
    (1, 1),
    (3, 7),
    (5, 64),
    (129, 100),
    (2, 3, 1000),
    (4, 4096),
    (3, 20000),
    (2, 65536),
    (64,),
]
# Each shape with each type, for one operation with --long; otherwise each shape with one of the types.
CASES = [(shape, dtype) for shape in SHAPES for dtype in DTYPES]
SOME = [(shape, DTYPES[i % len(DTYPES)]) for i, shape in enumerate(SHAPES)]


def random(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(len(shape) + shape[-1])
    return torch.randn(*shape, generator=generator).to(dtype)


def close(found, wanted, dtype):
    assert found.dtype == dtype and found.shape == wanted.shape
    scale = wanted.abs().max().clamp(min=1)
    error = ((found.double() - wanted) / scale).abs().max()
    assert error <= TOLERANCE[dtype], error


@pytest.mark.parametrize("shape, dtype", SOME)
def test_softmax(shape, dtype):
    x = random(*shape, dtype=dtype)
    close(ops.softmax(x), torch.softmax(x.double(), -1), dtype)
    close(ops.log_softmax(x), torch.log_softmax(x.double(), -1), dtype)


@pytest.mark.parametrize("columns", [65537, 128256, 256000])
def test_rows_of_several_blocks(columns):
    x, weight = random(3, columns), random(columns)
    wide = x.double()
    close(ops.softmax(x), torch.softmax(wide, -1), torch.float32)
    close(ops.reduce_rows(x, "max"), wide.amax(-1), torch.float32)
    if columns == 128256:
        close(ops.softmax(x, scale=-2.0), torch.softmax(-2 * wide, -1), torch.float32)
        normed = torch.nn.functional.layer_norm(wide, (columns,), weight.double())
        close(ops.layer_norm(x, weight), normed, torch.float32)
        scaled = torch.nn.functional.rms_norm(wide, (columns,), weight.double(), 1e-6)
        close(ops.rms_norm(x.bfloat16(), weight), scaled, torch.bfloat16)


@pytest.mark.parametrize("blocks, threads", [(1, 64), (4, 32)])
def test_rows_in_shared_memory(blocks, threads, monkeypatch):
    """As GPUs keep longer rows."""

    def form(what, matrices, outs, width):
        is_shifted = width * matrices[0].numeric.width < 128
        return StagedForm(blocks, threads, 1 if what == "softmax" else 2, is_shifted)

    monkeypatch.setattr(_rows, "staged_form", form)
    for operation in (ops.softmax, ops.log_softmax, ops.rms_norm, ops.layer_norm):
        operation.forget()
    x, weight, bias = random(3, 1000) + 5, random(1000), random(1000)
    x[0, 7], x[0, 500:] = -100, -math.inf
    close(ops.softmax(x, scale=0.5), torch.softmax(0.5 * x.double(), -1), torch.float32)
    close(ops.log_softmax(x[1:]), torch.log_softmax(x[1:].double(), -1), torch.float32)
    close(ops.softmax(x[1:], scale=-2.0), torch.softmax(-2 * x[1:].double(), -1), torch.float32)
    x[0], x[1, 3], x[2, 999] = -math.inf, math.nan, math.inf
    assert ops.softmax(x).isnan().all() and ops.rms_norm(x)[1:].isnan().any(-1).all()
    for dtype, columns in ((torch.bfloat16, 1001), (torch.float16, 1028), (torch.float32, 513)):
        x = random(9, columns, dtype=dtype)
        out = torch.full((9, columns), 7.0, dtype=dtype)
        ops.softmax(x, out=out)
        close(out, torch.softmax(x.double(), -1), dtype)
    x = (random(3, 1000) + 5).bfloat16()
    wide = x.double() + x.double()
    normed = torch.nn.functional.layer_norm(wide, (1000,), weight.double(), bias.double())
    close(ops.layer_norm(x, weight, bias, residual=x), normed, torch.bfloat16)
    scaled = torch.nn.functional.rms_norm(x.double(), (1000,), weight.double(), 1e-6)
    close(ops.rms_norm(x, weight), scaled, torch.bfloat16)
    for operation in (ops.softmax, ops.log_softmax, ops.rms_norm, ops.layer_norm):
        operation.forget()


@pytest.mark.parametrize("what, rows, columns, form", [
    ("softmax", 1024, 24576, None), ("softmax", 4096, 32768, StagedForm(1, 256)),
    ("softmax", 2048, 50264, StagedForm(2, 128)), ("softmax", 2048, 65536, StagedForm(2, 256)),
    ("softmax", 1024, 128256, StagedForm(4, 256)), ("softmax", 32, 128256, StagedForm(8, 256)),
    ("softmax", 1024, 151936, StagedForm(2, 512)), ("softmax", 1024, 256000, StagedForm(8, 256)),
    ("softmax", 1024, 200064, StagedForm(8, 128)), ("softmax", 2048, 50257, StagedForm(1, 512, 1, True)),
    ("softmax", 1024, 100277, StagedForm(1, 512, 1, True)), ("softmax", 2048, 1001, None),
    ("rms_norm", 2048, 65536, StagedForm(2, 512)), ("rms_norm", 1024, 128256, StagedForm(4, 512)),
    ("layer_norm", 4096, 32768, StagedForm(1, 512, 2)), ("layer_norm", 8, 65536, StagedForm(8, 512)),
    ("layer_norm", 2048, 65536, StagedForm(2, 512, 2)), ("layer_norm", 1024, 98304, StagedForm(4, 512, 2)),
    ("layer_norm", 1024, 128256, StagedForm(4, 512, 2)), ("layer_norm", 1024, 151936, StagedForm(4, 1024, 2)),
    ("reduce", 1024, 128256, None),
])  # fmt: skip
def test_forms_of_an_h200(what, rows, columns, form, monkeypatch):
    monkeypatch.setattr(Described, "has", lambda self, feature: True)
    monkeypatch.setattr(Described, "multiprocessors", 132)
    x = describe(np.zeros((1, columns), np.float16), "x")
    x.shape = (rows, columns)
    vectors = [describe(np.zeros(columns, np.float16), "weight")] if what == "layer_norm" else []
    width = _row_kernels.width_of(columns, [x])
    assert _rows.staged_form(what, [x, *vectors], [], width) == form


@pytest.mark.parametrize("columns", [200064, 215040, 221184])
def test_two_rows_of_float32_have_room(columns, monkeypatch):
    """Two rows of 200,064 columns, rounded up to whole steps of 1,024 threads, exceed the memory of a block."""
    monkeypatch.setattr(Described, "has", lambda self, feature: True)
    monkeypatch.setattr(Described, "multiprocessors", 132)
    x = describe(np.zeros((1, columns), np.float32), "x")
    x.shape = (260, columns)
    weight = describe(np.zeros(columns, np.float32), "weight")
    assert _rows.staged_form("layer_norm", [x, weight], [], 4) == StagedForm(8, 512)
    tensors = [
        cute.make_fake_compact_tensor(cute.Float32, shape, stride_order=order, assumed_align=16)
        for shape, order in (((1, columns), (1, 0)), ((columns,), (0,)), ((1, columns), (1, 0)))
    ]
    program = StagedRows(
        columns, 4, "layer_norm", *StagedForm(8, 512), eps=1e-5, weight=True, bias=False
    )
    assert cute.compile(program, *tensors, options="--target cuda:sm_90a").__ptx__


@needs_ptxas
@pytest.mark.parametrize("what, columns, form, options", [
    ("softmax", 128256, StagedForm(4, 256), {"scale": 1.0, "log": False}),
    ("softmax", 50257, StagedForm(1, 512, 1, True), {"scale": 1.0, "log": True}),
    ("layer_norm", 151936, StagedForm(4, 1024, 2), {"eps": 1e-5, "weight": True, "bias": True}),
])  # fmt: skip
def test_rows_in_shared_memory_assemble(what, columns, form, options, tmp_path):
    rows = cute.sym_int()

    def compact(*shape):
        order = tuple(reversed(range(len(shape))))
        return cute.make_fake_compact_tensor(
            cute.BFloat16, shape, stride_order=order, assumed_align=16
        )

    vectors = [compact(columns)] * (2 if what == "layer_norm" else 0)
    program = StagedRows(columns, 8, what, *form, **options)
    arguments = compact(rows, columns), *vectors, compact(rows, columns)
    ptx = cute.compile(program, *arguments, options="--target cuda:sm_90a").__ptx__
    # These forms are the fastest with a few spilled bytes.
    assembled(ptx, tmp_path, most_spilled=64 if form.shifted or form.threads == 1024 else 0)


@pytest.mark.parametrize("blocks, clusters, threads", [(1, 2, 64), (2, 1, 96), (4, 2, 32)])
def test_rows_that_come_to_blocks(blocks, clusters, threads, monkeypatch):
    """As GPUs compute longer rows, several times around the ring."""

    def form(what, matrices, outs):
        x, *vectors = matrices
        is_shifted = x.shape[1] % (128 // x.numeric.width) != 0
        has_residual = any(len(vector.shape) == 2 for vector in vectors)
        if what == "rms_norm" or has_residual or (is_shifted and what != "softmax"):
            return None
        return StreamedForm(blocks, clusters, threads, is_shifted)

    monkeypatch.setattr(_rows, "streamed_form", form)
    monkeypatch.setattr(_streamed_rows, "_SHARED", 12288)
    operations = (ops.softmax, ops.log_softmax, ops.layer_norm)
    for operation in operations:
        operation.forget()
    x, weight, bias = random(13, 1000) + 5, random(1000), random(1000)
    x[0, 7], x[0, 500:] = -100, -math.inf
    close(ops.softmax(x, scale=0.5), torch.softmax(0.5 * x.double(), -1), torch.float32)
    close(ops.log_softmax(x[1:]), torch.log_softmax(x[1:].double(), -1), torch.float32)
    close(ops.softmax(x[1:], scale=-2.0), torch.softmax(-2 * x[1:].double(), -1), torch.float32)
    x[0], x[1, 3], x[2, 999] = -math.inf, math.nan, math.inf
    assert ops.softmax(x)[:3].isnan().all() and ops.layer_norm(x)[1:3].isnan().any(-1).all()
    for dtype, columns in ((torch.bfloat16, 1001), (torch.float16, 1028), (torch.float32, 513)):
        x = random(9, columns, dtype=dtype)
        out = torch.full((9, columns), 7.0, dtype=dtype)
        ops.softmax(x, out=out)
        close(out, torch.softmax(x.double(), -1), dtype)
    x = (random(7, 1000) + 5).bfloat16()
    wide = x.double()
    normed = torch.nn.functional.layer_norm(wide, (1000,), weight.double(), bias.double())
    scaled = torch.nn.functional.layer_norm(wide, (1000,), weight.double(), None)
    close(ops.layer_norm(x, weight), scaled, torch.bfloat16)
    close(ops.layer_norm(x, weight, bias, out=x), normed, torch.bfloat16)
    for operation in operations:
        operation.forget()


@pytest.mark.parametrize("what, rows, columns, form", [
    ("softmax", 2048, 50257, StreamedForm(1, 132, shifted=True)), ("softmax", 1024, 128256, None),
    ("softmax", 1024, 200064, StreamedForm(8, 15)), ("softmax", 1024, 256000, StreamedForm(8, 15)),
    ("softmax", 64, 256000, None), ("softmax", 2048, 1001, None), ("rms_norm", 1024, 128256, None),
    ("layer_norm", 4096, 32768, StreamedForm(1, 132)), ("layer_norm", 2048, 65536, StreamedForm(2, 66)),
    ("layer_norm", 1024, 128256, StreamedForm(4, 30)), ("layer_norm", 1024, 151936, StreamedForm(4, 30)),
    ("layer_norm", 2048, 50257, None), ("layer_norm", 8, 65536, None), ("layer_norm", 8192, 4096, None),
])  # fmt: skip
def test_streamed_forms_of_an_h200(what, rows, columns, form, monkeypatch):
    monkeypatch.setattr(Described, "has", lambda self, feature: True)
    monkeypatch.setattr(Described, "multiprocessors", 132)
    x = describe(np.zeros((1, columns), np.float16), "x")
    x.shape = (rows, columns)
    vectors = [describe(np.zeros(columns, np.float16), name) for name in ("weight", "bias")]
    monkeypatch.setattr(_streamed_rows, "offset_of", lambda array: 0)
    matrices = [x, *(vectors if what == "layer_norm" else [])]
    assert _rows.streamed_form(what, matrices, []) == form
    monkeypatch.setattr(_streamed_rows, "offset_of", lambda array: 4)
    assert _rows.streamed_form(what, matrices, []) is None


@needs_ptxas
@pytest.mark.parametrize("what, columns, form, options", [
    ("softmax", 50257, StreamedForm(1, 132, shifted=True), {"scale": 1.0, "log": False}),
    ("softmax", 50257, StreamedForm(1, 132, shifted=True), {"scale": 1.0, "log": True}),
    ("softmax", 256000, StreamedForm(8, 15), {"scale": 1.0, "log": False}),
    ("layer_norm", 151936, StreamedForm(4, 30), {"eps": 1e-5, "weight": True, "bias": True}),
])  # fmt: skip
def test_rows_that_come_to_blocks_assemble(what, columns, form, options, tmp_path):
    rows = cute.sym_int()

    def compact(*shape):
        order = tuple(reversed(range(len(shape))))
        return cute.make_fake_compact_tensor(
            cute.BFloat16, shape, stride_order=order, assumed_align=16
        )

    vectors = [compact(columns)] * (2 if what == "layer_norm" else 0)
    arguments = compact(rows, columns), *vectors, compact(rows, columns)
    program = StreamedRows(columns, 8, what, *form, **options)
    ptx = cute.compile(program, *arguments, options="--target cuda:sm_90a").__ptx__
    assembled(ptx, tmp_path)


@pytest.mark.parametrize("excess", [*range(8), 192, 193, 255, 256])
def test_shifted_rows_that_come_to_blocks(excess):
    """Rows that begin at any address, and end at any place of a piece."""
    columns, dtype = 1280 + excess, cute.BFloat16
    program = StreamedRows(columns, 8, "softmax", 2, 1, 32, True, scale=1.0, log=False)
    fakes = [
        cute.make_fake_compact_tensor(dtype, (cute.sym_int(), columns), stride_order=(1, 0), assumed_align=16)
        for _ in range(2)
    ]  # fmt: skip
    softmax = cute.compile(program, *fakes, options="--target cpu")
    x = random(9, columns, dtype=torch.bfloat16)
    out = torch.full((9, columns), 7.0, dtype=torch.bfloat16)
    softmax(x, out)
    close(out, torch.softmax(x.double(), -1), torch.bfloat16)


def test_addresses_within_16_bytes():
    """Views into other tensors."""
    memory = torch.zeros(4001)
    x, out, weight = (memory.clone()[i:].view(4, -1) for i in (1, 1, 1))
    x.copy_(random(4, 1000))
    weight = random(1001)[1:]
    assert ops.softmax(x, out=out) is out
    close(out, torch.softmax(x.double(), -1), torch.float32)
    wide = torch.nn.functional.rms_norm(x.double(), (1000,), weight.double(), 1e-6)
    close(ops.rms_norm(x, weight), wide, torch.float32)
    values, columns = ops.top_k(x, 3)
    assert torch.equal(values, x.sort(-1, descending=True).values[:, :3])
    losses = ops.cross_entropy(x, columns[:, 0], reduction="none")
    close(losses, torch.logsumexp(x.double(), -1) - values[:, 0], torch.float32)
    leaf = x.clone().requires_grad_()
    ops.softmax(x, out=torch.empty(4, 1000))  # the kernel for other addresses
    ops.layer_norm(leaf, weight).backward(x)
    assert leaf.grad.isfinite().all()


def test_more_elements_than_32_bits_count():
    """A matrix with rows that far apart; the memory between them is never touched."""
    columns, step = 64, 2**30
    matrix = np.lib.stride_tricks.as_strided(
        np.zeros(2 * step + columns, np.float16), (3, columns), (2 * step, 2)
    )
    matrix[2] = 1
    program = _row_kernels.Rows(columns, 8, "reduce", 1, kind="sum")
    rows = cute.sym_int()
    x = cute.make_fake_tensor(cute.Float16, (rows, columns), stride=(step, 1), assumed_align=16)
    sums = cute.make_fake_compact_tensor(cute.Float16, (rows,))
    out = np.zeros(3, np.float16)
    cute.compile(program, x, sums, options="--target cpu")(matrix, out)
    assert out.tolist() == [0, 0, columns]


@pytest.mark.parametrize("scale", [0.125, -2.0, 0.0])
def test_scaled_softmax(scale):
    x = random(9, 300)
    close(ops.softmax(x, scale=scale), torch.softmax(scale * x.double(), -1), torch.float32)


def test_softmax_of_great_numbers():
    x = torch.tensor([[1e4, -1e4, 1e4], [-float("inf"), 0, 1]])
    close(ops.softmax(x), torch.softmax(x.double(), -1), torch.float32)


@pytest.mark.parametrize("shape, dtype", thinned(CASES, SOME))
def test_rms_norm(shape, dtype):
    x, weight, bias = random(*shape, dtype=dtype), random(shape[-1]), random(shape[-1])
    normed = x.double() * torch.rsqrt(x.double().square().mean(-1, keepdim=True) + 1e-6)
    close(ops.rms_norm(x), normed, dtype)
    close(ops.rms_norm(x, weight.to(dtype)), normed * weight.to(dtype).double(), dtype)
    close(ops.rms_norm(x, weight, bias), normed * weight.double() + bias.double(), dtype)
    close(ops.rms_norm(x, bias=bias), normed + bias.double(), dtype)


@pytest.mark.parametrize("shape, dtype", [case for case in SOME if case[0] != (1, 1)])
def test_layer_norm(shape, dtype):
    x, weight, bias = random(*shape, dtype=dtype) + 3, random(shape[-1]), random(shape[-1])
    mean, var = x.double().mean(-1, keepdim=True), x.double().var(-1, keepdim=True, correction=0)
    normed = (x.double() - mean) / torch.sqrt(var + 1e-5)
    close(ops.layer_norm(x), normed, dtype)
    close(ops.layer_norm(x, weight, bias), normed * weight.double() + bias.double(), dtype)


def test_residual():
    x, added, weight = random(6, 384), random(6, 384) * 2, random(384)
    total = x.double() + added.double()
    wanted = total * torch.rsqrt(total.square().mean(-1, keepdim=True) + 1e-6) * weight.double()
    close(ops.rms_norm(x, weight, residual=added), wanted, torch.float32)


@pytest.mark.parametrize("case, kind", crossed(SOME, ["sum", "mean", "max", "min"]))
def test_reduce_rows(case, kind):
    shape, dtype = case
    x = random(*shape, dtype=dtype)
    wide = x.double()
    wanted = {
        "sum": lambda: wide.sum(-1),
        "mean": lambda: wide.mean(-1),
        "max": lambda: wide.amax(-1),
        "min": lambda: wide.amin(-1),
    }[kind]()
    close(ops.reduce_rows(x, kind), wanted, dtype)


def test_given_results_and_rows_out_of_order():
    x = random(40, 30).T
    out = torch.full((30, 40), float("nan"))
    assert ops.softmax(x, out=out) is out
    close(out, torch.softmax(x.double(), -1), torch.float32)


def test_numpy_and_jax():
    jax = pytest.importorskip("jax")
    x, weight = random(5, 100), random(100)
    wanted = ops.rms_norm(x, weight).numpy()
    found = ops.rms_norm(x.numpy(), weight.numpy())
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, wanted)
    if jax.default_backend() == "cpu":
        call = lambda x, weight: ops.softmax(ops.rms_norm(x, weight))  # noqa: E731
        both = ops.softmax(torch.from_numpy(wanted)).numpy()
        arrays = jax.numpy.asarray(x.numpy()), jax.numpy.asarray(weight.numpy())
        np.testing.assert_array_equal(call(*arrays), both)
        np.testing.assert_array_equal(jax.jit(call)(*arrays), both)
        with pytest.raises(TypeError, match="out: expected None for arrays of JAX"):
            ops.softmax(arrays[0], out=arrays[0])


@pytest.mark.parametrize("call, message", [
    (lambda: ops.softmax([1.0]), "x: expected a tensor of PyTorch or an array of NumPy or JAX, but got list"),
    (lambda: ops.softmax(torch.zeros(2, dtype=torch.int32)), "x: expected elements of float16"),
    (lambda: ops.softmax(torch.zeros(2, 600000)), "x: expected a last dimension of 1 to 524288"),
    (lambda: ops.rms_norm(torch.zeros(2, 8), torch.zeros(7)), r"weight: expected the shape \[8\]"),
    (lambda: ops.rms_norm(torch.zeros(2, 8), np.zeros(8, np.float32)), "weight: expected a torch array on cpu"),
    (lambda: ops.rms_norm(torch.zeros(2, 8), residual=torch.zeros(8)), r"residual: expected the shape \[2, 8\]"),
    (lambda: ops.softmax(torch.zeros(2, 8), out=torch.zeros(2, 9)), r"out: expected the shape \[2, 8\]"),
    (lambda: ops.softmax(torch.zeros(8, 8), out=torch.zeros(8, 8).T), "out: expected a row-major array"),
    (lambda: ops.softmax(torch.zeros(8, 8), out=torch.zeros(8, 8).half()), "out: expected elements of float32"),
    (lambda: ops.reduce_rows(torch.zeros(8, 8), "prod"), "kind: expected sum, mean, max or min, but got 'prod'"),
    (lambda: ops.softmax(torch.zeros(3, 4).to_sparse()), "x: expected a dense tensor of PyTorch"),
    (lambda: ops.softmax(torch.zeros(3, 4, device="meta")), "x: expected a tensor of PyTorch on a CPU"),
    (lambda: ops.softmax(np.zeros((3, 4), ">f4")), "x: expected numbers in the byte order of this machine"),
    (lambda: ops.softmax(torch.zeros(3, 4), scale=torch.ones(3)), "scale: expected a number, but got Tensor"),
    (lambda: ops.rms_norm(torch.zeros(3, 4), eps="1e-5"), "eps: expected a number, but got '1e-5'"),
    (lambda: ops.quantize(torch.zeros(3, 4), swiglu=torch.ones(2)), "swiglu: expected True or False, but got Tensor"),
    (lambda: ops.matmul(torch.zeros(3, 4), torch.zeros(4, 4), alpha=[1]), "alpha: expected a number, but got list"),
    (lambda: ops.attention(*[torch.zeros(1, 1, 4, 8).half()] * 3, causal="yes"), "causal: expected True or False"),
])  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
