"""Products of a warpgroup with operands that descriptors or registers hold, and of a warp with words of scale factors,
by the names and the PTX of published programs.

Programs put addresses of shared memory into descriptors as they are. On the CPU, too, their low 32 bits leave room for
the other fields, except in the blocks of a cluster after its first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.compat._ir_types import StructType
from fairlead.cute import arch, current_target
from fairlead.cute._ir_types import IRValue
from fairlead.cute._types import Choice
from fairlead.errors import make_error

__all__ = ["mma_block_scale", "product_of_text", "wgmma_mma_async"]


def _word(function: str, argument: str, choice: object, *expected: str) -> str:
    """The name of an enumerator in lower case, one of ``expected``."""
    word = str(getattr(choice, "name", choice)).lower()
    if word not in expected:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"{' or '.join(expected)} as {argument}",
            got=repr(choice),
        )
    return word


def _extents(shape: object) -> list[int]:
    """M, N and K of a tuple, or of an attribute such as ``#nvvm.shape<m = 64, n = 64, k = 16>``."""
    if isinstance(shape, (tuple, list)):
        return [int(extent) for extent in shape]
    return [int(extent) for extent in re.findall(r"\d+", str(getattr(shape, "value", shape)))]


def _multiply(
    types: Sequence[str], n: int, sums: Sequence[Any], a: Sequence[Any], b: Any, **flags: Any
) -> Any:
    """A struct of the sums; ``types`` are those of the sums, of A and of B. ``a`` is a descriptor or four words."""
    if not current_target().capability:
        address = arch.get_dyn_smem(_compiler.Uint8).toint() & 0xFFFFFFFF
        message = "products by a program's own descriptors run on the CPU only in blocks that are not in a cluster"
        _compiler.assert_that(address < 1 << 18, message)
    d_type, a_type, b_type = types
    added = _compiler.Boolean(flags.pop("added"))
    segments = [len(sums), len(a), 1, 1]
    attributes = dict(
        flags, n=n, d_type=d_type, a_type=a_type, b_type=b_type, operandSegmentSizes=segments
    )
    classes = [type(number) for number in sums]
    results = _compiler.operation("warpgroup_mma", [*sums, *a, b, added], attributes, classes)
    return IRValue.struct(StructType.get_literal(classes), iter(results))


_TYPES = ("f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8")


def wgmma_mma_async(
    results_: object,
    inouts: Any,
    descriptor_a: Any,
    descriptor_b: Any,
    shape: object,
    type_a: Choice,
    type_b: Choice,
    type_d: Choice,
    scale_d: Choice,
    scale_a: Choice,
    scale_b: Choice,
    layout_a: Choice,
    layout_b: Choice,
    *,
    satfinite: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> Any:
    """Multiply matrices in shared memory, and add: a product of a warpgroup, which it issues and does not wait for.

    Args:
        results_: not looked at; results have the class of ``inouts``.
        inouts: the sums of the thread, a struct.
        descriptor_a, descriptor_b: the words that describe A and B, integers of 64 bits.
        shape: M, N and K: 64, N and 256 bits.
        type_a, type_b, type_d: element types of A, of B and of the sums.
        scale_d: ``one`` adds to ``inouts``, ``zero`` does not.
        scale_a, scale_b: ``one``; others are ValueErrors.
        layout_a: ``row`` for A with K fastest, ``col`` for M.
        layout_b: ``col`` for B with K fastest, ``row`` for N.
        satfinite: None or ``wrapped``.
    """
    name = "wgmma_mma_async"
    for argument, choice in (("scale_a", scale_a), ("scale_b", scale_b)):
        _word(name, argument, choice, "one")
    _word(name, "satfinite", satfinite, "none", "wrapped")
    types = [
        _word(name, "type_d", type_d, "f32", "f16", "s32"),
        _word(name, "type_a", type_a, *_TYPES),
        _word(name, "type_b", type_b, *_TYPES),
    ]
    a, b = (word.to(_compiler.Int64) for word in (descriptor_a, descriptor_b))
    return _multiply(
        types,
        _extents(shape)[1],
        inouts.leaves(),
        [a],
        b,
        added=_word(name, "scale_d", scale_d, "one", "zero") == "one",
        a_transposed=_word(name, "layout_a", layout_a, "row", "col") == "col",
        b_transposed=_word(name, "layout_b", layout_b, "row", "col") == "row",
    )


#: N, types, registers of the sums, A's registers or descriptor, B's descriptor, whether to add, and A's and B's order.
_TEXT = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k\d+\.(\w+)\.(\w+)\.(\w+)\s*"
    r"\{([^}]*)\},\s*(?:\{([^}]*)\}|(\$\d+)),\s*(\$\d+),\s*([01]),\s*1,\s*1((?:,\s*[01])*)\s*;"
)


def product_of_text(
    results: object, operands: Sequence[Any], text: str, constraints: str
) -> Any | None:
    """The product that the PTX of one ``wgmma`` asks for, whose first operands are the sums before it, each tied to
    its result; None for other PTX."""
    match = _TEXT.fullmatch(text.strip())
    if match is None or not isinstance(results, StructType):
        return None
    n, *types, registers, words, descriptor, b, added, orders = match.groups()
    count = len(list(results.leaves()))
    tied = ["=f"] * count + [str(place) for place in range(count)]
    if constraints.split(",")[: 2 * count] != tied or len(registers.split(",")) != count:
        return None

    def operand(place: str) -> Any:
        value = operands[int(place.strip()[1:]) - count]
        return value.leaves()[0] if isinstance(value, IRValue) else value

    flags = [int(order) for order in re.findall(r"\d", orders)]
    sums = [operand(f"${count + place}") for place in range(count)]
    a = [operand(word) for word in words.split(",")] if words else [operand(descriptor)]
    transposed = flags[-1:] if words else flags
    return _multiply(
        types,
        int(n),
        sums,
        a,
        operand(b),
        added=added == "1",
        a_transposed=bool(not words and transposed and transposed[0]),
        b_transposed=bool(transposed and transposed[-1]),
    )


def _selected(
    word: _compiler.Numeric, byte: _compiler.Numeric, thread: _compiler.Numeric, of_threads: int
) -> Any:
    """A lane's word of scale factors, its first byte lowest, from the lane of its four that ``thread`` selects."""
    static = isinstance(thread, _compiler.Numeric) and thread.is_static
    if not static or int(thread):
        lane = arch.lane_idx()
        place = lane % 4 % of_threads + of_threads * thread.to(_compiler.Int32)
        word = arch.shuffle_sync(word, lane // 4 * 4 + place)
    bits = word.bitcast(_compiler.Uint32) >> (byte.to(_compiler.Uint32) * 8)
    return bits.bitcast(_compiler.Int32)


def mma_block_scale(
    res: object,
    shape: object,
    scale_vec_size: Choice,
    block_scale_format: Choice,
    kind: Choice,
    operand_a: Sequence[Any],
    operand_b: Sequence[Any],
    operand_c: Sequence[Any],
    scale_a_data: _compiler.Numeric,
    byte_id_a: _compiler.Numeric,
    thread_id_a: _compiler.Numeric,
    scale_b_data: _compiler.Numeric,
    byte_id_b: _compiler.Numeric,
    thread_id_b: _compiler.Numeric,
    *,
    multiplicand_a_ptx_type: Choice | None = None,
    multiplicand_b_ptx_type: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> Any:
    """Multiply matrices in the registers of a warp, whose neighbours along K share scale factors, and add.

    Args:
        res: not looked at.
        shape: M, N and K: 16, 8, and 32 for MXF8F6F4, else 64.
        scale_vec_size: factors of a row: X1, X2 or X4.
        block_scale_format: UE8M0 or UE4M3.
        kind: MXF8F6F4, MXF4 or MXF4NVF4.
        operand_a, operand_b, operand_c: 4, 2 and 4 registers of PTX's fragments, the last of Float32.
        scale_a_data, scale_b_data: a word with factors.
        byte_id_a, byte_id_b: its first byte.
        thread_id_a: which pair of four lanes has A's factors: 0 or 1.
        thread_id_b: which of four lanes has B's: 0 to 3.
        multiplicand_a_ptx_type, multiplicand_b_ptx_type: types of the elements.

    Returns:
        A struct of four Float32.
    """
    name, floats = "mma_block_scale", ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
    kinds = _word(name, "kind", kind, "mxf8f6f4", "mxf4", "mxf4nvf4")
    factors = int(_word(name, "scale_vec_size", scale_vec_size, "x1", "x2", "x4")[1:])
    k = 32 if kinds == "mxf8f6f4" else 64
    if _extents(shape) != [16, 8, k]:
        raise make_error(
            "ArgumentValue",
            function=name,
            expected=f"(16, 8, {k}) as shape",
            got=str(getattr(shape, "value", shape)),
        )
    attributes = {
        "kind": kinds,
        "a_type": _word(name, "multiplicand_a_ptx_type", multiplicand_a_ptx_type, *floats),
        "b_type": _word(name, "multiplicand_b_ptx_type", multiplicand_b_ptx_type, *floats),
        "scale_type": _word(name, "block_scale_format", block_scale_format, "ue8m0", "ue4m3"),
        "vector": k // factors,
    }
    scales = [
        _selected(scale_a_data, byte_id_a, thread_id_a, 2),
        _selected(scale_b_data, byte_id_b, thread_id_b, 1),
    ]
    registers = [*operand_a, *operand_b, *operand_c, *scales]
    classes = [_compiler.Float32] * 4
    results = _compiler.operation("mma.block_scale", registers, attributes, classes)
    return IRValue.struct(StructType.get_literal(classes), iter(results))
