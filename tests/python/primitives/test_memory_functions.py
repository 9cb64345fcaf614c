"""Atomics, reductions in memory, and accesses with orders and hints: results on the CPU, and PTX."""

import numpy as np
import pytest
from support.functions_support import instructions, ptx, run

from fairlead import Float16, Float32, Int32, Uint32, primitives
from fairlead.primitives import (
    AddressSpace,
    Array,
    AtomicOp,
    MemOrder,
    MemScope,
    ReductionOp,
    ReductionType,
)

SMEM = AddressSpace.smem
RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize(
    ("op", "kind", "dtype", "combine"),
    [
        ("add", "s32", np.int32, np.sum),
        ("max", "s32", np.int32, np.max),
        ("min", "s32", np.int32, np.min),
        ("max", "u32", np.uint32, np.max),
        ("min", "u64", np.uint64, np.min),
        ("add", "u64", np.uint64, np.sum),
        ("and", "b32", np.uint32, np.bitwise_and.reduce),
        ("or", "b64", np.uint64, np.bitwise_or.reduce),
        ("xor", "b32", np.uint32, np.bitwise_xor.reduce),
        ("add", "f32", np.float32, np.sum),
        ("add", "f64", np.float64, np.sum),
        ("add", "f16", np.float16, np.sum),
    ],
)
def test_reductions_in_memory(op, kind, dtype, combine):
    values = RANDOM.integers(0, 50, 64).astype(dtype)
    start = np.array([7], dtype)

    def body(t, values, out):
        primitives.red(op, kind, out.iterator, values[t], mem_order="relaxed", mem_scope="gpu")

    out = start.copy()
    run(body, values, out, threads=64)
    np.testing.assert_array_equal(out, combine(np.r_[values, start]).astype(dtype))


def test_counters_and_pairs():
    def body(t, counters, halves):
        primitives.red("inc", "u32", counters.iterator, 4)
        primitives.red("dec", "u32", counters.iterator + 1, 4)
        pair = Uint32(0x40003C00)  # 1 and 2
        primitives.red(ReductionOp.ADD, ReductionType.F16X2, halves.iterator, pair)

    counters, halves = np.zeros(2, np.uint32), np.zeros(2, np.float16)
    run(body, counters, halves, threads=32)
    assert counters.tolist() == [32 % 5, (5 - 32 % 5) % 5]
    assert halves.tolist() == [32, 64]


def test_reductions_in_shared_memory_of_a_cluster():
    def body(t, out):
        total = Array(Int32, 1, space=SMEM)
        if t == 0:
            total[0] = 0
        primitives.barrier_cta_sync()
        primitives.barrier_cluster_arrive()
        primitives.barrier_cluster_wait()
        first = primitives.mapa(total.data_ptr(), 0)
        primitives.red("add", "s32", first, t, mem_order="relaxed", mem_scope="cluster")
        primitives.barrier_cluster_arrive()
        primitives.barrier_cluster_wait()
        if t == 0:
            out[primitives.cluster_ctarank()] = total[0]

    out = np.zeros(2, np.int32)
    run(body, out, cluster=2)
    assert out.tolist() == [2 * sum(range(32)), 0]


def test_atomics_return_what_was_there():
    def body(t, numbers, out):
        p = numbers.iterator
        out[0] = primitives.atomicrmw("add", p, 5)
        out[1] = primitives.atomicrmw(AtomicOp.EXCH, p, 40, mem_order=MemOrder.ACQUIRE)
        out[2] = primitives.atomicrmw("cas", p, 40, b=41, syncscope=MemScope.SYS)
        out[3] = primitives.atomicrmw("cas", p, 40, b=50)
        out[4] = primitives.atomicrmw("inc", p, 41)
        out[5] = primitives.atomicrmw("dec", p, 9)
        out[6] = primitives.atomicrmw("min", p, -3)
        out[7] = p.load()

    numbers, out = np.array([1], np.int32), np.zeros(8, np.int32)
    run(body, numbers, out, threads=1)
    assert out.tolist() == [1, 6, 40, 41, 41, 0, 9, -3]


def test_accesses_with_orders_and_hints():
    def body(t, a, out):
        p = primitives.Pointer(a)
        v = primitives.load_ext(p, count=4, cache_modifier="cg", prefetch="size_128b")
        out[0] = v.reduce("add")
        out[1] = primitives.load_ext(p + 4, order="acquire", scope="gpu")
        primitives.store_ext(v + 1.0, primitives.Pointer(out) + 2, evict="no_allocate")
        primitives.store_ext(7, primitives.Pointer(out) + 6, order="release", scope="sys")
        primitives.prefetch_l1(p)
        primitives.prefetch_l2(p, evict_priority="last")
        out[7] = primitives.load_ext(p, dtype=Int32, evict="first").bitcast(Float32)

    a, out = np.arange(1, 9, dtype=np.float32), np.zeros(8, np.float32)
    run(body, a, out, threads=1)
    assert out.tolist() == [10, 5, 2, 3, 4, 5, 7, 1]


@pytest.mark.parametrize(
    "words, message",
    [
        ({"order": "acquire", "cache_modifier": "cg"}, "no cache_modifier with order='acquire'"),
        ({"order": "volatile", "evict": "first"}, "no evict with order='volatile'"),
        ({"order": "volatile", "l2_cache_hint": 1}, "no l2_cache_hint with order='volatile'"),
        ({"evict": "last", "cache_modifier": "ca"}, "no evict with cache_modifier='ca'"),
    ],
)
def test_words_that_accesses_do_not_combine(words, message):
    def body(t, out):
        primitives.load_ext(primitives.Pointer(out), **words)

    with pytest.raises(ValueError, match=message):
        run(body, np.zeros(8, np.int32))


def test_types_of_bulk_reductions():
    def body(t, out):
        shared = Array(Int32, 8, space=SMEM, alignment=16)
        primitives.cp_reduce_async_bulk_global_shared_cta(out.iterator, shared, 16, op="xor")

    with pytest.raises(ValueError, match="one of b32, b64 as type for XOR, but got 'bf16'"):
        run(body, np.zeros(8, np.int32))


def test_instructions(tmp_path):
    def body(t, a, out):
        p, q = primitives.Pointer(a), primitives.Pointer(out)
        shared = Array(Float32, 8, space=SMEM, alignment=16)
        shared[t] = 0.0
        primitives.red("add", "f32", q, 1.0)
        primitives.red("add", "f32", shared, 1.0, mem_order="release", mem_scope="cta")
        primitives.red("max", "s32", primitives.Pointer(q, dtype=Int32), 1, cache_hint=1 << 60)
        primitives.red("add", "bf16x2", q, 0)
        v = primitives.load_ext(
            p, count=4, cache_modifier="cg", l2_cache_hint=5, prefetch="size_64b"
        )
        out[0] = v[0] + primitives.load_ext(p, order="acquire", scope="cluster")
        out[1] = primitives.load_ext(shared, order="relaxed", scope="cta")
        out[2] = primitives.load_ext(p, order="volatile")
        primitives.store_ext(v, q + 4, cache_modifier="wt")
        primitives.store_ext(v, q + 4, evict="no_allocate")
        primitives.store_ext(1.0, q, order="release", scope="gpu")
        half = primitives.load_ext(p, dtype=Float16, count=2)
        primitives.store_ext(half, primitives.Pointer(q, dtype=Float16))
        primitives.prefetch_l1(p)
        primitives.prefetch_l2(p)
        out[3] = primitives.atomicrmw("inc", primitives.Pointer(q, dtype=Uint32), 3).to(Float32)

    arrays = np.zeros(8, np.float32), np.zeros(8, np.float32)
    text = ptx(body, *arrays, threads=8, folder=tmp_path)
    for name in (
        "red.relaxed.gpu.add.f32",
        "red.release.cta.shared::cta.add.f32",
        "red.relaxed.gpu.max.L2::cache_hint.s32",
        "red.relaxed.gpu.add.noftz.bf16x2",
        "ld.cg.L2::cache_hint.L2::64B.v4.f32",
        "ld.acquire.cluster.f32",
        "ld.relaxed.cta.shared::cta.f32",
        "ld.volatile.f32",
        "st.wt.v4.f32",
        "st.L1::no_allocate.v4.f32",
        "st.release.gpu.f32",
        "ld.v2.b16",
        "st.v2.b16",
        "prefetch.L1",
        "prefetch.L2",
        "atom.relaxed.gpu.inc.u32",
    ):
        assert name in instructions(text, name.split(".")[0]), (name, text)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda p: primitives.red("max", "f32", p, 1.0), ValueError, "red has for max"),
        (lambda p: primitives.red("and", "s32", p, 1), ValueError, "red has for and"),
        (lambda p: primitives.red("ad", "s32", p, 1), ValueError, "mean `add`"),
        (
            lambda p: primitives.red("add", "s32", p, 1, mem_order="acquire"),
            ValueError,
            "relaxed or",
        ),
        (lambda p: primitives.red("add", "s32", p, 0.5), TypeError, "type Int32 as b"),
        (lambda p: primitives.red("add", "s32", 5, 1), TypeError, "a pointer or an array as a"),
        (lambda p: primitives.atomicrmw("cas", p, 1), TypeError, "b for CAS"),
        (lambda p: primitives.atomicrmw("max", p, 1.0), ValueError, "add or exch for floats"),
        (lambda p: primitives.load_ext(p, count=3), ValueError, "1, 2, 4 or 8 elements"),
        (lambda p: primitives.load_ext(p, order="release"), ValueError, "acquire or volatile"),
        (lambda p: primitives.load_ext(p, cache_modifier="cx"), ValueError, "one of ca, cg, cs"),
        (lambda p: primitives.prefetch_l2(p, evict_priority="first"), ValueError, "last or normal"),
        (lambda p: primitives.cvta_to(p, "global", size="u32"), ValueError, "u64 as size"),
        (lambda p: primitives.load_ext(p, unified=True), ValueError, "unified=False"),
        (
            lambda p: primitives.Array(p, shape=4).masked_load(0, 4, [True] * 4, is_volatile=True),
            ValueError,
            "masked_load: expected is_volatile=False",
        ),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call(primitives.Pointer(out))

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.float32), threads=1)


def test_a_cast_from_a_generic_address():
    def body(t, out):
        generic = primitives.Pointer(out).tospace(AddressSpace.generic)
        primitives.cvta_to(generic, "global")[t] = 5

    out = np.zeros(4, np.int32)
    run(body, out, threads=4)
    assert out.tolist() == [5] * 4
