"""Programs that compare derivatives of fairlead.ops with torch's in float64, on any device."""

import random

import torch

import fairlead.ops as ops

functional = torch.nn.functional

TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
ROWS = [
    ((3, 7), torch.float32),
    ((130, 100), torch.bfloat16),
    ((2, 3, 1000), torch.float16),
    ((3, 20000), torch.float32),
]
ROW_OPERATIONS = {
    "softmax": (1, lambda x: ops.softmax(x, scale=-0.5), lambda x: torch.softmax(-0.5 * x, -1)),
    "log_softmax": (1, lambda x: ops.log_softmax(x, scale=2.0), lambda x: torch.log_softmax(2 * x, -1)),
    "rms_norm": (
        4,
        lambda x, residual, weight, bias: ops.rms_norm(x, weight, bias, residual=residual),
        lambda x, residual, weight, bias: (
            functional.rms_norm(x + residual, weight.shape, weight, 1e-6) + bias
        ),
    ),
    "layer_norm": (
        4,
        lambda x, residual, weight, bias: ops.layer_norm(x, weight, bias, residual=residual),
        lambda x, residual, weight, bias: (
            functional.layer_norm(x + residual, weight.shape, weight, bias)
        ),
    ),
    "plain_layer_norm": (
        1,
        lambda x: ops.layer_norm(x + 3),
        lambda x: functional.layer_norm(x + 3, x.shape[-1:]),
    ),
}  # fmt: skip
LOGITS = [
    ((5, 7), torch.float32),
    ((2, 3, 1000), torch.float16),
    ((3, 50257), torch.bfloat16),
    ((2, 128256), torch.bfloat16),
]
LOSS_OPTIONS = [
    {},
    {"label_smoothing": 0.1, "reduction": "sum"},
    {"reduction": "none", "ignore_index": 3},
]
#: Batch, heads, heads of keys, queries, keys, head_dim, causal, dtype, scale.
ATTENTION = [
    (2, 4, 2, 50, 35, 16, True, torch.bfloat16, None),
    (1, 2, 1, 35, 70, 40, False, torch.float16, -0.1),
]
#: Whose kernels take the CPU's compiler half a minute each.
LONG_ATTENTION = [
    (2, 4, 2, 300, 170, 64, True, torch.bfloat16, None),
    (1, 2, 1, 130, 200, 128, True, torch.float16, None),
    (1, 2, 2, 130, 130, 256, False, torch.float16, None),
]


def compare(ours, theirs, arrays, dtype, device, needed=None):
    """Compare the results of both functions, and the gradients of the arrays in ``needed`` (default: of all)."""
    mine = [
        array.to(device).detach().requires_grad_(needed is None or index in needed)
        for index, array in enumerate(arrays)
    ]
    wide = [array.double().detach().requires_grad_() for array in arrays]
    result, expected = ours(*mine), theirs(*wide)
    gradient = torch.randn(expected.shape, dtype=torch.float64).to(result.dtype)
    result.backward(gradient.to(device))
    expected.backward(gradient.double())
    pairs = [(result.detach(), expected.detach())]
    pairs += [
        (array.grad, reference.grad)
        for array, reference in zip(mine, wide, strict=True)
        if array.requires_grad
    ]
    for found, wanted in pairs:
        assert found.shape == wanted.shape and found.device.type == device
        scale = wanted.abs().max().clamp(min=1e-6)
        error = ((found.cpu().double() - wanted.nan_to_num()).abs().max() / scale).item()
        assert error <= TOLERANCE[dtype], error
    for array in mine:
        assert array.grad.dtype == array.dtype if array.requires_grad else array.grad is None


def check_rows(name, shape, dtype, device):
    count, ours, theirs = ROW_OPERATIONS[name]
    torch.manual_seed(shape[-1])
    arrays = [torch.randn(*(shape if i < 2 else shape[-1:])).to(dtype) for i in range(count)]
    compare(ours, theirs, arrays, dtype, device)


def check_cross_entropy(shape, dtype, options, device):
    torch.manual_seed(shape[-1])
    x = (3 * torch.randn(*shape)).to(dtype)
    target = torch.randint(0, shape[-1], shape[:-1])
    target.view(-1)[1] = options.get("ignore_index", -100)

    def theirs(x):
        loss = functional.cross_entropy(x.reshape(-1, shape[-1]), target.reshape(-1), **options)
        return loss.reshape(target.shape) if options.get("reduction") == "none" else loss

    compare(
        lambda x: ops.cross_entropy(x, target.to(device), **options), theirs, [x], dtype, device
    )


def check_matmul(activation, batch, dtype, device):
    torch.manual_seed(len(batch))
    arrays = [
        torch.randn(*batch, 33, 40), torch.randn(*batch, 24, 40), torch.randn(24), torch.randn(*batch, 33, 24)
    ]  # fmt: skip
    functions = {
        None: lambda x: x,
        "relu": functional.relu,
        "silu": functional.silu,
        "gelu": functional.gelu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    }

    def ours(a, b, bias, residual):
        options = {"bias": bias, "activation": activation, "residual": residual}
        return ops.matmul(a, b.mT, alpha=0.5, beta=2.0, **options)

    def theirs(a, b, bias, residual):
        return functions[activation](a @ b.mT * 0.5 + bias) + 2 * residual

    compare(ours, theirs, [array.to(dtype) for array in arrays], dtype, device)


def check_attention(
    batch, heads, kv_heads, queries, keys, head_dim, causal, dtype, scale, device, needed=None, window=None
):  # fmt: skip
    torch.manual_seed(queries)
    shapes = [(heads, queries), (kv_heads, keys), (kv_heads, keys)]
    arrays = [torch.randn(batch, *shape, head_dim).to(dtype) for shape in shapes]

    def theirs(q, k, v):
        k, v = (array.repeat_interleave(heads // kv_heads, 1) for array in (k, v))
        scores = q @ k.mT * (head_dim**-0.5 if scale is None else scale)
        if causal:
            last = torch.arange(queries)[:, None] + keys - queries
            scores = scores.masked_fill(torch.arange(keys) > last, -float("inf"))
        if window is not None:
            distance = torch.arange(keys) - (torch.arange(queries)[:, None] + keys - queries)
            hidden = (distance < -window[0]) | (distance > window[1])
            scores = scores.masked_fill(hidden, -float("inf"))
        # Queries that see no key have the result 0.
        return torch.softmax(scores, -1).nan_to_num() @ v

    def ours(q, k, v):
        return ops.attention(q, k, v, causal=causal, scale=scale, window=window)

    compare(ours, theirs, arrays, dtype, device, needed)


def check_random(seed, device):
    """Check an operation on rows of random extents. A normed row of two columns is always (-1, 1), and its gradient is
    only rounding errors."""
    choose = random.Random(seed)
    dtype = choose.choice([*TOLERANCE])
    columns = choose.choice(
        [choose.randint(3, 40), choose.randint(3, 3000), 8 * choose.randint(1, 600)]
    )
    rows = choose.choice([2, choose.randint(2, 30), choose.randint(2, 200)])
    name = choose.choice([*ROW_OPERATIONS, "cross_entropy"])
    if name == "cross_entropy":
        options = choose.choice(LOSS_OPTIONS[:2])
        check_cross_entropy((rows, columns), dtype, options, device)
    else:
        check_rows(name, (rows, columns), dtype, device)
