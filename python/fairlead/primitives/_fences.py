"""Fences: the order of memory accesses, and of the proxies through which they go."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._atomics import SCOPES
from fairlead.cute._types import Choice, Int, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    device,
    emit,
    int32,
    member,
    needs,
    on_gpu,
    pointer,
    shared,
    type_name,
)

__all__ = [
    "fence_acq_rel",
    "fence_proxy",
    "fence_proxy_acquire",
    "fence_proxy_async_acquire_sync_restrict",
    "fence_proxy_async_release_sync_restrict",
    "fence_proxy_release",
    "fence_proxy_sync_restrict",
    "fence_sc_cluster",
    "fence_sync_restrict",
    "memory_barrier",
    "prefetch_tensormap",
    "tensormap_cp_fenceproxy",
    "tensormap_replace",
]

_MAP_BYTES = 128


def _scope(scope: object, function: str) -> str:
    text: str = member(_enums.MemScope, scope, function, "scope").value
    return text


def fence_acq_rel(scope: Choice) -> None:
    """Order earlier accesses of the thread before later ones, for the threads of a scope.

    Args:
        scope: a ``MemScope``: CTA, CLUSTER (sm_90 and newer GPUs), GPU or SYS.
    """
    name = _scope(scope, "fence_acq_rel")
    if name == "cluster":
        needs("fence_acq_rel of a cluster", "clusters")
        _compiler.fence_cluster()
    else:
        _compiler.fence(SCOPES[name])


def fence_sc_cluster() -> None:
    """Order accesses of the threads of the cluster in one sequence; for sm_90 and newer GPUs, and the CPU."""
    needs("fence_sc_cluster", "clusters")
    if on_gpu():
        emit("fence.sc.cluster;")
    else:
        _compiler.fence_cluster()


def memory_barrier(scope: Choice) -> None:
    """Order the thread's accesses in one sequence with the accesses of all threads of a scope.

    Args:
        scope: see fence_acq_rel.
    """
    name = _scope(scope, "memory_barrier")
    if name == "cluster":
        fence_sc_cluster()
    elif on_gpu():
        emit(f"membar.{'gl' if name == 'gpu' else name};")
    else:
        _compiler.fence(SCOPES[name])


def fence_proxy(kind: Choice, *, space: Choice | None = None) -> None:
    """Order accesses through two proxies: of threads, and of asynchronous copies for example.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        kind: a ``Proxy``: ALIAS, ASYNC, ASYNC_GLOBAL or ASYNC_SHARED.
        space: a ``SharedSpace``, for ASYNC_SHARED.
    """
    needs("fence_proxy", "mbarrier")
    name = member(_enums.Proxy, kind, "fence_proxy", "kind").value
    where = (
        None if space is None else member(_enums.SharedSpace, space, "fence_proxy", "space").name
    )
    if name in ("tensormap", "generic") or (name == "async_shared") != (where is not None):
        raise make_error(
            "ArgumentValue",
            function="fence_proxy",
            expected="alias, async or async_global as kind, or async_shared with a space",
            got=f"{name} with the space {where}",
        )
    suffix = "" if where is None else "cta" if where == "shared_cta" else "cluster"
    _compiler.fence_proxy(name.replace("_", "."), suffix)


def _tensor_map_proxies(function: str, from_proxy: object, to_proxy: object) -> None:
    expected = {"from_proxy": (from_proxy, "generic"), "to_proxy": (to_proxy, "tensormap")}
    for name, (proxy, word) in expected.items():
        if proxy is not None and member(_enums.Proxy, proxy, function, name).value != word:
            raise make_error(
                "ArgumentValue",
                function=function,
                expected=f"Proxy.{word.upper()} as {name}",
                got=f"{proxy}",
            )


def fence_proxy_release(
    scope: Choice, *, from_proxy: Choice | None = None, to_proxy: Choice | None = None
) -> None:
    """Publish earlier changes of tensor maps to the threads of a scope that acquire them.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        scope: a ``MemScope``.
        from_proxy, to_proxy: GENERIC and TENSORMAP.
    """
    name = _scope(scope, "fence_proxy_release")
    _tensor_map_proxies("fence_proxy_release", from_proxy, to_proxy)
    needs("fence_proxy_release", "mbarrier")
    if name == "gpu" or not on_gpu():
        _compiler.release_map()
    else:
        emit(f"fence.proxy.tensormap::generic.release.{name};")


def _map_size(size: Int, function: str) -> None:
    int32(size, function, "size", least=_MAP_BYTES, most=_MAP_BYTES)


def fence_proxy_acquire(
    scope: Choice,
    addr: PointerLike,
    size: Int,
    *,
    from_proxy: Choice | None = None,
    to_proxy: Choice | None = None,
) -> None:
    """Make published changes of a tensor map visible to later copies of the thread.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        scope: a ``MemScope``.
        addr: the generic address of the tensor map.
        size: its bytes: 128.
        from_proxy, to_proxy: GENERIC and TENSORMAP.
    """
    name = _scope(scope, "fence_proxy_acquire")
    _tensor_map_proxies("fence_proxy_acquire", from_proxy, to_proxy)
    _map_size(size, "fence_proxy_acquire")
    needs("fence_proxy_acquire", "mbarrier")
    ptr = device(addr, "fence_proxy_acquire", "addr")
    if name == "gpu" or not on_gpu():
        _compiler.acquire_map(ptr)
    else:
        emit(f"fence.proxy.tensormap::generic.acquire.{name} [$0], 128;", [], [ptr])


_RESTRICTED = {
    "acquire": "acquire.sync_restrict::shared::cluster.cluster",
    "release": "release.sync_restrict::shared::cta.cluster",
}


def _restricted(function: str, order: Choice, prefix: str) -> None:
    name = member(_enums.MemOrder, order, function, "order").value
    if name not in _RESTRICTED:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="acquire or release as order",
            got=repr(name),
        )
    needs(function, "clusters")
    if on_gpu():
        emit(f"{prefix}.{_RESTRICTED[name]};")
    else:
        _compiler.fence_cluster()


def fence_sync_restrict(order: Choice) -> None:
    """Order accesses of mbarriers alone, for the threads of the cluster; for sm_90 and newer GPUs, and the CPU.

    Args:
        order: a ``MemOrder``: ACQUIRE or RELEASE.
    """
    _restricted("fence_sync_restrict", order, "fence")


def fence_proxy_sync_restrict(
    order: Choice, *, from_proxy: Choice | None = None, to_proxy: Choice | None = None
) -> None:
    """Order accesses of mbarriers through the generic and the asynchronous proxy; see fence_sync_restrict.

    Args:
        from_proxy, to_proxy: GENERIC and ASYNC, the default.
    """
    function = "fence_proxy_sync_restrict"
    for name, proxy, word in (
        ("from_proxy", from_proxy, "generic"),
        ("to_proxy", to_proxy, "async"),
    ):
        if proxy is not None and member(_enums.Proxy, proxy, function, name).value != word:
            raise make_error(
                "ArgumentValue", function=function, expected=f"{word} as {name}", got=str(proxy)
            )
    _restricted(function, order, "fence.proxy.async::generic")


def fence_proxy_async_acquire_sync_restrict() -> None:
    """Call fence_proxy_sync_restrict with ACQUIRE."""
    fence_proxy_sync_restrict("acquire")


def fence_proxy_async_release_sync_restrict() -> None:
    """Call fence_proxy_sync_restrict with RELEASE."""
    fence_proxy_sync_restrict("release")


#: Tensor maps in memory.


def prefetch_tensormap(addr: PointerLike, *, space: Choice = "const") -> None:
    """Bring a tensor map to where copies find it; for sm_90 and newer GPUs, without effect on the CPU.

    Args:
        addr: the address of the tensor map, as ``TensorMap.get_ptr`` returns it.
        space: a ``TensormapSpace`` or None; a generic address serves for both.
    """
    needs("prefetch_tensormap", "tma")
    if space is not None:
        member(_enums.TensormapSpace, space, "prefetch_tensormap", "space")
    get = getattr(addr, "get_ptr", None)
    ptr = device(addr if get is None else get(), "prefetch_tensormap", "addr")
    if ptr.memspace == _compiler.AddressSpace.generic or not on_gpu():
        _compiler.operation("map_prefetch", [ptr])
    else:
        emit("prefetch.tensormap [$0];", [], [ptr])


def tensormap_cp_fenceproxy(dst: PointerLike, src: PointerLike, size: Int, scope: Choice) -> None:
    """Copy a tensor map from shared to global memory, by all lanes of a warp, and publish it.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        dst, src: addresses in global and in shared memory that are multiples of 128 bytes.
        size: bytes of the tensor map: 128.
        scope: a ``MemScope``.
    """
    function = "tensormap_cp_fenceproxy"
    name = _scope(scope, function)
    _map_size(size, function)
    needs(function, "mbarrier")
    to, of = device(dst, function, "dst"), shared(src, function, "src")
    if name == "gpu" or not on_gpu():
        _compiler.publish_map(to, of)
        return
    text = (
        f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{name}.sync.aligned"
    )
    emit(f"{text} [$0], [$1], 128;", [], [to, of])


#: Fields that take a number: its bits, and the dimensions that the field has (0 for one of the whole map).
_NUMBERS = {
    "global_address": (64, 0),
    "rank": (32, 0),
    "box_dim": (32, 5),
    "global_dim": (32, 5),
    "global_stride": (64, 4),
    "element_stride": (32, 5),
}
#: Fields that take a word: the words in the order of PTX's numbers.
_CHOICES = {
    "elemtype": _enums.TensormapElemtype,
    "interleave_layout": _enums.TensormapInterleaveLayout,
    "swizzle_mode": _enums.TensormapSwizzleMode,
    "swizzle_atomicity": _enums.TensormapSwizzleAtomicity,
    "fill_mode": _enums.TensormapFillMode,
}
#: The byte offset of each field of 32 bits in the CPU's tensor map: FairleadTensorMap.
_CPU_BYTES = {"box_dim": 80, "rank": 100}


def tensormap_replace(
    field: object,
    addr: PointerLike,
    *,
    new_value: Int | None = None,
    ord: int | None = None,
    new_value_attr: object = None,
    keep_oob_fetch_window: bool = False,
) -> None:
    """Replace a field of a tensor map in memory. One thread does it; for sm_90a and newer GPUs, and the CPU.

    The CPU has no element strides, and of the fields with words none.

    Args:
        field: a ``TensormapField``.
        addr: the map's address in global or shared memory, a multiple of 128 bytes.
        new_value: the number: the address or a stride in bytes (Int64); an extent in elements, or the rank less 1.
        ord: the dimension, 0 first; for strides 0 is that of dimension 1.
        new_value_attr: the member of the field's enumeration, such as ``TensormapSwizzleMode``.
        keep_oob_fetch_window: False; True is not supported yet.
    """
    function = "tensormap_replace"
    if keep_oob_fetch_window:
        raise make_error(
            "ArgumentValue", function=function, expected="keep_oob_fetch_window=False", got="True"
        )
    name = member(_enums.TensormapField, field, function, "field").value
    ptr = pointer(addr, function, "addr")
    needs(function, "tensormap")
    if name in _CHOICES:
        _replace_word(name, ptr, new_value_attr)
        return
    bits, dimensions = _NUMBERS[name]
    if new_value is None:
        raise make_error(
            "ArgumentKind", function=function, expected=f"new_value for {name}", got="None"
        )
    if new_value_attr is not None:
        expected, got = f"None as new_value_attr for {name}", type_name(new_value_attr)
        raise make_error("ArgumentKind", function=function, expected=expected, got=got)
    if not isinstance(new_value, int):
        int32(new_value, function, "new_value")
    if dimensions:
        int32(ord, function, "ord", least=0, most=dimensions - 1)
    _replace_number(name, ptr, new_value, ord or 0)


def _space_word(ptr: _compiler.Pointer) -> str:
    return "shared::cta" if ptr.memspace == _compiler.AddressSpace.smem else "global"


def _replace_number(name: str, ptr: _compiler.Pointer, value: Int, dimension: int) -> None:
    bits, dimensions = _NUMBERS[name]
    fields = {"global_address": "address", "global_dim": "extent", "global_stride": "stride"}
    if name in fields:
        attributes: dict[str, Any] = {"field": fields[name]}
        # The operation counts dimensions of the tensor: the first stride is that of dimension 1.
        attributes["dimension"] = dimension + (name == "global_stride")
        number: Any = _compiler.Int64(value)
        if not isinstance(value, int) and type(value).width < 64:
            number = value.to(_compiler.Uint32).to(_compiler.Int64)
        _compiler.operation("map_replace", [ptr, number], attributes)
        return
    number = _compiler.Int32(int32(value, "tensormap_replace", "new_value"))
    if on_gpu():
        place = f"{dimension}, " if dimensions else ""
        text = f"tensormap.replace.tile.{name}.{_space_word(ptr)}.b1024.b{bits} [$0], {place}$1;"
        emit(text, [], [ptr, number])
    elif name in _CPU_BYTES:
        words = ptr._recast(_compiler.Int32)
        stored = number + 1 if name == "rank" else number
        (words + (_CPU_BYTES[name] // 4 + dimension)).store(stored)
    else:
        needs(f"tensormap_replace of {name}", "tensormap", cpu=False)


def _replace_word(name: str, ptr: _compiler.Pointer, choice: object) -> None:
    function = f"tensormap_replace of {name}"
    word = member(_CHOICES[name], choice, function, "new_value_attr")
    needs(function, "tensormap", cpu=False)
    number = list(_CHOICES[name]).index(word)
    text = f"tensormap.replace.tile.{name}.{_space_word(ptr)}.b1024.b32 [$0], {number};"
    emit(text, [], [ptr])
