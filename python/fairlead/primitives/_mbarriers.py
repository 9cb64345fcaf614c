"""Barriers in shared memory that count arrivals and the bytes of asynchronous copies.

For sm_90 and newer GPUs, and the CPU. An `addr` is the address of 8 bytes in shared memory; where it says so, also of
another block of the cluster, as `mapa` returns it.
"""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Choice, Int, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    emit,
    int32,
    is_remote,
    member,
    needs,
    on_gpu,
    shared,
    type_name,
)

__all__ = [
    "cp_async_mbarrier_arrive",
    "fence_mbarrier_init",
    "mbarrier_arrive",
    "mbarrier_arrive_drop",
    "mbarrier_arrive_drop_expect_tx",
    "mbarrier_arrive_drop_nocomplete",
    "mbarrier_arrive_expect_tx",
    "mbarrier_arrive_nocomplete",
    "mbarrier_complete_tx",
    "mbarrier_expect_tx",
    "mbarrier_init",
    "mbarrier_inval",
    "mbarrier_test_wait",
    "mbarrier_try_wait",
    "mbarrier_try_wait_parity",
    "mbarrier_try_wait_timelimit",
    "mbarrier_wait",
    "mbarrier_wait_parity",
]

_Boolean, _Int32, _Int64 = _compiler.Boolean, _compiler.Int32, _compiler.Int64
_MOST_ARRIVALS, _MOST_BYTES = (1 << 20) - 1, (1 << 20) - 1


def _barrier(addr: object, function: str, remote: bool = False) -> Any:
    """The pointer to an mbarrier; `remote` allows one of another block of the cluster."""
    needs(function, "mbarrier")
    ptr = shared(addr, function, "addr")
    if is_remote(ptr) and not remote:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected="an mbarrier of this block as addr",
            got="an address of another block of the cluster (mapa)",
        )
    return ptr


def _arrivals(count: object, function: str) -> Any:
    return int32(1 if count is None else count, function, "count", least=1, most=_MOST_ARRIVALS)


def _bytes(txcount: object, function: str) -> Any:
    return int32(txcount, function, "txcount", least=0, most=_MOST_BYTES)


def _scope(scope: object, function: str) -> str | None:
    return None if scope is None else member(_enums.MBarrierScope, scope, function, "scope").value


def mbarrier_init(addr: PointerLike, count: Int) -> None:
    """Begin a barrier whose phases end after a number of arrivals. One thread does it.

    Args:
        addr: the barrier.
        count: number of arrivals, 1 to 1048575.
    """
    barrier = _barrier(addr, "mbarrier_init")
    _compiler.mbarrier_init(barrier, _arrivals(count, "mbarrier_init"))


def mbarrier_inval(addr: PointerLike) -> None:
    """End a barrier, so that its memory can be used for something else.

    Args:
        addr: the barrier.
    """
    barrier = _barrier(addr, "mbarrier_inval")
    if on_gpu():
        emit("mbarrier.inval.shared::cta.b64 [$0];", [], [barrier])


def fence_mbarrier_init() -> None:
    """Make initialized barriers visible to copies and to other blocks; a barrier of threads follows."""
    needs("fence_mbarrier_init", "mbarrier")
    _compiler.fence_mbarriers()


def _token(barrier: _compiler.Pointer) -> Any:
    """The state of a barrier on the CPU: the parity of its open phase."""
    ended = _compiler.mbarrier_test_wait(barrier, 1)
    return _compiler.select(ended, _Int64(0), _Int64(1))


def _arrive(
    instruction: str, barrier: _compiler.Pointer, number: object, scope: str | None, relaxed: bool
) -> Any:
    """Emit an arrival on a GPU. Returns the state of the barrier before it; None for another block's."""
    remote = is_remote(barrier)
    order = ""
    if scope is not None or relaxed or remote:
        default = "cluster" if remote else "cta"
        order = f".{'relaxed' if relaxed else 'release'}.{scope or default}"
    place, target, space = (0, "_", "shared::cluster") if remote else (1, "$0", "shared::cta")
    text = f"mbarrier.{instruction}{order}.{space}.b64 {target}, [${place}]"
    text += "" if number is None else f", ${place + 1}"
    operands = [barrier] if number is None else [barrier, number]
    return emit(text + ";", [] if remote else [_Int64], operands)


def mbarrier_arrive(
    addr: PointerLike,
    *,
    count: object = None,
    scope: object = None,
    relaxed: bool | None = None,
) -> Any:
    """Arrive at a barrier without waiting.

    Args:
        addr: the barrier, also of another block of the cluster.
        count: number of arrivals to count, default 1.
        scope: an ``MBarrierScope``: orders earlier accesses for these threads; default CTA, or CLUSTER for
            another block's barrier.
        relaxed: True to order nothing.

    Returns:
        The state of the barrier, an Int64 for mbarrier_wait and the like; None for another block's barrier.
    """
    barrier = _barrier(addr, "mbarrier_arrive", remote=True)
    number = _arrivals(count, "mbarrier_arrive")
    reach = _scope(scope, "mbarrier_arrive")
    if on_gpu():
        passed = None if count is None else number
        return _arrive("arrive", barrier, passed, reach, bool(relaxed))
    state = None if is_remote(barrier) else _token(barrier)
    _compiler.mbarrier_arrive(barrier, number, None)
    return state


def mbarrier_arrive_nocomplete(addr: PointerLike, count: Int) -> Any:
    """Arrive at a barrier with a number of arrivals that does not end the phase; see mbarrier_arrive."""
    barrier = _barrier(addr, "mbarrier_arrive_nocomplete")
    number = _arrivals(count, "mbarrier_arrive_nocomplete")
    if on_gpu():
        return _arrive("arrive.noComplete", barrier, number, None, False)
    state = _token(barrier)
    _compiler.mbarrier_arrive(barrier, number, None)
    return state


def mbarrier_arrive_expect_tx(
    addr: PointerLike, txcount: Int, *, scope: Choice | None = None, relaxed: bool | None = None
) -> Any:
    """Arrive once at a barrier, whose phase also waits for bytes of asynchronous copies.

    Args:
        addr, scope, relaxed: see mbarrier_arrive.
        txcount: number of bytes, 0 to 1048575.

    Returns:
        See mbarrier_arrive.
    """
    barrier = _barrier(addr, "mbarrier_arrive_expect_tx", remote=True)
    number = _bytes(txcount, "mbarrier_arrive_expect_tx")
    reach = _scope(scope, "mbarrier_arrive_expect_tx")
    if on_gpu():
        return _arrive("arrive.expect_tx", barrier, number, reach, bool(relaxed))
    state = None if is_remote(barrier) else _token(barrier)
    _compiler.mbarrier_arrive_expecting(barrier, number, None)
    return state


def _drop(barrier: _compiler.Pointer, count: Int) -> None:
    """On the CPU: later phases expect fewer arrivals. lib/runtime/cpu/Mbarrier.h has the fields."""
    word = barrier._recast(_Int64)
    word.store(word.load() - (_Int64(count) << 1))


def mbarrier_arrive_drop(
    addr: PointerLike,
    *,
    count: Int | None = None,
    scope: Choice | None = None,
    relaxed: bool | None = None,
) -> Any:
    """Arrive at a barrier, whose later phases expect as many arrivals less; see mbarrier_arrive."""
    barrier = _barrier(addr, "mbarrier_arrive_drop", remote=True)
    number = _arrivals(count, "mbarrier_arrive_drop")
    reach = _scope(scope, "mbarrier_arrive_drop")
    if on_gpu():
        passed = None if count is None else number
        return _arrive("arrive_drop", barrier, passed, reach, bool(relaxed))
    state = None if is_remote(barrier) else _token(barrier)
    _drop(barrier, number)
    _compiler.mbarrier_arrive(barrier, number, None)
    return state


def mbarrier_arrive_drop_nocomplete(addr: PointerLike, count: Int) -> Any:
    """Arrive as mbarrier_arrive_drop does, with a number of arrivals that does not end the phase."""
    barrier = _barrier(addr, "mbarrier_arrive_drop_nocomplete")
    number = _arrivals(count, "mbarrier_arrive_drop_nocomplete")
    if on_gpu():
        return _arrive("arrive_drop.noComplete", barrier, number, None, False)
    return mbarrier_arrive_drop(addr, count=count)


def mbarrier_arrive_drop_expect_tx(
    addr: PointerLike, txcount: Int, *, scope: Choice | None = None, relaxed: bool | None = None
) -> Any:
    """Arrive as mbarrier_arrive_drop does, at a barrier that also waits for bytes."""
    function = "mbarrier_arrive_drop_expect_tx"
    barrier = _barrier(addr, function, remote=True)
    number, reach = _bytes(txcount, function), _scope(scope, function)
    if on_gpu():
        return _arrive("arrive_drop.expect_tx", barrier, number, reach, bool(relaxed))
    state = None if is_remote(barrier) else _token(barrier)
    _drop(barrier, 1)
    _compiler.mbarrier_arrive_expecting(barrier, number, None)
    return state


def _count_bytes(
    instruction: str, function: str, addr: PointerLike, txcount: object, scope: object
) -> None:
    barrier = _barrier(addr, function, remote=True)
    number, reach = _bytes(txcount, function), _scope(scope, function)
    remote = is_remote(barrier)
    if on_gpu():
        where = (
            f"{reach or ('cluster' if remote else 'cta')}.shared::{'cluster' if remote else 'cta'}"
        )
        emit(f"mbarrier.{instruction}.relaxed.{where}.b64 [$0], $1;", [], [barrier, number])
    elif instruction == "expect_tx":
        _compiler.mbarrier_expect(barrier, number, None)
    else:
        # The phase ends at an arrival: one of none.
        _compiler.mbarrier_expect(barrier, -number, None)
        _compiler.mbarrier_arrive(barrier, 0, None)


def mbarrier_expect_tx(addr: PointerLike, txcount: Int, *, scope: Choice | None = None) -> None:
    """Make the phase of a barrier wait for bytes, without an arrival.

    Args:
        addr, txcount, scope: see mbarrier_arrive_expect_tx.
    """
    _count_bytes("expect_tx", "mbarrier_expect_tx", addr, txcount, scope)


def mbarrier_complete_tx(addr: PointerLike, txcount: Int, *, scope: Choice | None = None) -> None:
    """Count bytes at a barrier as copied, without a copy.

    Args:
        addr, txcount, scope: see mbarrier_arrive_expect_tx.
    """
    _count_bytes("complete_tx", "mbarrier_complete_tx", addr, txcount, scope)


def _wait(
    function: str,
    addr: object,
    which: object,
    *,
    parity: bool,
    suspends: bool = True,
    time_limit: Int | None = None,
    scope: Choice | None = None,
    order: Choice | None = None,
    names: tuple[str, str] = ("phase", "time_limit"),
) -> Any:
    """One attempt to wait. `which`: the parity of the phase, or the state that an arrival returned; `names`: the
    caller's, of it and of the limit."""
    barrier = _barrier(addr, function)
    reach = _scope(scope, function) or "cta"
    semantics = "acquire"
    if order is not None:
        semantics = member(_enums.MemOrder, order, function, "order").value
        if semantics not in ("acquire", "relaxed"):
            raise make_error(
                "ArgumentValue",
                function=function,
                expected="acquire or relaxed as order",
                got=repr(semantics),
            )
    if parity:
        if isinstance(which, (bool, _Boolean)):
            which = int(which) if isinstance(which, bool) else which.to(_Int32)
        phase = int32(which, function, names[0], least=0, most=1)
    elif isinstance(which, _Int64):
        phase = which
    else:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected="the Int64 that an arrival returned as state",
            got=type_name(which),
        )
    if not on_gpu():
        ask = _compiler.mbarrier_try_wait if suspends else _compiler.mbarrier_test_wait
        return ask(barrier, (phase if parity else phase.to(_Int32)) & 1)
    name = ("try_wait" if suspends else "test_wait") + (".parity" if parity else "")
    limit = [] if time_limit is None else [int32(time_limit, function, names[1], least=0)]
    text = (
        f"mbarrier.{name}.{semantics}.{reach}.shared::cta.b64 p, [$1], $2{', $3' if limit else ''}"
    )
    operands = [barrier, phase, *limit]
    return emit(f"{{ .reg .pred p; {text}; selp.b32 $0, 1, 0, p; }}", [_Boolean], operands)


def mbarrier_try_wait_parity(
    addr: PointerLike,
    phase: Int,
    *,
    time_limit: Int = 10_000_000,
    scope: Choice | None = None,
    order: Choice | None = None,
) -> Any:
    """Return whether the phase of a parity has ended, perhaps after a short wait.

    Phases have the parities 0, 1, 0 and so on; the one before the first, of parity 1, counts as ended.

    Args:
        addr: the barrier.
        phase: the parity, 0 or 1.
        time_limit: the longest wait in nanoseconds, a hint.
        scope: an ``MBarrierScope``: the threads whose accesses are seen after it; default CTA.
        order: a ``MemOrder``: ACQUIRE (default), or RELAXED to order nothing.

    Returns:
        A Boolean. It may be False too early: ``while not mbarrier_try_wait_parity(...): pass`` waits.
    """
    return _wait(
        "mbarrier_try_wait_parity",
        addr,
        phase,
        parity=True,
        time_limit=time_limit,
        scope=scope,
        order=order,
    )


def mbarrier_try_wait_timelimit(
    addr: PointerLike,
    state: object,
    time_limit: Int,
    *,
    scope: Choice | None = None,
    order: Choice | None = None,
) -> Any:
    """Return whether the phase that an arrival was in has ended, perhaps after a short wait.

    Args:
        addr, time_limit, scope, order: see mbarrier_try_wait_parity.
        state: the Int64 that the arrival returned.
    """
    return _wait(
        "mbarrier_try_wait_timelimit",
        addr,
        state,
        parity=False,
        time_limit=time_limit,
        scope=scope,
        order=order,
    )


def mbarrier_wait(
    addr: PointerLike,
    state: object,
    kind: Choice,
    *,
    scope: Choice | None = None,
    order: Choice | None = None,
) -> Any:
    """Return whether the phase that an arrival was in has ended: one attempt, which does not block.

    Args:
        addr, scope, order: see mbarrier_try_wait_parity.
        state: the Int64 that the arrival returned.
        kind: an ``MBarrierWait``: TEST, or TRY, which may wait for a short time.
    """
    suspends = member(_enums.MBarrierWait, kind, "mbarrier_wait", "kind").value == "try"
    return _wait(
        "mbarrier_wait", addr, state, parity=False, suspends=suspends, scope=scope, order=order
    )


def mbarrier_wait_parity(
    addr: PointerLike,
    phase: Int,
    kind: Choice,
    *,
    scope: Choice | None = None,
    order: Choice | None = None,
) -> Any:
    """Return whether the phase of a parity has ended: one attempt; see mbarrier_wait and mbarrier_try_wait_parity."""
    suspends = member(_enums.MBarrierWait, kind, "mbarrier_wait_parity", "kind").value == "try"
    return _wait(
        "mbarrier_wait_parity",
        addr,
        phase,
        parity=True,
        suspends=suspends,
        scope=scope,
        order=order,
    )


def _is_state(value: object) -> bool:
    return isinstance(value, _Int64)


def mbarrier_test_wait(
    addr: PointerLike,
    state_or_phase: Int,
    *,
    scope: Choice | None = None,
    relaxed: bool | None = None,
) -> Any:
    """Return whether a phase has ended, without waiting.

    Args:
        addr, scope: see mbarrier_try_wait_parity.
        state_or_phase: the Int64 that an arrival returned, or a parity.
        relaxed: True to order nothing.
    """
    return _wait(
        "mbarrier_test_wait",
        addr,
        state_or_phase,
        parity=not _is_state(state_or_phase),
        suspends=False,
        scope=scope,
        order="relaxed" if relaxed else None,
        names=("state_or_phase", ""),
    )


def mbarrier_try_wait(
    addr: object,
    state_or_phase: object,
    *,
    ticks: Int | None = None,
    scope: Choice | None = None,
    relaxed: bool | None = None,
) -> Any:
    """Return whether a phase has ended, perhaps after a short wait; see mbarrier_test_wait.

    Args:
        ticks: the longest wait in nanoseconds, a hint.
    """
    return _wait(
        "mbarrier_try_wait",
        addr,
        state_or_phase,
        parity=not _is_state(state_or_phase),
        time_limit=ticks,
        scope=scope,
        order="relaxed" if relaxed else None,
        names=("state_or_phase", "ticks"),
    )


def cp_async_mbarrier_arrive(addr: PointerLike, *, noinc: bool | None = None) -> None:
    """Arrive at a barrier when the copies that the thread started with cp_async_shared_global are done.

    Args:
        addr: the barrier.
        noinc: True if mbarrier_init already counts the arrival; otherwise it is added to the count.
    """
    barrier = _barrier(addr, "cp_async_mbarrier_arrive")
    if noinc:
        _compiler.mbarrier_arrive_after_copies(barrier)
    elif on_gpu():
        emit("cp.async.mbarrier.arrive.shared::cta.b64 [$0];", [], [barrier])
