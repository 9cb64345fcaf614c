"""Barriers of the threads of a block, and of a cluster."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._shared_memory import alloc_smem
from fairlead.cute._types import Choice, Condition, Int
from fairlead.primitives import _enums
from fairlead.primitives._operands import boolean, emit, int32, member, needs, on_gpu

__all__ = [
    "barrier",
    "barrier_cluster_arrive",
    "barrier_cluster_arrive_aligned",
    "barrier_cluster_arrive_relaxed",
    "barrier_cluster_arrive_relaxed_aligned",
    "barrier_cluster_wait",
    "barrier_cluster_wait_aligned",
    "barrier_cta_arrive",
    "barrier_cta_arrive_aligned",
    "barrier_cta_red",
    "barrier_cta_red_aligned",
    "barrier_cta_sync",
    "barrier_cta_sync_aligned",
]

_WARP_THREADS, _BARRIERS, _MOST_THREADS = 32, 16, 1024


def _operands(
    function: str, barrier_id: Int, thread_count: object, count_name: str = "thread_count"
) -> list[Any]:
    """The checked number of the barrier, and the number of threads unless it is None."""
    operands = [int32(barrier_id, function, "barrier_id", least=0, most=_BARRIERS - 1)]
    if thread_count is not None:
        operands.append(
            int32(
                thread_count,
                function,
                count_name,
                least=_WARP_THREADS,
                most=_MOST_THREADS,
                multiple=_WARP_THREADS,
            )
        )
    return operands


def _text(instruction: str, operands: list[Any], results: int = 0) -> tuple[str, list[Any]]:
    """The instruction with the operands that are known while tracing in its text, and the others."""
    parts: list[str] = []
    passed: list[Any] = []
    for operand in operands:
        if isinstance(operand, int):
            parts.append(str(operand))
        else:
            parts.append(f"${results + len(passed)}")
            passed.append(operand)
    return f"{instruction} {', '.join(parts)};", passed


def _emit(instruction: str, operands: list[Any]) -> None:
    text, passed = _text(instruction, operands)
    emit(text, [], passed)


def barrier_cta_sync(barrier_id: Int = 0, *, thread_count: Int | None = None) -> None:
    """Wait at a barrier of the block. Threads of a warp may come to it from different branches.

    Args:
        barrier_id: the barrier, 0 to 15.
        thread_count: number of threads that wait and arrive there, a multiple of 32; default all of the block.
    """
    operands = _operands("barrier_cta_sync", barrier_id, thread_count)
    if on_gpu():
        _emit("barrier.sync", operands)
    else:
        _compiler.barrier(*operands)


def barrier_cta_sync_aligned(barrier_id: Int = 0, *, thread_count: Int | None = None) -> None:
    """Wait at a barrier of the block, with all threads of the warp together; see barrier_cta_sync."""
    operands = _operands("barrier_cta_sync_aligned", barrier_id, thread_count)
    if len(operands) == 1 and on_gpu():
        _emit("bar.sync", operands)
    else:
        _compiler.barrier(*operands)


def barrier(*, barrier_id: Int | None = None, number_of_threads: Int | None = None) -> None:
    """Wait at a barrier of the block, as ``cute.arch.barrier`` does.

    Args:
        barrier_id: the barrier, 0 (default) to 15.
        number_of_threads: as thread_count of barrier_cta_sync.
    """
    number = 0 if barrier_id is None else barrier_id
    operands = _operands("barrier", number, number_of_threads, "number_of_threads")
    if len(operands) == 1 and on_gpu():
        _emit("bar.sync", operands)
    else:
        _compiler.barrier(*operands)


def barrier_cta_arrive(barrier_id: Int, thread_count: Int) -> None:
    """Arrive at a barrier of the block without waiting.

    Args:
        barrier_id: the barrier, 0 to 15.
        thread_count: number of threads that wait and arrive there, a multiple of 32.
    """
    operands = _operands("barrier_cta_arrive", barrier_id, thread_count)
    if on_gpu():
        _emit("barrier.arrive", operands)
    else:
        _compiler.barrier_arrive(*operands)


def barrier_cta_arrive_aligned(barrier_id: Int, thread_count: Int) -> None:
    """Arrive at a barrier of the block, with all threads of the warp together; see barrier_cta_arrive."""
    _compiler.barrier_arrive(*_operands("barrier_cta_arrive_aligned", barrier_id, thread_count))


def _reduce(
    instruction: str, function: str, pred: Condition, kind: Choice, operands: list[Any]
) -> Any:
    name = member(_enums.BarrierRedux, kind, function, "kind").value
    condition = boolean(pred, function, "pred")
    counts = name == "popc"
    if not on_gpu():
        return _reduce_by_atomics(name, condition, operands)
    suffix = f"{instruction}.red.popc.u32" if counts else f"{instruction}.red.{name}.pred"
    # $0 is the result, $1 the condition.
    text, passed = _text("", operands, results=2)
    places = text.strip(" ;")
    if counts:
        text = f"{{ .reg .pred p; setp.ne.b32 p, $1, 0; {suffix} $0, {places}, p; }}"
        return emit(text, [_compiler.Int32], [condition, *passed])
    text = f"{{ .reg .pred p, q; setp.ne.b32 p, $1, 0; {suffix} q, {places}, p; selp.b32 $0, 1, 0, q; }}"
    return emit(text, [_compiler.Boolean], [condition, *passed])


def _reduce_by_atomics(name: str, condition: Condition, operands: list[Any]) -> Any:
    """The threads of the barrier count in shared memory for how many the condition holds, or fails."""
    zero, one = _compiler.Int32(0), _compiler.Int32(1)
    count = alloc_smem(_compiler.Int32, 1)
    _compiler.barrier(*operands)
    count.store(zero)
    _compiler.barrier(*operands)
    counted = ~condition if name == "and" else condition
    order, scope = _compiler.AtomicOrder.Relaxed, _compiler.AtomicScope.Block
    number = _compiler.select(counted, one, zero)
    _compiler.atomic(_compiler.AtomicOp.Add, count, number, order, scope)
    _compiler.barrier(*operands)
    result = count.load()
    if name == "popc":
        return result
    return result == 0 if name == "and" else result != 0


def barrier_cta_red(
    pred: Condition, barrier_id: Int, kind: Choice, *, thread_count: Int | None = None
) -> Any:
    """Wait at a barrier of the block, and reduce a condition over its threads.

    Args:
        pred: a Boolean.
        barrier_id, thread_count: see barrier_cta_sync.
        kind: a ``BarrierRedux``: AND, OR or POPC.

    Returns:
        A Boolean; for POPC an Int32, the number of threads whose `pred` is true.
    """
    operands = _operands("barrier_cta_red", barrier_id, thread_count)
    return _reduce("barrier", "barrier_cta_red", pred, kind, operands)


def barrier_cta_red_aligned(
    pred: Condition, barrier_id: Int, kind: Choice, *, thread_count: Int | None = None
) -> Any:
    """Reduce a condition at a barrier, with all threads of the warp together; see barrier_cta_red."""
    operands = _operands("barrier_cta_red_aligned", barrier_id, thread_count)
    return _reduce("bar", "barrier_cta_red_aligned", pred, kind, operands)


def _cluster(function: str, instruction: str, aligned: bool, relaxed: bool) -> None:
    needs(function, "clusters")
    if aligned and on_gpu():
        emit(f"barrier.cluster.{instruction}.aligned;")
    elif instruction == "wait":
        _compiler.cluster_wait()
    else:
        _compiler.cluster_arrive(relaxed)


def barrier_cluster_arrive() -> None:
    """Arrive at the barrier of all threads of the cluster; for sm_90 and newer GPUs, and the CPU.

    Memory accesses before it are seen after barrier_cluster_wait.
    """
    _cluster("barrier_cluster_arrive", "arrive", False, False)


def barrier_cluster_arrive_aligned() -> None:
    """Arrive with all threads of the warp together; see barrier_cluster_arrive."""
    _cluster("barrier_cluster_arrive_aligned", "arrive", True, False)


def barrier_cluster_arrive_relaxed() -> None:
    """Arrive without ordering memory; see barrier_cluster_arrive."""
    _cluster("barrier_cluster_arrive_relaxed", "arrive.relaxed", False, True)


def barrier_cluster_arrive_relaxed_aligned() -> None:
    """Arrive without ordering memory, with all threads of the warp together; see barrier_cluster_arrive."""
    _cluster("barrier_cluster_arrive_relaxed_aligned", "arrive.relaxed", True, True)


def barrier_cluster_wait() -> None:
    """Wait until all threads of the cluster have arrived; see barrier_cluster_arrive."""
    _cluster("barrier_cluster_wait", "wait", False, False)


def barrier_cluster_wait_aligned() -> None:
    """Wait with all threads of the warp together; see barrier_cluster_arrive."""
    _cluster("barrier_cluster_wait_aligned", "wait", True, False)
