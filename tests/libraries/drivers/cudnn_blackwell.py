"""nvidia-cudnn-frontend: products for Blackwell on small shapes."""

import torch
from compare import agree, with_blackwell

functional = torch.nn.functional
BF16, E4M3 = torch.bfloat16, torch.float8_e4m3fn


def _matrix(rows: int, columns: int, dtype: torch.dtype = BF16) -> torch.Tensor:
    """Rows of random numbers, as one matrix of a batch."""
    torch.manual_seed(rows + columns)
    return torch.randn(1, rows, columns, device="cuda").to(dtype).permute(1, 2, 0)


def swiglu() -> None:
    """A product, and half of its columns times the sigmoid unit of the others, in turns of 32 columns."""
    from cudnn.gemm.cutedsl.dense.swiglu.api import gemm_swiglu_wrapper_sm100

    with_blackwell()
    m, n, k = 256, 256, 128
    a, b = _matrix(m, k), _matrix(n, k) / 8
    found = gemm_swiglu_wrapper_sm100(a, b, ab12_dtype=torch.float32, c_dtype=BF16)
    product = torch.einsum("mkl,nkl->mnl", a.double(), b.double())
    agree(found["ab12_tensor"], product)
    turns = product.reshape(m, n // 64, 2, 32, 1)
    expected = turns[:, :, 0] * functional.silu(turns[:, :, 1])
    agree(found["c_tensor"], expected.reshape(m, n // 2, 1))


def _scales(rows: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Powers of two for 32 elements each: for every element, and in the chunks that products read."""
    powers = (2.0 ** torch.randint(-2, 3, (rows, k // 32))).to(torch.float8_e8m0fnu)
    chunks = powers.view(torch.uint8).reshape(rows // 128, 4, 32, k // 128, 4)
    chunks = chunks.permute(0, 3, 2, 1, 4)[None].contiguous().view(torch.float8_e8m0fnu)
    return powers.float().double().repeat_interleave(32, 1), chunks.permute(3, 4, 1, 5, 2, 0)


def block_scaled() -> None:
    """A product of float8 with scale factors, and its largest number."""
    from cudnn.gemm.cutedsl.dense.amax.api import gemm_amax_wrapper_sm100

    with_blackwell()
    m, n, k = 256, 128, 256
    a, b = _matrix(m, k, E4M3), _matrix(n, k, E4M3)
    (of_a, scales_a), (of_b, scales_b) = _scales(m, k), _scales(n, k)
    found = gemm_amax_wrapper_sm100(a, b, scales_a, scales_b, c_dtype=torch.float32)
    product = (a[:, :, 0].double() * of_a) @ (b[:, :, 0].double() * of_b).T
    agree(found["c_tensor"][:, :, 0], product)
    agree(found["amax_tensor"].reshape(1), product.abs().max()[None])


def grouped() -> None:
    """Rows of two experts, each with its own matrix and factor."""
    from cudnn.gemm.cutedsl.grouped.unfused.api import grouped_gemm_wrapper_sm100

    with_blackwell()
    rows, n, k = 256, 256, 128
    a, b = _matrix(2 * rows, k), torch.cat([_matrix(n, k), _matrix(n, k) / 2], 2) / 8
    b = b.permute(2, 0, 1).contiguous().permute(1, 2, 0)
    ends = torch.tensor([rows, 2 * rows], dtype=torch.int32, device="cuda")
    factors = torch.tensor([1.0, 0.5], device="cuda")
    ones = torch.ones(2 * rows, 1, 1, device="cuda")
    found = grouped_gemm_wrapper_sm100(a, ends, factors, b, prob_tensor=ones)
    parts = a[:, :, 0].double().split(rows)
    expected = [
        factor * part @ matrix.T
        for factor, part, matrix in zip(factors, parts, b.double().unbind(2), strict=True)
    ]
    agree(found["d_tensor"].reshape(2 * rows, n), torch.cat(expected))


KERNELS = {
    "GEMM and SwiGLU, sm_100": swiglu,
    "GEMM with scale factors, sm_100": block_scaled,
    "grouped GEMM, sm_100": grouped,
}
