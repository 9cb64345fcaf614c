"""Products whose accumulators are in tensor memory. One thread issues each of them, without waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead.cute._target import current_target
from fairlead.cute._types import Choice, Condition, Int, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._descriptors import described_bits
from fairlead.primitives._operands import (
    boolean,
    emit,
    int32,
    member,
    needs,
    on_gpu,
    only_on,
    type_name,
)
from fairlead.primitives._tensor_memory import (
    CHOSEN,
    descriptor64,
    group_suffix,
    group_word,
    needs_specific,
    refuse,
    tensor_address,
    tensor_pointer,
)

__all__ = [
    "tcgen05_mma",
    "tcgen05_mma_block_scale",
    "tcgen05_mma_sp",
    "tcgen05_mma_sp_block_scale",
    "tcgen05_mma_ws",
    "tcgen05_mma_ws_sp",
]

_Int32 = _compiler.Int32
_NARROW = {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"}
#: Types of the operands of each kind, by their numbers in instruction descriptors.
_OPERANDS = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": _NARROW,
    "int8": {0: "u8", 1: "s8"},
    "mxf8f6f4": _NARROW,
    "mxf4": {1: "e2m1"},
    "mxf4nvf4": {1: "e2m1"},
}
_SUMS = {0: "f16", 1: "f32", 2: "s32"}
_SCALED_KINDS = ("mxf8f6f4", "mxf4", "mxf4nvf4")
#: The numbers of scale factors in an instruction descriptor.
_SF_IDS = 3 << 29 | 3 << 4


class _Operands(NamedTuple):
    """The checked operands of a product."""

    function: str
    kind: str
    group: str
    d: Any
    a: Any
    b: Any
    idesc: Any
    added: Any

    @property
    def is_a_in_tensor_memory(self) -> bool:
        return isinstance(self.a, _compiler.Pointer)


def _operands(
    function: str,
    kind: str,
    group: Choice,
    matrices: Sequence[object],
    idesc: object,
    enable_input_d: Condition,
) -> _Operands:
    d, a, b = matrices
    in_memory = not (isinstance(a, int) or isinstance(a, _compiler.Numeric))
    return _Operands(
        function,
        kind,
        group_word(group, function, "cta_group"),
        tensor_pointer(d, function, "d"),
        tensor_pointer(a, function, "a") if in_memory else descriptor64(a, function, "a"),
        descriptor64(b, function, "b"),
        idesc if isinstance(idesc, _compiler.Numeric) else int32(idesc, function, "idesc"),
        boolean(enable_input_d, function, "enable_input_d"),
    )


def _kind(function: str, mma_kind: Choice, *, scaled: bool) -> str:
    """The word of a Tcgen05MMAKind or MMABlockScaleKind, of products with scale factors or without."""
    enumeration = _enums.MMABlockScaleKind if scaled else _enums.Tcgen05MMAKind
    chosen = member(enumeration, mma_kind, function, "mma_kind")
    word: str = (chosen.name if scaled else chosen.value).lower()
    if not scaled and word in _SCALED_KINDS:
        raise refuse(function, "mma_kind", word, "f16, tf32, f8f6f4 or int8")
    if word == "int8":
        needs(f"{function} of kind int8", "tcgen05_i8")
    return word


def _known_bits(product: _Operands, changing: int = 0) -> int | None:
    """The bits of the instruction descriptor, if all but the `changing` ones are known while tracing."""
    return described_bits(product.idesc, changing)


def _type(product: _Operands, number: int, name: str, types: dict[int, str]) -> str:
    if number not in types:
        words = ", ".join(f"{key} ({word})" for key, word in types.items())
        raise refuse(
            product.function, "idesc", number, f"{words} as type of {name} for kind {product.kind}"
        )
    return types[number]


def _without_cpu_form(product: _Operands, what: str) -> None:
    needs(f"{product.function} with {what}", "tcgen05", cpu=False)


#: Instructions as text, for features that the typed operations lack. Only GPUs execute them.


class _Text:
    """An instruction that is put together, with its operands in the order of their numbers."""

    def __init__(self) -> None:
        self.passed: list[Any] = []

    def place(self, value: Any, *, in_memory: bool = False) -> str:
        """Add an operand, and return its name in the text, as an address of tensor memory in brackets."""
        self.passed.append(tensor_address(value) if in_memory else value)
        name = f"${len(self.passed) - 1}"
        return f"[{name}]" if in_memory else name

    def vector(self, values: Sequence[Any]) -> str:
        """Add the numbers of a vector operand."""
        return f"{{{', '.join(self.place(value) for value in values)}}}"


def _issue(
    product: _Operands,
    name: str,
    middle: Sequence[Any] = (),
    last: Sequence[Any] = (),
    after: Sequence[Any] = (),
) -> None:
    """Emit a product as text.

    Args:
        product: its operands.
        name: the instruction with its suffixes.
        middle: addresses in tensor memory between B and the instruction descriptor.
        last: operands between the instruction descriptor and the predicate: pointers, or lists of numbers.
        after: operands after the predicate: immediates, as text, or numbers.
    """
    text = _Text()
    operands = [text.place(product.d, in_memory=True)]
    operands.append(text.place(product.a, in_memory=product.is_a_in_tensor_memory))
    operands.append(text.place(product.b))
    operands += [text.place(value, in_memory=True) for value in middle]
    operands.append(text.place(_Int32(product.idesc)))
    for value in last:
        if isinstance(value, list):
            operands.append(text.vector(value))
        else:
            operands.append(text.place(value, in_memory=True))
    operands.append("added")
    operands += [value if isinstance(value, str) else text.place(value) for value in after]
    flag = text.place(_Int32(product.added))
    emit(
        f"{{ .reg .pred added; setp.ne.b32 added, {flag}, 0; {name} {', '.join(operands)}; }}",
        [],
        text.passed,
    )


def _ptx_kind(kind: str) -> str:
    return f".kind::{'i8' if kind == 'int8' else kind}"


def _collector(function: str, collector_op: Choice | None, b_collector_op: Choice | None) -> str:
    """The suffix of the use of A's buffer. On the CPU it has no effect."""
    if b_collector_op is not None:
        raise refuse(function, "b_collector_op", b_collector_op, "None")
    if collector_op is None:
        return ""
    word = member(_enums.Tcgen05MMACollectorOp, collector_op, function, "collector_op").value
    return f".collector::a::{word}"


def _shift(product: _Operands, a_shift: bool | None) -> str:
    if not a_shift:
        return ""
    if not product.is_a_in_tensor_memory:
        raise refuse(product.function, "a_shift", a_shift, "None for A in shared memory")
    needs_specific(f"{product.function} with a_shift")
    return ".ashift"


#: Products without scale factors.


def _disabled_lanes(product: _Operands, mask: object) -> list[list[Any]]:
    """Return the words of the mask of lanes of D that stay unchanged, as one operand; empty without a mask."""
    if mask is None:
        return []
    elements = getattr(mask, "to_elements", None)
    words = list(elements()) if elements else mask
    count = 8 if product.group == "two" else 4
    if not isinstance(words, (tuple, list)) or len(words) != count:
        got = type_name(mask) if not isinstance(words, (tuple, list)) else f"{len(words)} words"
        raise make_error(
            "ArgumentKind",
            function=product.function,
            expected=f"a vector of {count} words as write_disable_mask",
            got=got,
        )
    return [[_word(word, product.function) for word in words]]


def _word(value: object, function: str) -> Any:
    number = int32(value, function, "write_disable_mask")
    if isinstance(number, int):
        return _Int32(number - (1 << 32) if number >= 1 << 31 else number)
    return number


def _scale(product: _Operands, scale_input_d: int | None) -> list[str]:
    """Return the exponent of the power of two that divides D, as an operand; empty without one."""
    if scale_input_d is None:
        return []
    if product.kind not in ("f16", "tf32"):
        raise refuse(
            product.function, "scale_input_d", scale_input_d, f"None for kind {product.kind}"
        )
    if current_target().capability >= 110:
        function = f"{product.function} with scale_input_d"
        raise only_on(function, "sm_100a, sm_103a and their families")
    return [str(int32(_known(scale_input_d, product.function), product.function, "scale_input_d",
                      least=0, most=15))]  # fmt: skip


def _known(number: object, function: str) -> int:
    if type(number) is not int:
        raise make_error(
            "ArgumentKind",
            function=function,
            expected="an int as scale_input_d",
            got=type_name(number),
        )
    return number


def _plain_attributes(product: _Operands, bits: int) -> dict[str, Any]:
    """Attributes of the typed operation for an instruction descriptor."""
    types = _OPERANDS[product.kind]
    return {
        "m": (bits >> 24 & 31) << 4,
        "n": (bits >> 17 & 63) << 3,
        "d_type": _type(product, bits >> 4 & 3, "D", _SUMS),
        "a_type": _type(product, bits >> 7 & 7, "A", types),
        "b_type": _type(product, bits >> 10 & 7, "B", types),
        "a_transposed": bool(bits >> 15 & 1),
        "b_transposed": bool(bits >> 16 & 1),
        "group": product.group,
        **CHOSEN,
    }


#: Bits that ask for more than a product: sparsity, saturation and negation.
_SPARSE, _SATURATED, _NEGATED, _SHIFTED = 7, 1 << 3, 3 << 13, 3 << 30


def _extra(bits: int) -> str:
    """Return the first feature of an instruction descriptor that the typed operation lacks; empty if it has all."""
    names = {_SATURATED: "saturation", _NEGATED: "negated operands", _SHIFTED: "max_shift"}
    return next((name for mask, name in names.items() if bits & mask), "")


def tcgen05_mma(
    mma_kind: Choice,
    cta_group: Choice,
    d: PointerLike,
    a: Int | PointerLike,
    b: Int,
    idesc: Int,
    enable_input_d: Condition,
    *,
    collector_op: Choice | None = None,
    b_collector_op: Choice | None = None,
    a_shift: bool | None = None,
    scale_input_d: int | None = None,
    write_disable_mask: object = None,
) -> None:
    """Multiply A and B, M x N x 256 bits, without waiting; one thread calls it, of a pair of blocks one.

    For sm_100a and its family, and the CPU. The CPU has neither `a_shift`, `scale_input_d`, `write_disable_mask`,
    saturation nor negated operands, and an instruction descriptor that is known while tracing.

    Args:
        mma_kind: a ``Tcgen05MMAKind``: F16, TF32, F8F6F4 or INT8.
        cta_group: a ``CTAGroup``.
        d: the accumulator in tensor memory.
        a, b: descriptors of shared memory, such as a ``Tcgen05SmemDesc``; A may be an address in tensor memory.
        idesc: types and extents, a ``Tcgen05InstrDesc``.
        enable_input_d: whether D is added to.
        collector_op: a ``Tcgen05MMACollectorOp``: what happens to A's buffer.
        b_collector_op: None.
        a_shift: whether A in tensor memory moves down by a row afterwards. For sm_100a, sm_103a and sm_110a.
        scale_input_d: 0 to 15: D is divided by that power of 2 before it is added to. For the kinds F16 and TF32, on
            sm_100a, sm_103a and their families.
        write_disable_mask: 4 words, 8 for CTA_2, whose bits are lanes of D that stay.
    """
    function = "tcgen05_mma"
    needs(function, "tcgen05")
    kind = _kind(function, mma_kind, scaled=False)
    product = _operands(function, kind, cta_group, (d, a, b), idesc, enable_input_d)
    collector = _collector(function, collector_op, b_collector_op)
    shift = _shift(product, a_shift)
    lanes, scale = _disabled_lanes(product, write_disable_mask), _scale(product, scale_input_d)
    unsupported = next(
        (
            name
            for name, operands in (("write_disable_mask", lanes), ("scale_input_d", scale))
            if operands
        ),
        "",
    )
    bits = _known_bits(product)
    attributes: Any = None
    if bits is not None:
        attributes = _plain_attributes(product, bits)
        if bits & _SPARSE:
            raise refuse(function, "idesc", hex(bits), "a descriptor without sparsity")
        unsupported = unsupported or _extra(bits)
    else:
        unsupported = unsupported or "an instruction descriptor that is not known while tracing"
    if unsupported or shift or (collector and on_gpu()):
        if unsupported:
            _without_cpu_form(product, unsupported)
        name = f"tcgen05.mma{group_suffix(product.group)}{_ptx_kind(kind)}{shift}{collector}"
        _issue(product, name, last=lanes, after=scale)
        return
    operands = [product.d, product.a, product.b, product.added]
    _compiler.operation("tcgen05.mma", operands, attributes)


#: Products with scale factors.


def _vector_size(function: str, kind: str, size: Choice | None) -> int:
    """Elements that share a scale factor."""
    word = "DEFAULT"
    if size is not None:
        kinds = (_enums.Tcgen05MMABlockScale, _enums.ScaleVecSize)
        kind_of_size = next((cls for cls in kinds if isinstance(size, cls)), None)
        enum_of_size = kind_of_size or _enums.Tcgen05MMAScaleVecSize
        word = member(enum_of_size, size, function, "scale_vec_size").name
    sizes = {
        "mxf8f6f4": {"DEFAULT": 32, "BLOCK32": 32, "X1": 32},
        "mxf4": {"DEFAULT": 32, "BLOCK32": 32, "X2": 32},
        "mxf4nvf4": {"BLOCK16": 16, "BLOCK32": 32, "X2": 32, "X4": 16},
    }[kind]
    if word not in sizes:
        raise refuse(function, "scale_vec_size", word, f"{' or '.join(sizes)} for kind {kind}")
    return sizes[word]


def _scaled_attributes(product: _Operands, bits: int, vector: int) -> dict[str, Any]:
    types = _OPERANDS[product.kind]
    is_of_bytes = product.kind == "mxf8f6f4"
    # Bits 15 and 16 of the kinds of 4 bits have no meaning, and bit 12 is a version of sparsity.
    b_bits = 7 if is_of_bytes else 3
    return {
        "kind": product.kind,
        "m": (bits >> 27 & 3) << 7,
        "n": (bits >> 17 & 63) << 3,
        "k": 32 if is_of_bytes else 96 if bits >> 31 & 1 else 64,
        "a_type": _type(product, bits >> 7 & 7, "A", types),
        "b_type": _type(product, bits >> 10 & b_bits, "B", types),
        "scale_type": "ue8m0" if bits >> 23 & 1 else "ue4m3",
        "vector": vector,
        "a_transposed": is_of_bytes and bool(bits >> 15 & 1),
        "b_transposed": is_of_bytes and bool(bits >> 16 & 1),
        "group": product.group,
        **CHOSEN,
    }


def _with_byte(scales: _compiler.Pointer, idesc: Any, bit: int) -> Any:
    """The address of scale factors whose upper two bits are the number of their byte, from the descriptor."""
    byte = (_Int32(idesc) >> bit) & 3
    place = (tensor_address(scales) & 0x3FFFFFFF) | (byte << 30)
    return _compiler.pointer_from_int(_Int32, place, _compiler.AddressSpace.tmem, 4)


def tcgen05_mma_block_scale(
    mma_kind: Choice,
    cta_group: Choice,
    d: PointerLike,
    a: Int | PointerLike,
    b: Int,
    idesc: Int,
    enable_input_d: Condition,
    scale_a: PointerLike,
    scale_b: PointerLike,
    *,
    scale_vec_size: Choice | None = None,
    collector_op: Choice | None = None,
    b_collector_op: Choice | None = None,
    a_shift: bool | None = None,
) -> None:
    """Multiply A and B, whose elements along K have scale factors, without waiting; one thread calls it.

    For sm_100a and its family, and the CPU. The CPU has A in shared memory, no negated operands, and an instruction
    descriptor that is known while tracing, except for the numbers of the scale factors' bytes.

    Args:
        mma_kind: an ``MMABlockScaleKind``.
        cta_group, d, a, b, enable_input_d, collector_op, b_collector_op, a_shift: see tcgen05_mma.
        idesc: a ``Tcgen05MxInstrDesc``; of the kinds MXF4 and MXF4NVF4 a ``Tcgen05MxOmmaInstrDesc``.
        scale_a, scale_b: scale factors in tensor memory.
        scale_vec_size: a ``Tcgen05MMABlockScale``: elements that share a scale factor. MXF4NVF4 has no default.
    """
    function = "tcgen05_mma_block_scale"
    needs(function, "tcgen05")
    kind = _kind(function, mma_kind, scaled=True)
    vector = _vector_size(function, kind, scale_vec_size)
    product = _operands(function, kind, cta_group, (d, a, b), idesc, enable_input_d)
    scales = [
        tensor_pointer(scale_a, function, "scale_a"),
        tensor_pointer(scale_b, function, "scale_b"),
    ]
    collector = _collector(function, collector_op, b_collector_op)
    shift = _shift(product, a_shift)
    bits = _known_bits(product, _SF_IDS)
    attributes: Any = None
    if bits is None:
        unsupported = "an instruction descriptor that is not known while tracing"
    else:
        attributes = _scaled_attributes(product, bits, vector)
        if bits >> 2 & 1:
            raise refuse(function, "idesc", hex(bits), "a descriptor without sparsity")
        unsupported = "A in tensor memory" if product.is_a_in_tensor_memory else ""
        unsupported = unsupported or ("negated operands" if bits & _NEGATED else "")
    if unsupported or shift or (collector and on_gpu()):
        if unsupported:
            _without_cpu_form(product, unsupported)
        name = f"tcgen05.mma{group_suffix(product.group)}{_scaled_suffix(kind, vector)}"
        _issue(product, f"{name}{shift}{collector}", last=scales)
        return
    operands = [product.d, product.a, product.b]
    operands += [_with_byte(scales[0], idesc, 29), _with_byte(scales[1], idesc, 4), product.added]
    _compiler.operation("tcgen05.mma.block_scale", operands, attributes)


def _scaled_suffix(kind: str, vector: int) -> str:
    """The kind and its scale factors; PTX for families says how many elements share one."""
    factors = 1 if kind == "mxf8f6f4" else 64 // vector
    scales = f"scale_vec::{factors}X"
    if str(current_target()).endswith("f"):
        scales = f"block{vector}"
    return f"{_ptx_kind(kind)}.block_scale.{scales}"


#: Products of sparse A, and products of fewer rows: only on GPUs.


def _metadata(sparse_metadata: object, function: str) -> list[Any]:
    return [tensor_pointer(sparse_metadata, function, "sparse_metadata")]


def _require_sparsity(product: _Operands, expected: bool) -> None:
    bits = _known_bits(product, _SF_IDS)
    if bits is not None and bool(bits >> 2 & 1) != expected:
        description = (
            "a descriptor with sparsity=1" if expected else "a descriptor without sparsity"
        )
        raise refuse(product.function, "idesc", hex(bits), description)


def tcgen05_mma_sp(
    mma_kind: Choice,
    cta_group: Choice,
    d: PointerLike,
    a: Int | PointerLike,
    b: Int,
    idesc: Int,
    enable_input_d: Condition,
    sparse_metadata: PointerLike,
    *,
    collector_op: Choice | None = None,
    a_shift: bool | None = None,
    scale_input_d: int | None = None,
    write_disable_mask: object = None,
) -> None:
    """Multiply sparse A (half of its elements are 0) and B, M x N x 512 bits; see tcgen05_mma. Only on GPUs.

    Args:
        sparse_metadata: the places of A's elements, in tensor memory.
        others: as of tcgen05_mma. The instruction descriptor has ``sparsity=1``.
    """
    function = "tcgen05_mma_sp"
    needs(function, "tcgen05", cpu=False)
    kind = _kind(function, mma_kind, scaled=False)
    product = _operands(function, kind, cta_group, (d, a, b), idesc, enable_input_d)
    _require_sparsity(product, True)
    suffixes = _shift(product, a_shift) + _collector(function, collector_op, None)
    name = f"tcgen05.mma.sp{group_suffix(product.group)}{_ptx_kind(kind)}{suffixes}"
    lanes, scale = _disabled_lanes(product, write_disable_mask), _scale(product, scale_input_d)
    _issue(product, name, _metadata(sparse_metadata, function), lanes, scale)


def tcgen05_mma_sp_block_scale(
    mma_kind: Choice,
    cta_group: Choice,
    d: PointerLike,
    a: Int | PointerLike,
    b: Int,
    idesc: Int,
    enable_input_d: Condition,
    sparse_metadata: PointerLike,
    scale_a: PointerLike,
    scale_b: PointerLike,
    *,
    scale_vec_size: Choice | None = None,
    collector_op: Choice | None = None,
    b_collector_op: Choice | None = None,
    a_shift: bool | None = None,
) -> None:
    """Multiply sparse A (half of its elements are 0) and B, with scale factors. Only on GPUs.

    Args:
        sparse_metadata: the places of A's elements, in tensor memory.
        others: as of tcgen05_mma_block_scale. The instruction descriptor has ``sparsity=1``.
    """
    function = "tcgen05_mma_sp_block_scale"
    needs(function, "tcgen05", cpu=False)
    kind = _kind(function, mma_kind, scaled=True)
    if kind != "mxf8f6f4":
        needs_specific(f"{function} of kind {kind}")
    vector = _vector_size(function, kind, scale_vec_size)
    product = _operands(function, kind, cta_group, (d, a, b), idesc, enable_input_d)
    _require_sparsity(product, True)
    scales = [
        tensor_pointer(scale_a, function, "scale_a"),
        tensor_pointer(scale_b, function, "scale_b"),
    ]
    suffixes = _shift(product, a_shift) + _collector(function, collector_op, b_collector_op)
    name = f"tcgen05.mma.sp{group_suffix(product.group)}{_scaled_suffix(kind, vector)}{suffixes}"
    _issue(product, name, _metadata(sparse_metadata, function), scales)


def _buffer_suffix(function: str, buffer: Choice | None, collector_op: Choice | None) -> str:
    """The suffix of the use of a buffer of B."""
    if buffer is None and collector_op is None:
        return ""
    enumeration = _enums.Tcgen05MMACollectorBBuffer
    place = member(enumeration, "b0" if buffer is None else buffer, function, "collector_b_buffer")
    use = "discard" if collector_op is None else collector_op
    word = member(_enums.Tcgen05MMACollectorOp, use, function, "collector_op").value
    return f".collector::{place.value}::{word}"


def _zero_columns(function: str, col_b_zero_mask: object) -> list[Any]:
    """The descriptor of columns of B that count as 0, as an operand, if it is given."""
    if col_b_zero_mask is None:
        return []
    return [descriptor64(col_b_zero_mask, function, "col_b_zero_mask")]


def tcgen05_mma_ws(
    mma_kind: Choice,
    d: PointerLike,
    a: Int | PointerLike,
    b: Int,
    idesc: Int,
    enable_input_d: Condition,
    *,
    collector_b_buffer: Choice | None = None,
    collector_op: Choice | None = None,
    col_b_zero_mask: Int | None = None,
) -> None:
    """Multiply A and B of 32, 64 or 128 rows while B stays in a buffer; one thread calls it. Only on GPUs.

    Args:
        collector_b_buffer: a ``Tcgen05MMACollectorBBuffer``, default B0.
        collector_op: a ``Tcgen05MMACollectorOp``: what happens to that buffer.
        col_b_zero_mask: a descriptor of columns of B that count as 0, 64 bits.
        others: as of tcgen05_mma.
    """
    function = "tcgen05_mma_ws"
    needs(function, "tcgen05", cpu=False)
    kind = _kind(function, mma_kind, scaled=False)
    product = _operands(function, kind, "cta_1", (d, a, b), idesc, enable_input_d)
    _require_sparsity(product, False)
    suffix = _buffer_suffix(function, collector_b_buffer, collector_op)
    name = f"tcgen05.mma.ws.cta_group::1{_ptx_kind(kind)}{suffix}"
    _issue(product, name, after=_zero_columns(function, col_b_zero_mask))


def tcgen05_mma_ws_sp(
    mma_kind: Choice,
    d: PointerLike,
    a: Int | PointerLike,
    b: Int,
    idesc: Int,
    enable_input_d: Condition,
    sparse_metadata: PointerLike,
    *,
    collector_b_buffer: Choice | None = None,
    collector_op: Choice | None = None,
    col_b_zero_mask: Int | None = None,
) -> None:
    """Multiply sparse A and B of 32, 64 or 128 rows while B stays in a buffer; see tcgen05_mma_ws. Only on GPUs.

    Args:
        sparse_metadata: the places of A's elements, in tensor memory.
        others: as of tcgen05_mma_ws. The instruction descriptor has ``sparsity=1``.
    """
    function = "tcgen05_mma_ws_sp"
    needs(function, "tcgen05", cpu=False)
    kind = _kind(function, mma_kind, scaled=False)
    product = _operands(function, kind, "cta_1", (d, a, b), idesc, enable_input_d)
    _require_sparsity(product, True)
    suffix = _buffer_suffix(function, collector_b_buffer, collector_op)
    name = f"tcgen05.mma.ws.sp.cta_group::1{_ptx_kind(kind)}{suffix}"
    columns = _zero_columns(function, col_b_zero_mask)
    _issue(product, name, _metadata(sparse_metadata, function), after=columns)
