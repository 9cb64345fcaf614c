"""b12x: lookups, norms, rotations and conversions on small shapes."""

import torch
from compare import agree, with_capability

functional = torch.nn.functional
BF16 = torch.bfloat16


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def embedding():
    from b12x.sequence.embedding._kernel import compile_embedding, launch

    with_capability(12, 0)
    weight, ids = _random(50, 200, dtype=BF16), torch.randint(0, 50, (9,), device="cuda")
    out = torch.empty(9, 200, dtype=BF16, device="cuda")
    program = compile_embedding(200, BF16, torch.int64, 0)
    launch(weight, ids, out, None, prepared=(program.raw, program.types))
    agree(out, weight.double()[ids])


def norm_of_tokens():
    from b12x.sequence.mtp_feedback._cute_norm import token_norm

    with_capability(12, 0)
    x, weight = _random(5, 1024, dtype=BF16), _random(1024, dtype=BF16)
    out = torch.empty_like(x)
    token_norm(x, weight, out, eps=1e-5, hidden_size=1024)
    agree(out, functional.rms_norm(x.double(), (1024,), weight.double() + 1, 1e-5))


def rotary(inverse: bool) -> None:
    from b12x.attention.compressed_sparse_mla import rotary as module

    with_capability(12, 0)
    query = module.Query(max_rows=8, heads=3, dim=128, rope_dim=64, inverse=inverse)
    program = module.compile_rotation(module.TUNING.encode_query(query), 0)
    x = _random(7, 3, 128, dtype=BF16)
    positions, table = torch.randint(0, 20, (7,), device="cuda"), _random(20, 64)
    out = torch.empty_like(x)
    state = module._State(query, torch.device("cuda", 0), program)
    state.run(x, positions, table, out=out)
    expected = x.double()
    cosine, sine = table.double()[positions][:, None].chunk(2, -1)
    first, second = expected[..., 64::2].clone(), expected[..., 65::2].clone()
    sine = -sine if inverse else sine
    expected[..., 64::2] = first * cosine - second * sine
    expected[..., 65::2] = second * cosine + first * sine
    agree(out, expected)


def cast():
    from b12x.attention.compressed_sparse_mla import cast as module

    with_capability(12, 0)
    x = _random(3, 100)
    out = torch.empty(3, 100, dtype=BF16, device="cuda")
    program = module._compile_cast(torch.float32, BF16, 0)
    query = module.Query(max_elements=300, input_dtype="float32", output_dtype="bfloat16")
    state = module._State(query, torch.device("cuda", 0), program.raw, program.types)
    state.run(x, out=out)
    assert torch.equal(out, x.to(BF16))


KERNELS = {
    "embedding": embedding,
    "norm of tokens": norm_of_tokens,
    "rotary embedding": lambda: rotary(False),
    "rotary embedding, inverse": lambda: rotary(True),
    "conversion of a tensor": cast,
}
