"""Layouts of scale factors of products with block scaling, in global, shared and tensor memory."""

from __future__ import annotations

from typing import Any

from fairlead._compiler import Layout
from fairlead.cute._atoms import TiledMma
from fairlead.cute._layout import composition, make_layout, tile_to_shape
from fairlead.cute._operations import size
from fairlead.cute.nvgpu import OperandMajorMode
from fairlead.cute.typing import Int
from fairlead.errors import make_error

__all__ = [
    "BlockScaledBasicChunk",
    "make_smem_layout_sfa",
    "make_smem_layout_sfb",
    "make_tmem_layout_sfa",
    "make_tmem_layout_sfb",
    "sm120_make_smem_layout_sfa",
    "sm120_make_smem_layout_sfb",
    "tile_atom_to_shape_SF",
]

#: Rows and scale factors of each row in a chunk, and its bytes.
_ROWS, _FACTORS, _BYTES = 128, 4, 512
#: The step from one lane of tensor memory to the next, in elements of 8 bits.
_LANE = 4 << 16


def _check_vector(function: str, sf_vec_size: object) -> None:
    if sf_vec_size not in (16, 32):
        raise make_error(
            "LayoutMode", expected=f"16 or 32 as sf_vec_size of {function}", got=repr(sf_vec_size)
        )


def _check_tile(function: str, tile: object, num_stages: object) -> None:
    """Raise TypeError for a tile that is not (M, N, K), and for numbers below 1."""
    extents: Any = tile if isinstance(tile, (tuple, list)) else ()
    if len(extents) != 3 or any(isinstance(extent, int) and extent < 1 for extent in extents):
        expected, got = "three extents of 1 or more as the tile", tile
    elif not isinstance(num_stages, int) or num_stages < 1:
        expected, got = "1 or more as num_stages", num_stages
    else:
        return
    raise make_error("LayoutMode", expected=f"{expected} of {function}", got=repr(got))


def _check_product(function: str, tiled_mma: object, sf_vec_size: int) -> None:
    """Raise TypeError for a product without scale factors, or with one for other numbers of elements."""
    op = getattr(tiled_mma, "op", None)
    if getattr(op, "sf_vec_size", None) == sf_vec_size:
        return
    raise make_error(
        "LayoutMode",
        expected=f"a product with a scale factor for each {sf_vec_size} elements, for {function}",
        got=repr(op),
    )


class BlockScaledBasicChunk:
    """The 512 bytes of scale factors that lie together: four of each of 128 rows.

    Args:
        sf_vec_size: elements along K that share a scale factor, 16 or 32. TypeError for others.
        major_mode: K for a layout of (row, element along K), MN for the modes exchanged. TypeError for others.
    """

    def __init__(self, sf_vec_size: int, major_mode: OperandMajorMode = OperandMajorMode.K) -> None:
        _check_vector("BlockScaledBasicChunk", sf_vec_size)
        if not isinstance(major_mode, OperandMajorMode):
            raise make_error(
                "LayoutMode",
                expected="OperandMajorMode.K or OperandMajorMode.MN as major_mode of BlockScaledBasicChunk",
                got=repr(major_mode),
            )
        self.sf_vec_size, self.major_mode = sf_vec_size, major_mode

    @property
    def layout(self) -> Any:
        """(row, element along K) to the place of its scale factor; the modes are exchanged for MN."""
        shape, stride = ((32, 4), (self.sf_vec_size, _FACTORS)), ((16, 4), (0, 1))
        if self.major_mode is OperandMajorMode.MN:
            shape, stride = shape[::-1], stride[::-1]
        return make_layout(shape, stride=stride)


def tile_atom_to_shape_SF(Shape: tuple[Int, ...], sf_vec_size: int) -> Any:
    """Return the layout of an operand's scale factors in global memory: (rows, elements along K, further modes).

    Args:
        Shape: the shape of A or B in elements: (M or N, K), or (M or N, K, L).
        sf_vec_size: elements along K that share a scale factor, 16 or 32. TypeError for others.
    """
    chunk = BlockScaledBasicChunk(sf_vec_size).layout
    return tile_to_shape(chunk, Shape, (1, 0) if len(Shape) == 2 else (1, 0, 2))


def _factors_per_product(tiled_mma: TiledMma, sf_vec_size: int) -> int:
    extent: int = tiled_mma.shape_mnk[2]
    return extent // sf_vec_size


def _staged(
    rows: int, depth: int, factors: int, sf_vec_size: int, num_stages: int, products: int = 1
) -> Any:
    """Return the layout of the scale factors of ``rows`` rows, of ``products`` products one below the other."""
    chunks = rows // _ROWS
    steps = depth // (sf_vec_size * _FACTORS)
    if rows % _ROWS or depth % (sf_vec_size * _FACTORS) or chunks % products:
        raise make_error(
            "LayoutMode",
            expected=f"rows in multiples of {_ROWS}, and K in multiples of {sf_vec_size * _FACTORS}, for scale factors",
            got=f"({rows}, {depth})",
        )
    chunks //= products
    shape = (
        (((32, 4), chunks), (sf_vec_size, factors)),
        products,
        (_FACTORS // factors, steps),
        num_stages,
    )
    stride = (
        (((16, 4), _BYTES), (0, 1)),
        chunks * steps * _BYTES if products > 1 else 0,
        (factors, chunks * _BYTES),
        products * chunks * steps * _BYTES,
    )
    return make_layout(shape, stride=stride)


def make_smem_layout_sfa(
    tiled_mma: TiledMma, mma_tiler_mnk: tuple[int, ...], sf_vec_size: int, num_stages: int
) -> Any:
    """Return the layout of A's scale factors in shared memory: (scaled product, products along M, steps along K,
    stages).

    Args:
        tiled_mma: a product with block scaling, of ``tcgen05``.
        mma_tiler_mnk: the extents of a tile.
        sf_vec_size: elements along K that share a scale factor, 16 or 32.
        num_stages: number of tiles.

    Raises TypeError for another ``sf_vec_size``, and for tiles that are not made of whole chunks.
    """
    _check_vector("make_smem_layout_sfa", sf_vec_size)
    _check_tile("make_smem_layout_sfa", mma_tiler_mnk, num_stages)
    _check_product("make_smem_layout_sfa", tiled_mma, sf_vec_size)
    rows = mma_tiler_mnk[0] // size(tiled_mma.thr_id)
    factors = _factors_per_product(tiled_mma, sf_vec_size)
    products = max(1, mma_tiler_mnk[0] // tiled_mma.shape_mnk[0]) if rows % _ROWS == 0 else 1
    return _staged(rows, mma_tiler_mnk[2], factors, sf_vec_size, num_stages, products)


def make_smem_layout_sfb(
    tiled_mma: TiledMma, mma_tiler_mnk: tuple[int, ...], sf_vec_size: int, num_stages: int
) -> Any:
    """Return the layout of B's scale factors in shared memory, of N rounded up to 128. The arguments are those of
    make_smem_layout_sfa."""
    _check_vector("make_smem_layout_sfb", sf_vec_size)
    _check_tile("make_smem_layout_sfb", mma_tiler_mnk, num_stages)
    _check_product("make_smem_layout_sfb", tiled_mma, sf_vec_size)
    rows = -(-mma_tiler_mnk[1] // _ROWS) * _ROWS
    factors = _factors_per_product(tiled_mma, sf_vec_size)
    return _staged(rows, mma_tiler_mnk[2], factors, sf_vec_size, num_stages)


def _in_tensor_memory(smem_layout: Layout, is_halved: bool) -> Any:
    """The place of each scale factor in tensor memory. 32 rows have a column, and each warp's lanes a copy."""
    shape: Any = smem_layout.shape
    if not isinstance(shape, tuple) or len(shape) != 3:
        raise make_error(
            "LayoutMode",
            expected="a layout of make_smem_layout_sfa or _sfb without stages",
            got=repr(smem_layout),
        )
    product, tiles, steps = shape
    rows, (vector, factors) = size(product[0]), product[1]
    if is_halved:
        # The upper two warps' lanes hold the second half of the rows.
        row_mode: Any = ((32, rows // 64), 2, 2)
        row_stride: Any = ((_LANE, 4), 64 * _LANE, 32 * _LANE)
        columns = rows // 64
    else:
        row_mode = ((32, rows // 32), 4)
        row_stride = ((_LANE, 4), 32 * _LANE)
        columns = rows // 32
    # Products along K, then those along M, fill the words of these columns before the next ones.
    words = make_layout(
        (_FACTORS // factors, size(tiles) * size(steps)), stride=(factors, _FACTORS * columns)
    )
    later = composition(words, make_layout((steps, tiles)))
    return make_layout(
        ((row_mode, (vector, factors)), *later.shape[::-1]),
        stride=((row_stride, (0, 1)), *later.stride[::-1]),
    )


def make_tmem_layout_sfa(
    tiled_mma: TiledMma, mma_tiler_mnk: tuple[int, ...], sf_vec_size: int, smem_layout: Layout
) -> Any:
    """Return the layout of A's scale factors in tensor memory, of elements of 8 bits.

    Args:
        tiled_mma, mma_tiler_mnk, sf_vec_size: those of make_smem_layout_sfa.
        smem_layout: its result, without stages.
    """
    _check_vector("make_tmem_layout_sfa", sf_vec_size)
    _check_product("make_tmem_layout_sfa", tiled_mma, sf_vec_size)
    return _in_tensor_memory(smem_layout, False)


def make_tmem_layout_sfb(
    tiled_mma: TiledMma, mma_tiler_mnk: tuple[int, ...], sf_vec_size: int, smem_layout: Layout
) -> Any:
    """Return the layout of B's scale factors in tensor memory; see make_tmem_layout_sfa. If a pair of blocks multiplies
    128 rows, two warps' lanes hold each half."""
    _check_vector("make_tmem_layout_sfb", sf_vec_size)
    _check_product("make_tmem_layout_sfb", tiled_mma, sf_vec_size)
    is_halved = size(tiled_mma.thr_id) == 2 and tiled_mma.shape_mnk[0] == _ROWS
    return _in_tensor_memory(smem_layout, is_halved)


def _of_warps(rows: int, depth: int, sf_vec_size: int, num_stages: int) -> Any:
    chunks = -(-rows // _ROWS)
    steps = depth // (sf_vec_size * _FACTORS)
    if depth % (sf_vec_size * _FACTORS):
        raise make_error(
            "LayoutMode",
            expected=f"K in multiples of {sf_vec_size * _FACTORS} for scale factors",
            got=f"({rows}, {depth})",
        )
    return make_layout(
        (((32, 4), chunks), ((sf_vec_size, _FACTORS), steps), num_stages),
        stride=(((16, 4), steps * _BYTES), ((0, 1), _BYTES), chunks * steps * _BYTES),
    )


def sm120_make_smem_layout_sfa(
    tiled_mma: TiledMma, tile_shape_mnk: tuple[int, ...], sf_vec_size: int, num_stages: int
) -> Any:
    """Return the layout of A's scale factors in shared memory for products of warps: (M, K, stages).

    Args:
        tiled_mma: a product with block scaling, of ``warp``.
        tile_shape_mnk: the extents of a tile.
        sf_vec_size: elements along K that share a scale factor, 16 or 32.
        num_stages: number of tiles.
    """
    _check_vector("sm120_make_smem_layout_sfa", sf_vec_size)
    _check_tile("sm120_make_smem_layout_sfa", tile_shape_mnk, num_stages)
    return _of_warps(tile_shape_mnk[0], tile_shape_mnk[2], sf_vec_size, num_stages)


def sm120_make_smem_layout_sfb(
    tiled_mma: TiledMma, tile_shape_mnk: tuple[int, ...], sf_vec_size: int, num_stages: int
) -> Any:
    """Return the layout of B's scale factors in shared memory: (N, K, stages); see sm120_make_smem_layout_sfa."""
    _check_vector("sm120_make_smem_layout_sfb", sf_vec_size)
    _check_tile("sm120_make_smem_layout_sfb", tile_shape_mnk, num_stages)
    return _of_warps(tile_shape_mnk[1], tile_shape_mnk[2], sf_vec_size, num_stages)
