"""Operations of GPUs with tensor memory (``tcgen05``; ``sm_100a`` and the like): products with operands in shared
memory and accumulators in tensor memory, and copies from and to tensor memory.

Tensor memory is 128 lanes of 512 columns of 32 bits. These operations are compiled and assembled, and have not been run
on a device.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._atoms import CopyAtom, TiledCopy, make_cotiled_copy
from fairlead.cute._layout import (
    coalesce,
    make_composed_layout,
    make_layout,
    make_tensor,
    tile_to_shape,
    tiled_divide,
)
from fairlead.cute._warp_arguments import check_integer
from fairlead.cute.nvgpu._operations import CopyOp, OperandMajorMode, Operation
from fairlead.cute.nvgpu.warpgroup import SmemLayoutAtomKind, make_smem_layout_atom
from fairlead.cute.typing import Int
from fairlead.errors import CheckedEnum, make_error

__all__ = [
    "Cp4x32x128bOp",
    "CtaGroup",
    "Field",
    "Ld16x32bx2Op",
    "Ld16x64bOp",
    "Ld16x128bOp",
    "Ld16x256bOp",
    "Ld32x32bOp",
    "LdRed32x32bOp",
    "MmaF8F6F4Op",
    "MmaF16BF16Op",
    "MmaI8Op",
    "MmaMXF4NVF4Op",
    "MmaMXF4Op",
    "MmaMXF8F6F4Op",
    "MmaTF32Op",
    "OperandMajorMode",
    "OperandSource",
    "Pack",
    "Repetition",
    "SM103MmaMXF4NVF4Op",
    "SM103MmaMXF4Op",
    "SmemLayoutAtomKind",
    "St16x32bx2Op",
    "St16x64bOp",
    "St16x128bOp",
    "St16x256bOp",
    "St32x32bOp",
    "TmemLoadRedOp",
    "Unpack",
    "commit",
    "get_s2t_smem_desc_tensor",
    "make_s2t_copy",
    "make_smem_layout_atom",
    "make_tmem_copy",
    "make_umma_smem_desc",
    "tile_to_mma_shape",
]

#: The step of an address of tensor memory from one lane to the next.
_LANE = 1 << 16
_NARROW_FLOATS = (
    _compiler.Float8E4M3FN,
    _compiler.Float8E5M2,
    _compiler.Float6E2M3FN,
    _compiler.Float6E3M2FN,
    _compiler.Float4E2M1FN,
)


class CtaGroup(CheckedEnum):
    """How many blocks multiply together."""

    ONE = 1
    TWO = 2


class OperandSource(CheckedEnum):
    """The memory of operand A."""

    SMEM = "smem"
    TMEM = "tmem"


class Field(CheckedEnum):
    """The properties that ``tiled_mma.set(field, value)`` changes."""

    #: True if products are added to the accumulators. At first, accumulators are overwritten.
    ACCUMULATE = "accum_c"
    #: Pointers to the scale factors of A and B in tensor memory, for products with block scaling.
    SFA = "sfa"
    SFB = "sfb"


class Repetition(CheckedEnum):
    """How many columns a copy of tensor memory moves at once."""

    x1 = 1
    x2 = 2
    x4 = 4
    x8 = 8
    x16 = 16
    x32 = 32
    x64 = 64
    x128 = 128


def _extents(op: object, instruction_shape: Sequence[Any]) -> tuple[int, ...]:
    shape = tuple(instruction_shape)
    if not all(isinstance(extent, int) for extent in shape):
        raise make_error(
            "LayoutMode",
            expected=f"integers as instruction_shape of {type(op).__name__}",
            got=repr(instruction_shape),
        )
    return shape


class _MmaOp(Operation):
    """``tcgen05.mma`` of A (M, K), B (N, K) and an accumulator (M, N), N up to 256, K of 32 bytes.

    M is 64 or 128 in one block, and 128 or 256 in a pair (``CtaGroup.TWO``): each block of it holds half of the rows of
    A, B and C. With ``OperandSource.TMEM``, A is in tensor memory, K-major: what ``make_fragment_A`` lays out."""

    def _set(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        acc_dtype: type[_compiler.Numeric],
        instruction_shape: Sequence[Any],
        **choices: object,
    ) -> None:
        kinds: dict[str, enum.Enum] = {
            "cta_group": CtaGroup.ONE,
            "a_src": OperandSource.SMEM,
            "a_major_mode": OperandMajorMode.K,
            "b_major_mode": OperandMajorMode.K,
        }
        for name, first in kinds.items():
            choice = choices[name]
            if type(choice) is not type(first):
                other = next(member for member in type(first) if member is not first)
                expected = f"{first} or .{other.name} as {name} of {type(self).__name__}"
                raise make_error("LayoutMode", expected=expected, got=repr(choice))
        self.a_dtype, self.b_dtype, self.acc_dtype = a_dtype, b_dtype, acc_dtype
        self.cta_group, self.a_src = choices["cta_group"], choices["a_src"]
        self.a_major_mode, self.b_major_mode = choices["a_major_mode"], choices["b_major_mode"]
        shape = _extents(self, instruction_shape)
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
            self.cta_group is CtaGroup.TWO,
            self.a_src is OperandSource.TMEM,
        )


class MmaF16BF16Op(_MmaOp):
    """Products of Float16 or BFloat16 with Float32 accumulators, or of Float16 with Float16: K is 16."""

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
    """Products of TFloat32 with Float32 accumulators: K is 8."""

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
    """Products of Int8 or Uint8 with Int32 accumulators: K is 32."""

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
    """Products of floats of 4, 6 and 8 bits with Float32 or Float16 accumulators: K is 32. In shared memory, 16 floats
    of fewer than 8 bits take 16 bytes and are packed at their beginning."""

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
        for name, dtype in (("a_dtype", a_dtype), ("b_dtype", b_dtype)):
            if dtype not in _NARROW_FLOATS:
                raise make_error(
                    "LayoutMode", expected=f"a float of 4, 6 or 8 bits as {name}", got=repr(dtype)
                )
        shape = (*shape, 32) if len(shape) == 2 else shape
        self._set(a_dtype, b_dtype, acc_dtype, shape, **choices)


class Pack(CheckedEnum):
    """The contents of the registers of a load from tensor memory."""

    NONE = "none"
    #: The lower halves of two columns each.
    PACK_16b_IN_32b = "pack"


class Unpack(CheckedEnum):
    """The destination of the registers of a store to tensor memory."""

    NONE = "none"
    #: Each to the lower halves of two columns.
    UNPACK_32b_IN_16b = "unpack"


class _TensorMemoryOp(CopyOp):
    """A copy of a warp, of ``repeat`` steps of ``_shape``: lanes, and bits of each."""

    _name = ""
    _kind = "tensor memory"
    _shape = (32, 32)

    @property
    def _loads(self) -> bool:
        return self._name == "tcgen05.ld"

    def _set(self, repeat: object, halves: Pack | Unpack) -> None:
        kind = Pack if self._name == "tcgen05.ld" else Unpack
        for expected, choice in ((Repetition, repeat), (kind, halves)):
            if not isinstance(choice, expected):
                raise make_error(
                    "LayoutMode",
                    expected=f"a member of {expected.__name__} for {type(self).__name__}",
                    got=repr(choice),
                )
        assert isinstance(repeat, Repetition)
        self.repeat = repeat
        self._halves = halves is not kind.NONE

    def _copy_op(self) -> Any:
        return _compiler.CopyOp._of_tensor_memory(
            self._name, self.repeat.value, *self._shape, self._halves
        )

    def _lane_bits(self) -> int:
        """Return the bits of a lane that one instruction moves."""
        parts = 2 if self._shape == (16, 32) else 1
        return self.repeat.value * self._shape[1] * parts


class _LoadOp(_TensorMemoryOp):
    _name = "tcgen05.ld"

    def __init__(self, repeat: Repetition = Repetition.x1, pack: Pack = Pack.NONE) -> None:
        super().__init__(repeat=repeat, pack=pack)
        self._set(repeat, pack)
        self.pack = pack


class _StoreOp(_TensorMemoryOp):
    _name = "tcgen05.st"

    def __init__(self, repeat: Repetition = Repetition.x1, unpack: Unpack = Unpack.NONE) -> None:
        super().__init__(repeat=repeat, unpack=unpack)
        self._set(repeat, unpack)
        self.unpack = unpack


class Ld32x32bOp(_LoadOp):
    """``tcgen05.ld`` to registers: ``repeat`` columns of 32 lanes, one lane for each thread. The registers can be read
    after it."""


class Ld16x64bOp(_LoadOp):
    """``tcgen05.ld`` of ``repeat`` steps of 16 lanes of 64 bits. Threads 4 i to 4 i + 3 have lanes i and i + 8."""

    _shape = (16, 64)


class Ld16x128bOp(_LoadOp):
    """``tcgen05.ld`` of ``repeat`` steps of 16 lanes of 128 bits. Threads 4 i to 4 i + 3 have lanes i and i + 8."""

    _shape = (16, 128)


class Ld16x256bOp(_LoadOp):
    """``tcgen05.ld`` of ``repeat`` steps of 16 lanes of 256 bits: as the results of a warp's MMA (16, 8) lie."""

    _shape = (16, 256)


class Ld16x32bx2Op(_LoadOp):
    """``tcgen05.ld`` of 16 lanes: threads 0 to 15 have ``repeat`` columns each, threads 16 to 31 the next ones."""

    _shape = (16, 32)


class TmemLoadRedOp(CheckedEnum):
    """The extreme that LdRed32x32bOp finds among a thread's values."""

    MIN = "min"
    MAX = "max"


class LdRed32x32bOp(_LoadOp):
    """``tcgen05.ld.red`` of Float32: Ld32x32bOp that also finds the least or the greatest of the ``repeat`` values of
    each instruction. ``copy`` takes a pair as the destination: registers, and one Float32 register for the extreme of
    each instruction. For ``sm_103`` and ``sm_110``.

    Args:
        repeat: columns of an instruction, two or more.
        redOp: the kind, a TmemLoadRedOp. NaN are no candidates.
    """

    _kind = "load with extremes"

    def __init__(
        self,
        repeat: Repetition = Repetition.x2,
        redOp: TmemLoadRedOp = TmemLoadRedOp.MAX,  # noqa: N803  a published name
    ) -> None:
        CopyOp.__init__(self, repeat=repeat, redOp=redOp)
        self._set(repeat, Pack.NONE)
        if not isinstance(redOp, TmemLoadRedOp):
            raise make_error(
                "LayoutMode",
                expected="a member of TmemLoadRedOp for LdRed32x32bOp",
                got=repr(redOp),
            )
        self.pack, self.redOp = Pack.NONE, redOp

    def _copy_op(self) -> Any:
        kind = 2 if self.redOp is TmemLoadRedOp.MAX else 1
        return _compiler.CopyOp("tcgen05.ld.red", 0, False, self.repeat.value, kind)


class St32x32bOp(_StoreOp):
    """``tcgen05.st`` from registers, the inverse of Ld32x32bOp; done after ``arch.fence_view_async_tmem_store()``."""


class St16x64bOp(_StoreOp):
    """``tcgen05.st``, the inverse of Ld16x64bOp."""

    _shape = (16, 64)


class St16x128bOp(_StoreOp):
    """``tcgen05.st``, the inverse of Ld16x128bOp."""

    _shape = (16, 128)


class St16x256bOp(_StoreOp):
    """``tcgen05.st``, the inverse of Ld16x256bOp."""

    _shape = (16, 256)


class St16x32bx2Op(_StoreOp):
    """``tcgen05.st``, the inverse of Ld16x32bx2Op."""

    _shape = (16, 32)


def make_tmem_copy(atom: CopyAtom, tmem_tensor: Any) -> TiledCopy:
    """Return a copy by 128 threads, whose warp w works on lanes 32 (w % 4) to 32 (w % 4) + 31.

    Args:
        atom: of a copy from or to tensor memory, such as Ld32x32bOp.
        tmem_tensor: a tile in tensor memory, of lanes of all four warps.

    Raises TypeError for another atom.
    """
    op = getattr(atom, "op", None)
    if not isinstance(op, _TensorMemoryOp):
        raise make_error(
            "LayoutMode",
            expected="an atom of a copy of tensor memory, such as Ld32x32bOp, for make_tmem_copy",
            got=atom,
        )
    width = atom.value_type.width
    columns = 32 // width  # elements of a column
    lane = _LANE * columns
    of_lane = op._lane_bits() // width
    # Each half has a column of its own.
    step = columns if op._halves else 1
    elements = make_layout(
        ((32, 4), (of_lane, op._shape[0])), stride=((0, 32 * lane), (step, lane))
    )
    return make_cotiled_copy(atom, elements, tmem_tensor.layout)


def commit(
    mbar_ptr: _compiler.Pointer, mask: Int | None = None, cta_group: CtaGroup = CtaGroup.ONE
) -> None:
    """Arrive at an mbarrier when the products that the thread has started are done. Each thread that calls it arrives:
    call it within ``with cute.arch.elect_one()``.

    Args:
        mbar_ptr: a pointer to the mbarrier in shared memory.
        mask: bit i asks for an arrival at the barrier at the same place of block i of the cluster; default the own
            block's alone.
        cta_group: how many blocks the products are of. TypeError for anything else.
    """
    if not isinstance(cta_group, CtaGroup):
        raise make_error("LayoutMode", expected="a CtaGroup for commit", got=repr(cta_group))
    check_integer("commit", "mask", mask)
    _compiler.commit_tensor_products(mbar_ptr, mask, False, cta_group is CtaGroup.TWO)


class _ScaledMmaOp(Operation):
    """``tcgen05.mma`` with block scaling: a scale factor for each ``sf_vec_size`` neighbours along K of a row.
    The accumulators are Float32. ``set`` gives the scale factors in tensor memory, by Field.SFA and Field.SFB."""

    _kind = ""
    #: Bits of an element of A or B in shared memory.
    _bits = 4

    def _set(
        self,
        dtypes: tuple[type[_compiler.Numeric], type[_compiler.Numeric]],
        scales: tuple[type[_compiler.Numeric], int],
        instruction_shape: Sequence[Any],
        cta_group: CtaGroup,
        a_src: OperandSource,
        majors: tuple[OperandMajorMode, OperandMajorMode] = (
            OperandMajorMode.K,
            OperandMajorMode.K,
        ),
    ) -> None:
        for name, value, expected, fits in (
            ("cta_group", cta_group, "a CtaGroup", isinstance(cta_group, CtaGroup)),
            ("a_src", a_src, "OperandSource.SMEM", a_src is OperandSource.SMEM),
        ):
            if not fits:
                raise make_error(
                    "LayoutMode",
                    expected=f"{expected} as {name} of {type(self).__name__}",
                    got=repr(value),
                )
        for name, major in zip(("a_major_mode", "b_major_mode"), majors, strict=True):
            if not isinstance(major, OperandMajorMode):
                raise make_error(
                    "LayoutMode",
                    expected=f"OperandMajorMode.K or .MN as {name} of {type(self).__name__}",
                    got=repr(major),
                )
        self.a_dtype, self.b_dtype = dtypes
        self.acc_dtype = _compiler.Float32
        self.sf_dtype, self.sf_vec_size = scales
        self.cta_group, self.a_src = cta_group, a_src
        self.a_major_mode, self.b_major_mode = majors
        shape = _extents(self, instruction_shape)
        self.shape_mnk = (*shape, 256 // self._bits) if len(shape) == 2 else shape
        self._mma_atom()

    def _mma_atom(self) -> Any:
        return _compiler.make_scaled_mma_atom(
            self,
            self._kind,
            self.a_dtype,
            self.b_dtype,
            self.sf_dtype,
            self.sf_vec_size,
            list(self.shape_mnk),
            self.a_major_mode is OperandMajorMode.MN,
            self.b_major_mode is OperandMajorMode.MN,
            self.cta_group is CtaGroup.TWO,
        )


class MmaMXF8F6F4Op(_ScaledMmaOp):
    """Products of floats of 4, 6 and 8 bits with a Float8E8M0FNU for each 32: K is 32. In shared memory, 16 floats of
    fewer than 8 bits take 16 bytes and are packed at their beginning.

    Args:
        a_dtype: the type of A's elements, and of B's if the next argument is a shape.
        choices, named: ``b_dtype``; ``instruction_shape``, (M, N) or (M, N, K); ``cta_group``; ``a_src``;
            ``a_major_mode``; ``b_major_mode``.
    """

    _kind, _bits = "mxf8f6f4", 8

    def __init__(self, a_dtype: type[_compiler.Numeric], *choices: object, **named: object) -> None:
        b_dtype: Any = named.pop("b_dtype", None)
        others: Any = choices
        if b_dtype is None and others and _compiler.is_dtype(others[0]):
            b_dtype, others = others[0], others[1:]
        options: Any = named
        self._choose(a_dtype, a_dtype if b_dtype is None else b_dtype, *others, **options)

    def _choose(
        self,
        a_dtype: type[_compiler.Numeric],
        b_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
        a_major_mode: OperandMajorMode,
        b_major_mode: OperandMajorMode,
    ) -> None:
        shape, majors = tuple(instruction_shape), (a_major_mode, b_major_mode)
        super().__init__(
            a_dtype=a_dtype, b_dtype=b_dtype, instruction_shape=shape, cta_group=cta_group, a_src=a_src,
            a_major_mode=a_major_mode, b_major_mode=b_major_mode,
        )  # fmt: skip
        scales = (_compiler.Float8E8M0FNU, 32)
        self._set((a_dtype, b_dtype), scales, shape, cta_group, a_src, majors)


class MmaMXF4Op(_ScaledMmaOp):
    """Products of Float4E2M1FN, packed and K-major, with a Float8E8M0FNU for each 32: K is 64."""

    _kind = "mxf4"

    def __init__(
        self, instruction_shape: tuple[int, ...], cta_group: CtaGroup, a_src: OperandSource
    ) -> None:
        shape = tuple(instruction_shape)
        super().__init__(instruction_shape=shape, cta_group=cta_group, a_src=a_src)
        dtypes = (_compiler.Float4E2M1FN, _compiler.Float4E2M1FN)
        self._set(dtypes, (_compiler.Float8E8M0FNU, 32), shape, cta_group, a_src)


class MmaMXF4NVF4Op(_ScaledMmaOp):
    """Products of Float4E2M1FN, packed and K-major, with a Float8E4M3FN or Float8E8M0FNU for each 16: K is 64. Signs of
    scale factors are ignored."""

    _kind = "mxf4nvf4"

    def __init__(
        self,
        sf_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
    ) -> None:
        shape = tuple(instruction_shape)
        super().__init__(
            sf_dtype=sf_dtype, instruction_shape=shape, cta_group=cta_group, a_src=a_src
        )
        dtypes = (_compiler.Float4E2M1FN, _compiler.Float4E2M1FN)
        self._set(dtypes, (sf_dtype, 16), shape, cta_group, a_src)


class SM103MmaMXF4Op(_ScaledMmaOp):
    """MmaMXF4Op with K of 96, for ``sm_103``. Rows of A and B go on in another buffer of shared memory after 128 bytes:
    their descriptors are those of ``make_umma_smem_desc``, for ``mma_atom_call``."""

    _kind = "mxf4"

    def __init__(
        self, instruction_shape: tuple[int, ...], cta_group: CtaGroup, a_src: OperandSource
    ) -> None:
        shape = tuple(instruction_shape)
        super().__init__(instruction_shape=shape, cta_group=cta_group, a_src=a_src)
        dtypes = (_compiler.Float4E2M1FN, _compiler.Float4E2M1FN)
        scales = (_compiler.Float8E8M0FNU, 32)
        self._set(dtypes, scales, _long(shape), cta_group, a_src)


class SM103MmaMXF4NVF4Op(_ScaledMmaOp):
    """MmaMXF4NVF4Op with K of 96, for ``sm_103``; see SM103MmaMXF4Op."""

    _kind = "mxf4nvf4"

    def __init__(
        self,
        sf_dtype: type[_compiler.Numeric],
        instruction_shape: tuple[int, ...],
        cta_group: CtaGroup,
        a_src: OperandSource,
    ) -> None:
        shape = tuple(instruction_shape)
        super().__init__(
            sf_dtype=sf_dtype, instruction_shape=shape, cta_group=cta_group, a_src=a_src
        )
        dtypes = (_compiler.Float4E2M1FN, _compiler.Float4E2M1FN)
        self._set(dtypes, (sf_dtype, 16), _long(shape), cta_group, a_src)


def _long(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape with K of 96; it may lack K."""
    if len(shape) == 3 and shape[2] != 96:
        raise make_error(
            "LayoutMode", expected="(M, N) or (M, N, 96) as the shape", got=repr(shape)
        )
    return (*shape[:2], 96)


class Cp4x32x128bOp(CopyOp):
    """``tcgen05.cp`` of 32 rows of 16 bytes, from shared memory to 32 lanes of every warp: how scale factors come to
    tensor memory. Of elements of 8 bits; ``copy`` takes partitions of make_s2t_copy. Of a pair (``CtaGroup.TWO``), each
    block copies from its own shared memory, at the same place, to its own tensor memory."""

    _kind = "rows to tensor memory"

    def __init__(self, cta_group: CtaGroup = CtaGroup.ONE) -> None:
        super().__init__(cta_group=cta_group)
        if not isinstance(cta_group, CtaGroup):
            raise make_error(
                "LayoutMode", expected="a CtaGroup for Cp4x32x128bOp", got=repr(cta_group)
            )
        self.cta_group = cta_group

    def _copy_op(self) -> Any:
        op = _compiler.CopyOp("tcgen05.cp")
        return op._of_pair() if self.cta_group is CtaGroup.TWO else op


def _require_row_copy(name: str, atom: object) -> None:
    if not isinstance(getattr(atom, "op", None), Cp4x32x128bOp):
        raise make_error("LayoutMode", expected=f"an atom of Cp4x32x128bOp for {name}", got=atom)


def make_s2t_copy(atom: CopyAtom, tmem_tensor: _compiler.Tensor) -> TiledCopy:
    """Return a copy of one thread from shared memory to a tensor in tensor memory.

    Args:
        atom: of Cp4x32x128bOp.
        tmem_tensor: scale factors in tensor memory, without modes of stride 0: ``filter_zeros`` of the tensor.

    Raises TypeError for another atom.
    """
    _require_row_copy("make_s2t_copy", atom)
    lane = 4 * _LANE
    values = make_layout((1, (32, 16, 4)), stride=(0, (lane, 1, 32 * lane)))
    return make_cotiled_copy(atom, values, tmem_tensor.layout)


def get_s2t_smem_desc_tensor(atom: TiledCopy, smem_tensor: _compiler.Tensor) -> Any:
    """Return the descriptors of a partition of shared memory, which ``copy`` takes as the source.

    Args:
        atom: of make_s2t_copy.
        smem_tensor: what ``partition_S`` of its slice returned.

    Raises ValueError (LayoutOperation) for rows that are not 16 neighbouring bytes.
    """
    _require_row_copy("get_s2t_smem_desc_tensor", atom)
    return _compiler.row_descriptors(atom, smem_tensor)


def make_umma_smem_desc(
    src: _compiler.Pointer,
    layout: Any,
    major: str,
    next_src: _compiler.Pointer | None = None,
) -> Any:
    """Return the descriptor of an operand in shared memory, in place of a pointer for ``make_tensor``.

    Args:
        src: where the operand begins.
        layout: its layout, (rows, K).
        major: ``"k"`` or ``"mn"``, the mode whose elements are neighbours.
        next_src: where rows go on that are longer than 128 bytes, for products of 96 elements along K; default None.

    Raises TypeError for another ``major`` and for other memory, ValueError (LayoutOperation) for a layout that no
    descriptor tells of.
    """
    if major not in ("k", "mn"):
        raise make_error(
            "LayoutMode", expected="'k' or 'mn' as major of make_umma_smem_desc", got=repr(major)
        )
    return _compiler.operand_descriptor(make_tensor(src, layout), major == "mn", next_src).iterator


def tile_to_mma_shape(atom: Any, mma_tile_shape: Any, order: Any = None) -> Any:
    """Return ``atom``, a layout of rows along M or N and K, repeated to the tiles of a product: ((rows, K), tiles,
    tiles, ...), as a composed layout.

    Args:
        atom: such as make_smem_layout_atom returns.
        mma_tile_shape: the shape ((rows, K), tiles of M or N, tiles of K, ...).
        order: the filling order of the modes (rows, K, ...); default the first one first.
    """
    (rows, depth), row_tiles, depth_tiles, *rest = mma_tile_shape
    shape = (rows * row_tiles, depth * depth_tiles, *rest)
    staged = tile_to_shape(atom, shape, order or tuple(range(len(shape))))
    is_plain = isinstance(staged, _compiler.Layout)
    tiled = tiled_divide(staged if is_plain else staged.outer, (rows, depth))
    tiled = coalesce(tiled, ((1, 1), *((1,) * (len(shape)))))
    return tiled if is_plain else make_composed_layout(staged.inner, 0, tiled)


def __dir__() -> list[str]:
    """Return the names that completion offers."""
    return sorted(__all__)
