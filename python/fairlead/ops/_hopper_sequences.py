"""Attention by warpgroups of sequences of different lengths: a table on the device has their tensor maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import Int32, Int64
from fairlead.cute._types import Int
from fairlead.cute.nvgpu import cpasync
from fairlead.ops._hopper_attention import HopperAttention, turned
from fairlead.ops._sequences import rows_of, sequence_of, with_batch, with_batch_of_logs
from fairlead.ops._softmax import result_and_extras
from fairlead.utils import TensorMapManager, TensorMapUpdateMode

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["ROW", "HopperSequences"]


#: Words of 8 bytes of a row: the tensor maps of Q, K, V and O, then queries, keys, and the number of the sequence's
#: first tile and of its first query. The row after the last sequence has the number of tiles there.
ROW = 80
_QUERIES, _KEYS, _BEGIN, _FIRST = 64, 65, 66, 67
_maps = TensorMapManager(TensorMapUpdateMode.GMEM, 128)


class _Sequences:
    """The tiles of queries, by number: of one sequence after the other. Told by the table."""

    def __init__(self, table: Tensor, heads: Int, rows: int) -> None:
        """``rows``: queries of a tile."""
        self.table, self.heads, self.rows = table, Int32(heads), rows

    def number(self, sequence: object, field: int) -> Any:
        return cute.arch.make_warp_uniform(self.table[sequence, field].to(Int32))

    def total(self) -> Any:
        return self.number(self.table.shape[0] - 1, _BEGIN)

    @cute.jit
    def sequence(self, place: object, before: Int) -> Any:
        sequence = max(before, Int32(0))
        while self.number(sequence + 1, _BEGIN) <= place:
            sequence = sequence + 1
        if sequence != before:
            for tensor_map in self.maps(sequence):
                cpasync.fence_tma_desc_acquire(tensor_map)
        return sequence

    def extents(self, sequence: object) -> tuple[Any, Any]:
        return self.number(sequence, _QUERIES), self.number(sequence, _KEYS)

    def first_query(self, sequence: object) -> Any:
        return self.number(sequence, _FIRST)

    def place(self, number: object, sequence: object) -> tuple[Any, Any, Any]:
        tiles = cute.ceil_div(self.number(sequence, _QUERIES), self.rows)
        inside = number - self.number(sequence, _BEGIN)
        return tiles - 1 - inside % tiles, inside // tiles, Int32(0)

    def maps(self, sequence: Int) -> tuple[Any, ...]:
        row = self.table.iterator + sequence * ROW
        generic = cute.AddressSpace.generic
        return tuple(_maps.get_tensormap_ptr(row + 16 * i, generic) for i in range(4))


class _OfTable(HopperAttention):
    def works(self, q: Tensor, k: Tensor, table: Any) -> Any:
        return _Sequences(table, q.shape[2], self.queries)


class HopperSequences:
    """Attention of all sequences. A first kernel writes a table of the sequences; the second one is the kernel for
    equal lengths with other tensor maps."""

    def __init__(self, *parameters: Any, **options: Any) -> None:
        """The arguments are those of ``HopperAttention``."""
        self.inner = _OfTable(*parameters, **options)

    @cute.jit
    def __call__(
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, q_ends: cute.Tensor,
        k_ends: cute.Tensor, *others: cute.Tensor,
    ) -> None:  # fmt: skip
        """``others``: the sinks (heads), if any; the slopes (heads), if any; the result; the logarithms of the sums of
        powers (heads, rows), if they are stored; the table's memory."""
        space = others[-1]
        out, extras = result_and_extras(others[:-1], self.inner.with_sinks, self.inner.with_slopes)
        extras = with_batch_of_logs(extras)
        tensors = [with_batch(tensor) for tensor in (q, k, v, out)]
        table = cute.make_tensor(
            cute.recast_ptr(space.iterator, dtype=Int64),
            cute.make_layout((space.shape[0], ROW), stride=(ROW, 1)),
        )
        planned = self.inner.plan(*tensors)
        sequences = q_ends.shape[0] - 1
        self.describe(tensors, q_ends, k_ends, table, [entry[0] for entry in planned[0]]).launch(
            grid=(sequences, 1, 1), block=(32, 1, 1)
        )
        tiles = (cute.ceil_div(q.shape[0], self.inner.queries) + sequences) * q.shape[1]
        self.inner.launch(planned, table, tiles, extras)

    @cute.kernel
    def describe(
        self,
        tensors: Sequence[Any],
        q_ends: Tensor,
        k_ends: Tensor | None,
        table: Tensor,
        atoms: Sequence[Any],
    ) -> None:
        block, _, _ = cute.arch.block_idx()
        thread, _, _ = cute.arch.thread_idx()
        heads, rows = Int32(tensors[0].shape[1]), tensors[0].shape[2]
        tiles = Int32(0)
        for i in range(block):
            tiles = tiles + cute.ceil_div(rows_of(q_ends, i, rows)[1], self.inner.queries)
        first, queries = rows_of(q_ends, block, rows)
        _, keys = rows_of(k_ends, block, tensors[1].shape[2])
        if thread == 0:
            for field, value in (
                (_QUERIES, queries),
                (_KEYS, keys),
                (_BEGIN, tiles * heads),
                (_FIRST, first),
            ):
                table[block, field] = Int64(value)
            if block == q_ends.shape[0] - 2:
                tiles = tiles + cute.ceil_div(queries, self.inner.queries)
                table[block + 1, _BEGIN] = Int64(tiles * heads)
        parts = [
            turned(tensor, (3, 2, 1, 0) if i == 2 else (2, 3, 1, 0))
            # A tensor map has no extent of 0: the elements of an extent of 1 are masked.
            for i, tensor in enumerate(sequence_of(tensors, q_ends, k_ends, block, 1))
        ]
        targets = [_maps.get_tensormap_ptr(table.iterator + block * ROW + 16 * i) for i in range(4)]
        for atom, target in zip(atoms, targets, strict=True):
            _maps.init_tensormap_from_atom(atom, target, 0)
        _maps.fence_tensormap_initialization()
        _maps.update_tensormap(parts, atoms, targets, 0, ())
