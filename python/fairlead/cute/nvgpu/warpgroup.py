"""Operations of the 128 threads of a warpgroup: products on tensor cores of operands in shared memory (``wgmma``)."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute._layout import make_composed_layout, make_layout, make_swizzle
from fairlead.cute.nvgpu._operations import OperandMajorMode, Operation
from fairlead.errors import CheckedEnum, make_error

__all__ = [
    "Field",
    "MmaF8Op",
    "MmaF16BF16Op",
    "MmaI8Op",
    "OperandMajorMode",
    "OperandSource",
    "SmemLayoutAtomKind",
    "commit_group",
    "fence",
    "make_smem_layout_atom",
    "wait_group",
]


class Field(CheckedEnum):
    """The fields that ``tiled_mma.set(field, value)`` changes."""

    #: True if products are added to the accumulators; else they replace them.
    ACCUMULATE = "accum_c"


class OperandSource(CheckedEnum):
    """The memory of operand A."""

    RMEM = "rmem"
    SMEM = "smem"


class _MmaOp(Operation):
    """``wgmma`` of A (64, K), B (N, K) and an accumulator (64, N), N up to 256, K of 32 bytes."""

    def _set(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        self.a_dtype, self.b_dtype, self.acc_dtype = a_dtype, b_dtype, acc_dtype
        shape = tuple(instruction_shape)
        if len(shape) == 2 and _compiler.is_dtype(a_dtype):
            shape = (*shape, 256 // a_dtype.width)
        self.shape_mnk, self.a_src = shape, a_src
        self.a_major_mode, self.b_major_mode = a_major_mode, b_major_mode
        for name, mode in (("a_major_mode", a_major_mode), ("b_major_mode", b_major_mode)):
            if not isinstance(mode, OperandMajorMode):
                raise make_error(
                    "AtomUse", expected=f"OperandMajorMode.K or .MN as {name}", got=repr(mode)
                )
        self._mma_atom()

    def _mma_atom(self) -> Any:
        in_registers = self.a_src is OperandSource.RMEM
        # The layout of A in registers has no major mode. Published programs pass the mode of the tensor it comes from.
        has_no_major = in_registers and state.dialect.lenient
        return _compiler.make_warpgroup_mma_atom(
            self,
            self.a_dtype,
            self.b_dtype,
            self.acc_dtype,
            list(self.shape_mnk),
            in_registers,
            self.a_major_mode is OperandMajorMode.MN and not has_no_major,
            self.b_major_mode is OperandMajorMode.MN,
        )


class MmaF16BF16Op(_MmaOp):
    """MMA of Float16 with Float16 or Float32 accumulators, or BFloat16 with Float32: K is 16."""

    def __init__(
        self,
        ab_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        super().__init__(
            ab_dtype=ab_dtype,
            acc_dtype=acc_dtype,
            instruction_shape=tuple(instruction_shape),
            a_src=a_src,
            a_major_mode=a_major_mode,
            b_major_mode=b_major_mode,
        )
        self.ab_dtype = ab_dtype
        self._set(
            ab_dtype, ab_dtype, acc_dtype, instruction_shape, a_src, a_major_mode, b_major_mode
        )


class _MixedOp(_MmaOp):
    """MMA of two element types of 8 bits, with K fastest in both operands: K is 32."""

    def __init__(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        super().__init__(
            a_dtype=a_dtype,
            b_dtype=b_dtype,
            acc_dtype=acc_dtype,
            instruction_shape=tuple(instruction_shape),
            a_src=a_src,
            a_major_mode=a_major_mode,
            b_major_mode=b_major_mode,
        )
        self._set(a_dtype, b_dtype, acc_dtype, instruction_shape, a_src, a_major_mode, b_major_mode)


class MmaF8Op(_MixedOp):
    """MMA of Float8E4M3FN and Float8E5M2, with Float16 or Float32 accumulators."""


class MmaI8Op(_MixedOp):
    """MMA of Int8 and Uint8, with Int32 accumulators."""


def fence() -> None:
    """Before the first product of a group, and after other instructions wrote accumulators or A in registers."""
    _compiler.warpgroup_fence()


def commit_group() -> None:
    """End a group of products: those asked for since the last one."""
    _compiler.warpgroup_commit()


def wait_group(group: int) -> None:
    """Wait until at most ``group`` groups, 0 to 7, are under way. Accumulators can be read then.

    Raises TypeError (AtomUse) for a run-time number.
    """
    if isinstance(group, bool) or not isinstance(group, int):
        raise make_error(
            "AtomUse", expected="a compile-time number for wait_group", got=repr(group)
        )
    _compiler.warpgroup_wait(group)


class SmemLayoutAtomKind(CheckedEnum):
    """The least pieces of operands in shared memory: which mode is contiguous, and over how many bytes rows of 16
    bytes are swizzled."""

    MN_INTER = 1
    MN_SW32 = 2
    MN_SW64 = 3
    MN_SW128 = 4
    #: 32 bytes stay together: of operands of 32 bits of ``tcgen05``.
    MN_SW128_32B = 5
    K_INTER = 6
    K_SW32 = 7
    K_SW64 = 8
    K_SW128 = 9


#: Bytes of a row, and the number of bits that its swizzle moves.
_ROWS = {"INTER": (16, 0), "SW32": (32, 1), "SW64": (64, 2), "SW128": (128, 3)}


def make_smem_layout_atom(kind: SmemLayoutAtomKind, element_type: type[_compiler.Numeric]) -> Any:
    """Return the layout of the smallest piece of an operand in shared memory, a composed layout of 8 rows.

    Its swizzle is one of byte addresses, for ``get_tensor(layout.outer, swizzle=layout.inner)``.

    Args:
        kind: a SmemLayoutAtomKind: which mode is contiguous (K or MN), and the bytes of a row. TypeError for another.
        element_type: a numeric class; a row has its bytes' worth of such elements.
    """
    if not isinstance(kind, SmemLayoutAtomKind):
        raise make_error("AtomUse", expected="a SmemLayoutAtomKind", got=repr(kind))
    if kind is SmemLayoutAtomKind.MN_SW128_32B:
        count = 1024 // element_type.width
        return make_composed_layout(
            make_swizzle(2, 5, 2), 0, make_layout((count, 8), stride=(1, count))
        )
    major, _, rows = kind.name.partition("_")
    bytes_, bits = _ROWS[rows]
    count = bytes_ * 8 // element_type.width
    shape, stride = ((8, count), (count, 1)) if major == "K" else ((count, 8), (1, count))
    return make_composed_layout(make_swizzle(bits, 4, 3), 0, make_layout(shape, stride=stride))


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
