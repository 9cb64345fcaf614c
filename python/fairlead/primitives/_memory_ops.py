"""Atomic operations, and accesses with an order, a scope and hints for caches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._atomics import ORDERS, SCOPES
from fairlead.cute._types import Choice, Int, Number, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    device,
    emit,
    is_remote,
    like,
    member,
    needs,
    on_gpu,
    pointer,
    policy,
    type_name,
)
from fairlead.primitives._operands import dtype as numeric_class

__all__ = [
    "atomicrmw",
    "cvta_to",
    "load_ext",
    "prefetch_l1",
    "prefetch_l2",
    "prefetchu",
    "red",
    "store_ext",
]

_SPACE = _compiler.AddressSpace
_Uint32 = _compiler.Uint32
_ORDER_WORDS = tuple(word for word in ORDERS if word)
_ATOMICS = {
    "add": "Add",
    "and": "And",
    "or": "Or",
    "xor": "Xor",
    "min": "Min",
    "max": "Max",
    "exch": "Exchange",
}
#: PTX's types: the class of an element, and the number of elements.
_TYPES = {
    "b32": ("Uint32", 1),
    "b64": ("Uint64", 1),
    "u32": ("Uint32", 1),
    "u64": ("Uint64", 1),
    "s32": ("Int32", 1),
    "s64": ("Int64", 1),
    "f32": ("Float32", 1),
    "f64": ("Float64", 1),
    "f16": ("Float16", 1),
    "bf16": ("BFloat16", 1),
    "f16x2": ("Float16", 2),
    "bf16x2": ("BFloat16", 2),
}
_BITWISE, _ORDERED, _COUNTING = ("and", "or", "xor"), ("min", "max"), ("inc", "dec")


def _order(order: object, function: str, name: str, choices: Sequence[str]) -> str:
    word = "relaxed" if order is None else member(_enums.MemOrder, order, function, name).value
    if word not in choices:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"{', '.join(choices[:-1])} or {choices[-1]} as {name}",
            got=repr(word),
        )
    return word


def _scope(scope: object, function: str, name: str) -> str:
    word: str = "gpu" if scope is None else member(_enums.MemScope, scope, function, name).value
    if word == "cluster":
        needs(f"{function} with scope cluster", "clusters")
    return word


def _space_word(ptr: _compiler.Pointer, shared_space: object = None, function: str = "") -> str:
    """The state space of an address as a suffix of instructions; "" for a generic one."""
    name = None
    if shared_space is not None:
        name = member(_enums.SharedSpace, shared_space, function, "shared_space").name
    if ptr.memspace in (_SPACE.smem, _SPACE.dsmem):
        if name is not None:
            text: str = "." + name.replace("_", "::", 1)
            return text
        return ".shared::cluster" if is_remote(ptr) else ".shared::cta"
    return ".global" if ptr.memspace == _SPACE.gmem else ""


def _takes(operation: str, word: str) -> bool:
    """True if `red` has an operation on a type."""
    if operation == "add":
        return word not in ("b32", "b64", "s64")
    if operation in _BITWISE:
        return word in ("b32", "b64")
    if operation in _COUNTING:
        return word == "u32"
    return word in ("u32", "u64", "s32", "s64")


def _value_of(value: object, cls: Any, function: str, name: str) -> Any:
    """A number as one of a class: converted, or the same bits of an integer of as many."""
    if isinstance(value, (bool, int, float)):
        if cls.is_float or not isinstance(value, float):
            return cls(value)
    elif isinstance(value, _compiler.Numeric):
        if type(value) is cls:
            return value
        if type(value).width == cls.width and type(value).is_integer and cls.is_integer:
            return value.bitcast(cls)
        if type(value).is_float == cls.is_float or cls.is_float:
            return value.to(cls)
    raise make_error(
        "ArgumentKind",
        function=function,
        expected=f"a number of type {cls.__name__} as {name}",
        got=type_name(value),
    )


def red(
    op: object,
    type_: object,
    a: object,
    b: object,
    *,
    mem_order: Choice | None = None,
    mem_scope: Choice | None = None,
    shared_space: Choice | None = None,
    cache_hint: Int | None = None,
) -> None:
    """Combine a number with one in memory in one step.

    Args:
        op: a ``ReductionOp``. ADD takes all types but B32, B64 and S64; AND, OR and XOR take B32 and B64; INC and DEC
            take U32; MIN and MAX take integers with a sign or without.
        type_: a ``ReductionType``. BF16 and BF16X2 are for sm_90 and newer GPUs, and the CPU.
        a: an address in global or shared memory, also of another block of the cluster.
        b: the number; of F16X2 and BF16X2 the 32 bits of two.
        mem_order: a ``MemOrder``: RELAXED (default) or RELEASE.
        mem_scope: a ``MemScope``, default GPU.
        shared_space: a ``SharedSpace``; default what `a` points to.
        cache_hint: a cache policy of 64 bits, for global memory.
    """
    operation = member(_enums.ReductionOp, op, "red", "op").value
    word = member(_enums.ReductionType, type_, "red", "type_").value
    if not _takes(operation, word):
        expected = f"a type that red has for {operation} as type_"
        raise make_error("ArgumentValue", function="red", expected=expected, got=word)
    order = _order(mem_order, "red", "mem_order", ("relaxed", "release"))
    scope = _scope(mem_scope, "red", "mem_scope")
    ptr = pointer(a, "red", "a")
    if word.startswith("bf16") or scope == "cluster":
        needs(f"red of {word} in scope {scope}", "clusters")
    cls, count = getattr(_compiler, _TYPES[word][0]), _TYPES[word][1]
    value = _value_of(b, _Uint32 if count == 2 else cls, "red", "b")
    space = _space_word(ptr, shared_space, "red")
    if not on_gpu():
        _reduce_on_cpu(operation, ptr, value, cls, count, ORDERS[order], SCOPES[scope])
        return
    hints = policy(cache_hint, "red", "cache_hint")
    hint, place = (".L2::cache_hint", ", $2") if hints else ("", "")
    ftz = ".noftz" if operation == "add" and cls.width == 16 else ""
    text = f"red.{order}.{scope}{space}.{operation}{ftz}{hint}.{word} [$0], $1{place};"
    emit(text, [], [ptr, value, *hints])


def _reduce_on_cpu(
    operation: str,
    ptr: _compiler.Pointer,
    value: _compiler.Numeric,
    cls: Any,
    count: int,
    order: _compiler.AtomicOrder,
    scope: _compiler.AtomicScope,
) -> None:
    target = ptr._recast(cls)
    if operation in _COUNTING:
        _compiler.atomic_count(target, value, operation == "inc", order, scope)
        return
    combine = getattr(_compiler.AtomicOp, _ATOMICS[operation])
    parts = [value]
    if count == 2:
        parts = [(value >> shift).to(_compiler.Uint16).bitcast(cls) for shift in (0, 16)]
    for place, part in enumerate(parts):
        _compiler.atomic(combine, target + place, part, order, scope)


def atomicrmw(
    op: Choice,
    ptr: PointerLike,
    a: Number,
    *,
    b: Number | None = None,
    mem_order: Choice | None = None,
    syncscope: Choice | None = None,
    space: Choice | None = None,
    results: Sequence[Any] | None = None,
) -> Any:
    """Combine a number with one in memory in one step, and return the old one.

    Args:
        op: an ``AtomicOp``. Of floats ADD and EXCH. INC counts up to `a` and on at 0, DEC down to 0 and on at `a`. CAS
            stores `b` if the old number is `a`.
        ptr: an address in global or shared memory; its type is that of the numbers.
        a: the number; of CAS the one to compare with.
        b: for CAS the number to store.
        mem_order: a ``MemOrder``: RELAXED (default), ACQUIRE, RELEASE or ACQ_REL.
        syncscope: a ``MemScope``, default GPU.
        space, results: those of `ptr`, which tells them.
    """
    function = "atomicrmw"
    operation = member(_enums.AtomicOp, op, function, "op").value
    order = ORDERS[_order(mem_order, function, "mem_order", _ORDER_WORDS)]
    scope = SCOPES[_scope(syncscope, function, "syncscope")]
    target = pointer(ptr, function, "ptr")
    cls = target.dtype
    if space is not None:
        member(_enums.SharedSpace, space, function, "space")
    if results is not None and not isinstance(results, (tuple, list)):
        expected, got = "a list of types as results", type_name(results)
        raise make_error("ArgumentKind", function=function, expected=expected, got=got)
    if (b is None) == (operation == "cas"):
        raise make_error(
            "ArgumentKind",
            function=function,
            expected="b for CAS, and for no other operation",
            got=f"{'none' if b is None else 'b'} for {operation.upper()}",
        )
    if cls.is_float and operation not in ("add", "exch"):
        raise make_error(
            "ArgumentValue", function=function, expected="add or exch for floats", got=operation
        )
    value = _value_of(a, cls, function, "a")
    if operation == "cas":
        return _compiler.atomic_cas(target, value, _value_of(b, cls, function, "b"), order, scope)
    if operation in _COUNTING:
        return _count(operation, target, value, order, scope)
    return _compiler.atomic(
        getattr(_compiler.AtomicOp, _ATOMICS[operation]), target, value, order, scope
    )


def _count(
    operation: str,
    ptr: _compiler.Pointer,
    value: _compiler.Numeric,
    order: _compiler.AtomicOrder,
    scope: _compiler.AtomicScope,
) -> Any:
    cls = ptr.dtype
    if cls.width != 32 or not cls.is_integer:
        raise make_error(
            "ArgumentKind",
            function="atomicrmw",
            expected="an address of integers of 32 bits for INC and DEC",
            got=cls.__name__,
        )
    bits = value if cls is _Uint32 else value.bitcast(_Uint32)
    if on_gpu():
        words = {"Relaxed": "relaxed", "Acquire": "acquire", "Release": "release"}
        sem = words.get(order.name, "acq_rel")
        reach = {"Block": "cta", "Device": "gpu", "System": "sys"}[scope.name]
        text = f"atom.{sem}.{reach}{_space_word(ptr)}.{operation}.u32 $0, [$1], $2;"
        old = emit(text, [_Uint32], [ptr, bits])
    else:
        old = _compiler.atomic_count(ptr._recast(_Uint32), bits, operation == "inc", order, scope)
    return old if cls is _Uint32 else old.bitcast(cls)


#: Loads and stores.

_EVICT = {
    "first": "evict_first",
    "last": "evict_last",
    "normal": "evict_normal",
    "unchanged": "evict_unchanged",
    "noallocate": "no_allocate",
    "no_allocate": "no_allocate",
}


def _evicted(evict: object, function: str) -> str:
    if evict is None:
        return ""
    word = str(getattr(evict, "value", evict))
    if word not in _EVICT:
        member(_enums.L1EvictKind, evict, function, "evict")
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"one of {', '.join(_EVICT)} as evict",
            got=repr(word),
        )
    return f".L1::{_EVICT[word]}"


def _access_order(order: object, scope: object, function: str, choices: Sequence[str]) -> str:
    """ ".acquire.gpu", ".volatile" or "" for an access without order."""
    if order is None:
        return ""
    word = _order(order, function, "order", choices)
    if word in ("weak", "volatile"):
        return f".{word}"
    return f".{word}.{_scope(scope, function, 'scope')}"


def _require_plain(function: str, ordered: str, others: Mapping[str, object], cache: str) -> None:
    """Check that PTX combines the order of an access, and its cache modifier, with the other words that are given."""
    excluded = ["evict"] if cache else []
    reason = f"cache_modifier={cache[1:]!r}"
    if ordered not in ("", ".weak"):
        excluded = ["cache_modifier"]
        if ordered == ".volatile":
            excluded += ["evict", "l2_cache_hint"]
        reason = f"order={ordered.split('.')[1]!r}"
    for name in excluded:
        if others[name] is not None:
            raise make_error(
                "ArgumentValue",
                function=function,
                expected=f"no {name} with {reason}",
                got=f"{name}={getattr(others[name], 'value', others[name])!r}",
            )


def _register(cls: Any) -> tuple[Any, str]:
    """The class of the registers that an access of elements of `cls` goes through, and PTX's name of their type."""
    if cls.is_float and cls.width in (32, 64):
        return cls, f"f{cls.width}"
    unsigned = getattr(_compiler, f"Uint{cls.width}", None) if cls.width >= 8 else None
    if unsigned is None:
        raise make_error(
            "ArgumentKind",
            function="load_ext or store_ext",
            expected="elements of 8, 16, 32 or 64 bits",
            got=cls.__name__,
        )
    # PTX has no registers of 8 bits.
    return (_compiler.Uint16 if cls.width == 8 else unsigned), f"b{cls.width}"


def _to_register(value: _compiler.Numeric, cls: Any) -> Any:
    register, _ = _register(cls)
    bits = value if type(value) is register or cls.is_float and register is cls else None
    if bits is not None:
        return bits
    unsigned = getattr(_compiler, f"Uint{cls.width}")
    plain = value if type(value) is unsigned else value.bitcast(unsigned)
    return plain.to(register) if register is not unsigned else plain


def _from_register(value: _compiler.Numeric, cls: Any) -> Any:
    if type(value) is cls:
        return value
    unsigned = getattr(_compiler, f"Uint{cls.width}")
    plain = value.to(unsigned) if type(value) is not unsigned else value
    return plain if cls is unsigned else plain.bitcast(cls)


def _count_of(count: object, cls: Any, function: str) -> int:
    number = 1 if count is None else count
    if number not in (1, 2, 4, 8) or number * cls.width > 256:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="1, 2, 4 or 8 elements of at most 256 bits as count",
            got=repr(count),
        )
    if number * cls.width > 128:
        needs(f"{function} of {number * cls.width} bits", "f32x2")
    return number


def load_ext(
    addr: PointerLike,
    *,
    dtype: object = None,
    count: int | None = None,
    l2_cache_hint: Int | None = None,
    order: Choice | None = None,
    scope: Choice | None = None,
    prefetch: Choice | None = None,
    evict: Choice | None = None,
    cache_modifier: Choice | None = None,
    shared_space: Choice | None = None,
    unified: bool | None = None,
) -> Any:
    """Load numbers with an order and hints for caches. On the CPU the hints are without effect.

    Args:
        addr: an address that is a multiple of the bytes that are loaded.
        dtype: the numeric class of the elements; default what `addr` points to.
        count: number of elements: 1 (default), 2, 4 or 8.
        l2_cache_hint: a cache policy of 64 bits, for global memory.
        order: a ``MemOrder``: WEAK (default), RELAXED, ACQUIRE or VOLATILE.
        scope: a ``MemScope``, default GPU, for RELAXED and ACQUIRE.
        prefetch: an ``L2PrefetchSize``: what else comes into the L2 cache.
        evict: an ``L1EvictKind``; not with VOLATILE or a cache modifier. VOLATILE takes no l2_cache_hint either.
        cache_modifier: a ``LoadCacheModifier``, for WEAK.
        shared_space: a ``SharedSpace``; default what `addr` points to.
        unified: None or False; True is not supported yet.

    Returns:
        A number, or a Vector of `count`.
    """
    function = "load_ext"
    if unified:
        raise make_error(
            "ArgumentValue", function=function, expected="unified=False", got="unified=True"
        )
    ptr = pointer(addr, function, "addr")
    cls: Any = ptr.dtype
    if dtype is not None:
        cls = numeric_class(dtype, function, "dtype")
    number = _count_of(count, cls, function)
    choices = ("weak", "relaxed", "acquire", "volatile")
    ordered = _access_order(order, scope, function, choices)
    cache = "" if cache_modifier is None else "." + member(
        _enums.LoadCacheModifier, cache_modifier, function, "cache_modifier"
    ).value  # fmt: skip
    hints = _evicted(evict, function) + (".L2::cache_hint" if l2_cache_hint is not None else "")
    others = {"cache_modifier": cache_modifier, "evict": evict, "l2_cache_hint": l2_cache_hint}
    _require_plain(function, ordered, others, cache)
    if prefetch is not None:
        size = member(_enums.L2PrefetchSize, prefetch, function, "prefetch").value
        hints += f".L2::{size.removeprefix('size_').upper()}"
    source = ptr._recast(cls)
    if on_gpu():
        register, name = _register(cls)
        space = _space_word(ptr, shared_space, function)
        hint = policy(l2_cache_hint, function, "l2_cache_hint")
        vector = f".v{number}" if number > 1 else ""
        places = ", ".join(f"${place}" for place in range(number))
        places = f"{{{places}}}" if number > 1 else places
        end = f", ${number + 1}" if hint else ""
        text = f"ld{ordered}{space}{cache}{hints}{vector}.{name} {places}, [${number}]{end};"
        values = emit(text, [register] * number, [ptr, *hint])
        loaded = [_from_register(value, cls) for value in (values if number > 1 else (values,))]
    else:
        loaded = [_load_on_cpu(source + place, cls, ordered) for place in range(number)]
    if count is None or number == 1:
        return loaded[0]
    from fairlead.primitives._vector import Vector

    return Vector.from_elements(loaded, cls)


def _load_on_cpu(source: _compiler.Pointer, cls: Any, ordered: str) -> Any:
    if ordered in ("", ".weak") or cls.width not in (32, 64):
        return source.load()
    unsigned = getattr(_compiler, f"Uint{cls.width}")
    order = ORDERS.get(ordered.split(".")[1], ORDERS["relaxed"])
    scope = _compiler.AtomicScope.System
    bits = _compiler.atomic(
        _compiler.AtomicOp.Or, source._recast(unsigned), unsigned(0), order, scope
    )
    return bits if cls is unsigned else bits.bitcast(cls)


def store_ext(
    value: object,
    addr: PointerLike,
    *,
    l2_cache_hint: Int | None = None,
    order: Choice | None = None,
    scope: Choice | None = None,
    evict: Choice | None = None,
    cache_modifier: Choice | None = None,
    shared_space: Choice | None = None,
) -> None:
    """Store a number or a Vector with an order and hints for caches. On the CPU the hints are without effect.

    Args:
        value: a number, or a Vector of 2, 4 or 8; converted to the type behind `addr`.
        addr: an address that is a multiple of the bytes that are stored.
        order: a ``MemOrder``: WEAK (default), RELAXED, RELEASE or VOLATILE.
        cache_modifier: a ``StoreCacheModifier``, for WEAK.
        l2_cache_hint, scope, evict, shared_space: see load_ext.
    """
    function = "store_ext"
    ptr = pointer(addr, function, "addr")
    cls = ptr.dtype
    parts = getattr(value, "to_elements", None)
    values = list(parts()) if parts is not None else [value]
    number = _count_of(len(values), cls, function)
    numbers = [_value_of(part, cls, function, "value") for part in values]
    ordered = _access_order(order, scope, function, ("weak", "relaxed", "release", "volatile"))
    cache = "" if cache_modifier is None else "." + member(
        _enums.StoreCacheModifier, cache_modifier, function, "cache_modifier"
    ).value  # fmt: skip
    hints = _evicted(evict, function)
    others = {"cache_modifier": cache_modifier, "evict": evict, "l2_cache_hint": l2_cache_hint}
    _require_plain(function, ordered, others, cache)
    if not on_gpu():
        for place, part in enumerate(numbers):
            _store_on_cpu(ptr + place, part, cls, ordered)
        return
    _, name = _register(cls)
    space = _space_word(ptr, shared_space, function)
    hint = policy(l2_cache_hint, function, "l2_cache_hint")
    hints += ".L2::cache_hint" if hint else ""
    vector = f".v{number}" if number > 1 else ""
    places = ", ".join(f"${place + 1}" for place in range(number))
    places = f"{{{places}}}" if number > 1 else places
    end = f", ${number + 1}" if hint else ""
    text = f"st{ordered}{space}{cache}{hints}{vector}.{name} [$0], {places}{end};"
    emit(text, [], [ptr, *(_to_register(part, cls) for part in numbers), *hint])


def _store_on_cpu(
    target: _compiler.Pointer, value: _compiler.Numeric, cls: Any, ordered: str
) -> None:
    if ordered in ("", ".weak") or cls.width not in (32, 64):
        target.store(value)
        return
    unsigned = getattr(_compiler, f"Uint{cls.width}")
    bits = value if cls is unsigned else value.bitcast(unsigned)
    order = ORDERS.get(ordered.split(".")[1], ORDERS["relaxed"])
    exchange, scope = _compiler.AtomicOp.Exchange, _compiler.AtomicScope.System
    _compiler.atomic(exchange, target._recast(unsigned), bits, order, scope)


def _prefetch(function: str, addr: PointerLike, level: str) -> None:
    ptr = device(addr, function, "addr")
    if on_gpu():
        emit(f"prefetch{_space_word(ptr)}.{level} [$0];", [], [ptr])


def prefetch_l1(addr: PointerLike) -> None:
    """Bring the line of an address into the L1 cache; without effect on the CPU.

    Args:
        addr: an address in global memory.
    """
    _prefetch("prefetch_l1", addr, "L1")


def prefetch_l2(addr: PointerLike, *, evict_priority: Choice | None = None) -> None:
    """Bring the line of an address into the L2 cache; without effect on the CPU.

    Args:
        addr: an address in global memory.
        evict_priority: an ``EvictPriority``: LAST or NORMAL, for an address of global memory that is not generic.
    """
    suffix = ""
    if evict_priority is not None:
        word = member(_enums.EvictPriority, evict_priority, "prefetch_l2", "evict_priority").value
        if word not in ("last", "normal"):
            raise make_error(
                "ArgumentValue",
                function="prefetch_l2",
                expected="last or normal as evict_priority",
                got=repr(word),
            )
        suffix = f"::evict_{word}"
    _prefetch("prefetch_l2", addr, f"L2{suffix}")


def prefetchu(addr: PointerLike) -> None:
    """Bring the line of a generic address into the uniform cache; without effect on the CPU."""
    ptr = device(addr, "prefetchu", "addr")
    if on_gpu():
        emit("prefetchu.L1 [$0];", [], [ptr])


def cvta_to(addr: PointerLike, space: Choice | int, *, size: object = "u64") -> Any:
    """Return a generic address as one of a memory space.

    Args:
        addr: a generic address.
        space: a ``CvtaSpace``: GLOBAL, SHARED, SHARED_CTA or SHARED_CLUSTER.
        size: a ``CvtaSize``: U64; addresses have no other size.
    """
    word = member(_enums.CvtaSpace, space, "cvta_to", "space").value
    if member(_enums.CvtaSize, size, "cvta_to", "size").value != "u64":
        raise make_error("ArgumentValue", function="cvta_to", expected="u64 as size", got=str(size))
    spaces = {"global": _SPACE.gmem, "shared": _SPACE.smem, "shared::cta": _SPACE.smem}
    if word not in spaces:
        raise NotImplementedError(f"`cvta_to` of {word} addresses is not supported yet")
    ptr = device(addr, "cvta_to", "addr")
    to_space = getattr(addr, "tospace", None)
    if to_space is not None:
        return to_space(spaces[word])
    number = ptr.toint()
    if on_gpu():
        number = emit(f"cvta.to.{word}.u64 $0, $1;", [_compiler.Int64], [number])
    cast = _compiler.pointer_from_int(ptr.dtype, number, spaces[word], ptr.alignment)
    return like(addr, cast)
