"""The printed form of operations in published programs: ``str`` is several lines, the operation and its options."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Choice, Number
from fairlead.cute.nvgpu import _operations, cpasync, warp, warpgroup

__all__ = ["TEXTS"]


def _described(title: str, rows: dict[str, Any]) -> str:
    width = max(map(len, rows), default=0)
    return "\n".join([title, *(f"  {name:{width}} = {_plain(rows[name])}" for name in rows)])


def _plain(value: Number) -> Any:
    return value.__name__ if isinstance(value, type) else value


def _warp_mma(what: str) -> Any:
    def text(op: Any) -> str:
        rows = {
            "A/B data type": op.ab_dtype,
            "Accumulator data type": op.acc_dtype,
            "Instruction shape MNK": op.shape_mnk,
        }
        return _described(f"warp-level {what}", rows)

    return text


def _warpgroup_mma(what: str) -> Any:
    def text(op: Any) -> str:
        rows = {
            "A data type": op.a_dtype,
            "B data type": op.b_dtype,
            "Accumulator data type": op.acc_dtype,
            "A source location": op.a_src,
            "A major mode": op.a_major_mode,
            "B major mode": op.b_major_mode,
            "Instruction shape MNK": op.shape_mnk,
        }
        return _described(f"warpgroup {what} MMA Operation", rows)

    return text


def _matrices(name: str) -> Any:
    def text(op: Any) -> str:
        title = _described(f"{name} Copy Operation", {"number of matrices": op.num_matrices})
        return title + "\n  transposed" * bool(op.transpose)

    return text


def _universal_mma(op: Any) -> str:
    return _described(
        "universal MMA Operation using FMA", {"A/B/Accumulator data type": op.abacc_dtype}
    )


def _cp_async(op: Any) -> str:
    title = "cp.async GMEM -> SMEM copy Operation"
    if op.cache_mode is _operations.LoadCacheMode.ALWAYS:
        return title
    return f"{title}\n  with cache mode = {op.cache_mode}"


_OPERATIONS: dict[type, Any] = {
    warp.MmaF16BF16Op: _warp_mma("F16/BF16 MMA Operation"),
    warp.MmaTF32Op: _warp_mma("TF32 MMA Operation"),
    warp.MmaFP8Op: _warp_mma("FP8 MMA Operation (SM89)"),
    warpgroup.MmaF16BF16Op: _warpgroup_mma("F16/BF16"),
    warpgroup.MmaF8Op: _warpgroup_mma("F8"),
    warpgroup.MmaI8Op: _warpgroup_mma("I8"),
    warp.LdMatrix8x8x16bOp: _matrices("LdMatrix8x8x16b"),
    warp.LdMatrix8x16x8bOp: _matrices("LdMatrix8x16x8b"),
    warp.LdMatrix16x16x8bOp: _matrices("LdMatrix16x16x8b"),
    warp.StMatrix8x8x16bOp: _matrices("StMatrix8x8x16b"),
    _operations.MmaUniversalOp: _universal_mma,
    cpasync.CopyG2SOp: _cp_async,
    _operations.CopyUniversalOp: "universal Copy Operation",
    _operations.CopyG2ROp: "G2R copy operation",
    _operations.CopyR2GOp: "R2G copy operation",
    _operations.CopyS2ROp: "S2R copy operation",
    _operations.CopyR2SOp: "R2S copy operation",
    cpasync.CopyBulkTensorTileG2SOp: "cp.async GMEM -> SMEM bulk tensor copy Operation",
    cpasync.CopyBulkTensorTileG2SMulticastOp: "cp.async GMEM -> SMEM bulk tensor multicast copy Operation",
    cpasync.CopyBulkTensorTileS2GOp: "cp.async SMEM -> GMEM bulk tensor copy Operation",
    cpasync.CopyReduceBulkTensorTileS2GOp: "cp.async SMEM -> GMEM bulk tensor reduction Operation",
    cpasync.CopyBulkG2SOp: "cp.async GMEM -> SMEM bulk copy Operation",
    cpasync.CopyBulkG2SMulticastOp: "cp.async GMEM -> SMEM multicast bulk copy Operation",
    cpasync.CopyBulkS2GOp: "cp.async SMEM -> GMEM bulk copy Operation",
    cpasync.CopyBulkS2SOp: "cp.async CTA -> Cluster bulk copy Operation",
}


def _fixed(text: str, op: Choice) -> str:
    return text


def _name(member: enum.Enum) -> str:
    return str(member.name)


#: class -> function of an object that returns its text.
TEXTS: dict[type, Callable[[Any], Any]] = {
    **{
        operation: text if callable(text) else functools.partial(_fixed, text)
        for operation, text in _OPERATIONS.items()
    },
    _compiler.AddressSpace: _name,
    _compiler.ReductionOp: _name,
}
