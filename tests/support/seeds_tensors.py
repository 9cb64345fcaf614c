"""Mistakes in the order of products in tensor memory."""

from seed import DROPPED, mistakes_of

PRODUCT, LOAD = "cute.gemm(mma, found,", "cute.copy(copy, source, values)"
WIDE, NARROW, STORED = "cute.gemm(mma, sums,", "cute.gemm(narrow,", "cute.copy(storing,"
LOADED, FREED = "cute.copy(loading,", "tmem.free(memory)"
A_COPY = "cute.copy(a_atom, from_a"

TENSORS = [
    *mistakes_of(
        "tensor_memory",
        (
            "sums are loaded before they are known to be there",
            "sums.consumer_wait(stored)",
            DROPPED,
            "race",
            PRODUCT,
            LOAD,
        ),
        (
            "sums are overwritten before they are loaded",
            "sums.producer_acquire(summed)",
            DROPPED,
            "race",
            PRODUCT,
            LOAD,
        ),
        (
            "a stage is released without a commit of the products that read it",
            "loads.consumer_release(read)",
            "with cute.arch.elect_one(): cute.arch.mbarrier_arrive("
            "loads.sync_object_empty.get_barrier(read.index))",
            "race",
            PRODUCT,
            A_COPY,
        ),
    ),
    *mistakes_of(
        "tensor_forms",
        (
            "no wait between products of other extents",
            "cute.arch.mbarrier_wait(first, 0)",
            DROPPED,
            "race",
            WIDE,
            NARROW,
        ),
        (
            "loads do not wait for the products",
            "cute.arch.mbarrier_wait(second, 0)",
            DROPPED,
            "race",
            NARROW,
            LOADED,
        ),
        (
            "products do not wait for stores",
            "cute.arch.fence_view_async_tmem_store()",
            DROPPED,
            "race",
            STORED,
            WIDE,
        ),
        (
            "products read what no fence shows them",
            'cute.arch.fence_proxy("async.shared", space="cta")',
            DROPPED,
            "race",
            "] = Float16(1.0)",
            WIDE,
        ),
        (
            "columns are freed before all warps have loaded them",
            "pipeline.sync(barrier_id=3)",
            DROPPED,
            "race",
            LOADED,
            FREED,
        ),
    ),
]
