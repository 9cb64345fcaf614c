"""Copies between memory and registers by atoms with a memory order: PTX, spin loops on the CPU, errors."""

import re
import threading

import numpy as np
import pytest
from support.dsl_support import in_kernel

import fairlead
from fairlead import Boolean, Float4E2M1FN, Float16, Float32, Float64, Int8, Int32, Int64, cute
from fairlead.cute.nvgpu import (
    CopyG2ROp,
    CopyUniversalOp,
    MemoryOrder,
    MemoryScope,
    cpasync,
)

SCOPES = {
    MemoryScope.CTA: "cta",
    MemoryScope.CLUSTER: "cluster",
    MemoryScope.GPU: "gpu",
    MemoryScope.SYS: "sys",
}


def atom(dtype, order=None, scope=None, bits=0, op=None):
    return cute.make_copy_atom(
        op or CopyUniversalOp(),
        dtype,
        num_bits_per_copy=bits,
        memory_order=order,
        memory_scope=scope,
    )


def through_registers(loading, storing, shared=False):
    """Return a kernel's body that copies 16 bytes of `a` to the 16 bytes after them, by an atom each way."""
    dtype = loading[0]
    count = 128 // dtype.width

    def body(a: cute.Tensor):
        memory = cute.recast_ptr(a.iterator.align(16), dtype=dtype)
        if shared:
            source = fairlead.utils.SmemAllocator().allocate_tensor(dtype, count, 16)
            source[0] = dtype(0)
        else:
            source = cute.make_tensor(memory, cute.make_layout(count))
        values = cute.make_rmem_tensor((count,), dtype)
        cute.copy(atom(*loading), source, values)
        cute.copy(atom(*storing), values, cute.make_tensor(memory + count, cute.make_layout(count)))

    return body


def vector():
    return cute.runtime.make_fake_compact_tensor(Float32, (8,), assumed_align=16)


def ptx(body, target="cuda:sm_90a"):
    return cute.compile(in_kernel(body), vector(), options=f"--target {target}").__ptx__


def accesses(text, mnemonic):
    """Return the loads (ld) or stores (st) of a kernel's memory, without operands."""
    return re.findall(rf"\b({mnemonic}\.(?!param)[\w.:]+)", text)


# --- PTX --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", list(SCOPES))
@pytest.mark.parametrize(
    ("load", "store", "words"),
    [
        (MemoryOrder.RELAXED, MemoryOrder.RELAXED, ("relaxed", "relaxed")),
        (MemoryOrder.ACQUIRE, MemoryOrder.RELEASE, ("acquire", "release")),
    ],
)
@pytest.mark.parametrize(("dtype", "bits"), [(Int32, 32), (Float32, 64), (Float64, 64), (Int8, 8)])
def test_orders_and_scopes_in_ptx(load, store, words, scope, dtype, bits):
    text = ptx(through_registers((dtype, load, scope, bits), (dtype, store, scope, bits)))
    count = 128 // bits
    assert accesses(text, "ld") == [f"ld.{words[0]}.{SCOPES[scope]}.global.b{bits}"] * count
    assert accesses(text, "st") == [f"st.{words[1]}.{SCOPES[scope]}.global.b{bits}"] * count


def test_sequential_consistency_in_ptx():
    order = (Int64, MemoryOrder.SC, MemoryScope.GPU, 64)
    text = ptx(through_registers(order, order))
    assert text.count("fence.sc.gpu;") == 4
    assert accesses(text, "ld") == ["ld.acquire.gpu.global.b64"] * 2
    assert accesses(text, "st") == ["st.release.gpu.global.b64"] * 2


@pytest.mark.parametrize("dtype", [Int8, Float16, Float32, Int64])
def test_volatile_copies_are_as_wide_as_the_atom(dtype):
    order = (dtype, MemoryOrder.VOLATILE, MemoryScope.SYS, 128)
    text = ptx(through_registers(order, order))
    loads, stores = accesses(text, "ld"), accesses(text, "st")
    assert len(loads) == len(stores) == 1
    assert re.fullmatch(r"ld\.volatile\.global\.v[24]\.b(32|64)", loads[0])
    assert re.fullmatch(r"st\.volatile\.global\.v[24]\.b(32|64)", stores[0])


def test_atomic_copies_of_128_bits_are_two():
    order = (Float32, MemoryOrder.RELAXED, MemoryScope.SYS, 128)
    text = ptx(through_registers(order, order))
    assert accesses(text, "ld") == ["ld.relaxed.sys.global.b64"] * 2
    assert accesses(text, "st") == ["st.relaxed.sys.global.b64"] * 2


def test_mmio_in_ptx():
    order = (Int32, MemoryOrder.MMIO, MemoryScope.SYS, 32)
    text = ptx(through_registers(order, order))
    assert float(re.search(r"\.version (\d\.\d)", text)[1]) >= 8.2
    assert accesses(text, "ld") == ["ld.mmio.relaxed.sys.global.b32"] * 4
    assert accesses(text, "st") == ["st.mmio.relaxed.sys.global.b32"] * 4


def test_shared_memory():
    order = (Int32, MemoryOrder.ACQUIRE, MemoryScope.CTA, 32)
    text = ptx(through_registers(order, (Int32,), shared=True))
    assert [load for load in accesses(text, "ld") if "acquire" in load] == [
        "ld.acquire.cta.shared.b32"
    ] * 4


def test_scope_of_an_order_is_the_gpu_by_default():
    text = ptx(through_registers((Int32, MemoryOrder.ACQUIRE), (Int32, MemoryOrder.RELEASE)))
    assert accesses(text, "ld") == ["ld.acquire.gpu.global.b32"] * 4
    assert accesses(text, "st") == ["st.release.gpu.global.b32"] * 4


def test_loads_of_another_operation():
    order = (Int32, MemoryOrder.ACQUIRE, MemoryScope.SYS, 32, CopyG2ROp())
    text = ptx(through_registers(order, (Int32,)))
    assert accesses(text, "ld") == ["ld.acquire.sys.global.b32"] * 4


@pytest.mark.parametrize("scope", [None, MemoryScope.CTA, MemoryScope.SYS])
def test_weak_copies_are_plain_ones(scope):
    weak = (Float32, MemoryOrder.WEAK, scope, 128)
    assert ptx(through_registers(weak, weak)) == ptx(
        through_registers((Float32, None, None, 128), (Float32, None, None, 128))
    )


def test_predicated_copies_keep_the_order():
    def body(a: cute.Tensor):
        source = cute.make_tensor(a.iterator, cute.make_layout(4))
        values = cute.make_rmem_tensor((4,), Float32)
        values.fill(0.0)
        wanted = cute.make_rmem_tensor((4,), Boolean)
        for i in range(4):
            wanted[i] = cute.arch.thread_idx()[0] > i
        cute.copy(atom(Float32, MemoryOrder.RELAXED, MemoryScope.GPU), source, values, pred=wanted)
        a[4] = values[0] + values[1] + values[2] + values[3]

    assert accesses(ptx(body), "ld") == ["ld.relaxed.gpu.global.b32"] * 4


def test_text_names_the_order():
    def body(a: cute.Tensor):
        ordered = atom(Float32, MemoryOrder.ACQUIRE, MemoryScope.SYS, 64)
        assert repr(ordered) == "CopyAtom(CopyUniversalOp(), Float32, 2, acquire.sys)"
        assert repr(atom(Float32, bits=64)) == "CopyAtom(CopyUniversalOp(), Float32, 2)"

    ptx(body)


# --- the CPU ----------------------------------------------------------------------------------------------------------


ROUNDS = 200


def get(memory, ordered):
    value = cute.make_rmem_tensor((1,), Int32)
    cute.copy(ordered, memory, value)
    return value[0]


def put(memory, number, ordered):
    value = cute.make_rmem_tensor((1,), Int32)
    value[0] = number
    cute.copy(ordered, value, memory)


def word(tensor, index):
    return cute.make_tensor(tensor.iterator + index, cute.make_layout(1))


def turns(load, store):
    """Return two host functions that take turns by a flag, and pass a number on: `first` and `second`."""

    def player(own):
        @cute.kernel
        def device(flag: cute.Tensor, data: cute.Tensor, sums: cute.Tensor):
            loading, storing = atom(Int32, *load), atom(Int32, *store)
            turn = word(flag, 0)
            for round in cute.range(ROUNDS):
                seen = get(turn, loading)
                while seen != 2 * round + own:
                    seen = get(turn, loading)
                sums[own] += data[0]
                data[0] = 2 * round + own + 1
                put(turn, 2 * round + own + 1, storing)

        @cute.jit
        def host(flag: cute.Tensor, data: cute.Tensor, sums: cute.Tensor):
            device(flag, data, sums).launch(grid=1, block=1)

        return host

    return player(0), player(1)


@pytest.mark.parametrize(
    ("load", "store"),
    [
        ((MemoryOrder.ACQUIRE, MemoryScope.GPU), (MemoryOrder.RELEASE, MemoryScope.GPU)),
        ((MemoryOrder.SC, MemoryScope.SYS), (MemoryOrder.SC, MemoryScope.SYS)),
    ],
)
def test_two_calls_take_turns(load, store):
    """Each call waits in a loop for the other one's release, and reads the values written before it."""
    arrays = [np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(2, np.int32)]
    calls = [cute.compile(host, *arrays, options="--target cpu") for host in turns(load, store)]
    threads = [threading.Thread(target=call, args=arrays, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert arrays[0][0] == 2 * ROUNDS
    passed = np.arange(2 * ROUNDS)
    assert list(arrays[2]) == [passed[::2].sum(), passed[1::2].sum()]


@pytest.mark.parametrize("block", [1, 64])
def test_a_block_waits_for_an_earlier_one(block):
    """Each block adds to the number that the block before it has published, as in a scan of one pass."""
    acquire = (Int32, MemoryOrder.ACQUIRE, MemoryScope.GPU)
    release = (Int32, MemoryOrder.RELEASE, MemoryScope.GPU)

    @cute.kernel
    def device(ready: cute.Tensor, sums: cute.Tensor):
        index, _, _ = cute.arch.block_idx()
        if cute.arch.thread_idx()[0] == 0:
            before = Int32(0)
            if index > 0:
                seen = get(word(ready, index - 1), atom(*acquire))
                while seen == 0:
                    seen = get(word(ready, index - 1), atom(*acquire))
                before = sums[index - 1]
            sums[index] = before + index
            put(word(ready, index), 1, atom(*release))

    @cute.jit
    def host(ready: cute.Tensor, sums: cute.Tensor):
        device(ready, sums).launch(grid=sums.shape[0], block=block)

    ready, sums = np.zeros(100, np.int32), np.zeros(100, np.int32)
    cute.compile(host, ready, sums, options="--target cpu")(ready, sums)
    assert (sums == np.cumsum(np.arange(100))).all()


@pytest.mark.parametrize("order", [MemoryOrder.VOLATILE, MemoryOrder.RELAXED, MemoryOrder.MMIO])
@pytest.mark.parametrize("dtype", [Int8, Float16, Float32, Int64])
def test_values_of_ordered_copies(order, dtype):
    each = (dtype, order, MemoryScope.SYS, 128)
    host = in_kernel(through_registers(each, each))
    a = np.zeros(8 + 4, np.float32)
    a = a[-(a.ctypes.data // 4) % 4 :][:8]
    a[:4] = [1, 2, 3, 4]
    cute.compile(host, vector(), options="--target cpu")(a)
    assert list(a) == [1, 2, 3, 4] * 2


@pytest.mark.parametrize(
    ("order", "races"),
    [((MemoryOrder.VOLATILE, MemoryScope.SYS), False), ((MemoryOrder.RELAXED,), False), ((), True)],
)
def test_ordered_copies_are_no_race(order, races):
    @cute.jit
    def host(flag: cute.Tensor):
        device(flag).launch(grid=1, block=64)

    @cute.kernel
    def device(flag: cute.Tensor):
        put(word(flag, 0), cute.arch.thread_idx()[0], atom(Int32, *order))

    flag = np.zeros(1, np.int32)
    checked = cute.compile(host, flag, options="--target cpu --check race")
    if races:
        with pytest.raises(RuntimeError, match="race"):
            checked(flag)
    else:
        checked(flag)


# --- errors -----------------------------------------------------------------------------------------------------------


def copying(order, from_registers=False, dtype=Float32):
    def body(a: cute.Tensor):
        memory = cute.make_tensor(a.iterator, cute.make_layout(1))
        value = cute.make_rmem_tensor((1,), Float32)
        value[0] = 1.0
        sides = (value, memory) if from_registers else (memory, value)
        cute.copy(atom(dtype, order, MemoryScope.GPU), *sides)

    return body


def to_memory(a: cute.Tensor):
    part = cute.make_layout(4)
    first, second = cute.make_tensor(a.iterator, part), cute.make_tensor(a.iterator + 4, part)
    cute.copy(atom(Float32, MemoryOrder.RELAXED), first, second)


def mmio_of_shared_memory(a: cute.Tensor):
    through_registers((Int32, MemoryOrder.MMIO), (Int32,), shared=True)(a)


def losing_its_alignment(a: cute.Tensor):
    values, pair = cute.make_rmem_tensor((2,), Float32), cute.make_layout(2)
    part = cute.make_tensor(a.iterator.align(16), pair)
    for _ in cute.range(3):
        cute.copy(atom(Float32, MemoryOrder.RELAXED, None, 64), part, values)
        part = cute.make_tensor(part.iterator + 1, pair)


def part_of_a_byte(a: cute.Tensor):
    atom(Float4E2M1FN, MemoryOrder.RELAXED)


def of_an_asynchronous_copy(a: cute.Tensor):
    atom(Float32, MemoryOrder.ACQUIRE, None, 128, cpasync.CopyG2SOp())


def a_word_as_order(a: cute.Tensor):
    atom(Float32, "acquire")


def a_word_as_scope(a: cute.Tensor):
    atom(Float32, MemoryOrder.ACQUIRE, "gpu")


def a_scope_alone(a: cute.Tensor):
    atom(Float32, None, MemoryScope.SYS)


MISTAKES = [
    (
        losing_its_alignment,
        ["for at most the 32 bits to which a tensor stays aligned in a loop", "but got 64 bits"],
    ),
    (
        copying(MemoryOrder.RELEASE),
        [
            "ACQUIRE, RELAXED, SC, MMIO or VOLATILE as memory_order of a copy to registers",
            "RELEASE",
        ],
    ),
    (
        copying(MemoryOrder.ACQUIRE, from_registers=True),
        [
            "RELEASE, RELAXED, SC, MMIO or VOLATILE as memory_order of a copy from registers",
            "ACQUIRE",
        ],
    ),
    (
        copying(MemoryOrder.ACQ_REL),
        ["ACQUIRE of a load or RELEASE of a store as memory_order", "acq_rel"],
    ),
    (
        to_memory,
        ["registers on one side and memory on the other of a copy (relaxed.gpu) of 1 Float32"],
    ),
    (mmio_of_shared_memory, ["global memory for a copy (mmio) of 1 Int32", "smem"]),
    (
        part_of_a_byte,
        ["elements of whole bytes for an atom of memory_order relaxed.gpu", "Float4E2M1FN"],
    ),
    (
        of_an_asynchronous_copy,
        ["WEAK as memory_order of an atom that does not copy between memory and registers"],
    ),
    (a_word_as_order, ["an nvgpu.MemoryOrder as memory_order", "'acquire'"]),
    (
        a_word_as_scope,
        ["an nvgpu.MemoryScope as memory_scope", "'gpu'"],
    ),
    (
        a_scope_alone,
        ["a memory_order with memory_scope", "MemoryScope.SYS"],
    ),
]


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90a"])
@pytest.mark.parametrize(("body", "words"), MISTAKES)
def test_orders_that_ptx_lacks(body, words, target):
    with pytest.raises(TypeError) as caught:
        cute.compile(in_kernel(body), vector(), options=f"--target {target}")
    for each in words:
        assert each in str(caught.value)


def test_cluster_scope_below_hopper():
    def body(a: cute.Tensor):
        memory = cute.make_tensor(a.iterator, cute.make_layout(1))
        value = cute.make_rmem_tensor((1,), Float32)
        cute.copy(atom(Float32, MemoryOrder.RELAXED, MemoryScope.CLUSTER), memory, value)
        a[1] = value[0]

    with pytest.raises(ValueError, match="compiled for cuda:sm_80"):
        ptx(body, "cuda:sm_80")
    assert "ld.relaxed.cluster.global.b32" in ptx(body)
