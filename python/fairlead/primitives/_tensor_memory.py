"""Tensor memory: its columns, copies from and to registers and shared memory, and the order of its instructions."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead.cute._target import current_target
from fairlead.cute._types import Choice, DType, Int, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._array import Array
from fairlead.primitives._descriptors import TmemAddr
from fairlead.primitives._operands import dtype as numeric_class
from fairlead.primitives._operands import (
    emit,
    int32,
    is_remote,
    member,
    needs,
    on_gpu,
    only_on,
    pointer,
    shared,
    type_name,
    word32,
)
from fairlead.primitives._pointer import inttoptr
from fairlead.primitives._vector import Vector
from fairlead.primitives._warp import shfl_sync

__all__ = [
    "S2TCopyMode",
    "make_tmem_ptr",
    "make_tmem_ptr_from_warp_row_col",
    "tcgen05_alloc",
    "tcgen05_commit",
    "tcgen05_cp",
    "tcgen05_dealloc",
    "tcgen05_fence",
    "tcgen05_ld",
    "tcgen05_ld_red",
    "tcgen05_relinquish_alloc_permit",
    "tcgen05_shift",
    "tcgen05_st",
    "tcgen05_wait",
]

_Int32, _Float32 = _compiler.Int32, _compiler.Float32
_TENSOR = _compiler.AddressSpace.tmem
_WARP_ROWS, _WARP_LANES, _MOST_COLUMNS, _MOST_REGISTERS = 32, 32, 512, 128
#: The thread that executes the operation is the one that issues it: no lane is elected.
CHOSEN = {"fairlead.chosen_thread": True}


class S2TCopyMode:
    """Copies from shared to tensor memory: pairs of a Tcgen05CpShape and a Tcgen05CpMulticast or None."""

    S2T_128x256b = (_enums.Tcgen05CpShape.SHAPE_128x256b, None)
    S2T_4x256b = (_enums.Tcgen05CpShape.SHAPE_4x256b, None)
    S2T_128x128b = (_enums.Tcgen05CpShape.SHAPE_128x128b, None)
    S2T_64x128b_WARPX2_02_13 = (
        _enums.Tcgen05CpShape.SHAPE_64x128b,
        _enums.Tcgen05CpMulticast.WARPX2_02_13,
    )
    S2T_64x128b_WARPX2_01_23 = (
        _enums.Tcgen05CpShape.SHAPE_64x128b,
        _enums.Tcgen05CpMulticast.WARPX2_01_23,
    )
    S2T_32x128b_WARPX4 = (
        _enums.Tcgen05CpShape.SHAPE_32x128b,
        _enums.Tcgen05CpMulticast.WARPX4,
    )


#: Operands.


def tensor_pointer(value: object, function: str, name: str) -> Any:
    """Return the pointer of an address operand in tensor memory: an Array, a pointer, or a TmemAddr.

    Raises:
        TypeError (ArgumentKind): `value` is no address, or one in other memory.
    """
    if isinstance(value, TmemAddr):
        return _compiler.pointer_from_int(_Int32, value, _TENSOR, 4)
    ptr = pointer(value, function, name)
    if ptr.memspace != _TENSOR:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected=f"an address in tensor memory as {name}",
            got=f"{ptr!r}",
        )
    return ptr


def tensor_address(ptr: _compiler.Pointer) -> Any:
    """Return the address of tensor memory as a register of PTX."""
    return ptr.toint().to(_Int32)


def group_word(group: Choice | None, function: str, name: str = "group") -> str:
    """``"one"`` or ``"two"``: the blocks of a CTAGroup, by default one."""
    chosen = member(_enums.CTAGroup, "cta_1" if group is None else group, function, name)
    return "two" if chosen.value == "cta_2" else "one"


def group_suffix(word: str) -> str:
    """Return the suffix of an instruction for the blocks that `group_word` names."""
    return f".cta_group::{2 if word == 'two' else 1}"


def refuse(function: str, name: str, value: object, expected: str) -> Exception:
    """Return the error of an operand whose value is not supported."""
    return make_error(
        "ArgumentValue", function=function, expected=f"{expected} as {name}", got=repr(value)
    )


def _not_exclusive(is_exclusive: bool | None, function: str) -> None:
    if is_exclusive:
        raise refuse(function, "is_exclusive", is_exclusive, "None or False")


def _columns(n_cols: Int, function: str) -> Any:
    number = int32(n_cols, function, "n_cols", least=_WARP_ROWS, most=_MOST_COLUMNS)
    if isinstance(number, int) and number & (number - 1):
        raise refuse(function, "n_cols", number, "a power of two from 32 to 512")
    return _Int32(number)


#: Addresses and columns.


def make_tmem_ptr(tmem_addr: Int, dtype: DType) -> Array:
    """Return the array without a shape that begins at an address of tensor memory.

    Args:
        tmem_addr: the lane in the upper 16 bits, the column in the lower 16.
        dtype: the numeric class of the elements, which loads return.
    """
    int32(tmem_addr, "make_tmem_ptr", "tmem_addr")
    return Array(inttoptr(tmem_addr, "tmem", numeric_class(dtype, "make_tmem_ptr", "dtype")))


def make_tmem_ptr_from_warp_row_col(
    tmem_base: Int, warp: Int, base_col: Int, dtype: DType
) -> Array:
    """Return the array at a column of the 32 lanes that a warp reaches.

    Args:
        tmem_base: an address whose lane is that of warp 0.
        warp: the warp's place in its warpgroup, 0 to 3.
        base_col: the column, which replaces that of `tmem_base`.
        dtype: see make_tmem_ptr.
    """
    function = "make_tmem_ptr_from_warp_row_col"
    place = int32(warp, function, "warp", least=0, most=3)
    column = int32(base_col, function, "base_col", least=0, most=_MOST_COLUMNS - 1)
    base = _Int32(int32(tmem_base, function, "tmem_base"))
    lane = (base >> 16) + _Int32(place) * _WARP_ROWS
    return make_tmem_ptr((lane << 16) | _Int32(column), dtype)


def tcgen05_alloc(
    addr: PointerLike,
    n_cols: Int,
    *,
    is_exclusive: bool | None = None,
    group: Choice | None = None,
) -> None:
    """Reserve columns of tensor memory, and wait until they are free; all lanes of a warp call it.

    For sm_100a and its family, and the CPU.

    Args:
        addr: 4 bytes of this block's shared memory, which get the address of the columns.
        n_cols: number of columns, a power of two from 32 to 512.
        is_exclusive: None or False.
        group: a ``CTAGroup``: CTA_1 (default), or CTA_2 if a warp of each block of a pair calls it.
    """
    function = "tcgen05_alloc"
    needs(function, "tcgen05")
    _not_exclusive(is_exclusive, function)
    operands = [shared(addr, function, "addr"), _columns(n_cols, function)]
    _compiler.operation("tcgen05.alloc", operands, {"group": group_word(group, function)})


def tcgen05_dealloc(
    taddr: PointerLike,
    n_cols: Int,
    *,
    is_exclusive: bool | None = None,
    group: Choice | None = None,
) -> None:
    """Free columns of tensor memory; all lanes of a warp call it.

    Args:
        taddr: the address that tcgen05_alloc wrote.
        n_cols: the number of columns that were reserved.
        is_exclusive, group: see tcgen05_alloc.
    """
    function = "tcgen05_dealloc"
    needs(function, "tcgen05")
    _not_exclusive(is_exclusive, function)
    operands = [tensor_pointer(taddr, function, "taddr"), _columns(n_cols, function)]
    _compiler.operation("tcgen05.dealloc", operands, {"group": group_word(group, function)})


def tcgen05_relinquish_alloc_permit(*, group: Choice | None = None) -> None:
    """Say that the block reserves no more columns; all lanes of a warp call it.

    Args:
        group: see tcgen05_alloc.
    """
    function = "tcgen05_relinquish_alloc_permit"
    needs(function, "tcgen05")
    attributes = {"group": group_word(group, function)}
    _compiler.operation("tcgen05.relinquish_alloc_permit", [], attributes)


#: Registers.


class _Shape(NamedTuple):
    """Lanes and bits of a step of a copy, and the registers of each thread per step."""

    lanes: int
    bits: int
    registers: int
    name: str


_SHAPES = {
    "16x32bx2": _Shape(16, 32, 1, "16x32bx2"),
    "16x64b": _Shape(16, 64, 1, "16x64b"),
    "32x32b": _Shape(32, 32, 1, "32x32b"),
    "16x128b": _Shape(16, 128, 2, "16x128b"),
    "16x256b": _Shape(16, 256, 4, "16x256b"),
}


def _shape(shape: Choice, function: str) -> _Shape:
    return _SHAPES[member(_enums.Tcgen05LdStShape, shape, function, "shape").value]


def _register_count(form: _Shape, num: object, function: str, least: int = 1) -> int:
    most = _MOST_REGISTERS // form.registers
    if type(num) is not int or not least <= num <= most or num & (num - 1):
        raise refuse(function, "num", num, f"a power of two from {least} to {most}")
    return num * form.registers


def _distance(form: _Shape, count: int, halves: bool, offset: object, function: str) -> int | None:
    """The distance of the columns of lanes 16 to 31; None if they continue to the right of the other lanes'."""
    if form.name != "16x32bx2":
        if offset is not None:
            raise refuse(function, "offset", offset, f"None for shape {form.name}")
        return None
    if type(offset) is not int or not 0 <= offset < _MOST_COLUMNS:
        raise refuse(function, "offset", offset, "an int of 0 to 511 for shape 16x32bx2")
    return None if offset == count * (2 if halves else 1) else offset


def _load(ptr: _compiler.Pointer, form: _Shape, count: int, halves: bool) -> list[Any]:
    attributes = {"step_lanes": form.lanes, "step_bits": form.bits, "halves": halves}
    return list(_compiler.operation("tcgen05.ld", [ptr], attributes, [_Int32] * count))


def _load_apart(
    ptr: _compiler.Pointer, form: _Shape, count: int, halves: bool, distance: int
) -> list[Any]:
    """Load 16 lanes whose upper threads read columns at any distance from the others'."""
    if on_gpu():
        places = ", ".join(f"${place}" for place in range(count))
        pack = ".pack::16b" if halves else ""
        text = (
            f"tcgen05.ld.sync.aligned.16x32bx2.x{count}{pack}.b32 {{{places}}}, [${count}], "
            f"{distance}; tcgen05.wait::ld.sync.aligned;"
        )
        values = emit(text, [_Int32] * count, [tensor_address(ptr)])
        return [values] if count == 1 else list(values)
    # Lanes 16 to 31 get what lanes 0 to 15 read there.
    lane = _compiler.thread_idx()[0] % _WARP_LANES
    near = _load(ptr, form, count, halves)
    far_ptr = _compiler.pointer_from_int(_Int32, tensor_address(ptr) + distance, _TENSOR, 4)
    far = [
        shfl_sync(-1, word, lane % 16, 0x1F, "idx") for word in _load(far_ptr, form, count, halves)
    ]
    return [_compiler.select(lane < 16, a, b) for a, b in zip(near, far, strict=True)]


def _as_vector(words: list[Any], dtype: DType) -> Vector:
    vector = Vector.from_elements(words, _Int32)
    return vector if dtype is _Int32 else vector.bitcast(dtype)


def tcgen05_ld(
    shape: Choice,
    tmem_addr: PointerLike,
    *,
    num: int = 1,
    pack: bool | None = None,
    offset: int | None = None,
) -> Vector:
    """Load from tensor memory, and wait until the registers hold it; all lanes of a warp call it.

    For sm_100a and its family, and the CPU. A warp reaches the 32 lanes of its place in the warpgroup.

    Args:
        shape: a ``Tcgen05LdStShape``.
        tmem_addr: the first lane and column, the same for all lanes of the warp.
        num: number of steps, a power of two. A step fills a register of each thread; of shape 16x128b it fills two,
            of 16x256b four.
        pack: True if a register holds the lower halves of two columns.
        offset: for shape 16x32bx2 the distance of the columns of threads 16 to 31.

    Returns:
        A Vector of the registers, as numbers of the type of `tmem_addr`: of 16 bits, two for each register.
    """
    function = "tcgen05_ld"
    needs(function, "tcgen05")
    form = _shape(shape, function)
    ptr = tensor_pointer(tmem_addr, function, "tmem_addr")
    count = _register_count(form, num, function)
    distance = _distance(form, count, bool(pack), offset, function)
    if distance is None:
        words = _load(ptr, form, count, bool(pack))
    else:
        words = _load_apart(ptr, form, count, bool(pack), distance)
    return _as_vector(words, ptr.dtype)


def _words_of(val: object, function: str) -> list[Any]:
    """The registers of 32 bits that hold a number, or the elements of a vector, a tuple or a list."""
    if isinstance(val, Vector):
        words = val if val.dtype.width == 32 else val.bitcast(_Int32)
        numbers = list(words.to_elements())
    else:
        numbers = list(val) if isinstance(val, (tuple, list)) else [val]
    words32 = [word32(number, function, "val") for number in numbers]
    return [word if type(word) is _Int32 else word.bitcast(_Int32) for word in words32]


def tcgen05_st(
    shape: Choice,
    tmem_addr: PointerLike,
    val: object,
    *,
    unpack: bool | None = None,
    offset: int | None = None,
) -> None:
    """Store registers to tensor memory; all lanes of a warp call it. The inverse of tcgen05_ld.

    ``tcgen05_wait("store")`` waits for it.

    Args:
        shape, tmem_addr, offset: see tcgen05_ld. On the CPU, the offset is that of neighbouring columns.
        val: a Vector, a number of 32 bits, or a tuple or list of such numbers.
        unpack: True if a register holds the lower halves of two columns.
    """
    function = "tcgen05_st"
    needs(function, "tcgen05")
    form = _shape(shape, function)
    ptr = tensor_pointer(tmem_addr, function, "tmem_addr")
    words = _words_of(val, function)
    if len(words) % form.registers:
        raise refuse(function, "val", len(words), f"a multiple of {form.registers} registers")
    count = _register_count(form, len(words) // form.registers, function)
    distance = _distance(form, count, bool(unpack), offset, function)
    if distance is None:
        attributes = {"step_lanes": form.lanes, "step_bits": form.bits, "halves": bool(unpack)}
        _compiler.operation("tcgen05.st", [ptr, *words], attributes)
        return
    needs(f"{function} with offset={distance} of {count} registers", "tcgen05", cpu=False)
    places = ", ".join(f"${place + 1}" for place in range(count))
    halves = ".unpack::16b" if unpack else ""
    text = f"tcgen05.st.sync.aligned.16x32bx2.x{count}{halves}.b32 [$0], {distance}, {{{places}}};"
    emit(text, [], [tensor_address(ptr), *words])


def _reduced(words: list[Any], op: str, dtype: DType, absolute: bool, nan: bool) -> Any:
    """The least or greatest of registers; NaN count only with `nan`."""
    numbers = [word if dtype is _Int32 else word.bitcast(dtype) for word in words]
    if dtype is not _Float32:
        combine = _compiler.min if op == "min" else _compiler.max
        return functools.reduce(combine, numbers)
    if absolute:
        numbers = [(word & 0x7FFFFFFF).bitcast(_Float32) for word in words]

    def smaller(a: Any, b: Any) -> Any:
        chosen = _compiler.select((a < b) if op == "min" else (a > b), a, b)
        # A comparison with NaN is false, which chooses b.
        chosen = _compiler.select(b != b, a, chosen)
        return _compiler.select(a != a, a, _compiler.select(b != b, b, chosen)) if nan else chosen

    return functools.reduce(smaller, numbers)


def tcgen05_ld_red(
    shape: Choice,
    tmem_addr: PointerLike,
    op: Choice,
    *,
    num: int = 2,
    abs: bool | None = None,
    nan: bool | None = None,
    is_signed: bool | None = None,
    offset: int | None = None,
) -> tuple[Vector, Any]:
    """Load from tensor memory, and find the least or greatest number of each thread.

    For sm_103a, sm_110a and their families, and the CPU.

    Args:
        shape: a ``Tcgen05LdStShape``: 32x32b or 16x32bx2.
        tmem_addr, offset: see tcgen05_ld. The type of the elements is Float32, Int32 or Uint32.
        op: ``"min"`` or ``"max"``, or a ``ReductionOp``.
        num: number of registers, a power of two from 2 to 128.
        abs: True for the magnitudes of floats.
        nan: True if the result is NaN where a number is NaN. Otherwise NaN are no candidates.
        is_signed: whether integers have a sign, default by their type.

    Returns:
        The Vector of the registers, and the number that was found.
    """
    function = "tcgen05_ld_red"
    needs(function, "tcgen05")
    _require_reduction(function)
    form = _shape(shape, function)
    if form.name not in ("32x32b", "16x32bx2"):
        raise refuse(function, "shape", form.name, "32x32b or 16x32bx2")
    name = member(_enums.ReductionOp, op, function, "op").value
    if name not in ("min", "max"):
        raise refuse(function, "op", name, "min or max")
    ptr = tensor_pointer(tmem_addr, function, "tmem_addr")
    dtype = _reduced_type(ptr.dtype, is_signed, function)
    if dtype is not _Float32 and (abs or nan):
        raise refuse(function, "abs" if abs else "nan", True, f"None for {dtype.__name__}")
    count = _register_count(form, num, function, least=2)
    distance = _distance(form, count, False, offset, function)
    if on_gpu():
        where = ""
        if form.name == "16x32bx2":
            where = f", {count if distance is None else distance}"
        suffix = f"{name}{'.abs' if abs else ''}{'.NaN' if nan else ''}"
        words, extreme = _load_reduced(ptr, form, count, where, suffix, dtype)
    else:
        loaded = tcgen05_ld(shape, ptr, num=num, offset=offset)
        words = _words_of(loaded, function)
        extreme = _reduced(words, name, dtype, bool(abs), bool(nan))
    return _as_vector(words, ptr.dtype), extreme


def _require_reduction(function: str) -> None:
    target = current_target()
    if target.capability and target.capability not in (103, 110):
        raise only_on(function, "sm_103a, sm_110a and their families")


def _reduced_type(dtype: DType, is_signed: bool | None, function: str) -> DType:
    if dtype is _Float32:
        return dtype
    if dtype not in (_Int32, _compiler.Uint32):
        raise make_error(
            "ArgumentKind",
            function=function,
            expected="elements of Float32, Int32 or Uint32 at tmem_addr",
            got=type_name(dtype),
        )
    signed = dtype is _Int32 if is_signed is None else is_signed
    return _Int32 if signed else _compiler.Uint32


def _load_reduced(
    ptr: _compiler.Pointer, form: _Shape, count: int, where: str, suffix: str, dtype: DType
) -> tuple[list[Any], Any]:
    kind = {"Float32": "f32", "Int32": "s32"}.get(dtype.__name__, "u32")
    places = ", ".join(f"${place}" for place in range(count))
    text = (
        f"tcgen05.ld.red.sync.aligned.{form.name}.x{count}.{suffix}.{kind} {{{places}}}, "
        f"${count}, [${count + 1}]{where}; tcgen05.wait::ld.sync.aligned;"
    )
    *words, extreme = emit(text, [_Int32] * count + [dtype], [tensor_address(ptr)])
    return words, extreme


def tcgen05_wait(kind: Choice) -> None:
    """Wait until this thread's loads from tensor memory, or stores to it, are done; all lanes of a warp call it.

    Args:
        kind: a ``Tcgen05Wait``: LOAD or STORE.
    """
    function = "tcgen05_wait"
    needs(function, "tcgen05")
    if member(_enums.Tcgen05Wait, kind, function, "kind").value == "load":
        _compiler.wait_tensor_loads()
    else:
        _compiler.wait_tensor_stores()


#: Operations that one thread issues.


_ROWS = {
    ("128x256b", None): "rows128x256",
    ("4x256b", None): "rows4x256",
    ("128x128b", None): "rows128x128",
    ("64x128b", "warpx2_02_13"): "rows64x128_02_13",
    ("64x128b", "warpx2_01_23"): "rows64x128_01_23",
    ("32x128b", "warpx4"): "rows32x128",
}


def tcgen05_cp(
    shape: Choice,
    taddr: PointerLike,
    smem_desc: Int,
    *,
    group: Choice | None = None,
    multicast: Choice | None = None,
    src_format: Choice | None = None,
) -> None:
    """Copy rows from shared to tensor memory, without waiting; one thread calls it.

    For sm_100a and its family, and the CPU. ``S2TCopyMode`` has the pairs of `shape` and `multicast`.

    Args:
        shape: a ``Tcgen05CpShape``: rows and bits of a row.
        taddr: the first lane and column that get the rows.
        smem_desc: the rows in shared memory, a ``Tcgen05SmemDesc``.
        group: a ``CTAGroup``, default CTA_1.
        multicast: a ``Tcgen05CpMulticast``: the warps whose lanes get shapes of 64 and 32 rows.
        src_format: a ``Tcgen05CpSrcFormat``: floats of 6 or 4 bits that become bytes. Only on GPUs.
    """
    function = "tcgen05_cp"
    needs(function, "tcgen05")
    rows = member(_enums.Tcgen05CpShape, shape, function, "shape").value
    warps = None
    if multicast is not None:
        warps = member(_enums.Tcgen05CpMulticast, multicast, function, "multicast").value
    if (rows, warps) not in _ROWS:
        fitting = [str(warps_of_rows) for row_count, warps_of_rows in _ROWS if row_count == rows]
        raise refuse(function, "multicast", warps, f"{' or '.join(fitting)} for shape {rows}")
    ptr = tensor_pointer(taddr, function, "taddr")
    descriptor = descriptor64(smem_desc, function, "smem_desc")
    word = group_word(group, function)
    if src_format is None:
        attributes = {"shape": _ROWS[rows, warps], "group": word, **CHOSEN}
        _compiler.operation("tcgen05.cp", [descriptor, ptr], attributes)
        return
    source = member(_enums.Tcgen05CpSrcFormat, src_format, function, "src_format").value
    needs(f"{function} with src_format={source}", "tcgen05", cpu=False)
    lanes = f".{warps[:6]}{'::' + warps[7:] if warps[7:] else ''}" if warps else ""
    text = f"tcgen05.cp{group_suffix(word)}.{rows}{lanes}.b8x16.{source} [$0], $1;"
    emit(text, [], [tensor_address(ptr), descriptor])


def descriptor64(value: object, function: str, name: str) -> Any:
    """Return a descriptor of shared memory: a number of 64 bits. TypeError (ArgumentKind) for other values."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _compiler.Int64(value)
    if isinstance(value, _compiler.Numeric) and type(value).is_integer and type(value).width == 64:
        return _compiler.Int64(value)
    raise make_error(
        "ArgumentKind",
        function=function,
        expected=f"a Tcgen05SmemDesc or another integer of 64 bits as {name}",
        got=type_name(value),
    )


def tcgen05_commit(
    addr: PointerLike,
    *,
    multicast_mask: Int | None = None,
    smem_a_read: bool | None = None,
    group: Choice | None = None,
) -> None:
    """Arrive at an mbarrier when the products and copies that this thread issued are done; one thread calls it.

    For sm_100a and its family, and the CPU.

    Args:
        addr: an mbarrier in shared memory.
        multicast_mask: bit i for the same place in block i of the cluster.
        smem_a_read: None or False.
        group: a ``CTAGroup``, default CTA_1.
    """
    function = "tcgen05_commit"
    needs(function, "tcgen05")
    if smem_a_read:
        raise refuse(function, "smem_a_read", smem_a_read, "None or False")
    barrier = shared(addr, function, "addr")
    operands = [barrier]
    if multicast_mask is not None:
        if is_remote(barrier):
            raise refuse(
                function, "addr", barrier, "this block's shared memory with multicast_mask"
            )
        mask = int32(multicast_mask, function, "multicast_mask", least=0, most=0xFFFF)
        if isinstance(mask, int):
            mask = mask - (1 << 16) if mask >= 1 << 15 else mask
            operands.append(_compiler.Int16(mask))
        else:
            operands.append(mask.to(_compiler.Int16))
    attributes = {"group": group_word(group, function), **CHOSEN}
    _compiler.operation("tcgen05.commit", operands, attributes)


def tcgen05_shift(taddr: PointerLike, *, group: Choice | None = None) -> None:
    """Move rows of 8 columns one lane down, in each 32 lanes, without waiting; one thread calls it.

    For sm_100a, sm_103a and sm_110a, not their families.

    Args:
        taddr: the first lane and column.
        group: a ``CTAGroup``, default CTA_1.
    """
    function = "tcgen05_shift"
    needs_specific(function)
    ptr = tensor_pointer(taddr, function, "taddr")
    text = f"tcgen05.shift{group_suffix(group_word(group, function))}.down [$0];"
    emit(text, [], [tensor_address(ptr)])


def needs_specific(function: str) -> None:
    """Check that the target is an architecture with tensor memory itself, not its family."""
    if not (on_gpu() and str(current_target()).endswith("a")):
        raise only_on(function, "sm_100a, sm_103a and sm_110a")
    needs(function, "tcgen05", cpu=False)


def tcgen05_fence(kind: Choice) -> None:
    """Order this thread's instructions on tensor memory before, or after, a synchronisation of threads.

    Args:
        kind: a ``Tcgen05Fence``: BEFORE_THREAD_SYNC or AFTER_THREAD_SYNC.
    """
    function = "tcgen05_fence"
    needs(function, "tcgen05")
    if member(_enums.Tcgen05Fence, kind, function, "kind").value.startswith("before"):
        _compiler.fence_tensor_before()
    else:
        _compiler.fence_tensor_after()
