"""Shared memory and registers that a kernel reads and never writes: errors while tracing. What may write is none."""

import numpy as np
import pytest

import fairlead
from fairlead import Float32, Int32, Int64, cute
from fairlead.cute.nvgpu import cpasync, warp
from fairlead.utils import SmemAllocator

TARGETS = ["cpu", "cuda:sm_90a"]


def compiled(body, target="cpu", smem=None, **launch):
    device = cute.kernel(body)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=64, smem=smem, **launch)

    a = cute.runtime.make_fake_compact_tensor(Float32, (64,), assumed_align=16)
    return cute.compile(host, a, options=f"--target {target}")


def shared(elements=64, dtype=Float32):
    return SmemAllocator().allocate_tensor(dtype, elements, byte_alignment=128)


def thread():
    return cute.arch.thread_idx()[0]


# --- mistakes ---------------------------------------------------------------------------------------------------------


def never_written(a: cute.Tensor):
    s = SmemAllocator().allocate_tensor(Float32, 64, 128)  # allocated
    other = shared()
    other[thread()] = a[thread()]
    cute.arch.sync_threads()
    a[thread()] = other[thread()] + s[thread()]  # read


def read_in_a_loop_of_a_branch(a: cute.Tensor):
    s = SmemAllocator().allocate_tensor(Float32, 64, 128)  # allocated
    if thread() < 8:
        for i in cute.range(4):
            a[i] = s[i + thread()]  # read


def by_other_types(a: cute.Tensor):
    s = SmemAllocator().allocate_tensor(Float32, 64, 128)  # allocated
    words = cute.make_tensor(cute.recast_ptr(s.iterator + 4, dtype=Int32), cute.make_layout(8))
    a[thread()] = words[thread() % 8].to(Float32)  # read


def copied_from(a: cute.Tensor):
    s = SmemAllocator().allocate_tensor(Float32, 64, 128)  # allocated
    part = cute.make_rmem_tensor((4,), Float32)
    mine = cute.make_tensor(s.iterator + thread() * 4, cute.make_layout(4))
    cute.autovec_copy(mine, part)  # read
    a[thread()] = part[1]


def matrices(a: cute.Tensor):
    rows = cute.make_layout((16, 16), stride=(16, 1))
    tile = SmemAllocator().allocate_tensor(cute.Float16, rows, 128)  # allocated
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cute.Float16, Float32, (16, 8, 16)))
    tiled = cute.make_tiled_copy_A(
        cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cute.Float16), mma
    )
    fragment = mma.make_fragment_A(mma.get_slice(0).partition_A(tile))
    from_ = tiled.get_slice(thread() % 32).partition_S(tile)
    cute.copy(tiled, from_, tiled.retile(fragment))  # read
    a[thread()] = fragment[0].to(Float32)


def swizzled(a: cute.Tensor):
    rows = cute.make_layout((8, 8), stride=(8, 1))
    s = SmemAllocator().allocate_tensor(  # allocated
        Float32, rows, 128, swizzle=cute.make_swizzle(3, 4, 3)
    )
    a[thread()] = s[thread() // 8, thread() % 8]  # read


def beside_one_of_a_struct(a: cute.Tensor):
    memory = SmemAllocator()
    pointer = memory.allocate_array(Int64, 1)
    s = memory.allocate_tensor(Float32, 64)  # allocated
    if thread() == 0:
        cute.arch.mbarrier_init(pointer, 1)
    a[thread()] = s[63 - thread()]  # read


MISTAKES = [
    never_written,
    read_in_a_loop_of_a_branch,
    by_other_types,
    copied_from,
    matrices,
    swizzled,
    beside_one_of_a_struct,
]


def line_of(body, mark):
    """ "test_unwritten_memory.py:40", of the line of the body that ends with the mark."""
    import inspect

    lines, first = inspect.getsourcelines(body)
    (at,) = [i for i, line in enumerate(lines) if line.rstrip().endswith(f"# {mark}")]
    return f"test_unwritten_memory.py:{first + at}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", MISTAKES)
def test_shared_memory_that_nothing_writes(body, target):
    with pytest.raises(fairlead.DSLError) as caught:
        compiled(body, target)
    message = str(caught.value)
    assert f"kernel `{body.__name__}` reads shared memory at {line_of(body, 'read')} " in message
    assert "that nothing in it writes on any path (" in message
    assert f"allocated at {line_of(body, 'allocated')}). Store or copy to it before" in message
    size = "512 bytes of Float16" if body is matrices else "256 bytes of Float32"
    assert size in message


@pytest.mark.parametrize("target", TARGETS)
def test_registers_that_nothing_writes(target):
    def sums(a: cute.Tensor):
        total = cute.make_rmem_tensor((4,), Float32)  # allocated
        a[thread()] = total[thread() % 4]  # read

    with pytest.raises(fairlead.DSLError) as caught:
        compiled(sums, target)
    message = str(caught.value)
    assert f"kernel `sums` reads registers at {line_of(sums, 'read')} that nothing in" in message
    assert "(16 bytes of Float32, allocated at " in message
    assert f"{line_of(sums, 'allocated')}). Store to the tensor before" in message


def test_all_that_a_launch_gives():
    def rest(a: cute.Tensor):
        s = cute.make_tensor(cute.arch.get_dyn_smem(Float32), cute.make_layout(64))
        a[thread()] = s[thread()]

    with pytest.raises(fairlead.DSLError, match="reads shared memory .*numbers of Float32"):
        compiled(rest, smem=256)


def test_lines_do_not_get_into_what_is_compiled():
    """The kernel some lines further down is equal machine code, from the cache."""
    texts = []
    for blank in ("", "\n\n\n"):
        names = {"cute": cute, "shared": shared, "thread": thread, "compiled": compiled}
        source = blank + (
            "def body(a: cute.Tensor):\n    s = shared()\n    s[thread()] = 1.0\n"
            "    cute.arch.sync_threads()\n    a[thread()] = s[0]\n"
        )
        import linecache

        name = f"<lines {len(blank)}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        exec(compile(source, name, "exec"), names)
        texts.append(compiled(names["body"]).__mlir__)
    assert texts[0] == texts[1]


# --- right programs ---------------------------------------------------------------------------------------------------


def written_on_some_path(a: cute.Tensor):
    s = shared()
    if a[0] > 0.0:
        s[thread()] = a[0]
    cute.arch.sync_threads()
    a[thread()] = s[thread()]


def read_and_forgotten(a: cute.Tensor):
    s = shared(256)
    part = cute.make_rmem_tensor((4,), Float32)
    cute.autovec_copy(cute.make_tensor(s.iterator + thread() * 4, cute.make_layout(4)), part)
    part[1] = s[thread()] + 1.0
    a[thread()] = 1.0


def doubled_and_forgotten(a: cute.Tensor):
    s, part = shared(), cute.make_rmem_tensor((1,), Float32)
    x = s[thread()]
    for _ in cute.range_constexpr(60):
        x = x + x
    part[0] = x
    a[thread()] = 1.0


def written_later_in_a_loop(a: cute.Tensor):
    s = shared()
    for i in cute.range(3):
        if i > 0:
            a[thread()] = s[thread()]
        s[thread()] = Float32(i)


def an_alias(a: cute.Tensor):
    s = shared()
    other = cute.make_tensor(cute.recast_ptr(s.iterator, dtype=Int32), cute.make_layout((8, 8)))
    other[thread() // 8, thread() % 8] = 1
    a[thread()] = s[thread()]


def the_rest_of_the_launch(a: cute.Tensor):
    """get_dyn_smem may point to memory that was reserved after it."""
    rest = cute.make_tensor(cute.arch.get_dyn_smem(Float32), cute.make_layout(64))
    s = shared()
    rest[thread()] = 1.0
    a[thread()] = s[thread()]


def asynchronous_copies(a: cute.Tensor):
    s = shared()
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), Float32, num_bits_per_copy=128)
    part = cute.make_layout(4)
    place = thread() % 16 * 4
    cute.copy(
        atom,
        cute.make_tensor((a.iterator + place).align(16), part),
        cute.make_tensor((s.iterator + place).align(16), part),
    )
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.arch.sync_threads()
    a[thread()] = s[thread()]


def atomics(a: cute.Tensor):
    s = shared(1, Int32)
    cute.arch.atomic_exch(s.iterator, 0)
    a[0] = s[0].to(Float32)


def a_selected_pointer(a: cute.Tensor):
    s = [shared(), shared()]
    for i in cute.range(2, unroll_full=True):
        s[i][thread()] = 1.0
    a[thread()] = s[0][thread()] + s[1][thread()]


def stores_with_another_tensor_carried_through_a_branch(a: cute.Tensor):
    s, other = shared(), shared()
    one = s
    if a[0] > 0.0:
        one = other
    one[thread()] = 1.0
    cute.arch.sync_threads()
    a[thread()] = s[thread()] + other[thread()]


def the_number_of_an_address(a: cute.Tensor):
    s = shared()
    number = s.iterator.toint() + Int64(0)
    again = cute.make_ptr(Float32, number, cute.AddressSpace.smem, assumed_align=4)
    cute.make_tensor(again, cute.make_layout(64))[thread()] = 1.0
    a[thread()] = s[thread()]


def unused_values(a: cute.Tensor):
    s, r = shared(), cute.make_rmem_tensor((4,), Float32)
    s.load()
    a[0] = Float32(cute.size(r) + cute.size(s))


def registers_of_a_copy(a: cute.Tensor):
    r = cute.make_rmem_tensor((4,), Float32)
    cute.autovec_copy(cute.make_tensor(a.iterator.align(16), cute.make_layout(4)), r)
    a[thread()] = r[0]


def registers_of_a_branch(a: cute.Tensor):
    r = cute.make_rmem_tensor((4,), Float32)
    if a[0] > 0.0:
        r.fill(0.0)
    a[thread()] = r[thread() % 4]


NO_MISTAKES = [
    written_on_some_path,
    read_and_forgotten,
    doubled_and_forgotten,
    written_later_in_a_loop,
    an_alias,
    the_rest_of_the_launch,
    asynchronous_copies,
    atomics,
    a_selected_pointer,
    stores_with_another_tensor_carried_through_a_branch,
    the_number_of_an_address,
    unused_values,
    registers_of_a_copy,
    registers_of_a_branch,
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", NO_MISTAKES)
def test_what_is_written_is_no_mistake(body, target):
    function = compiled(body, target, smem=1024)
    if target == "cpu":
        function(np.ones(64, np.float32))
    else:
        assert f"{body.__name__}" in function.__ptx__


def address_into_assembly(a: cute.Tensor):
    s = shared()
    cute.arch.inline_ptx(
        "st.shared.f32 [{$r0}], {$r1};", read_only_args=[s.iterator.toint().to(Int32), a[0]]
    )
    a[thread()] = s[thread()]


def a_number_from_elsewhere(a: cute.Tensor):
    """Shared memory begins at 0 on a GPU: programs may know where something lies."""
    s = shared()
    place = cute.make_ptr(Float32, thread().to(Int64) * 4, cute.AddressSpace.smem, assumed_align=4)
    place.store(1.0)
    a[thread()] = s[thread()]


def memory_of_another_block(a: cute.Tensor):
    s = shared()
    other = cute.arch.map_dsmem_ptr(s.iterator, 0)
    other.store(1.0)
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    a[thread()] = s[thread()]


def a_bulk_copy(a: cute.Tensor):
    memory = SmemAllocator()
    full = memory.allocate_array(Int64, 1)
    s = memory.allocate_tensor(Float32, 64, 128)
    if thread() == 0:
        cute.arch.mbarrier_init(full, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    atom = cute.make_copy_atom(cpasync.CopyBulkG2SOp(), Float32)
    if thread() < 32:
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(full, 256)
        cute.copy(atom, cute.make_tensor(a.iterator.align(16), 64), s, mbar_ptr=full)
    cute.arch.mbarrier_wait(full, 0)
    a[thread()] = s[thread()]


@pytest.mark.parametrize(
    "body, store",
    [
        (address_into_assembly, "st.shared.f32"),
        (a_number_from_elsewhere, "st.shared"),
        (memory_of_another_block, "mapa"),
        (a_bulk_copy, "cp.async.bulk.shared"),
    ],
)
def test_what_only_gpus_write_is_no_mistake(body, store):
    assert store in compiled(body, "cuda:sm_90a").__ptx__


def test_values_of_what_is_written():
    a = np.full(64, 3, np.float32)
    compiled(asynchronous_copies)(a)
    assert (a == 3).all()
