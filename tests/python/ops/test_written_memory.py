"""Results in the caller's memory: `out` may be an operand only where a kernel reads an element before it writes it."""

import numpy as np
import pytest

from fairlead import ops

torch = pytest.importorskip("torch")


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def product_cases():
    a, b, residual = random(16, 16), random(16, 16), random(16, 16)
    return a, b, {"residual": residual, "bias": residual[0]}


def attention_cases(name):
    arrays = {key: random(1, 2, 16, 32, dtype=torch.float16) for key in "qkv"}
    return (lambda: ops.attention(**arrays, out=arrays[name])), name


def matmul_case(name):
    a, b, others = product_cases()
    operands = {"a": a, "b": b, **others}
    out = torch.cat([operands[name].flatten(), random(256)])[:256].view(16, 16)
    operands[name] = out if name != "bias" else out[3]
    return (lambda: ops.matmul(**operands, out=out)), name


def norm_case(name):
    x, vectors = random(4, 64), {"weight": random(64), "bias": random(64)}
    out = random(4, 64)
    vectors[name] = out[2]
    return (lambda: ops.layer_norm(x, **vectors, out=out)), name


def shifted_case(name):
    memory = random(1000)
    x, out = memory[: 8 * 64].view(8, 64), memory[64 : 9 * 64].view(8, 64)
    function = {"softmax": ops.softmax, "rms_norm": ops.rms_norm}[name]
    return (lambda: function(x, out=out)), "x"


def grouped_case(name):
    memory = random(3, 32, 32)
    a, b, out = [memory[0]], [memory[1]], [memory["ab".index(name)]]
    return (lambda: ops.grouped_matmul(a, b, out=out)), name


@pytest.mark.parametrize("make, name", [
    *[(attention_cases, name) for name in "qkv"],
    *[(matmul_case, name) for name in ("a", "b", "bias")],
    *[(norm_case, name) for name in ("weight", "bias")],
    *[(shifted_case, name) for name in ("softmax", "rms_norm")],
    *[(grouped_case, name) for name in "ab"],
])  # fmt: skip
def test_operands_that_results_would_overwrite(make, name):
    call, operand = make(name)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^out: expected .* shares bytes with {operand}"):
            call()


def test_results_that_share_memory():
    x = random(128, 128)
    values, scales = ops.quantize(x, (1, 128))
    inside = values.view(torch.float32).flatten()[: scales.numel()].view(scales.shape)
    with pytest.raises(ValueError, match="^out: expected arrays without a byte in common"):
        ops.quantize(x, (1, 128), out=(values, inside))
    above = x.view(torch.float8_e4m3fn)[:, :128]
    with pytest.raises(ValueError, match="^out: .* shares bytes with x"):
        ops.quantize(x, (1, 128), out=(above, scales))


def test_results_in_place():
    """Rows, and the residual of a product."""
    x = random(9, 100)
    wanted = torch.softmax(x, -1)
    assert torch.allclose(ops.softmax(x, out=x), wanted, atol=1e-6)
    x, residual, weight = random(9, 100), random(9, 100), random(100)
    wanted = torch.nn.functional.rms_norm(x + residual, (100,), weight, 1e-6)
    assert torch.allclose(
        ops.rms_norm(x, weight, residual=residual, out=residual), wanted, atol=1e-5
    )
    a, b, c = random(20, 30), random(30, 40), random(20, 40)
    wanted = a @ b + 0.5 * c
    assert torch.allclose(ops.matmul(a, b, residual=c, beta=0.5, out=c), wanted, atol=1e-4)
    with pytest.raises(ValueError, match="^tune: expected False"):
        ops.matmul(a, b, residual=c, out=c, tune=True)


def test_columns_of_one_matrix():
    """Rows of queries, keys and values side by side; an operand beside the result."""
    fused = np.random.default_rng(0).standard_normal((4, 96), np.float32)
    out = np.empty((4, 32), np.float32)
    b = np.random.default_rng(1).standard_normal((64, 32), np.float32)
    ops.matmul(fused[:, :64], b, out=out)
    np.testing.assert_allclose(out, fused[:, :64] @ b, atol=1e-4)
