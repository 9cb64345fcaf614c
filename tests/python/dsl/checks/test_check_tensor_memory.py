"""Wrong uses of tensor memory: errors of every launch on the CPU, and findings of `--check`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.functions_support import compiled

from fairlead import Float16, Float32, Int32, Int64, checks, cute, primitives
from fairlead import range as fairlead_range
from fairlead.primitives import Array, Tcgen05SmemDesc

#: What a kernel is told: 0 is right for all but the first three.
COLUMNS, MASK, LATER, RELINQUISHED_FIRST, DESCRIPTOR, SCALE_LANE, SCALE_OF_ONE_WARP, SCALE_BYTE = (
    range(8)
)


def one_product(t, told):
    left = Array(Float16, (2, 128, 8), space="smem", alignment=128)
    right = Array(Float16, (2, 32, 8), space="smem", alignment=128)
    done = Array(Int64, 1, space="smem", alignment=8)
    slots = [Array(Int32, 1, space="smem") for _ in range(2)]
    left[0, t, 0] = right[0, t, 0] = Float16(0)
    primitives.fence_proxy("async_shared", space="shared_cta")
    columns = told[COLUMNS].to(Int32)
    if t == 0:
        primitives.mbarrier_init(done, 1)
    primitives.fence_mbarrier_init()
    primitives.tcgen05_alloc(slots[0], columns)
    if told[RELINQUISHED_FIRST] != 0:
        primitives.tcgen05_relinquish_alloc_permit()
    primitives.tcgen05_alloc(slots[1], told[LATER].to(Int32))
    primitives.barrier_cta_sync()
    memory = primitives.make_tmem_ptr(slots[0][0], Int32)
    scales = primitives.make_tmem_ptr(slots[1][0], Int32)
    primitives.tcgen05_st("32x32b", scales, [told[SCALE_OF_ONE_WARP].to(Int32)])
    primitives.tcgen05_wait("store")  # of all lanes: one of them goes on to the products
    if primitives.elect_sync():
        a = Tcgen05SmemDesc(Tcgen05SmemDesc.build(left, 2048, 128) ^ told[DESCRIPTOR])
        b = Tcgen05SmemDesc.build(right, 512, 128)
        idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=32, m_dim=128)
        primitives.tcgen05_mma("f16", "cta_1", memory, a, b, idesc, False)
        scales = primitives.make_tmem_ptr(slots[1][0] + (told[SCALE_LANE].to(Int32) << 16), Int32)
        scaled = primitives.Tcgen05MxInstrDesc.build(n_dim=32, m_dim=128)
        primitives.tcgen05_mma_block_scale(
            "mxf8f6f4", "cta_1", memory, a, b, scaled, False, scales, scales
        )
        packed = primitives.Tcgen05MxOmmaInstrDesc.build(n_dim=32, m_dim=128)
        packed = packed.set_sf_ids(told[SCALE_BYTE].to(Int32), 0)
        primitives.tcgen05_mma_block_scale(
            "mxf4", "cta_1", memory, a, b, packed, False, scales, scales
        )
        primitives.tcgen05_commit(done, multicast_mask=told[MASK].to(Int32))
    while not primitives.mbarrier_try_wait_parity(done, 0):
        pass
    primitives.tcgen05_dealloc(memory, columns)
    primitives.tcgen05_dealloc(primitives.make_tmem_ptr(slots[1][0], Int32), told[LATER].to(Int32))


def in_new_memory(function, told):
    """Call in a new thread. The kernel's one warp does not write all lanes of the scale factors, and those that an
    earlier kernel of the thread has left may differ."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(function, [told]).result()


@pytest.fixture(scope="module", params=["", "--check all"], ids=["alone", "checked"])
def product(request):
    told = np.array([64, 1, 32, 0, 0, 0, 0, 0], np.int64)
    function = compiled(one_product, (told,), more=request.param)

    def call(place=COLUMNS, number=64):
        given = told.copy()
        given[place] = number
        in_new_memory(function, given)

    return call


@pytest.mark.parametrize("place, number, message", [
    (COLUMNS, 48, "asks for 48 columns of tensor memory, which is no power of two from 32 to 512"),
    (LATER, 128, "asks for 128 columns of tensor memory after 64: later reservations of a block may not be greater"),
    (RELINQUISHED_FIRST, 1, "asks for 32 columns of tensor memory after relinquish_alloc_permit"),
    (MASK, 4, "commits products to blocks that its cluster of 1 has not, by the mask 4"),
    (DESCRIPTOR, 1 << 47, "a descriptor of shared memory whose bits 46 to 48 are 3, not 1"),
    (DESCRIPTOR, 3 << 61, r"a descriptor of shared memory whose layout \(bits 61 to 63\) is 3"),
    (DESCRIPTOR, 1 << 49, r"a descriptor of shared memory whose base offset \(bits 49 to 51\) is 1"),
    (DESCRIPTOR, 1 << 62 | 1 << 5, "begins 512 bytes past a multiple of 1024, after which its swizzle repeats"),
    (DESCRIPTOR, 1 << 12, r"a descriptor of shared memory that leads to byte \d+ of the block's 5\d+"),
    (SCALE_LANE, 128, "scale factors from an address beyond the 128 lanes and 512 columns of tensor memory"),
    (SCALE_LANE, 32, "scale factors from lane 32 of tensor memory, where they have to begin at lane"),
    (SCALE_BYTE, 1, "from byte 1 of a column of tensor memory, where 2 of a row have to begin at byte 0 or 2"),
    (SCALE_OF_ONE_WARP, 7, "of row 0 from column 64 of tensor memory, which differ between the lanes"),
])  # fmt: skip
def test_errors_of_every_launch(product, place, number, message):
    """Under checks with the lines of the operations that announce themselves."""
    product()
    with pytest.raises((RuntimeError, checks.CheckError), match=message) as error:
        product(place, number)
    if isinstance(error.value, checks.CheckError):
        findings = [each for each in error.value.findings if each.kind == "bounds"]
        assert findings, error.value.findings
        for finding in findings:
            assert finding.accesses[0].source.startswith("primitives.tcgen05_"), finding
    else:
        assert error.match(r"Block \(0, 0, 0\) of `device` ")
    product()


@pytest.mark.parametrize("distances, byte", [(5 << 16, 4096), (4 << 32, 4160)], ids=["K", "rows"])
def test_a_descriptor_that_leaves_its_memory(distances, byte):
    """It leads to the memory of the other operand: no error without checks."""
    told = np.array([64, 1, 32, 0, 0, 0, 0, 0], np.int64)
    checked = compiled(one_product, (told,), more="--check all")
    in_new_memory(checked, told)
    told[DESCRIPTOR] = distances
    in_new_memory(compiled(one_product, (told,)), told)
    with pytest.raises(checks.CheckError) as error:
        in_new_memory(checked, told)
    (finding, *_) = [each for each in error.value.findings if each.kind == "bounds"]
    assert finding.message.startswith(
        f"the descriptor of operand A leads to byte {byte} of the 4096 bytes of shared memory that "
    )
    assert finding.accesses[0].source.startswith("primitives.tcgen05_mma")


def reservations_of_two_warps(t, told):
    slots = [Array(Int32, 1, space="smem") for _ in range(2)]
    if t < 32:
        primitives.tcgen05_alloc(slots[0], 32)
    if told[0] != 0:
        primitives.barrier_cta_sync()
    if t >= 32:
        primitives.tcgen05_alloc(slots[1], 32)
    primitives.barrier_cta_sync()
    if t < 32:
        for slot in slots:
            primitives.tcgen05_dealloc(primitives.make_tmem_ptr(slot[0], Int32), 32)


def test_two_warps_reserve_at_the_same_time():
    function = compiled(
        reservations_of_two_warps, (np.zeros(1, np.int32),), threads=64, more="--check all"
    )
    function([np.array([1], np.int32)])
    with pytest.raises(checks.CheckError, match="Two warps of a block may not reserve columns"):
        function([np.array([0], np.int32)])


def copies_of_a_warp(t, told, out):
    slot = Array(Int32, 1, space="smem")
    primitives.tcgen05_alloc(slot, 32)
    primitives.tcgen05_relinquish_alloc_permit()
    primitives.barrier_cta_sync()
    memory = primitives.make_tmem_ptr(slot[0] + t % 2 * told[0], Int32)
    if t >= told[1]:
        primitives.tcgen05_st("32x32b", memory, [t])
    primitives.tcgen05_wait("store")
    out[t] = primitives.tcgen05_ld("32x32b", primitives.make_tmem_ptr(slot[0], Int32), num=1)[0]
    primitives.barrier_cta_sync()
    primitives.tcgen05_dealloc(primitives.make_tmem_ptr(slot[0], Int32), 32)


def test_lanes_that_copy_other_cells_or_none():
    told, out = np.zeros(2, np.int32), np.zeros(32, np.int32)
    function = compiled(copies_of_a_warp, (told, out), more="--check all")
    function([told, out])
    assert out.tolist() == list(range(32))
    for given, message in (
        ([4, 0], "lanes of a warp load or store different cells of tensor memory"),
        ([0, 5], "a lane that does not take part in a load or store of tensor memory"),
        ([0, 32], "init: memory that nothing has written to"),
    ):
        with pytest.raises(checks.CheckError, match=message):
            function([np.array(given, np.int32), out])


def products_of_a_pair(t, told):
    left = Array(Float16, (2, 64, 8), space="smem", alignment=128)
    right = Array(Float16, (2, 16, 8), space="smem", alignment=128)
    done = Array(Int64, 1, space="smem", alignment=8)
    slot = Array(Int32, 1, space="smem")
    left[0, t, 0] = right[0, t % 16, 0] = Float16(0)
    if t == 0:
        primitives.mbarrier_init(done, 1)
    primitives.fence_mbarrier_init()
    primitives.tcgen05_alloc(slot, 32, group="cta_2")
    primitives.tcgen05_relinquish_alloc_permit(group="cta_2")
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    memory = primitives.make_tmem_ptr(slot[0], Int32)
    if primitives.cluster_ctarank() == told[0]:
        if primitives.elect_sync():
            a = Tcgen05SmemDesc.build(left, 1024, 128)
            b = Tcgen05SmemDesc.build(right, 256, 128)
            idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=32, m_dim=128)
            primitives.tcgen05_mma("f16", "cta_2", memory, a, b, idesc, False)
            primitives.tcgen05_commit(done, multicast_mask=3, group="cta_2")
    while not primitives.mbarrier_try_wait_parity(done, 0):
        pass
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    primitives.tcgen05_dealloc(memory, 32, group="cta_2")


def forgotten_commit(t, told):
    left = Array(Float16, (2, 128, 8), space="smem", alignment=128)
    right = Array(Float16, (2, 32, 8), space="smem", alignment=128)
    done = Array(Int64, 1, space="smem", alignment=8)
    slot = Array(Int32, 1, space="smem")
    left[0, t, 0] = right[0, t, 0] = Float16(0)
    primitives.fence_proxy("async_shared", space="shared_cta")
    if t == 0:
        primitives.mbarrier_init(done, 1)
    primitives.fence_mbarrier_init()
    primitives.tcgen05_alloc(slot, 32)
    primitives.barrier_cta_sync()
    memory = primitives.make_tmem_ptr(slot[0], Int32)
    if primitives.elect_sync():
        a, b = Tcgen05SmemDesc.build(left, 2048, 128), Tcgen05SmemDesc.build(right, 512, 128)
        idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=32, m_dim=128)
        primitives.tcgen05_mma("f16", "cta_1", memory, a, b, idesc, False)
        if told[0] != 0:
            primitives.tcgen05_commit(done)
    while not primitives.mbarrier_try_wait_parity(done, 0):
        pass
    primitives.tcgen05_dealloc(memory, 32)


def test_a_deadlock_names_products_that_are_not_committed():
    function = compiled(forgotten_commit, (np.zeros(1, np.int32),), more="--check sync,race")
    function([np.array([1], np.int32)])
    message = (
        r"No tcgen05.commit follows the products or copies that 1 warp issued, the last at \S+:\d+"
    )
    with pytest.raises(checks.CheckError, match=message):
        function([np.array([0], np.int32)])


def reservation_of_one_block(t, told):
    slot = Array(Int32, 1, space="smem")
    if primitives.cluster_ctarank() >= told[0]:
        primitives.tcgen05_alloc(slot, 32, group="cta_2")
        memory = primitives.make_tmem_ptr(slot[0], Int32)
        primitives.tcgen05_dealloc(memory, 32, group="cta_2")


def test_a_deadlock_names_a_reservation_that_waits_for_the_other_block():
    function = compiled(reservation_of_one_block, (np.zeros(1, np.int32),), cluster=2)
    function([np.array([0], np.int32)])
    with pytest.raises(
        RuntimeError, match="32 of 32 .* at tcgen05.alloc, for which the other block"
    ):
        function([np.array([1], np.int32)])


def unequal_reservations(t, told):
    slot = Array(Int32, 1, space="smem")
    columns = (primitives.cluster_ctarank() * told[0] + 1).to(Int32) * 32
    primitives.tcgen05_alloc(slot, columns, group="cta_2")
    primitives.barrier_cluster_arrive()
    primitives.barrier_cluster_wait()
    memory = primitives.make_tmem_ptr(slot[0], Int32)
    primitives.tcgen05_dealloc(memory, columns, group="cta_2")


def test_blocks_of_a_pair_reserve_other_numbers_of_columns():
    function = compiled(unequal_reservations, (np.zeros(1, np.int32),), cluster=2)
    function([np.array([0], np.int32)])
    message = "64 columns of tensor memory, but the other block of its pair for another number"
    with pytest.raises(RuntimeError, match=message):
        function([np.array([1], np.int32)])


def test_pairs_need_an_even_cluster():
    """Compilation finds it if the cluster's extents are constants."""
    traced = cute.jit(reservation_of_one_block)

    @cute.kernel
    def device(told: cute.Tensor):
        traced(0, told)

    @cute.jit
    def host(told: cute.Tensor, blocks: Int32):
        device(told).launch(grid=blocks, block=32, cluster=(blocks, 1, 1))

    told = np.zeros(1, np.int32)
    function = cute.compile(host, told, Int32(2), options="--target cpu")
    function(told, 2)
    with pytest.raises(
        RuntimeError, match="for a pair of blocks in a cluster of 3, which has to be"
    ):
        function(told, 3)


def test_the_odd_block_of_a_pair_multiplies():
    function = compiled(products_of_a_pair, (np.zeros(1, np.int32),), cluster=2)
    function([np.array([0], np.int32)])
    with pytest.raises(RuntimeError, match="multiplies for a pair of blocks, which only the even"):
        function([np.array([1], np.int32)])


def questions(t, told):
    answer = Array(Int32, 4, space="smem", alignment=16)
    arrived = Array(Int64, 1, space="smem", alignment=8)
    primitives.mbarrier_init(arrived, 1)
    primitives.fence_mbarrier_init()
    for phase in fairlead_range(told[0]):
        primitives.mbarrier_arrive_expect_tx(arrived, 16)
        primitives.clusterlaunchcontrol_try_cancel(answer, arrived)
        while not primitives.mbarrier_try_wait_parity(arrived, phase % 2):
            pass


def test_questions_after_there_is_no_cluster_left():
    function = compiled(questions, (np.zeros(1, np.int32),), threads=1)
    function([np.array([1], np.int32)])
    with pytest.raises(RuntimeError, match="after an answer that none is left"):
        function([np.array([2], np.int32)])


def answer_at_a_place(t, told):
    answer = Array(Int32, 8, space="smem", alignment=16)
    arrived = Array(Int64, 1, space="smem", alignment=8)
    primitives.mbarrier_init(arrived, 1)
    primitives.fence_mbarrier_init()
    primitives.mbarrier_arrive_expect_tx(arrived, 16)
    primitives.clusterlaunchcontrol_try_cancel(answer.data_ptr(told[0].to(Int32)), arrived)
    while not primitives.mbarrier_try_wait_parity(arrived, 0):
        pass


@pytest.mark.parametrize("more", ["", "--check all"], ids=["alone", "checked"])
def test_answers_of_launch_control_are_aligned(more):
    function = compiled(answer_at_a_place, (np.zeros(1, np.int32),), threads=1, more=more)
    function([np.array([4], np.int32)])
    message = "answer comes to an address that is no multiple of 16 bytes"
    with pytest.raises((RuntimeError, checks.CheckError), match=message):
        function([np.array([1], np.int32)])


def added_product(t, told, out):
    """Adds a product to sums that nothing has written, or commits it to an mbarrier that nothing has initialised."""
    left = Array(Float16, (2, 128, 8), space="smem", alignment=128)
    right = Array(Float16, (2, 32, 8), space="smem", alignment=128)
    done = Array(Int64, 1, space="smem", alignment=8)
    slot = Array(Int32, 1, space="smem")
    for k in fairlead_range(16):
        for row in fairlead_range(4):
            left[k // 8, row * 32 + t, k % 8] = Float16(0)
        right[k // 8, t, k % 8] = Float16(0)
    primitives.fence_proxy("async_shared", space="shared_cta")
    if t == 0 and told[1] == 0:
        primitives.mbarrier_init(done, 1)
    primitives.fence_mbarrier_init()
    primitives.tcgen05_alloc(slot, 32)
    primitives.barrier_cta_sync()
    memory = primitives.make_tmem_ptr(slot[0], Int32)
    if primitives.elect_sync():
        a, b = Tcgen05SmemDesc.build(left, 2048, 128), Tcgen05SmemDesc.build(right, 512, 128)
        idesc = primitives.Tcgen05InstrDesc.build(Float32, n_dim=32, m_dim=128)
        primitives.tcgen05_mma("f16", "cta_1", memory, a, b, idesc, told[0] != 0)
        primitives.tcgen05_commit(done)
    while not primitives.mbarrier_try_wait_parity(done, 0):
        pass
    out[t] = primitives.tcgen05_ld("32x32b", memory, num=1)[0]
    primitives.tcgen05_wait("load")
    primitives.barrier_cta_sync()
    primitives.tcgen05_dealloc(memory, 32)


@pytest.mark.parametrize("told, message", [
    ([1, 0], "init: memory that nothing has written to"),
    ([0, 1], "sync: a thread arrives at an mbarrier that nothing has initialised"),
])  # fmt: skip
def test_sums_and_mbarriers_without_a_beginning(told, message):
    out = np.ones(32, np.int32)
    function = compiled(added_product, (np.zeros(2, np.int32), out), more="--check all")
    with ThreadPoolExecutor(1) as thread:
        thread.submit(function, [np.zeros(2, np.int32), out]).result()
    assert out.tolist() == [0] * 32
    with pytest.raises(checks.CheckError, match=message):
        with ThreadPoolExecutor(1) as thread:
            thread.submit(function, [np.array(told, np.int32), out]).result()
