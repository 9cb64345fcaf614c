"""A right call of each primitive, and the operands that the names in it stand for."""

import re

from fairlead import BFloat16, Float16, Float32, Int32, Int64, primitives
from fairlead.primitives import Array

#: A right call of each function. Operands: `s` words and `b` mbarriers in shared memory, `other` those of another
#: block, `g` global memory, `t` tensor memory, `n`, `wide`, `x`, `half`, `brief`, `p` run-time numbers, `d` and `i`
#: descriptors.
_CALLS = """
add_packed_f32x2((x, x), (x, x), rnd="rn", ftz=True)
add_packed_bf16x2_f32x2_f32x2((x, x), (x, x))
add_packed_f16x2_f32x2_f32x2((x, x), (x, x))
add_packed_f32x2_bf16x2_f32x2((brief, brief), (x, x), rnd="rn")
add_packed_f32x2_f16x2_f32x2((half, half), (x, x), rnd="rn")
fma_packed_f32x2_bf16x2_f32x2_f32x2((brief, brief), (x, x), (x, x), rnd="rn")
fma_packed_f32x2_f16x2_f32x2_f32x2((half, half), (x, x), (x, x), rnd="rn")
mul_packed_bf16x2_bf16x2_f16x2((brief, brief), (half, half))
mul_packed_bf16x2_f32x2_f32x2((x, x), (x, x))
mul_packed_f16x2_f16x2_bf16x2((half, half), (brief, brief))
mul_packed_f16x2_f32x2_f32x2((x, x), (x, x))
sub_packed_bf16x2_f32x2_f32x2((x, x), (x, x))
sub_packed_f16x2_f32x2_f32x2((x, x), (x, x))
sub_packed_f32x2_bf16x2_f32x2((brief, brief), (x, x), rnd="rn")
sub_packed_f32x2_f16x2_f32x2((half, half), (x, x), rnd="rn")
dot_accumulate_2way(n, "signed", n, "signed", n, True)
dot_accumulate_4way(n, "signed", n, "unsigned", n)
fabs(x)
fma_packed_f32x2((x, x), (x, x), (x, x), rnd="rn", ftz=True)
fmin(x, x)
mov_b32(n, target_type=Float32)
mul(n, n, "hi", is_signed=True)
mul_bf16x2(n, n)
mul_packed_f32x2((x, x), (x, x), rnd="rn", ftz=True)
prmt(n, n, "default", hi=n)
sub_packed_f32x2((x, x), (x, x), rnd="rn", ftz=True)
barrier(barrier_id=1, number_of_threads=32)
barrier_cluster_arrive()
barrier_cluster_arrive_aligned()
barrier_cluster_arrive_relaxed()
barrier_cluster_arrive_relaxed_aligned()
barrier_cluster_wait()
barrier_cluster_wait_aligned()
barrier_cta_arrive(1, 64)
barrier_cta_arrive_aligned(1, 64)
barrier_cta_red(p, 1, "and", thread_count=32)
barrier_cta_red_aligned(p, 1, "popc", thread_count=32)
barrier_cta_sync(1, thread_count=32)
barrier_cta_sync_aligned(1, thread_count=32)
breakpoint()
cluster_ctarank()
exit()
griddepcontrol("wait")
mapa(s, n, addrspace=7)
nanosleep(n)
pmevent(3)
setmaxregister(40, "increase")
convert(x, Int32, rnd="rn")
convert_and_pack_integer(n, n, "s16", is_signed=True)
convert_float_to_integer(x, result_type=Int32, rnd="rni", sat="satfinite", ftz=True, is_signed=True)
convert_float_to_tf32(x, rnd="rna")
cvt_e2m1x2_byte_to_bf16x2(n)
cvt_e4m3x2_byte_to_bf16x2(n)
cvt_e4m3x2_to_bf16x2(n)
cvt_e4m3x2_word_to_bf16x2(n, 16)
cvt_f32x2_to_f4x2(x, x, rnd="rn", relu=True)
cvt_f32x2_to_f8x2(x, x, "e4m3x2", rnd="rn", sat="satfinite", relu=True)
cp_async_bulk_commit_group()
cp_async_bulk_global_shared_cta(g, s, 16, l2_cache_hint=wide, byte_mask=n)
cp_async_bulk_prefetch(g, 16, l2_cache_hint=wide)
cp_async_bulk_shared_cluster_global(s, g, b, 16, multicast_mask=n, l2_cache_hint=wide)
cp_async_bulk_shared_cluster_shared_cta(other, s, other, 16)
cp_async_bulk_tensor_global_shared_cta(g, s, (n, n), l2_cache_hint=wide, mode="tile")
cp_async_bulk_tensor_prefetch(g, (n, n), [], mode="tile", l2_cache_hint=wide)
cp_async_bulk_tensor_reduce(g, s, "add", (n, n), mode="tile", l2_cache_hint=wide)
cp_async_bulk_tensor_shared_cluster_global(s, g, (n, n), b, [], multicast_mask=n, l2_cache_hint=wide, mode="tile", group="cta_1")
cp_async_bulk_tensor_shared_cta_global(s, g, (n, n), b, [], l2_cache_hint=wide, mode="tile")
cp_async_bulk_wait_group(0, read=True)
cp_async_commit_group()
cp_async_shared_global(s, g, 16, "ca", cp_size=n)
cp_async_wait_group(0)
cp_reduce_async_bulk_global_shared_cta(g, s, 16, op="add", type="u32", noftz=False, l2_cache_hint=wide)
st_bulk(s, 16, init_val=0)
fence_acq_rel("gpu")
fence_proxy("async_shared", space="shared_cta")
fence_proxy_acquire("gpu", g, 128, from_proxy="generic", to_proxy="tensormap")
fence_proxy_async_acquire_sync_restrict()
fence_proxy_async_release_sync_restrict()
fence_proxy_release("gpu", from_proxy="generic", to_proxy="tensormap")
fence_proxy_sync_restrict("acquire", from_proxy="generic", to_proxy="async")
fence_sc_cluster()
fence_sync_restrict("acquire")
memory_barrier("gpu")
prefetch_tensormap(g, space="const")
tensormap_cp_fenceproxy(g, s, 128, "gpu")
tensormap_replace("global_dim", s, new_value=n, ord=1)
clusterlaunchcontrol_query_cancel("is_canceled", s)
clusterlaunchcontrol_try_cancel(s, b, multicast=True)
ldmatrix(s, 4, "row", shape="m8n8")
stmatrix(s, [n, n], "row", shape="m8n8")
cp_async_mbarrier_arrive(b, noinc=True)
fence_mbarrier_init()
mbarrier_arrive(b, count=n, scope="cta", relaxed=False)
mbarrier_arrive_drop(b, count=n, scope="cta", relaxed=False)
mbarrier_arrive_drop_expect_tx(b, n, scope="cta", relaxed=False)
mbarrier_arrive_drop_nocomplete(b, 1)
mbarrier_arrive_expect_tx(b, n, scope="cta", relaxed=False)
mbarrier_arrive_nocomplete(b, 1)
mbarrier_complete_tx(b, n, scope="cta")
mbarrier_expect_tx(b, n, scope="cta")
mbarrier_init(b, 1)
mbarrier_inval(b)
mbarrier_test_wait(b, n, scope="cta", relaxed=False)
mbarrier_try_wait(b, n, ticks=n, scope="cta", relaxed=False)
mbarrier_try_wait_parity(b, n, time_limit=n, scope="cta", order="acquire")
mbarrier_try_wait_timelimit(b, wide, n, scope="cta", order="acquire")
mbarrier_wait(b, wide, "test", scope="cta", order="acquire")
mbarrier_wait_parity(b, n, "test", scope="cta", order="acquire")
atomicrmw("cas", g, n, b=n, mem_order="relaxed", syncscope="gpu")
cvta_to(g, "global", size="u64")
load_ext(g, dtype=Int32, count=1, l2_cache_hint=wide, order="relaxed", scope="gpu")
prefetch_l1(g)
prefetch_l2(g, evict_priority="last")
prefetchu(g)
red("add", "s32", g, n, mem_order="relaxed", mem_scope="gpu", cache_hint=wide)
store_ext(n, g, l2_cache_hint=wide, order="relaxed", scope="gpu")
make_tmem_ptr(n, Float32)
make_tmem_ptr_from_warp_row_col(n, n, n, Float32)
tcgen05_alloc(s, 32, group="cta_1")
tcgen05_commit(b, multicast_mask=n, group="cta_1")
tcgen05_cp("128x256b", t, d, group="cta_1")
tcgen05_dealloc(t, 32, group="cta_1")
tcgen05_fence("before_thread_sync")
tcgen05_ld("32x32b", t, num=2, pack=False)
tcgen05_ld_red("32x32b", t, "max", num=2, is_signed=True)
tcgen05_relinquish_alloc_permit(group="cta_1")
tcgen05_shift(t, group="cta_1")
tcgen05_st("32x32b", t, [n, n], unpack=False)
tcgen05_wait("load")
tcgen05_mma("f16", "cta_1", t, d, d, i, True, collector_op="discard", scale_input_d=1)
tcgen05_mma_block_scale("mxf8f6f4", "cta_1", t, d, d, scaled, True, t, t)
tcgen05_mma_sp("f16", "cta_1", t, d, d, sparse, True, t)
tcgen05_mma_sp_block_scale("mxf8f6f4", "cta_1", t, d, d, sparse_scaled, True, t, t, t)
tcgen05_mma_ws("f16", t, d, d, i, True)
tcgen05_mma_ws_sp("f16", t, d, d, sparse, True, t)
bar_warp_sync(n)
elect_sync(membermask=n)
match_sync(n, n, "any")
redux_sync(n, "add", n)
shfl_sync(n, n, n, n, "idx", return_value_and_is_valid=True)
vote_sync(n, p, "any")
"""  # noqa: E501
CALLS = {call[: call.index("(")]: call for call in _CALLS.strip().splitlines()}


def operands(out, call):
    """The values of the names in a call."""
    instruction, scaled = primitives.Tcgen05InstrDesc.build, primitives.Tcgen05MxInstrDesc.build
    names = {
        "s": Array(Int32, 256, space="smem", alignment=128),
        "b": Array(Int64, 1, space="smem", alignment=8),
        "g": out.iterator,
        "n": Int32(out[0]),
        "wide": Int64(out[0]),
        "x": Float32(out[0]),
        "half": Float16(out[0]),
        "brief": BFloat16(out[0]),
        "p": out[0] > 0,
        "i": instruction(n_dim=64, m_dim=128),
        "sparse": instruction(n_dim=64, m_dim=128, sparsity=1),
        "scaled": scaled(n_dim=64, m_dim=128),
        "sparse_scaled": scaled(n_dim=64, m_dim=128, sparsity=1),
        "thing": object(),
        "Float32": Float32,
        "Int32": Int32,
        **{name: getattr(primitives, name) for name in CALLS},
    }
    if "other" in call:
        names["other"] = primitives.mapa(names["b"], 0)
    if re.search(r"\bt\b", call):
        names["t"] = primitives.make_tmem_ptr(0, Int32)
    if re.search(r"\bd\b", call):
        names["d"] = primitives.Tcgen05SmemDesc.build(0, 16, 128)
    return names
