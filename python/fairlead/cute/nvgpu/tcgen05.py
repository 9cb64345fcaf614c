"""Operations of GPUs with tensor memory (``tcgen05``; ``sm_100a`` and the like): products whose operands lie in shared
memory and whose accumulators lie in tensor memory, and copies from and to that.

Tensor memory is 128 lanes of 512 columns of 32 bits. These operations are compiled and assembled, and have not been run
on a device.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._atoms import CopyAtom, TiledCopy, make_cotiled_copy
from fairlead.cute._layout import make_layout
from fairlead.cute.nvgpu._operations import CopyOp, OperandMajorMode, Operation
from fairlead.cute.nvgpu.warpgroup import SmemLayoutAtomKind, make_smem_layout_atom
from fairlead.cute.typing import Int
from fairlead.errors import make_error

__all__ = [
    "CtaGroup",
    "Field",
    "Ld32x32bOp",
    "MmaF8F6F4Op",
    "MmaF16BF16Op",
    "MmaI8Op",
    "MmaTF32Op",
    "OperandMajorMode",
    "OperandSource",
    "Repetition",
    "SmemLayoutAtomKind",
    "St32x32bOp",
    "commit",
    "make_smem_layout_atom",
    "make_tmem_copy",
]

#: The step of an address of tensor memory from one lane to the next.
_LANE = 1 << 16


class CtaGroup(enum.Enum):
    """How many blocks multiply together."""

    ONE = 1
    TWO = 2


class OperandSource(enum.Enum):
    """Where operand A is."""

    SMEM = "smem"
    TMEM = "tmem"


class Field(enum.Enum):
    """What ``tiled_mma.set(field, value)`` changes."""

    #: Whether products are added to what the accumulators hold; at first these are overwritten.
    ACCUMULATE = "accum_c"


class Repetition(enum.Enum):
    """How many columns a copy of tensor memory moves at once."""

    x1 = 1
    x2 = 2
    x4 = 4
    x8 = 8
    x16 = 16
    x32 = 32
    x64 = 64
    x128 = 128


class _MmaOp(Operation):
    """``tcgen05.mma`` of A (128, K), B (N, K) and an accumulator (128, N), N up to 256, K of 32 bytes."""

    def _set(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: Sequence[Any],
        **choices: object,
    ) -> None:
        kinds = {
            "cta_group": CtaGroup.ONE,
            "a_src": OperandSource.SMEM,
            "a_major_mode": OperandMajorMode.K,
            "b_major_mode": OperandMajorMode.K,
        }
        for name, first in kinds.items():
            given = choices[name]
            # Of the first two Fairlead has one choice.
            fits = given is first or isinstance(given, OperandMajorMode)
            if not fits or type(given) is not type(first):
                expected = f"{first} as {name} of {type(self).__name__}"
                if isinstance(first, OperandMajorMode):
                    expected = f"OperandMajorMode.K or .MN as {name} of {type(self).__name__}"
                raise make_error("LayoutMode", expected=expected, got=repr(given))
        self.a_dtype, self.b_dtype, self.acc_dtype = a_dtype, b_dtype, acc_dtype
        self.cta_group, self.a_src = choices["cta_group"], choices["a_src"]
        self.a_major_mode, self.b_major_mode = choices["a_major_mode"], choices["b_major_mode"]
        shape = tuple(instruction_shape)
        if len(shape) == 2 and _compiler.is_dtype(a_dtype):
            shape = (*shape, 256 // a_dtype.width)
        self.shape_mnk = shape
        self._mma_atom()

    def _mma_atom(self) -> Any:
        return _compiler.make_tensor_memory_mma_atom(
            self,
            self.a_dtype,
            self.b_dtype,
            self.acc_dtype,
            list(self.shape_mnk),
            self.a_major_mode is OperandMajorMode.MN,
            self.b_major_mode is OperandMajorMode.MN,
        )


class MmaF16BF16Op(_MmaOp):
    """Of Float16 or BFloat16, with Float32 accumulators: K is 16."""

    def __init__(
        self,
        ab_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        shape = tuple(instruction_shape)
        choices = {
            "cta_group": cta_group,
            "a_src": a_src,
            "a_major_mode": a_major_mode,
            "b_major_mode": b_major_mode,
        }
        super().__init__(ab_dtype=ab_dtype, acc_dtype=acc_dtype, instruction_shape=shape, **choices)
        self.ab_dtype = ab_dtype
        if ab_dtype not in (_compiler.Float16, _compiler.BFloat16):
            raise make_error(
                "LayoutMode", expected="Float16 or BFloat16 as ab_dtype", got=repr(ab_dtype)
            )
        self._set(ab_dtype, ab_dtype, acc_dtype, shape, **choices)


class MmaTF32Op(_MmaOp):
    """Of TFloat32, with Float32 accumulators: K is 8."""

    def __init__(
        self,
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        shape = tuple(instruction_shape)
        choices = {
            "cta_group": cta_group,
            "a_src": a_src,
            "a_major_mode": a_major_mode,
            "b_major_mode": b_major_mode,
        }
        super().__init__(instruction_shape=shape, **choices)
        tf32 = _compiler.TFloat32
        self._set(tf32, tf32, _compiler.Float32, shape, **choices)


class MmaI8Op(_MmaOp):
    """Of Int8 or Uint8, with Int32 accumulators: K is 32."""

    def __init__(
        self,
        ab_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        shape = tuple(instruction_shape)
        choices = {
            "cta_group": cta_group,
            "a_src": a_src,
            "a_major_mode": a_major_mode,
            "b_major_mode": b_major_mode,
        }
        super().__init__(ab_dtype=ab_dtype, instruction_shape=shape, **choices)
        self.ab_dtype = ab_dtype
        if ab_dtype not in (_compiler.Int8, _compiler.Uint8):
            raise make_error("LayoutMode", expected="Int8 or Uint8 as ab_dtype", got=repr(ab_dtype))
        self._set(ab_dtype, ab_dtype, _compiler.Int32, shape, **choices)


class MmaF8F6F4Op(_MmaOp):
    """Of Float8E4M3FN and Float8E5M2, with Float32 accumulators: K is 32."""

    def __init__(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        shape = tuple(instruction_shape)
        choices = {
            "cta_group": cta_group,
            "a_src": a_src,
            "a_major_mode": a_major_mode,
            "b_major_mode": b_major_mode,
        }
        super().__init__(
            a_dtype=a_dtype, b_dtype=b_dtype, acc_dtype=acc_dtype, instruction_shape=shape,
            **choices,
        )  # fmt: skip
        floats = (_compiler.Float8E4M3FN, _compiler.Float8E5M2)
        for name, each in (("a_dtype", a_dtype), ("b_dtype", b_dtype)):
            if each not in floats:
                raise make_error(
                    "LayoutMode", expected=f"Float8E4M3FN or Float8E5M2 as {name}", got=repr(each)
                )
        self._set(a_dtype, b_dtype, acc_dtype, shape, **choices)


class _TensorMemoryOp(CopyOp):
    """A copy of a warp: of columns of its 32 lanes, each of which is a thread's."""

    _name = ""

    def __init__(self, repeat: Repetition = Repetition.x1) -> None:
        if not isinstance(repeat, Repetition):
            raise make_error(
                "LayoutMode", expected=f"a Repetition for {type(self).__name__}", got=repr(repeat)
            )
        super().__init__(repeat=repeat)
        self.repeat = repeat

    def _copy_op(self) -> Any:
        return _compiler.CopyOp(self._name, matrices=self.repeat.value)


class Ld32x32bOp(_TensorMemoryOp):
    """``tcgen05.ld`` to registers, of elements of 32 bits. The registers can be read after it."""

    _name = "tcgen05.ld"


class St32x32bOp(_TensorMemoryOp):
    """``tcgen05.st`` from registers, of elements of 32 bits; done after ``arch.fence_view_async_tmem_store()``."""

    _name = "tcgen05.st"


def make_tmem_copy(atom: CopyAtom, tmem_tensor: Any) -> TiledCopy:
    """A copy by 128 threads, whose warp w works on lanes 32 (w % 4) to 32 (w % 4) + 31.

    Args:
        atom: of Ld32x32bOp or St32x32bOp.
        tmem_tensor: a tile in tensor memory, of all 128 lanes.

    Raises TypeError for another atom.
    """
    if not isinstance(getattr(atom, "op", None), _TensorMemoryOp):
        raise make_error(
            "LayoutMode",
            expected="an atom of Ld32x32bOp or St32x32bOp for make_tmem_copy",
            got=atom,
        )
    elements = make_layout(
        ((32, 4), (atom.op.repeat.value, 32)), stride=((0, 32 * _LANE), (1, _LANE))
    )
    return make_cotiled_copy(atom, elements, tmem_tensor.layout)


def commit(
    mbar_ptr: _compiler.Pointer, mask: Int | None = None, cta_group: CtaGroup = CtaGroup.ONE
) -> None:
    """Arrives at an mbarrier when the products that the thread has started are done. Each thread that calls it arrives:
    call it within ``with cute.arch.elect_one()``.

    Args:
        mbar_ptr: a pointer to the mbarrier in shared memory.
        mask: bit i asks for an arrival at the barrier at the same place of block i of the cluster; default the own
            block's alone.
        cta_group: ``CtaGroup.ONE``, the only one so far; TypeError for another.
    """
    if cta_group is not CtaGroup.ONE:
        raise make_error("LayoutMode", expected="CtaGroup.ONE for commit", got=repr(cta_group))
    _compiler.commit_tensor_products(mbar_ptr, mask, False)


def __dir__() -> list[str]:
    """What completion offers."""
    return sorted(__all__)
