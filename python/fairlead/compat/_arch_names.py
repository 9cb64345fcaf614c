"""Names of ``cutlass.cute.arch`` in older spellings, and sizes of tensor memory."""

from __future__ import annotations

import enum
import re
from typing import Any

from fairlead import _compiler
from fairlead.compat._architecture import Arch
from fairlead.compat._mlir._narrow_floats import number_of
from fairlead.compat._mlir._vectors import Vector, as_vector
from fairlead.cute import arch as _arch
from fairlead.cute._types import Choice, Number
from fairlead.errors import make_error
from fairlead.primitives import convert_float_to_tf32

__all__ = [
    "Arch",
    "ProxyKind",
    "SM100_TMEM_CAPACITY_COLUMNS",
    "SM100_TMEM_MIN_ALLOC_COLUMNS",
    "SharedSpace",
    "TMEM_MAX_ALLOC_COLUMNS_MAP",
    "TMEM_MIN_ALLOC_COLUMNS_MAP",
    "atomic_max_float32",
    "cvt_f32_tf32",
    "cvt_f4e2m1x2_to_f16x2",
    "cvt_f4e2m1x4_to_f16x4",
    "cvt_f4e2m1x8_to_f16x8",
    "fence_view_async_tmem_op",
    "get_max_tmem_alloc_cols",
    "get_min_tmem_alloc_cols",
    "is_tmem_allocation_exclusive",
    "prefetch",
    "sext_unpacked_i4_i8_intrinsic",
]


#: Columns of tensor memory of a multiprocessor, and the fewest that one allocation has.
SM100_TMEM_CAPACITY_COLUMNS = 512
SM100_TMEM_MIN_ALLOC_COLUMNS = 32
#: The most and the fewest columns that one allocation has, by architecture, with the entries of CuTe DSL.
TMEM_MAX_ALLOC_COLUMNS_MAP = {"sm_120": 512, "sm_107": 576, "sm_103": 512, "sm_100": 512}
TMEM_MIN_ALLOC_COLUMNS_MAP = dict.fromkeys(TMEM_MAX_ALLOC_COLUMNS_MAP, 32)


class ProxyKind(enum.Enum):
    """The proxies whose accesses ``fence_proxy`` orders."""

    alias = "alias"
    async_ = "async"
    async_global = "async.global"
    async_shared = "async.shared"
    tensormap = "tensormap"
    generic = "generic"


class SharedSpace(enum.Enum):
    """Whose shared memory ``fence_proxy`` is for."""

    shared_cta = "cta"
    shared_cluster = "cluster"


def atomic_max_float32(
    ptr: _compiler.Pointer, value: Number, *, loc: object = None, ip: object = None
) -> Any:
    """Return the Float32 at ``ptr``, which becomes the greater one of it and ``value``."""
    return _arch.atomic_fmax(ptr, value)


def _columns(columns: dict[str, int], arch: Choice) -> int:
    """Return the entry of an architecture, whose suffix does not matter; sm_101 and sm_110 have that of sm_100."""
    name = re.sub(r"^(sm_\d+)[af]$", r"\1", str(arch))
    name = {"sm_101": "sm_100", "sm_110": "sm_100"}.get(name, name)
    if name not in columns:
        raise ValueError(
            f"arch: expected an architecture with tensor memory, such as sm_100, but got {arch}"
        )
    return columns[name]


def get_max_tmem_alloc_cols(arch: Choice) -> int:
    """Return the most columns of tensor memory that one allocation may have, as ``TMEM_MAX_ALLOC_COLUMNS_MAP`` has
    them; ValueError for other architectures."""
    return _columns(TMEM_MAX_ALLOC_COLUMNS_MAP, arch)


def get_min_tmem_alloc_cols(arch: Choice) -> int:
    """Return the fewest columns of tensor memory that one allocation may have, as ``TMEM_MIN_ALLOC_COLUMNS_MAP`` has
    them; ValueError for other architectures."""
    return _columns(TMEM_MIN_ALLOC_COLUMNS_MAP, arch)


def is_tmem_allocation_exclusive(num_columns: int, arch: Choice) -> bool:
    """True if a block needs all tensor memory of its multiprocessor for so many columns: over 512, on sm_107."""
    return num_columns > SM100_TMEM_CAPACITY_COLUMNS and str(arch).startswith("sm_107")


def fence_view_async_tmem_op(kind: str, *, loc: object = None, ip: object = None) -> None:
    """``cute.arch.fence_view_async_tmem_load``, or ``_store``.

    Args:
        kind: ``load`` or ``store``.
    """
    fences = {"load": _arch.fence_view_async_tmem_load, "store": _arch.fence_view_async_tmem_store}
    if kind not in fences:
        raise make_error(
            "ArgumentValue",
            function="fence_view_async_tmem_op",
            expected="load or store as kind",
            got=repr(kind),
        )
    fences[kind]()


def cvt_f32_tf32(src: Number, *, loc: object = None, ip: object = None) -> Any:
    """Return the bits of a Float32 rounded to TFloat32, of two the one away from zero, as an Int32."""
    return convert_float_to_tf32(src)


def _widened(function: str, value: object, count: int) -> Vector:
    """Return ``count`` Float4E2M1FN, in an integer of as many bits or as a vector, as Float16."""
    narrow, half = _compiler.Float4E2M1FN, _compiler.Float16
    if isinstance(value, (Vector, _compiler.TensorExpr)):
        vector = as_vector(value)
        element: Any = vector.element_type
        if element is narrow and len(vector) == count:
            return Vector([number.to(half) for number in vector.numbers], half)
        if element.is_integer and element.width * len(vector) == 4 * count:
            value = vector.bitcast(_compiler.dtype_by_name(f"Uint{4 * count}"))[0]
    bits: Any = value
    if not getattr(type(bits), "is_integer", False) or type(bits).width != 4 * count:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected=f"{4 * count} bits, as an integer or a vector",
            got=str(getattr(bits, "type", type(bits).__name__)),
        )
    word = bits.bitcast(_compiler.dtype_by_name(f"Uint{4 * count}")).to(_compiler.Uint32)
    return Vector([number_of(word >> (4 * place), narrow).to(half) for place in range(count)], half)


def cvt_f4e2m1x2_to_f16x2(src_vec2: object, *, loc: object = None, ip: object = None) -> Vector:
    """Return the two Float4E2M1FN of 8 bits, the first in the lowest ones, as Float16, which is exact."""
    return _widened("cvt_f4e2m1x2_to_f16x2", src_vec2, 2)


def cvt_f4e2m1x4_to_f16x4(src_vec4: object, *, loc: object = None, ip: object = None) -> Vector:
    """Return the four Float4E2M1FN of 16 bits, the first in the lowest ones, as Float16, which is exact."""
    return _widened("cvt_f4e2m1x4_to_f16x4", src_vec4, 4)


def cvt_f4e2m1x8_to_f16x8(src_vec8: object, *, loc: object = None, ip: object = None) -> Vector:
    """Return the eight Float4E2M1FN of 32 bits, the first in the lowest ones, as Float16, which is exact."""
    return _widened("cvt_f4e2m1x8_to_f16x8", src_vec8, 8)


def sext_unpacked_i4_i8_intrinsic(
    vec_src_i8: object, length: int, *, loc: object = None, ip: object = None
) -> Vector:
    """Return ``length`` Int8, whose lowest four bits are integers of four bits, with these integers' signs."""
    vector = as_vector(vec_src_i8)
    if len(vector) != length or vector.element_type is not _compiler.Int8:
        raise make_error(
            "ArgumentKind",
            function="sext_unpacked_i4_i8_intrinsic",
            expected=f"{length} Int8",
            got=str(vector.type),
        )
    bits = [number.to(_compiler.Int32) << 28 >> 28 for number in vector.numbers]
    return Vector([number.to(_compiler.Int8) for number in bits], _compiler.Int8)


def prefetch(
    ptr: _compiler.Pointer,
    *,
    level: str = "L2",
    tensormap: bool = False,
    loc: object = None,
    ip: object = None,
) -> None:
    """Bring a cache line of global memory to a cache, or the tensor map there to where copies find it."""
    if not tensormap:
        return _arch.prefetch(ptr, level=level)
    generic = _compiler.AddressSpace.generic
    place = _compiler.pointer_from_int(_compiler.Uint8, ptr.toint(), generic, 64)
    _compiler.operation("map_prefetch", [place])
