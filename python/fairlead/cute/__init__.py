"""The kernel language: decorators, compile, tensors, math, and what is known of the running thread.

A name is loaded when first used, so that a program which only loads an exported module never loads the compiler.
"""

from __future__ import annotations

from importlib import import_module as _import_module

from fairlead import _NUMERIC

_LAYOUT = (
    "ComposedLayout E Swizzle append append_ones blocked_product coalesce complement composition cosize crd2idx "
    "depth dice domain_offset filter filter_zeros flat_divide flat_product flatten get group_modes idx2crd "
    "is_static left_inverse local_partition local_tile logical_divide logical_product make_composed_layout "
    "make_identity_layout make_identity_tensor make_layout make_layout_image_mask make_layout_like make_layout_tv "
    "make_ordered_layout make_swizzle make_tensor max_common_layout max_common_vector prepend prepend_ones "
    "raked_product recast_layout recast_ptr recast_tensor right_inverse select shape size_in_bytes slice_ "
    "tile_to_shape tiled_divide tiled_product zipped_divide zipped_product"
).split()
_VALUES = (
    "TensorSSA autovec_copy basic_copy basic_copy_if full full_like make_fragment make_fragment_like "
    "make_rmem_tensor make_rmem_tensor_like ones_like zeros_like"
).split()
_OPERATIONS = (
    "FastDivmodDivisor FastDivmodDivisorV2 all_ any_ assume ceil_div elem_less fast_divmod_create_divisor "
    "fast_divmod_create_divisor_v2 product product_each rank repeat repeat_as_tuple repeat_like round_up "
    "shape_div size where"
).split()
_ATOMS = (
    "CopyAtom MmaAtom ThrCopy ThrMma TiledCopy TiledMma copy copy_atom_call gemm make_copy_atom make_cotiled_copy "
    "make_mma_atom make_tiled_copy make_tiled_copy_A make_tiled_copy_B make_tiled_copy_C make_tiled_copy_C_atom "
    "make_tiled_copy_D make_tiled_copy_S make_tiled_copy_tv make_tiled_mma mma_atom_call prefetch"
).split()
_TUPLES = "Coord Int IntTuple Shape Stride Tile".split()
_MATH = "exp exp2 log log2 log10 sin cos tan tanh sqrt rsqrt erf floor ceil".split()

_NESTED = (
    "filter_tuple find find_if flatten_to_tuple front get_divisibility has_underscore is_congruent is_int_tuple "
    "is_integer is_major is_weakly_congruent leading_dim product_like transform_apply transform_leaf tuple_cat "
    "unflatten unwrap wrap"
).split()
# Names that Python has too are no part of ``from fairlead.cute import *``.
_MORE_MATH = (
    "RoundingMode absf absi acos acosh add asin asinh atan atan2 atanh cbrt clamp copysign cosh div erfc expm1 fma "
    "fpowi ipowi isfinite isinf isnan isnormal log1p mul neg rcp rem roundeven sincos sinh sub trunc"
).split()
_HIDING = "abs max min pow round".split()

# Name -> module that defines it.
_HOMES = {
    **dict.fromkeys(
        [
            *_NUMERIC,
            "AddressSpace",
            "CoordTensor",
            "Layout",
            "Pointer",
            "ReductionOp",
            "ScaledBasis",
            "Tensor",
            "TensorExpr",
        ],
        "fairlead._compiler",
    ),
    **dict.fromkeys(_NESTED, "fairlead.cute._tuples"),
    **dict.fromkeys([*_MATH, *_MORE_MATH, *_HIDING], "fairlead.cute.math"),
    "jit": "fairlead.cute._jit",
    "kernel": "fairlead.cute._kernels",
    **dict.fromkeys(["compile", "CompiledFunction"], "fairlead.cute._compile"),
    "current_target": "fairlead.cute._target",
    "make_ptr": "fairlead.cute._pointer",
    **dict.fromkeys(
        [
            "dsl_user_op",
            "extract_mlir_values",
            "new_from_mlir_values",
            "register_jit_arg_adapter",
        ],
        "fairlead.cute._protocols",
    ),
    **dict.fromkeys(
        [
            "Check",
            "EnableAssertions",
            "EnableTVMFFI",
            "FrontendNext",
            "GPUArch",
            "GenerateLineInfo",
            "HostTarget",
            "KeepASM",
            "KeepCUBIN",
            "KeepIR",
            "KeepPTX",
            "KeepSASS",
            "NoCache",
            "NoFmad",
            "NvdisasmOptions",
            "OptLevel",
            "PtxasOptions",
            "Schedule",
            "TargetOption",
        ],
        "fairlead.cute._options",
    ),
    **dict.fromkeys(["SymInt", "sym_int", "sym_int32", "sym_int64"], "fairlead.cute._symbols"),
    **dict.fromkeys(
        ["make_fake_compact_tensor", "make_fake_stream", "make_fake_tensor"], "fairlead.cute._fake"
    ),
    **dict.fromkeys(_TUPLES, "fairlead.cute.typing"),
    "from_dlpack": "fairlead.cute._dlpack",
    "Ratio": "fairlead.cute._ratio",
    "native_struct": "fairlead.cute._native_struct",
    **dict.fromkeys(["print_tensor", "printf"], "fairlead.cute._print"),
    **dict.fromkeys(["struct", "union"], "fairlead.cute._struct"),
    **dict.fromkeys(
        ["for_generate", "if_generate", "not_", "while_generate", "yield_out"],
        "fairlead.cute._generate",
    ),
    **dict.fromkeys(_VALUES, "fairlead.cute._values"),
    **dict.fromkeys(_ATOMS, "fairlead.cute._atoms"),
    **dict.fromkeys(_LAYOUT, "fairlead.cute._layout"),
    **dict.fromkeys(_OPERATIONS, "fairlead.cute._operations"),
    **dict.fromkeys(
        ["Constexpr", "const_expr", "range", "range_constexpr"], "fairlead._tracing.language"
    ),
    "SmemAllocator": "fairlead.cute._shared_memory",
}
# Modules whose functions stand for operations.
_OPERATING = {
    f"fairlead.cute.{name}"
    for name in ("_atoms", "_layout", "_operations", "_pointer", "_print", "_values")
}
_MODULES = (
    "arch",
    "cuda",
    "experimental",
    "export",
    "math",
    "nvgpu",
    "runtime",
    "testing",
    "typing",
)

__all__ = [*(name for name in _HOMES if name not in _HIDING), *_MODULES]

# As in typing, whose import would take most of the time of this one.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairlead._compiler import (
        AddressSpace,
        BFloat16,
        Boolean,
        CoordTensor,
        Float,
        Float4E2M1FN,
        Float6E2M3FN,
        Float6E3M2FN,
        Float8E4M3,
        Float8E4M3B11FNUZ,
        Float8E4M3FN,
        Float8E5M2,
        Float8E8M0FNU,
        Float16,
        Float32,
        Float64,
        Int4,
        Int8,
        Int16,
        Int32,
        Int64,
        Int128,
        Integer,
        Layout,
        Numeric,
        Pointer,
        ReductionOp,
        ScaledBasis,
        Tensor,
        TensorExpr,
        TFloat32,
        Uint8,
        Uint16,
        Uint32,
        Uint64,
        Uint128,
    )
    from fairlead._tracing.language import Constexpr, const_expr, range, range_constexpr
    from fairlead.cute import (
        arch,
        cuda,
        experimental,
        export,
        math,
        nvgpu,
        runtime,
        testing,
        typing,
    )
    from fairlead.cute._atoms import (
        CopyAtom,
        MmaAtom,
        ThrCopy,
        ThrMma,
        TiledCopy,
        TiledMma,
        copy,
        copy_atom_call,
        gemm,
        make_copy_atom,
        make_cotiled_copy,
        make_mma_atom,
        make_tiled_copy,
        make_tiled_copy_A,
        make_tiled_copy_B,
        make_tiled_copy_C,
        make_tiled_copy_C_atom,
        make_tiled_copy_D,
        make_tiled_copy_S,
        make_tiled_copy_tv,
        make_tiled_mma,
        mma_atom_call,
    )
    from fairlead.cute._compile import CompiledFunction, compile
    from fairlead.cute._dlpack import from_dlpack
    from fairlead.cute._fake import make_fake_compact_tensor, make_fake_stream, make_fake_tensor
    from fairlead.cute._generate import (
        for_generate,
        if_generate,
        not_,
        while_generate,
        yield_out,
    )
    from fairlead.cute._jit import jit
    from fairlead.cute._kernels import kernel
    from fairlead.cute._layout import (
        ComposedLayout,
        E,
        Swizzle,
        append,
        append_ones,
        blocked_product,
        coalesce,
        complement,
        composition,
        cosize,
        crd2idx,
        depth,
        dice,
        domain_offset,
        filter,
        filter_zeros,
        flat_divide,
        flat_product,
        flatten,
        get,
        group_modes,
        idx2crd,
        is_static,
        left_inverse,
        local_partition,
        local_tile,
        logical_divide,
        logical_product,
        make_composed_layout,
        make_identity_layout,
        make_identity_tensor,
        make_layout,
        make_layout_image_mask,
        make_layout_like,
        make_layout_tv,
        make_ordered_layout,
        make_swizzle,
        make_tensor,
        max_common_layout,
        max_common_vector,
        prepend,
        prepend_ones,
        raked_product,
        recast_layout,
        recast_ptr,
        recast_tensor,
        right_inverse,
        select,
        shape,
        size_in_bytes,
        slice_,
        tile_to_shape,
        tiled_divide,
        tiled_product,
        zipped_divide,
        zipped_product,
    )
    from fairlead.cute._native_struct import native_struct
    from fairlead.cute._operations import (
        FastDivmodDivisor,
        FastDivmodDivisorV2,
        all_,
        any_,
        assume,
        ceil_div,
        elem_less,
        fast_divmod_create_divisor,
        fast_divmod_create_divisor_v2,
        product,
        product_each,
        rank,
        repeat,
        repeat_as_tuple,
        repeat_like,
        round_up,
        shape_div,
        size,
        where,
    )
    from fairlead.cute._options import (
        Check,
        EnableAssertions,
        EnableTVMFFI,
        FrontendNext,
        GenerateLineInfo,
        GPUArch,
        HostTarget,
        KeepASM,
        KeepCUBIN,
        KeepIR,
        KeepPTX,
        KeepSASS,
        NoCache,
        NoFmad,
        NvdisasmOptions,
        OptLevel,
        PtxasOptions,
        Schedule,
        TargetOption,
    )
    from fairlead.cute._pointer import make_ptr
    from fairlead.cute._print import print_tensor, printf
    from fairlead.cute._protocols import (
        dsl_user_op,
        extract_mlir_values,
        new_from_mlir_values,
        register_jit_arg_adapter,
    )
    from fairlead.cute._ratio import Ratio
    from fairlead.cute._shared_memory import SmemAllocator
    from fairlead.cute._struct import struct, union
    from fairlead.cute._symbols import SymInt, sym_int, sym_int32, sym_int64
    from fairlead.cute._target import current_target
    from fairlead.cute._values import (
        TensorSSA,
        autovec_copy,
        basic_copy,
        basic_copy_if,
        full,
        full_like,
        make_fragment,
        make_fragment_like,
        make_rmem_tensor,
        make_rmem_tensor_like,
        ones_like,
        zeros_like,
    )
    from fairlead.cute.math import (
        ceil,
        cos,
        erf,
        exp,
        exp2,
        floor,
        log,
        log2,
        log10,
        rsqrt,
        sin,
        sqrt,
        tan,
        tanh,
    )
    from fairlead.cute.typing import Coord, Int, IntTuple, Shape, Stride, Tile


if not TYPE_CHECKING:  # a type checker knows the names that there are

    def __getattr__(name: str):
        home = _HOMES.get(name)
        if home == "fairlead._compiler":
            from fairlead import _compiler

            if name == "Tensor":
                _import_module("fairlead.cute._extents")  # Tensor["n", "m"]
            value = getattr(_compiler, name)
        elif home is not None:
            value = getattr(_import_module(home), name)
            if home in _OPERATING:
                value = _import_module("fairlead.cute._protocols").taking_place(value)
        elif name in _MODULES:
            value = _import_module(f"fairlead.cute.{name}")
        else:
            raise _import_module("fairlead._hints").no_attribute(__name__, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
