"""Enumerations of the primitives: the suffixes that their instructions take.

The value of a member is PTX's word for it, or the number that published programs expect.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

#: Members that are words: name of the class, its subject, and the words.
_WORDS = {
    "AtomicOp": ("operation of an atomic", "and or xor add inc dec min max cas exch"),
    "BarrierRedux": ("reduction at a barrier", "and or popc"),
    "CTAGroup": ("number of blocks that issue an instruction together", "cta_1 cta_2"),
    "CVTPackFloat": (
        "format of packed floats",
        "f32 f16x2 e4m3x2 e5m2x2 bf16x2 e2m1x2 e2m3x2 e3m2x2 ue8m0x2",
    ),
    "CacheLevel": ("level of the cache", "L1 L2"),
    "ClusterLaunchControlQueryType": (
        "question to a response of the launch control",
        "is_canceled get_first_cta_id_x get_first_cta_id_y get_first_cta_id_z",
    ),
    "CmpOp": ("comparison", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"),
    "ConvertScale": ("format of a scale factor", "ue8m0"),
    "CpReduceOp": ("operation of a reducing copy", "add min max inc dec and or xor"),
    "CpReduceType": (
        "element type of a reducing copy",
        "f16 bf16 b32 b64 u32 u64 s32 s64 f32 f64",
    ),
    "DotAccumulateType": ("signedness of the bytes of a dot product", "signed unsigned"),
    "EvictPriority": (
        "priority with which a cache line is evicted",
        "first last normal unchanged noallocate normal_demote",
    ),
    "FPRoundingMode": ("rounding of floats", "rn rm rp rz rna rs"),
    "GridDepAction": ("request to the neighbouring kernels", "wait launch_dependents"),
    "IntRoundingMode": ("rounding to integers", "rni rzi rmi rpi"),
    "L1EvictKind": (
        "priority with which a line of the L1 cache is evicted",
        "normal unchanged first last no_allocate",
    ),
    "LoadCacheModifier": ("cache operator of a load", "ca cg cs lu cv"),
    "LoadShape": ("shape of a matrix that is loaded", "m8n8 m8n16 m16n16"),
    "LoadSrcFormat": ("format of the elements that are loaded", "b6x16_p32 b4x16_p64 b8"),
    "MBarrierScope": ("threads that an mbarrier orders", "cta cluster"),
    "MBarrierWait": ("kind of an attempt to wait", "test try"),
    "MMAB1Op": ("operation of products of bits", "none xor_popc and_popc"),
    "MMAFrag": ("operand of a product", "a b c"),
    "MMAIntOverflow": ("overflow of products of integers", "satfinite wrapped"),
    "MMAKind": ("kind of a product", "f8f6f4"),
    "MMALayout": ("order of a matrix", "row col"),
    "MMAType": (
        "element type of a product",
        "f16 f32 tf32 bf16 s8 u8 s32 s4 u4 b1 f64 e4m3 e5m2 e3m2 e2m3 e2m1",
    ),
    "MatchSync": ("kind of a match", "any all"),
    "MemOrder": (
        "memory order of an access",
        "weak relaxed acquire release acq_rel sc mmio volatile constant",
    ),
    "MemScope": ("threads for which an access is ordered", "cta cluster gpu sys"),
    "MulMode": ("part of a product of integers", "hi lo wide"),
    "PermuteMode": ("reading of a selector of bytes", "default f4e b4e rc8 ecl ecr rc16"),
    "Proxy": (
        "proxy of memory accesses",
        "alias async async_global async_shared tensormap generic",
    ),
    "ReductionOp": ("operation of a reduction in memory", "and or xor add inc dec min max"),
    "ReductionType": (
        "element type of a reduction in memory",
        "b32 b64 u32 u64 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2",
    ),
    "SaturationMode": ("saturation of a conversion", "satfinite sat"),
    "SaturationModeKind": ("saturation of a conversion", "satfinite"),
    "SetMaxRegisterAction": ("change of a thread's registers", "decrease increase"),
    "SetpType": (
        "type of a comparison",
        "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f32 f64 bf16",
    ),
    "Shfl": ("kind of a shuffle", "bfly up down idx"),
    "StoreCacheModifier": ("cache operator of a store", "wb cg cs wt"),
    "StoreShape": ("shape of a matrix that is stored", "m8n8 m16n8"),
    "TMALoadMode": ("mode of a tensor load", "tile im2col im2col_w im2col_w_128 tile_gather4"),
    "TMARedux": ("operation of a reducing tensor store", "add max min inc dec and or xor"),
    "TMAStoreMode": ("mode of a tensor store", "tile im2col tile_scatter4"),
    "Tcgen05CpMulticast": ("warps that get a copy", "warpx2_02_13 warpx2_01_23 warpx4"),
    "Tcgen05CpSrcFormat": ("format of a copy's source", "b6x16_p32 b4x16_p64"),
    "Tcgen05Fence": ("side of a fence", "before_thread_sync after_thread_sync"),
    "Tcgen05MMACollectorBBuffer": ("buffer of operand B", "b0 b1 b2 b3"),
    "Tcgen05MMACollectorOp": ("use of the buffer of an operand", "discard lastuse fill use"),
    "Tcgen05Wait": ("accesses that a wait is for", "load store"),
    "TensormapElemtype": (
        "element type of a tensor map",
        "u8 u16 u32 s32 u64 s64 f16 f32 f32_ftz=f32.ftz f64 bf16 tf32 tf32_ftz=tf32.ftz b4x16 "
        "b4x16p64=b4x16_p64 b6x16p32=b6x16_p32",
    ),
    "TensormapField": (
        "field of a tensor map",
        "global_address rank box_dim global_dim global_stride element_stride elemtype "
        "interleave_layout swizzle_mode swizzle_atomicity fill_mode",
    ),
    "TensormapFillMode": ("value of elements outside of a tensor", "zero oob_nan"),
    "TensormapInterleaveLayout": ("interleaving of a tensor", "no_interleave b16 b32"),
    "TensormapSpace": ("memory of a tensor map", "const param"),
    "TensormapSwizzleAtomicity": ("unit of a swizzle", "b16 b32 b32_flip_8b=b32_flip_b8 b64"),
    "TensormapSwizzleMode": ("width of a swizzle", "no_swizzling b32 b64 b128 b96"),
    "VoteSync": ("kind of a vote", "any all ballot uni"),
    "WGMMAScaleIn": ("sign of an operand", "one neg"),
    "WGMMAScaleOut": ("factor of the accumulator", "zero one"),
    "WGMMAType": ("element type of a product", "f16 tf32 u8 s8 b1 bf16 e4m3 e5m2 f32 s32"),
}

#: Members that are numbers: name of the class, its subject, and each member with its number.
_NUMBERS = {
    "BarrierReduction": ("reduction at a barrier", "POPC=0 AND=1 OR=2"),
    "BlockScaleFormat": ("format of scale factors", "UE8M0=0 UE4M3=1"),
    "ConvertFP4Type": ("float of 4 bits", "E2M1=0"),
    "LdStMatrixEltType": (
        "elements of a matrix",
        "B16=0 B8=1 B8X16_B6X16_P32=2 B8X16_B4X16_P64=3",
    ),
    "MMABlockScaleKind": ("kind of a block-scaled product", "MXF8F6F4=0 MXF4=1 MXF4NVF4=2"),
    "MMACtaCount": ("blocks of a product", "cta1=1 cta2=2"),
    "MxScaleFormat": ("format of scale factors", "UE4M3=0 E8M0=1 UE5M3=2"),
    "NVVMMemorySpace": (
        "memory space",
        "Generic=0 Global=1 Shared=3 Constant=4 Local=5 Tensor=6 SharedCluster=7",
    ),
    "ReductionKind": (
        "operation of a reduction over a warp",
        "ADD=1 AND=2 MAX=3 MIN=4 OR=5 UMAX=6 UMIN=7 XOR=8 FMIN=9 FMAX=10",
    ),
    "ScaleVecSize": ("scale factors of a row", "X1=0 X2=1 X4=2"),
    "SharedSpace": (
        "shared memory of this block or of the cluster",
        "shared_cta=0 shared_cluster=1",
    ),
    "SparsityFormat": ("place of the metadata of a sparse operand", "THREAD=0"),
    "StateSpace": (
        "state space",
        "GENERIC=0 GLOBAL=1 SHARED_CTA=2 SHARED_CLUSTER=3 CONSTANT=4 LOCAL=5 TENSOR=6",
    ),
    "TCBarParam": ("operands of a barrier", "a1t0=0 a0tx=1"),
    "Tcgen05InputFormat": (
        "element type of an operand in an instruction descriptor",
        "F16=0 BF16=1 TF32=2 E4M3=0 E5M2=1 E2M3=3 E3M2=4 E2M1=5 U8=0 S8=1",
    ),
    "Tcgen05MMABlockScale": ("elements that share a scale factor", "DEFAULT=0 BLOCK16=1 BLOCK32=2"),
    "Tcgen05MMAScaleVecSize": (
        "elements that share a scale factor, or scale factors of a row",
        "DEFAULT=0 BLOCK16=1 BLOCK32=2 X1=3 X2=4 X4=5",
    ),
    "Tcgen05OutputFormat": (
        "element type of the accumulator in an instruction descriptor",
        "F16=0 F32=1 S32=2",
    ),
    "Tcgen05SmemSwizzle": (
        "swizzle of an operand in shared memory",
        "NONE=0 SWIZZLE_128B_ATOM_32B=1 SWIZZLE_128B=2 SWIZZLE_64B=4 SWIZZLE_32B=6",
    ),
    "TmemLayout": (
        "layout of an access to tensor memory",
        "tmem_16dp_128bit=0 tmem_16dp_256bit=1 tmem_32dp_32bit=2 tmem_16dp_64bit=3 "
        "tmem_16dp_32bit_t0_t15=4 tmem_16dp_32bit_t16_t31=5",
    ),
    "WgmmaSwizzle": (
        "swizzle of an operand in shared memory",
        "INTERLEAVE=0 SWIZZLE_128B=1 SWIZZLE_64B=2 SWIZZLE_32B=3",
    ),
}

#: Members whose values are words that are no names.
_TEXTS = {
    "CvtaSize": ("size of an address", {"U32": "u32", "U64": "u64"}),
    "CvtaSpace": (
        "memory of an address",
        {
            "GLOBAL": "global",
            "SHARED": "shared",
            "SHARED_CTA": "shared::cta",
            "SHARED_CLUSTER": "shared::cluster",
            "LOCAL": "local",
            "CONST": "const",
            "PARAM": "param",
            "PARAM_ENTRY": "param::entry",
        },
    ),
    "L2PrefetchSize": (
        "bytes that a load brings into the L2 cache",
        {"SIZE_64B": "size_64b", "SIZE_128B": "size_128b", "SIZE_256B": "size_256b"},
    ),
    "Tcgen05CpShape": (
        "shape of a copy to tensor memory",
        {
            "SHAPE_128x256b": "128x256b",
            "SHAPE_4x256b": "4x256b",
            "SHAPE_128x128b": "128x128b",
            "SHAPE_64x128b": "64x128b",
            "SHAPE_32x128b": "32x128b",
            "SHAPE_128X256B": "128x256b",
            "SHAPE_4X256B": "4x256b",
            "SHAPE_128X128B": "128x128b",
            "SHAPE_64X128B": "64x128b",
            "SHAPE_32X128B": "32x128b",
        },
    ),
    "Tcgen05LdStShape": (
        "shape of an access to tensor memory",
        {
            "SHAPE_16X32BX2": "16x32bx2",
            "SHAPE_16X64B": "16x64b",
            "SHAPE_32X32B": "32x32b",
            "SHAPE_16X128B": "16x128b",
            "SHAPE_16X256B": "16x256b",
        },
    ),
    "Tcgen05MMAKind": (
        "kind of a product in tensor memory",
        {
            "MXF4NVF4": "mxf4nvf4",
            "F8F6F4": "f8f6f4",
            "MXF8F6F4": "mxf8f6f4",
            "INT8": "int8",
            "I8": "int8",
            "F16": "f16",
            "TF32": "tf32",
            "MXF4": "mxf4",
        },
    ),
}


def _make(name: str, subject: str, members: dict[str, Any], kind: Any = enum.Enum) -> Any:
    cls = kind(name, members, module=__name__)
    cls.__doc__ = f"The {subject}."
    return cls


def _words(text: str) -> dict[str, str]:
    pairs = (word.partition("=") for word in text.split())
    return {name.upper(): value or name for name, _, value in pairs}


def _numbers(text: str) -> dict[str, int]:
    return {name: int(value) for name, _, value in (word.partition("=") for word in text.split())}


ENUMS: dict[str, Any] = {
    **{name: _make(name, subject, _words(text)) for name, (subject, text) in _WORDS.items()},
    **{
        name: _make(name, subject, _numbers(text), enum.IntEnum)
        for name, (subject, text) in _NUMBERS.items()
    },
    **{name: _make(name, subject, members) for name, (subject, members) in _TEXTS.items()},
}
globals().update(ENUMS)
__all__ = sorted(ENUMS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
