"""The signature of a compiled function, built from its arguments."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._fake import FakeTensor
from fairlead.cute._ir_types import PointerType, StructType
from fairlead.cute._pointer import RuntimePointer
from fairlead.cute._program_key import ProgramKey
from fairlead.cute._symbol_table import SymbolTable
from fairlead.cute._symbols import SymInt
from fairlead.cute._templates import Leaf, Struct
from fairlead.errors import make_error

__all__ = ["SignatureBuilder"]

_MOST_MODES = 32  # of a tensor, as in the text of signatures


class SignatureBuilder:
    """Adds what calls pass to a signature, and its kind to the program's key. A place is the name of a parameter or of
    a part: ``config.scale``, ``tensors[1]``.

    Attributes:
        signature: that of the compiled function.
        symbols: the symbols in it.
        size: the number of its arguments.
        num_tensors: how many of them are tensors, those of structures included.
        narrow_strides: tensors whose strides have 32 bits in plain C.
        no_alias: True if the tensors that follow are declared ``no_alias``.
    """

    def __init__(self, name: str, key: ProgramKey) -> None:
        self.signature = _compiler.Signature(name)
        self.symbols = SymbolTable(self.signature)
        self._key = key
        self.size = self.num_tensors = self._cpu_tensors = self._gpu_tensors = 0
        self.narrow_strides: list[str] = []
        self.no_alias = False

    @property
    def on_cpu(self) -> bool:
        """True if the examples have tensors, all of them on the CPU."""
        return self._cpu_tensors > 0 and self._gpu_tensors == 0

    def leaf(self, is_pointer: bool = False) -> Leaf:
        """Return the template of the argument that was added last."""
        self.size += 1
        return Leaf(self.size - 1, is_pointer)

    def add_tensor(
        self, name: str, value: FakeTensor | RuntimeTensor, extents: tuple[Any, ...] | None = None
    ) -> Leaf:
        """Add a tensor; ``extents``: its shape as the annotation says it."""
        if isinstance(value, RuntimeTensor):
            self._cpu_tensors += value.on_cpu
            self._gpu_tensors += not value.on_cpu
            self._key.add_kind(name, value.__fairlead_kind__)
            self.symbols.forget_examples()
        if len(value.shape) > _MOST_MODES:
            raise make_error("TensorRank", name=name, expected=_MOST_MODES, got=len(value.shape))
        if value.narrow_strides:
            self.narrow_strides.append(name)
        extents_shown = value.shape if extents is None else extents
        shape = self.symbols.extents(extents_shown)
        strides = self.symbols.extents(value.stride)
        self.num_tensors += 1
        place = self.size
        self.symbols.note(place, name, "shape", extents_shown)
        self.symbols.note(place, name, "stride", value.stride)
        self.signature.add_tensor(
            name, value.dtype, shape, strides, value.alignment, value.memspace, self.no_alias
        )
        return self.leaf()

    def add_pointer(self, name: str, value: RuntimePointer) -> Leaf:
        """Add an address in memory."""
        self.signature.add_pointer(name, value.dtype, value.alignment, value.memspace)
        self._key.add_kind(name, value.__fairlead_kind__)
        return self.leaf(is_pointer=True)

    def add_stream(self, name: str, environment: bool) -> Leaf:
        """Add a CUDA stream; ``environment``: the one that the caller's framework uses."""
        self.signature.add_stream(name, environment)
        self._key.add_kind(name, "environment stream" if environment else "stream")
        return self.leaf()

    def add_symbol(self, name: str, value: SymInt) -> Leaf:
        """Add an integer that extents depend on."""
        dtype: type[_compiler.Numeric] = _compiler.Int64 if value.width == 64 else _compiler.Int32
        self.signature.add_scalar(name, dtype, self.symbols.index(value))
        self.symbols.note(self.size, name, "value", (value,))
        return self.leaf()

    def add_number(self, name: str, dtype: type[_compiler.Numeric]) -> Leaf:
        """Add a number of a type."""
        self.signature.add_scalar(name, dtype)
        self._key.add_kind(name, dtype)
        return self.leaf()

    def add_c_value(self, place: str, of: Any) -> Leaf | Struct:
        """Add a C value of an object of a user's class."""
        if isinstance(of, StructType):
            parts = [
                self.add_c_value(f"{place}[{index}]", leaf)
                for index, leaf in enumerate(of.leaves())
            ]
            return Struct(of, parts)
        if isinstance(of, (FakeTensor, RuntimeTensor)):
            return self.add_tensor(place, of)
        if isinstance(of, RuntimePointer):
            self.signature.add_pointer(place, of.dtype, of.alignment, of.memspace)
            return self.leaf(is_pointer=True)
        if isinstance(of, PointerType):
            self.signature.add_pointer(place, _compiler.Uint8, 1, _compiler.AddressSpace.generic)
            return self.leaf(is_pointer=True)
        self.signature.add_scalar(place, of)
        return self.leaf()
