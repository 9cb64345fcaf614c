"""The kernel language: decorators, compile, tensors, math, and the position of the running thread.

A name is loaded when first used, so that a program which only loads an exported module never loads the compiler.
"""

from importlib import import_module as _import_module

from fairlead import _NUMERIC

# Module -> the names that it defines. Type checkers read __init__.pyi, which tests/python/typing/public_names.py
# writes from this table.
_NAMES = {
    "fairlead._compiler": " ".join(
        [
            *("AddressSpace", "CoordTensor", "Layout", "Pointer", "ReductionOp", "ScaledBasis"),
            *("Tensor", "TensorExpr", *_NUMERIC),
        ]
    ),
    "fairlead._tracing.language": "const_expr Constexpr range range_constexpr",
    "fairlead.cute._annotations": "no_alias",
    "fairlead.cute._atoms": (
        "copy copy_atom_call CopyAtom gemm make_copy_atom make_cotiled_copy make_mma_atom make_tiled_copy "
        "make_tiled_copy_A make_tiled_copy_B make_tiled_copy_C make_tiled_copy_C_atom make_tiled_copy_D "
        "make_tiled_copy_S make_tiled_copy_tv make_tiled_mma mma_atom_call MmaAtom prefetch ThrCopy ThrMma TiledCopy "
        "TiledMma"
    ),
    "fairlead.cute._compile": "compile CompiledFunction",
    "fairlead.cute._dlpack": "from_dlpack",
    "fairlead.cute._fake": "make_fake_compact_tensor make_fake_stream make_fake_tensor",
    "fairlead.cute._generate": "for_generate if_generate not_ while_generate yield_out",
    "fairlead.cute._jit": "jit",
    "fairlead.cute._kernels": "kernel",
    "fairlead.cute._layout": (
        "append append_ones blocked_product coalesce complement ComposedLayout composition cosize crd2idx depth dice "
        "domain_offset E filter filter_zeros flat_divide flat_product flatten get group_modes idx2crd is_static "
        "left_inverse local_partition local_tile logical_divide logical_product make_composed_layout "
        "make_identity_layout make_identity_tensor make_layout make_layout_image_mask make_layout_like make_layout_tv "
        "make_ordered_layout make_swizzle make_tensor max_common_layout max_common_vector prepend prepend_ones "
        "raked_product recast_layout recast_ptr recast_tensor right_inverse select shape size_in_bytes slice_ Swizzle "
        "tile_to_shape tiled_divide tiled_product zipped_divide zipped_product"
    ),
    "fairlead.cute._native_struct": "native_struct",
    "fairlead.cute._operations": (
        "all_ any_ assume ceil_div elem_less fast_divmod_create_divisor fast_divmod_create_divisor_v2 "
        "FastDivmodDivisor FastDivmodDivisorV2 product product_each rank repeat repeat_as_tuple repeat_like round_up "
        "shape_div size where"
    ),
    "fairlead.cute._options": (
        "Check EnableAssertions EnableTVMFFI FrontendNext GenerateLineInfo GPUArch HostTarget KeepASM KeepCUBIN "
        "KeepIR KeepPTX KeepSASS NoCache NoFmad NvdisasmOptions OptLevel PtxasOptions Schedule TargetOption"
    ),
    "fairlead.cute._pointer": "make_ptr",
    "fairlead.cute._print": "print_tensor printf",
    "fairlead.cute._protocols": "dsl_user_op extract_mlir_values new_from_mlir_values register_jit_arg_adapter",
    "fairlead.cute._ratio": "Ratio",
    "fairlead.cute._shared_memory": "SmemAllocator",
    "fairlead.cute._struct": "struct union",
    "fairlead.cute._symbols": "sym_int sym_int32 sym_int64 SymInt",
    "fairlead.cute._target": "current_target",
    "fairlead.cute._tuples": (
        "filter_tuple find find_if flatten_to_tuple front get_divisibility has_underscore is_congruent is_int_tuple "
        "is_integer is_major is_weakly_congruent leading_dim product_like transform_apply transform_leaf tuple_cat "
        "unflatten unwrap wrap"
    ),
    "fairlead.cute._values": (
        "autovec_copy basic_copy basic_copy_if full full_like make_fragment make_fragment_like make_rmem_tensor "
        "make_rmem_tensor_like ones_like TensorSSA zeros_like"
    ),
    "fairlead.cute.math": (
        "absf absi acos acosh add asin asinh atan atan2 atanh cbrt ceil clamp copysign cos cosh div erf erfc exp exp2 "
        "expm1 floor fma fpowi ipowi isfinite isinf isnan isnormal log log10 log1p log2 mul neg rcp rem roundeven "
        "RoundingMode rsqrt sin sincos sinh sqrt sub tan tanh trunc abs max min pow round"
    ),
    "fairlead.cute.typing": "Coord Int IntTuple Shape Stride Tile",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
# Names that Python has too are no part of ``from fairlead.cute import *``.
_HIDING = ("abs", "max", "min", "pow", "round")
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


def __getattr__(name: str):
    home = _HOMES.get(name)
    if home == "fairlead._compiler":
        from fairlead import _compiler

        if name == "Tensor":
            _import_module("fairlead.cute._extents")  # Tensor["n", "m"]
        value = getattr(_compiler, name)
    elif home is not None:
        value = getattr(_import_module(home), name)
    elif name in _MODULES:
        value = _import_module(f"fairlead.cute.{name}")
    else:
        raise _import_module("fairlead._hints").no_attribute(__name__, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
