"""Copies: of a thread's own bytes, of neighbouring bytes, and of boxes of tensors.

One thread issues a bulk copy: the program chooses it, with `elect_sync` for example.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Choice, Int, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    device,
    emit,
    int32,
    is_remote,
    member,
    needs,
    on_gpu,
    only_on,
    shared,
    type_name,
)
from fairlead.primitives._operands import policy as cache_policy

__all__ = [
    "cp_async_bulk_commit_group",
    "cp_async_bulk_global_shared_cta",
    "cp_async_bulk_prefetch",
    "cp_async_bulk_shared_cluster_global",
    "cp_async_bulk_shared_cluster_shared_cta",
    "cp_async_bulk_tensor_global_shared_cta",
    "cp_async_bulk_tensor_prefetch",
    "cp_async_bulk_tensor_reduce",
    "cp_async_bulk_tensor_shared_cluster_global",
    "cp_async_bulk_tensor_shared_cta_global",
    "cp_async_bulk_wait_group",
    "cp_async_commit_group",
    "cp_async_shared_global",
    "cp_async_wait_group",
    "cp_reduce_async_bulk_global_shared_cta",
    "st_bulk",
]

_Int16, _Int32, _Int64 = _compiler.Int16, _compiler.Int32, _compiler.Int64
_Uint8, _Uint32 = _compiler.Uint8, _compiler.Uint32
#: On operations that one lane executes: the program has chosen the thread.
_CHOSEN = "fairlead.chosen_thread"
_UNIT, _MOST_BULK_BYTES = 16, (1 << 31) - 16


def _known_groups(count: Int, function: str, name: str) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise make_error(
            "ArgumentKind" if not isinstance(count, int) else "ArgumentValue",
            function=function,
            expected=f"a number that is known while tracing, 0 or more, as {name}",
            got=repr(count) if isinstance(count, int) else type_name(count),
        )
    return count


#: Copies of a thread.


def cp_async_shared_global(
    dst: PointerLike, src: PointerLike, size: int, modifier: Choice, *, cp_size: Int | None = None
) -> None:
    """Start to copy bytes from global to shared memory, for sm_80 and newer GPUs. On the CPU the copy is done at once.

    Args:
        dst: an address in shared memory that is a multiple of `size` bytes.
        src: an address in global memory that is a multiple of `size` bytes.
        size: number of bytes: 4, 8 or 16.
        modifier: a ``LoadCacheModifier``: CA, or CG, which copies 16 bytes.
        cp_size: number of bytes that are read, a run-time number; the others become 0. Default `size`.
    """
    function = "cp_async_shared_global"
    target, source = shared(dst, function, "dst"), device(src, function, "src")
    cache = member(_enums.LoadCacheModifier, modifier, function, "modifier").value
    if size not in (4, 8, 16):
        raise make_error(
            "ArgumentValue", function=function, expected="4, 8 or 16 as size", got=repr(size)
        )
    if cache not in ("ca", "cg") or (cache == "cg" and size != 16):
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="ca as modifier, or cg with a size of 16 bytes",
            got=f"{cache} with {size}",
        )
    needs(function, "cp_async")
    read = None if cp_size is None else int32(cp_size, function, "cp_size", least=0, most=size)
    if on_gpu():
        text = f"cp.async.{cache}.shared.global [$0], [$1], {size}"
        operands = [target, source] if read is None else [target, source, read]
        emit(text + ("" if read is None else ", $2") + ";", [], operands)
        return
    _copy_now(target, source, size, read)


def _copy_now(
    target: _compiler.Pointer, source: _compiler.Pointer, size: int, read: _compiler.Numeric | None
) -> None:
    """Copy words; from byte `read` on, unless it is None, zeros."""
    if read is None:
        to, of = target._recast(_Uint32), source._recast(_Uint32)
        for word in range(size // 4):
            (to + word).store((of + word).load())
        return
    to, of = target._recast(_Uint8), source._recast(_Uint8)
    for byte in range(size):

        def value(at: int = byte) -> list[Any]:
            return [(of + at).load()]

        def zero() -> list[Any]:
            return [_Uint8(0)]

        inside = _Int32(read) > byte
        (to + byte).store(_compiler.conditional(inside, value, zero)[0])


def cp_async_commit_group() -> None:
    """End a group of the copies that the thread started with cp_async_shared_global."""
    _compiler.commit_copies()


def cp_async_wait_group(n: int) -> None:
    """Wait until at most `n` groups of the thread's copies are under way.

    Args:
        n: a number that is known while tracing.
    """
    _compiler.wait_copies(_known_groups(n, "cp_async_wait_group", "n"))


#: Copies of neighbouring bytes.


def _size(size: object, function: str) -> Any:
    return _Int32(int32(size, function, "size", least=_UNIT, most=_MOST_BULK_BYTES, multiple=_UNIT))


def _barrier(mbar: object, function: str) -> Any:
    return shared(mbar, function, "mbar")


def _blocks(mask: object, function: str) -> list[Any]:
    if mask is None:
        return []
    number = int32(mask, function, "multicast_mask", least=0, most=0xFFFF)
    if isinstance(number, int):
        return [_Int16(number - (1 << 16) if number >> 15 else number)]
    return [number.to(_Int16)]


def _operation(name: str, operands: Sequence[Any], **attributes: object) -> None:
    _compiler.operation(name, list(operands), {_CHOSEN: True, **attributes})


def cp_async_bulk_shared_cluster_global(
    dst_mem: PointerLike,
    src_mem: PointerLike,
    mbar: PointerLike,
    size: Int,
    *,
    multicast_mask: Int | None = None,
    l2_cache_hint: Int | None = None,
) -> None:
    """Start to copy bytes from global to shared memory; for sm_90 and newer GPUs, and the CPU.

    Args:
        dst_mem: an address in shared memory that is a multiple of 16 bytes.
        src_mem: an address in global memory that is a multiple of 16 bytes.
        mbar: the mbarrier that counts the bytes.
        size: number of bytes, a multiple of 16.
        multicast_mask: the blocks of the cluster that get a copy, a bit for each.
        l2_cache_hint: a cache policy of 64 bits.
    """
    function = "cp_async_bulk_shared_cluster_global"
    needs(function, "tma")
    target, source = shared(dst_mem, function, "dst_mem"), device(src_mem, function, "src_mem")
    blocks, policy = _blocks(multicast_mask, function), cache_policy(l2_cache_hint, function)
    operands = [target, source, _size(size, function), _barrier(mbar, function), *blocks, *policy]
    sizes = [1, 1, 1, 1, len(blocks), len(policy)]
    _operation("bulk_load", operands, operandSegmentSizes=sizes)


def cp_async_bulk_global_shared_cta(
    dst_mem: PointerLike,
    src_mem: PointerLike,
    size: Int,
    *,
    l2_cache_hint: Int | None = None,
    byte_mask: Int | None = None,
) -> None:
    """Start to copy bytes from shared to global memory, in the thread's bulk group.

    For sm_90 and newer GPUs, and the CPU; with `byte_mask` for sm_100 and newer GPUs.

    Args:
        dst_mem: an address in global memory that is a multiple of 16 bytes.
        src_mem: an address in shared memory that is a multiple of 16 bytes.
        size: number of bytes, a multiple of 16.
        l2_cache_hint: a cache policy of 64 bits.
        byte_mask: 16 bits: the bytes of each 16 that are written.
    """
    function = "cp_async_bulk_global_shared_cta"
    needs(function, "tma")
    target, source = device(dst_mem, function, "dst_mem"), shared(src_mem, function, "src_mem")
    policy, count = cache_policy(l2_cache_hint, function), _size(size, function)
    if byte_mask is None:
        _operation("bulk_store", [target, source, count, *policy])
        return
    mask = int32(byte_mask, function, "byte_mask", least=0, most=0xFFFF)
    if not on_gpu():
        _masked_store(target, source, count, mask)
        return
    needs(f"{function} with byte_mask", "f32x2")
    hint = ".L2::cache_hint" if policy else ""
    places = ["$2", *(["$4"] if policy else []), "$3"]
    text = f"cp.async.bulk.global.shared::cta.bulk_group{hint}.cp_mask [$0], [$1], {', '.join(places)};"
    passed = _Int32(mask).to(_Int16) if not isinstance(mask, int) else _compiler.Uint16(mask)
    emit(text, [], [target, source, count, passed, *policy])


def _masked_store(
    target: _compiler.Pointer, source: _compiler.Pointer, count: Int, mask: Int
) -> None:
    to, of, bits = target._recast(_Uint8), source._recast(_Uint8), _Int32(mask)

    def copy_byte(place: int, _: list[Any]) -> list[Any]:
        def write() -> list[Any]:
            (to + place).store((of + place).load())
            return []

        chosen = (bits >> (place & (_UNIT - 1)) & 1) != 0
        _compiler.conditional(chosen, write, lambda: [])
        return []

    _compiler.for_loop(_Int32(0), count, _Int32(1), [], [], copy_byte)


def cp_async_bulk_shared_cluster_shared_cta(
    dst_mem: PointerLike, src_mem: PointerLike, mbar: PointerLike, size: Int
) -> None:
    """Start to copy bytes to shared memory of another block of the cluster; for sm_90 and newer GPUs, and the CPU.

    Args:
        dst_mem: an address of the other block, as `mapa` returns it.
        src_mem: an address of this block.
        mbar: the mbarrier of the other block that counts the bytes, as `mapa` returns it.
        size: number of bytes, a multiple of 16.
    """
    function = "cp_async_bulk_shared_cluster_shared_cta"
    needs(function, "tma")
    target, source = shared(dst_mem, function, "dst_mem"), shared(src_mem, function, "src_mem")
    barrier = _barrier(mbar, function)
    for name, ptr in (("dst_mem", target), ("mbar", barrier)):
        if not is_remote(ptr):
            raise make_error(
                "ArgumentKind",
                function=function,
                expected=f"an address of another block of the cluster (mapa) as {name}",
                got=f"{ptr!r}",
            )
    _operation("bulk_copy_to_block", [target, source, _size(size, function), barrier])


def cp_async_bulk_prefetch(
    src_mem: PointerLike, size: Int, *, l2_cache_hint: Int | None = None
) -> None:
    """Bring bytes of global memory into the L2 cache of sm_90 and newer GPUs; without effect on the CPU.

    Args:
        src_mem: an address in global memory that is a multiple of 16 bytes.
        size: number of bytes, a multiple of 16.
        l2_cache_hint: a cache policy of 64 bits.
    """
    function = "cp_async_bulk_prefetch"
    needs(function, "tma")
    source, count = device(src_mem, function, "src_mem"), _size(size, function)
    policy = cache_policy(l2_cache_hint, function)
    if on_gpu():
        hint, place = (".L2::cache_hint", ", $2") if policy else ("", "")
        text = f"cp.async.bulk.prefetch.L2.global{hint} [$0], $1{place};"
        emit(text, [], [source, count, *policy])


def cp_async_bulk_commit_group() -> None:
    """End a group of the bulk copies from shared memory that the thread started."""
    needs("cp_async_bulk_commit_group", "tma")
    _compiler.commit_bulk()


def cp_async_bulk_wait_group(group: int, *, read: bool | None = None) -> None:
    """Wait until at most `group` groups of the thread's bulk copies are under way.

    Args:
        group: a number that is known while tracing.
        read: True to wait only until their sources have been read.
    """
    needs("cp_async_bulk_wait_group", "tma")
    _compiler.wait_bulk(_known_groups(group, "cp_async_bulk_wait_group", "group"), bool(read))


_ATOMICS = {"add": "Add", "and": "And", "or": "Or", "xor": "Xor", "min": "Min", "max": "Max"}
_CLASSES = {"f16": "Float16", "bf16": "BFloat16", "f32": "Float32", "f64": "Float64"}


#: Types of the numbers that each operation of a bulk reduction combines.
_REDUCED = {
    "add": ("f16", "bf16", "u32", "s32", "u64", "f32", "f64"),
    **dict.fromkeys(("min", "max"), ("f16", "bf16", "u32", "s32", "u64", "s64")),
    **dict.fromkeys(("inc", "dec"), ("u32",)),
    **dict.fromkeys(("and", "or", "xor"), ("b32", "b64")),
}


def cp_reduce_async_bulk_global_shared_cta(
    dst_mem: _compiler.Pointer,
    src_mem: _compiler.Pointer,
    size: object,
    *,
    op: Choice | int = "add",
    type: object = "bf16",
    noftz: bool = False,
    l2_cache_hint: object = None,
) -> None:
    """Start to combine numbers in shared memory into global memory, in the thread's bulk group.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        dst_mem, src_mem, size, l2_cache_hint: see cp_async_bulk_global_shared_cta.
        op: a ``CpReduceOp``; on the CPU all but INC and DEC.
        type: a ``CpReduceType``, the type of the numbers: INC and DEC take U32, AND, OR and XOR take B32 and B64, ADD
            takes no S64, MIN and MAX take no F32 and F64.
        noftz: True to keep subnormal numbers; for ADD of Float16 and BFloat16, which always keeps them.
    """
    function = "cp_reduce_async_bulk_global_shared_cta"
    needs(function, "tma")
    operation = member(_enums.CpReduceOp, op, function, "op").value
    word = member(_enums.CpReduceType, type, function, "type").value
    target, source = device(dst_mem, function, "dst_mem"), shared(src_mem, function, "src_mem")
    count, policy = _size(size, function), cache_policy(l2_cache_hint, function)
    types = _REDUCED[operation]
    if word not in types:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"one of {', '.join(types)} as type for {operation.upper()}",
            got=repr(word),
        )
    keeps_subnormal = word in ("f16", "bf16") and operation == "add"
    if noftz and not keeps_subnormal:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="no noftz, which is for ADD of f16 and bf16",
            got=f"noftz=True for {operation.upper()} of {word}",
        )
    if on_gpu():
        ftz = ".noftz" if keeps_subnormal else ""
        hint, place = (".L2::cache_hint", ", $3") if policy else ("", "")
        name = f"cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{operation}{ftz}.{word}"
        emit(f"{name} [$0], [$1], $2{place};", [], [target, source, count, *policy])
        return
    if operation not in _ATOMICS:
        raise only_on(f"{function} with {operation}", "GPUs")
    letters = {"b": "Uint", "u": "Uint", "s": "Int"}
    cls = getattr(_compiler, _CLASSES.get(word) or letters[word[0]] + word[1:])
    to, of = target._recast(cls), source._recast(cls)
    combine = getattr(_compiler.AtomicOp, _ATOMICS[operation])
    order, scope = _compiler.AtomicOrder.Relaxed, _compiler.AtomicScope.Device

    def one(place: tuple[Any, ...], _: list[Any]) -> list[Any]:
        _compiler.atomic(combine, to + place, (of + place).load(), order, scope)
        return []

    elements = count // (cls.width // 8)
    _compiler.for_loop(_Int32(0), elements, _Int32(1), [], [], one)


#: Copies of boxes of tensors.


def _map(tma_descriptor: PointerLike, function: str, name: str = "tma_descriptor") -> Any:
    get = getattr(tma_descriptor, "get_ptr", None)
    return device(tma_descriptor if get is None else get(), function, name)


def _coordinates(coordinates: Any, function: str) -> list[Any]:
    if not isinstance(coordinates, (tuple, list)) or not 1 <= len(coordinates) <= 5:
        is_list = isinstance(coordinates, (tuple, list))
        raise make_error(
            "ArgumentValue" if is_list else "ArgumentKind",
            function=function,
            expected="1 to 5 numbers as coordinates, dimension 0 first",
            got=f"{len(coordinates)}" if is_list else type_name(coordinates),
        )
    return [
        _Int32(int32(number, function, f"coordinates[{axis}]"))
        for axis, number in enumerate(coordinates)
    ]


def _tile_only(
    mode: object, offsets: Sequence[object] | None, function: str, modes: object
) -> None:
    chosen = "tile" if mode is None else member(modes, mode, function, "mode").value
    if offsets is not None and not isinstance(offsets, (tuple, list)):
        expected, got = "a list as im2col_offsets", type_name(offsets)
        raise make_error("ArgumentKind", function=function, expected=expected, got=got)
    if chosen != "tile" or offsets:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="mode TILE without im2col_offsets; others are not supported yet",
            got=f"{chosen} with {len(offsets or ())} offsets",
        )


def _load_box(
    function: str,
    dst_mem: PointerLike,
    tma_descriptor: PointerLike,
    coordinates: object,
    mbar: PointerLike,
    multicast_mask: object,
    l2_cache_hint: object,
) -> None:
    needs(function, "tma")
    place = _coordinates(coordinates, function)
    blocks, policy = _blocks(multicast_mask, function), cache_policy(l2_cache_hint, function)
    target, barrier = shared(dst_mem, function, "dst_mem"), _barrier(mbar, function)
    operands = [_map(tma_descriptor, function), target, barrier, *place, *blocks, *policy]
    sizes = [1, 1, 1, len(place), len(blocks), len(policy)]
    _operation("tensor_load", operands, operandSegmentSizes=sizes)


def cp_async_bulk_tensor_shared_cta_global(
    dst_mem: PointerLike,
    tma_descriptor: PointerLike,
    coordinates: object,
    mbar: PointerLike,
    im2col_offsets: Sequence[Int] | None = None,
    *,
    l2_cache_hint: Int | None = None,
    mode: Choice | None = None,
) -> None:
    """Start to copy a box of a tensor to shared memory; for sm_90 and newer GPUs, and the CPU.

    Args:
        dst_mem: an address in shared memory that is a multiple of 128 bytes.
        tma_descriptor: the address of the tensor map, as ``TensorMap.get_ptr`` returns it.
        coordinates: where the box begins: 1 to 5 numbers, dimension 0 first.
        mbar: the mbarrier that counts the bytes of the box, those outside of the tensor as well.
        im2col_offsets: none: only boxes are supported.
        l2_cache_hint: a cache policy of 64 bits.
        mode: a ``TMALoadMode``: TILE.
    """
    function = "cp_async_bulk_tensor_shared_cta_global"
    _tile_only(mode, im2col_offsets, function, _enums.TMALoadMode)
    _load_box(function, dst_mem, tma_descriptor, coordinates, mbar, None, l2_cache_hint)


def cp_async_bulk_tensor_shared_cluster_global(
    dst_mem: PointerLike,
    tma_descriptor: PointerLike,
    coordinates: object,
    mbar: PointerLike,
    im2col_offsets: Sequence[Int],
    *,
    multicast_mask: Int | None = None,
    l2_cache_hint: Int | None = None,
    mode: Choice | None = None,
    group: tuple[Any, ...] | None = None,
) -> None:
    """Start to copy a box of a tensor to shared memory of one or several blocks of the cluster.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        dst_mem, tma_descriptor, coordinates, mbar, im2col_offsets, l2_cache_hint, mode: see
            cp_async_bulk_tensor_shared_cta_global.
        multicast_mask: the blocks that get the box at the same place, a bit for each; the mbarriers there count.
        group: a ``CTAGroup``: CTA_1. Pairs of blocks (CTA_2) are not supported yet.
    """
    function = "cp_async_bulk_tensor_shared_cluster_global"
    _tile_only(mode, im2col_offsets, function, _enums.TMALoadMode)
    if group is not None and member(_enums.CTAGroup, group, function, "group").value != "cta_1":
        raise NotImplementedError(
            f"`{function}` with CTA_2 is not supported yet: it is for sm_100a"
        )
    _load_box(function, dst_mem, tma_descriptor, coordinates, mbar, multicast_mask, l2_cache_hint)


def cp_async_bulk_tensor_global_shared_cta(
    tma_descriptor: PointerLike,
    src_mem: PointerLike,
    coordinates: object,
    *,
    l2_cache_hint: Int | None = None,
    mode: Choice | None = None,
) -> None:
    """Start to copy a box from shared memory to a tensor, in the thread's bulk group; see
    cp_async_bulk_tensor_shared_cta_global. Elements outside of the tensor are dropped.
    """
    function = "cp_async_bulk_tensor_global_shared_cta"
    needs(function, "tma")
    _tile_only(mode, None, function, _enums.TMAStoreMode)
    place, policy = _coordinates(coordinates, function), cache_policy(l2_cache_hint, function)
    operands = [
        _map(tma_descriptor, function),
        shared(src_mem, function, "src_mem"),
        *place,
        *policy,
    ]
    sizes = [1, 1, len(place), len(policy)]
    _operation("tensor_store", operands, operandSegmentSizes=sizes)


def cp_async_bulk_tensor_reduce(
    tma_descriptor: PointerLike,
    src_mem: PointerLike,
    red_kind: Choice,
    coordinates: object,
    *,
    mode: Choice | None = None,
    l2_cache_hint: Int | None = None,
) -> None:
    """Start to combine a box in shared memory with one of a tensor; see cp_async_bulk_tensor_global_shared_cta.

    Args:
        red_kind: a ``TMARedux``.
    """
    function = "cp_async_bulk_tensor_reduce"
    needs(function, "tma")
    kind = member(_enums.TMARedux, red_kind, function, "red_kind").value
    _tile_only(mode, None, function, _enums.TMAStoreMode)
    place, policy = _coordinates(coordinates, function), cache_policy(l2_cache_hint, function)
    operands = [
        _map(tma_descriptor, function),
        shared(src_mem, function, "src_mem"),
        *place,
        *policy,
    ]
    sizes = [1, 1, len(place), len(policy)]
    _operation("tensor_reduce", operands, operandSegmentSizes=sizes, kind=kind)


def cp_async_bulk_tensor_prefetch(
    tma_descriptor: PointerLike,
    coordinates: object,
    im2col_offsets: Sequence[Int] | None = None,
    *,
    mode: Choice | None = None,
    l2_cache_hint: Int | None = None,
) -> None:
    """Bring a box of a tensor into the L2 cache; without effect on the CPU. See cp_async_bulk_tensor_reduce."""
    function = "cp_async_bulk_tensor_prefetch"
    needs(function, "tma")
    _tile_only(mode, im2col_offsets, function, _enums.TMALoadMode)
    place, policy = _coordinates(coordinates, function), cache_policy(l2_cache_hint, function)
    operands = [_map(tma_descriptor, function), *place, *policy]
    _operation("tensor_prefetch", operands, operandSegmentSizes=[1, len(place), len(policy)])


def st_bulk(addr: PointerLike, size: Int, *, init_val: int | None = None) -> None:
    """Fill bytes of shared memory with 0; for sm_100 and newer GPUs, and the CPU.

    Args:
        addr: an address in shared memory that is a multiple of 16 bytes.
        size: number of bytes, a multiple of 8.
        init_val: 0.
    """
    if init_val not in (None, 0):
        raise make_error(
            "ArgumentValue", function="st_bulk", expected="0 as init_val", got=repr(init_val)
        )
    target = shared(addr, "st_bulk", "addr")
    count = int32(size, "st_bulk", "size", least=8, most=_MOST_BULK_BYTES, multiple=8)
    needs("st_bulk", "f32x2")
    if on_gpu():
        emit("st.bulk.weak.shared::cta [$0], $1, 0;", [], [target, _Int64(count)])
        return
    words = target._recast(_Int64)

    def clear(place: Sequence[Any], _: list[Any]) -> list[Any]:
        (words + place).store(_Int64(0))
        return []

    _compiler.for_loop(_Int32(0), _Int32(count) // 8, _Int32(1), [], [], clear)
