"""All published names of primitives: some exist, and the others say that they are not supported yet."""

import subprocess
import sys

import pytest

from fairlead import primitives
from fairlead.primitives._functions import FUNCTIONS

#: Functions of version 4.8.1, by subject.
PUBLISHED = """
auto bar_warp_sync barrier barrier_cluster_arrive barrier_cluster_arrive_aligned barrier_cluster_arrive_relaxed
barrier_cluster_arrive_relaxed_aligned barrier_cluster_wait barrier_cluster_wait_aligned barrier_cta_arrive
barrier_cta_arrive_aligned barrier_cta_red barrier_cta_red_aligned barrier_cta_sync barrier_cta_sync_aligned breakpoint
cluster_ctarank elect_sync exit fabs fmin griddepcontrol mapa match_sync nanosleep pmevent print_runtime ptx_add_comment
read_sreg_hw redux_sync setmaxregister shfl_sync trace_mark vote_sync

cp_async_mbarrier_arrive fence_mbarrier_init mbarrier_arrive mbarrier_arrive_drop mbarrier_arrive_drop_expect_tx
mbarrier_arrive_drop_nocomplete mbarrier_arrive_expect_tx mbarrier_arrive_nocomplete mbarrier_complete_tx
mbarrier_expect_tx mbarrier_init mbarrier_inval mbarrier_test_wait mbarrier_try_wait mbarrier_try_wait_parity
mbarrier_try_wait_timelimit mbarrier_wait mbarrier_wait_parity

cp_async_bulk_commit_group cp_async_bulk_global_shared_cta cp_async_bulk_prefetch cp_async_bulk_shared_cluster_global
cp_async_bulk_shared_cluster_shared_cta cp_async_bulk_tensor_global_shared_cta cp_async_bulk_tensor_prefetch
cp_async_bulk_tensor_reduce cp_async_bulk_tensor_shared_cluster_global cp_async_bulk_tensor_shared_cta_global
cp_async_bulk_wait_group cp_async_commit_group cp_async_shared_global cp_async_wait_group
cp_reduce_async_bulk_global_shared_cta ldmatrix prefetch_tensormap st_bulk stmatrix tensormap_cp_fenceproxy
tensormap_replace

fence_acq_rel fence_proxy fence_proxy_acquire fence_proxy_async_acquire_sync_restrict
fence_proxy_async_release_sync_restrict fence_proxy_release fence_proxy_sync_restrict fence_sc_cluster
fence_sync_restrict memory_barrier

atomicrmw cvta_to load_ext prefetch_l1 prefetch_l2 prefetchu red store_ext

add_packed_bf16x2_f32x2_f32x2 add_packed_f16x2_f32x2_f32x2 add_packed_f32x2 add_packed_f32x2_bf16x2_f32x2
add_packed_f32x2_f16x2_f32x2 convert convert_and_pack_integer convert_bf16x2_to_s2f6x2 convert_f32x2_to_s2f6x2
convert_f8x2_to_bf16x2 convert_float_to_integer convert_float_to_tf32 convert_s2f6x2_to_bf16x2
cvt_e2m1_word_to_e4m3_words cvt_e2m1x2_byte_to_bf16x2 cvt_e4m3x2_byte_to_bf16x2 cvt_e4m3x2_to_bf16x2
cvt_e4m3x2_word_to_bf16x2 cvt_f32x2_to_f4x2 cvt_f32x2_to_f8x2 cvt_packfloat cvt_packfloat_f32 cvt_packfloat_f32_sf
cvt_packfloat_sf dot_accumulate_2way dot_accumulate_4way fma_packed_f32x2 fma_packed_f32x2_bf16x2_f32x2_f32x2
fma_packed_f32x2_f16x2_f32x2_f32x2 mov_b32 mul mul_bf16x2 mul_packed_bf16x2_bf16x2_f16x2 mul_packed_bf16x2_f32x2_f32x2
mul_packed_f16x2_f16x2_bf16x2 mul_packed_f16x2_f32x2_f32x2 mul_packed_f32x2 prmt sub_packed_bf16x2_f32x2_f32x2
sub_packed_f16x2_f32x2_f32x2 sub_packed_f32x2 sub_packed_f32x2_bf16x2_f32x2 sub_packed_f32x2_f16x2_f32x2

mma_block_scale mma_smem_desc mma_sp_block_scale mma_sp_sync mma_sync wgmma_commit_group_sync_aligned
wgmma_fence_aligned wgmma_mma_async wgmma_wait_group_sync_aligned wmma_load wmma_mma wmma_store

clusterlaunchcontrol_query_cancel clusterlaunchcontrol_try_cancel make_tmem_ptr make_tmem_ptr_from_warp_row_col
tcgen05_alloc tcgen05_commit tcgen05_cp tcgen05_dealloc tcgen05_fence tcgen05_ld tcgen05_ld_red tcgen05_mma
tcgen05_mma_block_scale tcgen05_mma_sp tcgen05_mma_sp_block_scale tcgen05_mma_ws tcgen05_mma_ws_sp
tcgen05_relinquish_alloc_permit tcgen05_shift tcgen05_st tcgen05_wait

inline_ptx inline_ptx_hl
""".split()

#: Functions that still raise NotImplementedError. A name that is supported leaves this list.
NOT_YET = """
auto read_sreg_hw trace_mark

convert_bf16x2_to_s2f6x2 convert_f32x2_to_s2f6x2 convert_f8x2_to_bf16x2 convert_s2f6x2_to_bf16x2
cvt_e2m1_word_to_e4m3_words cvt_packfloat cvt_packfloat_f32 cvt_packfloat_f32_sf cvt_packfloat_sf

mma_block_scale mma_smem_desc mma_sp_block_scale mma_sp_sync mma_sync wgmma_commit_group_sync_aligned
wgmma_fence_aligned wgmma_mma_async wgmma_wait_group_sync_aligned wmma_load wmma_mma wmma_store
""".split()

#: Members that public programs name, of each enumeration.
MEMBERS = """
AtomicOp.CAS BarrierRedux.POPC CTAGroup.CTA_2 CpReduceType.BF16 FPRoundingMode.RNA GridDepAction.LAUNCH_DEPENDENTS
LoadShape.M16N16 LoadSrcFormat.B8 MBarrierScope.CLUSTER MBarrierWait.TRY MMABlockScaleKind.MXF4NVF4 MMALayout.COL
MemOrder.RELAXED MemScope.GPU PermuteMode.RC16 Proxy.ASYNC_SHARED
 ReductionKind.FMAX ReductionOp.ADD ReductionType.BF16X2
SetMaxRegisterAction.DECREASE SharedSpace.shared_cta Shfl.BFLY StoreShape.M16N8 TMALoadMode.IM2COL_W_128
TMARedux.XOR Tcgen05Fence.BEFORE_THREAD_SYNC Tcgen05LdStShape.SHAPE_32X32B Tcgen05MMABlockScale.BLOCK16
Tcgen05MMACollectorOp.LASTUSE Tcgen05MMAKind.I8 Tcgen05SmemSwizzle.SWIZZLE_128B Tcgen05Wait.STORE
TensormapField.GLOBAL_DIM
TensormapElemtype.F32_FTZ TensormapSwizzleAtomicity.B32_FLIP_8B VoteSync.UNI CvtaSpace.SHARED_CLUSTER
""".split()


def test_every_published_function_resolves():
    assert len(PUBLISHED) == 169
    assert not [name for name in PUBLISHED if not callable(getattr(primitives, name, None))]


def test_the_list_of_functions_that_are_not_supported_is_exact():
    stand_ins = {name for name in PUBLISHED if getattr(FUNCTIONS[name], "is_stand_in", False)}
    assert stand_ins == set(NOT_YET)


@pytest.mark.parametrize("name", NOT_YET)
def test_a_function_that_is_not_supported_says_so(name):
    with pytest.raises(NotImplementedError, match=f"`{name}` is not supported yet: "):
        getattr(primitives, name)(1, 2)


@pytest.mark.parametrize("name", MEMBERS)
def test_members_of_enumerations(name):
    enumeration, member = name.split(".")
    found = getattr(getattr(primitives, enumeration), member)
    assert found.name in (member, "INT8")


def test_published_functions_take_source_locations():
    program = """
import fairlead.compat, sys
from cutlass.experimental import cuda, primitives
functions = [getattr(primitives, name) for name in sys.argv[1:]] + [cuda.create_tensor_map_tiled]
print([function.__name__ for function in functions if not function._takes_place])
"""
    names = [name for name in PUBLISHED if name not in NOT_YET]
    command = [sys.executable, "-c", program, *names]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_every_function_has_a_docstring():
    assert not [name for name, function in FUNCTIONS.items() if not function.__doc__]
