"""The position of the running thread, and operations of the threads of a block together.

For kernels; RuntimeError (OutsideKernel) elsewhere. The same on GPU and CPU. Threads that wait for each other forever
hang on a GPU; on the CPU the launch ends with RuntimeError (ThreadsWait).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead._hints import missing
from fairlead.cute._assembly import inline_ptx
from fairlead.cute._atomic_functions import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_exch,
    atomic_fmax,
    atomic_fmin,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xor,
    red,
)
from fairlead.cute._atomics import choice, popc
from fairlead.cute._barrier_places import note_barrier
from fairlead.cute._bits import (
    add_sat_int,
    bfe,
    bfi,
    bfind,
    brev,
    clz,
    log2_of_pow2_int,
    lop3,
    mad24,
    mul24,
    mul_wide,
    shf,
    sub_sat_int,
)
from fairlead.cute._cluster_launch import clc_response, issue_clc_query
from fairlead.cute._elementary import extremum
from fairlead.cute._generate import make_branches_of_truths
from fairlead.cute._instructions import (
    add_packed_f32x2,
    calc_packed_f32x2_op,
    fma_packed_f32x2,
    load,
    mul_hi,
    mul_packed_f32x2,
    nanosleep,
    prefetch,
    prmt,
    rcp_approx,
    store,
    sub_packed_f32x2,
)
from fairlead.cute._mbarriers import (
    cp_async_mbarrier_arrive_noinc,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_conditional_try_wait,
    mbarrier_expect_tx,
    mbarrier_init,
    mbarrier_init_fence,
    mbarrier_test_wait,
    mbarrier_try_wait,
    mbarrier_wait,
    store_async_dsmem,
)
from fairlead.cute._memory_order import (
    cp_async_bulk_commit_group,
    cp_async_bulk_wait_group,
    cp_async_commit_group,
    cp_async_wait_group,
    fence_acq_rel_cluster,
    fence_acq_rel_cta,
    fence_acq_rel_gpu,
    fence_acq_rel_sys,
    fence_proxy,
    fence_view_async_shared,
)
from fairlead.cute._positions import (
    block_dim,
    block_idx,
    block_idx_in_cluster,
    block_in_cluster_dim,
    block_in_cluster_idx,
    cluster_dim,
    cluster_idx,
    cluster_size,
    grid_dim,
    lane_idx,
    thread_idx,
    warp_idx,
)
from fairlead.cute._shared_memory import alloc_smem, get_dyn_smem
from fairlead.cute._special_registers import (
    activemask,
    clock,
    clock64,
    globaltimer,
    globaltimer_lo,
    gridid,
    lanemask_eq,
    lanemask_ge,
    lanemask_gt,
    lanemask_le,
    lanemask_lt,
    match_sync,
    nsmid,
    nwarpid,
    physical_warp_id,
    smid,
    total_smem_size,
    vote_sync_op,
    warpsize,
)
from fairlead.cute._target import current_target
from fairlead.cute._tensor_memory import (
    alloc_tmem,
    dealloc_tmem,
    fence_view_async_tmem_load,
    fence_view_async_tmem_store,
    relinquish_tmem_alloc_permit,
    retrieve_tmem_ptr,
)
from fairlead.cute._types import Choice, Elements, Number
from fairlead.cute._warp_arguments import check_integer, check_shuffle, check_threads
from fairlead.cute.typing import Int
from fairlead.errors import make_error, require

__all__ = [
    "FULL_MASK",
    "THREADS_PER_WARPGROUP",
    "WARPS_PER_WARPGROUP",
    "WARP_SIZE",
    "activemask",
    "add_packed_f32x2",
    "add_sat_int",
    "alloc_smem",
    "alloc_tmem",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_exch",
    "atomic_fmax",
    "atomic_fmin",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xor",
    "barrier",
    "barrier_arrive",
    "bfe",
    "bfi",
    "bfind",
    "block_dim",
    "block_idx",
    "block_idx_in_cluster",
    "block_in_cluster_dim",
    "block_in_cluster_idx",
    "brev",
    "calc_packed_f32x2_op",
    "clc_response",
    "clock",
    "clock64",
    "cluster_arrive",
    "cluster_arrive_relaxed",
    "cluster_dim",
    "cluster_idx",
    "cluster_size",
    "cluster_wait",
    "clz",
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_commit_group",
    "cp_async_mbarrier_arrive_noinc",
    "cp_async_wait_group",
    "dealloc_tmem",
    "dynamic_smem_size",
    "elect_one",
    "exp",
    "exp2",
    "exp_packed_f32x2",
    "fence_acq_rel_cluster",
    "fence_acq_rel_cta",
    "fence_acq_rel_gpu",
    "fence_acq_rel_sys",
    "fence_proxy",
    "fence_view_async_shared",
    "fence_view_async_tmem_load",
    "fence_view_async_tmem_store",
    "fma_packed_f32x2",
    "fmax",
    "fmin",
    "get_dyn_smem",
    "get_dyn_smem_size",
    "globaltimer",
    "globaltimer_lo",
    "grid_dim",
    "griddepcontrol_launch_dependents",
    "griddepcontrol_wait",
    "gridid",
    "inline_ptx",
    "issue_clc_query",
    "lane_idx",
    "lanemask_eq",
    "lanemask_ge",
    "lanemask_gt",
    "lanemask_le",
    "lanemask_lt",
    "load",
    "log2_of_pow2_int",
    "lop3",
    "mad24",
    "make_warp_uniform",
    "map_dsmem_ptr",
    "mapa",
    "match_sync",
    "mbarrier_arrive",
    "mbarrier_arrive_and_expect_tx",
    "mbarrier_conditional_try_wait",
    "mbarrier_expect_tx",
    "mbarrier_init",
    "mbarrier_init_fence",
    "mbarrier_test_wait",
    "mbarrier_try_wait",
    "mbarrier_wait",
    "movmatrix",
    "mul24",
    "mul_hi",
    "mul_packed_f32x2",
    "mul_wide",
    "nanosleep",
    "nsmid",
    "nwarpid",
    "physical_warp_id",
    "popc",
    "prefetch",
    "prmt",
    "rcp_approx",
    "red",
    "relinquish_tmem_alloc_permit",
    "retrieve_tmem_ptr",
    "setmaxregister_decrease",
    "setmaxregister_increase",
    "shf",
    "shuffle_sync",
    "shuffle_sync_bfly",
    "shuffle_sync_down",
    "shuffle_sync_op",
    "shuffle_sync_up",
    "smid",
    "store",
    "store_async_dsmem",
    "sub_packed_f32x2",
    "sub_sat_int",
    "sync_threads",
    "sync_warp",
    "thread_idx",
    "total_smem_size",
    "vote_all_sync",
    "vote_any_sync",
    "vote_ballot_sync",
    "vote_sync_op",
    "vote_uni_sync",
    "warp_idx",
    "warp_reduction",
    "warp_reduction_max",
    "warp_reduction_sum",
    "warp_redux_sync",
    "warpgroup_reg_alloc",
    "warpgroup_reg_dealloc",
    "warpsize",
]

#: Threads of a warp, on every target.
WARP_SIZE = 32
#: For a warpgroup: four warps.
WARPS_PER_WARPGROUP, THREADS_PER_WARPGROUP = 4, 128
#: Every thread of a warp.
FULL_MASK = 0xFFFFFFFF

_SHUFFLE, _VOTE = _compiler.Shuffle, _compiler.Vote


def cluster_arrive(*, aligned: object = None) -> None:
    """Arrive at the barrier of all threads of the cluster; writes before it are seen after ``cluster_wait``.

    Args:
        aligned: True promises that all threads of the warp arrive together; no instruction needs it.
    """
    _compiler.cluster_arrive(False)


def cluster_arrive_relaxed(*, aligned: object = None) -> None:
    """Arrive like ``cluster_arrive``, without ordering memory; for ``aligned`` see there."""
    _compiler.cluster_arrive(True)


def cluster_wait(*, aligned: object = None) -> None:
    """Wait until all threads of the cluster have arrived; for ``aligned`` see cluster_arrive."""
    _compiler.cluster_wait()


def map_dsmem_ptr(ptr: _compiler.Pointer, rank: Number) -> Any:
    """Return the shared memory at ``ptr`` as block ``rank`` of the cluster has it."""
    return _compiler.map_to_block(ptr, rank)


#: The name of PTX.
mapa = map_dsmem_ptr


def elect_one() -> _compiler.Boolean:
    """True in one thread of the warp. ``with elect_one():`` runs its body in that thread alone."""
    is_elected: _compiler.Boolean = _compiler.elect_one()
    return is_elected


def griddepcontrol_wait() -> None:
    """Wait until the kernels ahead in the stream have ended and their writes are seen (``use_pdl``)."""
    _compiler.wait_for_previous()


def griddepcontrol_launch_dependents() -> None:
    """Let the kernel behind in the stream start, as far as this block is concerned (``use_pdl``)."""
    _compiler.launch_dependents()


def dynamic_smem_size() -> _compiler.Int32:
    """Bytes of shared memory that the block was launched with."""
    size: _compiler.Int32 = _compiler.dynamic_shared_bytes()
    return size


#: The published name of ``dynamic_smem_size``.
get_dyn_smem_size = dynamic_smem_size


def sync_threads() -> None:
    """Wait for all threads of the block that have not ended; writes before it are seen after it."""
    note_barrier("sync_threads")
    _compiler.sync_threads()


def barrier(*, barrier_id: Int = 0, number_of_threads: Int | None = None) -> None:
    """Wait at barrier ``barrier_id`` (0 to 15) for ``number_of_threads``, a multiple of 32; default all of the
    block.

    Raises ValueError (BarrierThreads) for other numbers of threads that are known while tracing.
    """
    note_barrier("barrier")
    check_threads("barrier", "number_of_threads", number_of_threads)
    _compiler.barrier(barrier_id, number_of_threads)


def barrier_arrive(*, barrier_id: Int, number_of_threads: Int) -> None:
    """Arrive at a barrier of the block without waiting, for all threads of the warp.

    Args:
        barrier_id: the barrier, 0 to 15.
        number_of_threads: how many arrive and wait there in all, a multiple of 32.

    Raises ValueError (BarrierThreads) for other numbers of threads that are known while tracing.
    """
    check_threads("barrier_arrive", "number_of_threads", number_of_threads)
    _compiler.barrier_arrive(barrier_id, number_of_threads)


def _mask(mask: Int | None) -> Any:
    """A mask as the signed number that has its bits."""
    return mask - (1 << 32) if isinstance(mask, int) and mask >= 1 << 31 else mask


def sync_warp(mask: Int = FULL_MASK) -> None:
    """Wait for the threads of the warp in ``mask``."""
    check_integer("sync_warp", "mask", mask)
    _compiler.sync_warp(_mask(mask))


def shuffle_sync(
    value: Number, offset: Int, mask: Int = FULL_MASK, mask_and_clamp: Int = 31
) -> Any:
    """Return the ``value`` of thread ``offset`` of the warp, for the threads in ``mask``. Numbers of any type.

    ``mask_and_clamp`` is that of PTX's shfl.sync: bits 0 to 4 bound the source, bits 8 to 12 divide the warp. A thread
    whose source is out of bounds gets its own value.
    """
    check_shuffle("shuffle_sync", value, offset)
    return _compiler.shuffle(_SHUFFLE.Index, value, offset, _mask(mask), mask_and_clamp)


def shuffle_sync_up(
    value: Number, offset: Int, mask: Int = FULL_MASK, mask_and_clamp: Int = 0
) -> Any:
    """Return the ``value`` of the thread ``offset`` places below; the first threads get their own. See shuffle_sync."""
    check_shuffle("shuffle_sync_up", value, offset)
    return _compiler.shuffle(_SHUFFLE.Up, value, offset, _mask(mask), mask_and_clamp)


def shuffle_sync_down(
    value: Number, offset: Int, mask: Int = FULL_MASK, mask_and_clamp: Int = 31
) -> Any:
    """Return the ``value`` of the thread ``offset`` places above; the last threads get their own. See shuffle_sync."""
    check_shuffle("shuffle_sync_down", value, offset)
    return _compiler.shuffle(_SHUFFLE.Down, value, offset, _mask(mask), mask_and_clamp)


def shuffle_sync_bfly(
    value: Number, offset: Int, mask: Int = FULL_MASK, mask_and_clamp: Int = 31
) -> Any:
    """Return the ``value`` of the thread whose place differs in the bits of ``offset``; see shuffle_sync."""
    check_shuffle("shuffle_sync_bfly", value, offset)
    return _compiler.shuffle(_SHUFFLE.Butterfly, value, offset, _mask(mask), mask_and_clamp)


def shuffle_sync_op(
    value: Number,
    offset: Int,
    mask: Int = FULL_MASK,
    mask_and_clamp: Int = 31,
    kind: Choice = _SHUFFLE.Index,
) -> Any:
    """Return a shuffle whose ``kind`` is "idx", "up", "down" or "bfly", or a member of an enum of that name; see
    shuffle_sync.
    """
    require(shuffle_sync_op, kind=kind)
    kinds = {
        "idx": _SHUFFLE.Index,
        "up": _SHUFFLE.Up,
        "down": _SHUFFLE.Down,
        "bfly": _SHUFFLE.Butterfly,
    }
    shuffle = (
        kind
        if isinstance(kind, _SHUFFLE)
        else choice(kinds, "kind", str(getattr(kind, "name", kind)).lower())
    )
    check_shuffle("shuffle_sync_op", value, offset)
    return _compiler.shuffle(shuffle, value, offset, _mask(mask), mask_and_clamp)


def make_warp_uniform(value: Number) -> Any:
    """Return the value of the warp's first thread, which tells the compiler that all have one."""
    return shuffle_sync(value, 0)


def vote_any_sync(pred: Number, mask: Int | None = FULL_MASK) -> _compiler.Boolean:
    """True if ``pred`` is true in a thread in ``mask``."""
    vote: _compiler.Boolean = _compiler.vote(_VOTE.Any, pred, _mask(mask))
    return vote


def vote_all_sync(pred: Number, mask: Int | None = FULL_MASK) -> _compiler.Boolean:
    """True if ``pred`` is true in all threads in ``mask``."""
    vote: _compiler.Boolean = _compiler.vote(_VOTE.All, pred, _mask(mask))
    return vote


def vote_uni_sync(pred: Number, mask: Int | None = FULL_MASK) -> _compiler.Boolean:
    """True if ``pred`` is the same in all threads in ``mask``."""
    vote: _compiler.Boolean = _compiler.vote(_VOTE.Uniform, pred, _mask(mask))
    return vote


def vote_ballot_sync(pred: Number, mask: Int | None = FULL_MASK) -> _compiler.Uint32:
    """Return a bit for each thread in ``mask``, 1 where ``pred`` is true."""
    ballot: _compiler.Uint32 = _compiler.vote(_VOTE.Ballot, pred, _mask(mask))
    return ballot


def warp_reduction(
    value: Number, op: Callable[[Any, Any], Any], threads_in_group: int = WARP_SIZE
) -> Any:
    """``op`` of each group of ``threads_in_group`` threads (2, 4, 8, 16 or 32) over their ``value``; every thread
    gets the result.

    Raises ValueError (WarpGroup) for other numbers of threads.
    """
    if threads_in_group not in (1, 2, 4, 8, 16, 32):
        raise make_error("WarpGroup", got=repr(threads_in_group))
    offset = threads_in_group // 2
    while offset:
        value = op(value, shuffle_sync_bfly(value, offset))
        offset //= 2
    return value


def warp_reduction_sum(value: Number, threads_in_group: int = WARP_SIZE) -> Any:
    """Return the sum of ``value`` over each group of ``threads_in_group`` threads, in each of them; see
    warp_reduction."""
    return warp_reduction(value, lambda a, b: a + b, threads_in_group)


def warp_reduction_max(value: Number, threads_in_group: int = WARP_SIZE) -> Any:
    """Return the maximum of ``value`` over each group of ``threads_in_group`` threads, in each of them; see
    warp_reduction."""
    return warp_reduction(value, _compiler.max, threads_in_group)


_REDUX = {
    "add": lambda a, b: a + b,
    "min": _compiler.min,
    "max": _compiler.max,
    "fmin": _compiler.min,
    "fmax": _compiler.max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def reduces_floats(target: _compiler.Target) -> bool:
    """Return True if a target has an instruction that reduces Float32 over a warp, or is the CPU."""
    return not target.capability or target.has("redux_f32")


def warp_redux_sync(
    value: Elements, kind: str, mask_and_clamp: int = FULL_MASK, *, nan: bool = False
) -> Any:
    """Return ``value`` reduced over the whole warp: one instruction for Int32 and Uint32, and for Float32 on sm_100a,
    sm_103a and their families; shuffles otherwise.

    Args:
        value: the number of this thread.
        kind: "add", "min", "max", "and", "or" or "xor", or "fmin" or "fmax" of floats.
        mask_and_clamp: all threads. The last warp of a block may have fewer than 32 on the CPU and for instructions.
        nan: True if the result of "fmin" and "fmax" is NaN if a thread has NaN. Otherwise NaN does not count.

    Raises ValueError for other kinds, or types that the instruction does not have.
    """
    name = str(getattr(kind, "name", kind)).lower()
    if name in ("fmin", "fmax") and not getattr(value, "is_float", True):
        raise make_error(
            "ArgumentValue",
            function="warp_redux_sync",
            expected=f"a float for {name}",
            got=type(value).__name__,
        )
    if name not in _REDUX or mask_and_clamp not in (FULL_MASK, -1):
        expected = f"{', '.join(_REDUX)} over a whole warp"
        got = repr(kind if name not in _REDUX else mask_and_clamp)
        raise make_error("ArgumentValue", function="warp_redux_sync", expected=expected, got=got)
    number: Any = value
    if name in ("fmin", "fmax"):
        if isinstance(value, _compiler.Float32) and current_target().has("redux_f32"):
            attributes = {"extreme": name[1:], "propagates_nan": bool(nan)}
            return _compiler.operation("warp_extreme", [value], attributes)[0]
        pick = _REDUX[name]
        return _reduced(number, lambda a, b: extremum(pick, a, b, nan))
    if isinstance(value, (_compiler.Int32, _compiler.Uint32)) and current_target().has("cp_async"):
        return _redux_integer(value, name)
    return _reduced(number, _REDUX[name])


def _redux_integer(value: _compiler.Numeric, name: str) -> Any:
    """Emit the instruction of a GPU that reduces a number of 32 bits."""
    unsigned = isinstance(value, _compiler.Uint32)
    suffix = "b32" if name in ("and", "or", "xor") else "u32" if unsigned else "s32"
    text = f"redux.sync.{name}.{suffix} $0, $1, {FULL_MASK:#x};"
    return _compiler.inline_assembly([type(value)], [value], text, "=r,r", True)[0]


def _reduced(value: _compiler.Numeric, combine: Callable[[Any, Any], Any]) -> Any:
    """Reduce over a warp by shuffles."""
    if current_target().capability:
        return warp_reduction(value, combine)
    return reduce_present(value, combine)


def reduce_present(
    value: _compiler.Numeric, combine: Callable[[Any, Any], Any], mask: Int = FULL_MASK
) -> Any:
    """Reduce over the lanes of ``mask`` that the block has and that have not ended, on the CPU."""
    lane, present = lane_idx(), vote_ballot_sync(True, mask)
    # Lanes whose numbers are equal modulo 2 * distance hold the same result: take the first one's.
    for distance, every in (
        (16, 0x1),
        (8, 0x10001),
        (4, 0x1010101),
        (2, 0x11111111),
        (1, 0x55555555),
    ):
        others = present & (_compiler.Uint32(every) << ((lane ^ distance) % (2 * distance)))
        exists = others != 0
        other = shuffle_sync(value, _compiler.select(exists, _lowest_bit(others), lane), mask)
        value = _compiler.select(exists, combine(value, other), value)
    return shuffle_sync(value, _lowest_bit(present), mask)


def _lowest_bit(bits: _compiler.Uint32) -> Any:
    """Return the number of the lowest 1; 31 without any."""
    return popc((bits ^ (bits - 1)) >> 1)


def movmatrix(value: Elements) -> Any:
    """Transpose a matrix of 8 x 8 elements of 16 bits that the threads of a warp hold. All of them take part.

    Thread 4 i + j passes elements 2 j and 2 j + 1 of row i as ``value``: the low and the high half of an Int32 or
    Uint32. It gets those elements of column i.

    Raises TypeError for other types.
    """
    if not isinstance(value, (_compiler.Int32, _compiler.Uint32)):
        got = type(value).__name__
        raise make_error(
            "ArgumentKind", function="movmatrix", expected="an Int32 or Uint32 as value", got=got
        )
    (transposed,) = _compiler.operation("transpose_matrix", [value])
    return transposed.to(type(value))


def fmax(a: Elements, b: Elements) -> Any:
    """Return the greater of two floats ``a`` and ``b``; NaN where one is."""
    require(fmax, a=a, b=b)
    return _compiler.max(a, b)


def fmin(a: Elements, b: Elements) -> Any:
    """Return the lesser of two floats ``a`` and ``b``; NaN where one is."""
    require(fmin, a=a, b=b)
    return _compiler.min(a, b)


def exp(a: Number) -> Any:
    """e to the power of a Float32, by the hardware's approximation on GPUs."""
    return _compiler.exp(_compiler.Float32(a), fastmath=True)


def exp2(a: Number) -> Any:
    """2 to the power of a Float32, by the hardware's approximation on GPUs."""
    return _compiler.exp2(_compiler.Float32(a), fastmath=True)


def exp_packed_f32x2(a: Sequence[Number]) -> tuple[Any, Any]:
    """``exp`` of each of a pair of Float32, as a pair."""
    return exp(a[0]), exp(a[1])


def setmaxregister_decrease(reg_count: int) -> None:
    """Release registers: each thread of the warpgroup keeps ``reg_count``, a multiple of 8 from 24 to 256.
    All threads of the warpgroup execute it."""
    _compiler.set_registers(reg_count, False)


def setmaxregister_increase(reg_count: int) -> None:
    """Wait until each thread of the warpgroup can have ``reg_count`` registers; all of them execute it."""
    _compiler.set_registers(reg_count, True)


warpgroup_reg_dealloc, warpgroup_reg_alloc = setmaxregister_decrease, setmaxregister_increase


if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)
make_branches_of_truths()


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
