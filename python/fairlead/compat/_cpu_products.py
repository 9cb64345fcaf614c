"""Products of matrices as a GPU's torch computes them, for programs that run on the CPU in its place: of 16-bit floats,
and of narrow floats with scales.

On a GPU torch's products and a program's own come from the same units, and programs compare them to the last bit. The
CPU's torch adds in an order of its own, so that now and then a sum rounds to the other neighbour. Here sums are Float32
and grow with k, as those of ``mma`` on the CPU do, and are rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["product"]

#: The most multiply-adds of a product that is computed this way: more take seconds.
_MOST = 1 << 31


def product(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The product of two tensors of 16-bit floats, or with scales of blocks, that a function of torch is called for;
    None for other calls."""
    import torch

    if function is getattr(torch, "_scaled_mm", None):
        return _scaled_product(*args, **kwargs)
    if function is getattr(torch, "_scaled_grouped_mm_v2", None):
        return _scaled_groups(*args, **kwargs)
    if "out_dtype" in kwargs and function in (torch.mm, torch.bmm, torch.addmm, torch.baddbmm):
        return _product_of_type(function, args, **kwargs)
    if kwargs:
        return None
    equation = None
    if function is torch.einsum and len(args) == 3 and isinstance(args[0], str):
        equation, args = args[0].replace(" ", ""), args[1:]
    elif function not in (
        torch.matmul,
        torch.mm,
        torch.bmm,
        torch.Tensor.matmul,
        torch.Tensor.mm,
        torch.Tensor.bmm,
        torch.Tensor.__matmul__,
    ):
        return None
    # Fake tensors of torch's tracers have no numbers, and their extents may be symbols.
    if len(args) != 2 or not all(type(arg) in (torch.Tensor, torch.nn.Parameter) for arg in args):
        return None
    a, b = args
    if a.dtype != b.dtype or a.dtype not in (torch.float16, torch.bfloat16):
        return None
    if a.requires_grad or b.requires_grad:
        return None
    if equation is None:
        if a.dim() != b.dim() or a.dim() not in (2, 3):
            return None
        equation = "mk,kn->mn" if a.dim() == 2 else "lmk,lkn->lmn"
    if "->" not in equation or "." in equation:
        return None
    inputs, output = equation.split("->")
    left, right = inputs.split(",")
    summed = [label for label in dict.fromkeys(left + right) if label not in output]
    if len(summed) != 1 or summed[0] not in left or summed[0] not in right:
        return None
    mode_a, mode_b = left.index(summed[0]), right.index(summed[0])
    count = a.shape[mode_a]
    extents = dict(zip(left + right, (*a.shape, *b.shape), strict=True))
    size = count
    for label in output:
        size *= extents[label]
    if size > _MOST or count != b.shape[mode_b] or not size:
        return None
    a, b = a.float(), b.float()
    total: Any = None
    for k in range(count):
        term = torch.einsum(equation, a.narrow(mode_a, k, 1), b.narrow(mode_b, k, 1))
        total = term if total is None else total.add_(term)
    return total.to(args[0].dtype)


def _product_of_type(
    function: Callable[..., Any],
    args: tuple[torch.Tensor, ...],
    out_dtype: torch.dtype | None,
    out: torch.Tensor | None = None,
    **scalars: float,
) -> Any:
    """A product with ``out_dtype``, which the CPU's torch lacks: of 16-bit floats computed in Float32, rounded once."""
    import torch

    narrow = torch.float16, torch.bfloat16
    dtype = out_dtype or args[-1].dtype
    total = None if scalars or dtype != args[-1].dtype else product(function, args, {})
    if total is None:
        wide = [arg.float() if arg.dtype in narrow else arg for arg in args]
        total = function(*wide, **scalars).to(dtype)
    return total if out is None else out.copy_(total)


def _scaled_product(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    bias: torch.Tensor | None = None,
    scale_result: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
) -> Any:
    """The product of matrices whose blocks of 16 or 32 elements along k have scales, which the CPU's torch lacks; None
    for scales of other kinds. Sums are Float32."""
    import torch

    narrow_scales = (torch.float8_e8m0fnu, torch.float8_e4m3fn)
    if scale_a.dtype not in narrow_scales or scale_result is not None:
        return None
    left, right = _scaled(a, scale_a), _scaled(b.t(), scale_b)
    total = left @ right.t()
    if bias is not None:
        total = total + bias.float()
    return total.to(out_dtype or torch.bfloat16)


def _scaled(matrix: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The rows of a matrix, contiguous along k, times their scales, as Float32.

    ``scales`` has tiles of 128 rows and 4 blocks: 32 times 4 groups of rows, 32 apart, of 4 neighbours along k.
    """
    import torch

    if matrix.dtype == torch.float4_e2m1fn_x2:
        codes = matrix.contiguous().view(torch.uint8)
        codes = torch.stack((codes & 15, codes >> 4), -1).flatten(-2).long()
        magnitudes = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
        values = magnitudes[codes & 7] * (1 - 2 * (codes >> 3))
    else:
        values = matrix.float()
    rows, extent = values.shape
    row_tiles = -(-rows // 128)
    tiles = scales.reshape(row_tiles, -1, 32, 4, 4).float()
    factors = tiles.permute(0, 3, 2, 1, 4).reshape(row_tiles * 128, -1)
    block = 16 if scales.dtype == torch.float8_e4m3fn else 32
    factors = factors.repeat_interleave(block, 1)[:rows, :extent]
    return values * factors


def _scaled_groups(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: list[torch.Tensor],
    recipe_a: list[int],
    swizzle_a: list[int],
    scale_b: list[torch.Tensor],
    recipe_b: list[int],
    swizzle_b: list[int],
    offs: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    *_: object,
) -> Any:
    """The products of groups of rows of A with a matrix each, (groups, K, N): ``offs`` are the groups' ends. Scales are
    those of _scaled_product; a group has complete tiles of them. None for other forms."""
    import torch

    tiled = [torch.nn.functional.SwizzleType.SWIZZLE_32_4_4.value]
    if len(scale_a) != 1 or len(scale_b) != 1 or offs is None or bias is not None:
        return None
    if a.dim() != 2 or b.dim() != 3 or swizzle_a != tiled or swizzle_b != tiled:
        return None
    scales, scales_of_b = scale_a[0].flatten(), scale_b[0]
    # A tile of 128 rows of A has as many scales as one of B.
    per_tile = scales_of_b[0].numel() // -(-b.shape[2] // 128)
    parts, first, used = [], 0, 0
    for group, last in enumerate(offs.tolist()):
        count = -(-(last - first) // 128) * per_tile
        if last > first:
            scales_of_group = scales[used : used + count]
            part = _scaled_product(
                a[first:last], b[group], scales_of_group, scales_of_b[group], out_dtype=out_dtype
            )
            if part is None:
                return None
            parts.append(part)
        first, used = last, used + count
    return torch.cat(parts) if parts else None
