"""A function of the ABI as frameworks need to know it: its parameters, and the shapes that its tensors have."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairlead import _compiler
from fairlead._core import Function
from fairlead._exported.contents import parsed_signature
from fairlead.errors import make_error

__all__ = [
    "Extent",
    "Interface",
    "Scalar",
    "Stream",
    "Tensor",
    "framework_name",
    "interface_of",
    "interface_of_text",
]

#: (coefficient, indices of symbols): their product.
Extent = tuple[int, tuple[int, ...]]


def framework_name(dtype: type[_compiler.Numeric]) -> str:
    """The name of a numeric class in torch, JAX and DLPack; in their memory a TFloat32 is a float32."""
    return "float32" if dtype is _compiler.TFloat32 else _compiler.dtype_name(dtype)


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor parameter. Strides are in elements, the alignment in bytes; ``access`` is one of
    ``Signature.accesses``."""

    name: str
    dtypes: tuple[type, ...]
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    alignment: int
    variable: int
    access: str


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A number; `symbol`: the index of the symbol whose value it is, or -1."""

    name: str
    dtypes: tuple[type, ...]
    symbol: int
    variable: int


@dataclasses.dataclass(frozen=True)
class Stream:
    name: str


@dataclasses.dataclass(frozen=True)
class Symbol:
    name: str
    width: int
    divisibility: int


class Values:
    """Symbols with the values that the shapes of arguments gave them, which may be symbols of a framework."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._known: dict[int, Any] = {}

    def bind(self, tensor: Tensor, shape: Sequence[Any], check: Callable[..., None]) -> None:
        """Takes the values of symbols from an argument's shape. ``check(holds, what, expected, got)`` is called for
        each extent that is known before."""
        for mode, (extent, got) in enumerate(zip(tensor.shape, shape, strict=True)):
            coefficient, symbols = extent
            what = f"{tensor.name}.shape[{mode}]"
            if coefficient == 1 and len(symbols) == 1 and symbols[0] not in self._known:
                self._known[symbols[0]] = got
                divisor = self._interface.symbols[symbols[0]].divisibility
                if divisor > 1:
                    check(got % divisor == 0, f"{what} % {divisor}", 0, got)
                continue
            value = self.value(extent)
            if value is not None:
                check(got == value, what, value, got)

    def bind_number(self, symbol: int, value: object) -> None:
        self._known.setdefault(symbol, value)

    def value(self, extent: Extent) -> Any:
        """None where a symbol of it is not known."""
        value, symbols = extent
        for symbol in symbols:
            if symbol not in self._known:
                return None
            value = value * self._known[symbol]
        return value

    def shape(self, tensor: Tensor) -> tuple[Any, ...] | None:
        shape = tuple(map(self.value, tensor.shape))
        return None if any(extent is None for extent in shape) else shape


@dataclasses.dataclass(frozen=True)
class Interface:
    """`arguments` are those of a call of the function, in order; `text` is its signature; `targets` those of its
    code, () if they are not known; `function` is the callable, None if it is not loaded."""

    name: str
    arguments: tuple[Tensor | Scalar | Stream, ...]
    symbols: tuple[Symbol, ...]
    text: str
    targets: tuple[str, ...]
    function: Function

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, Tensor))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, Scalar))

    def accessed(self, *accesses: str) -> tuple[str, ...]:
        """Return the names of the tensors with one of the accesses."""
        return tuple(tensor.name for tensor in self.tensors if tensor.access in accesses)

    def runs_on(self, kind: str) -> bool:
        """True if the function has code for ``"cpu"`` or ``"cuda"``."""
        devices = {"cpu" if target.startswith("cpu") else "cuda" for target in self.targets}
        return not devices or kind in devices

    def digest(self, *parts: bytes | str) -> str:
        """Hexadecimal; the same in every process for the same program."""
        sha = hashlib.sha256()
        for part in (self.text, *self.targets, *parts):
            part = part.encode() if isinstance(part, str) else part
            sha.update(len(part).to_bytes(8, "little") + part)
        return sha.hexdigest()

    def program_digest(self) -> str:
        """A digest of the signature and, if it is known, the code."""
        artifact = getattr(self.function, "artifact", None)
        return self.digest(*(() if artifact is None else (artifact.ir, artifact.ptx)))


def _extents(extents: Iterable[tuple[int, list[int]]]) -> tuple[Extent, ...]:
    return tuple((coefficient, tuple(symbols)) for coefficient, symbols in extents)


def _argument(
    function: str, parameter: tuple[Any, ...], accesses: Mapping[str, str]
) -> Tensor | Scalar | Stream | None:
    kind, name, *rest = parameter
    if kind == "tensor":
        dtypes, shape, strides, alignment, variable = rest
        return Tensor(
            name, dtypes, _extents(shape), _extents(strides), alignment, variable, accesses[name]
        )
    if kind == "scalar":
        return Scalar(name, *rest)
    if kind == "stream":
        return None if rest[0] else Stream(name)
    raise make_error("FrameworkParameter", function=function, name=name, got="a pointer")


def interface_of(function: Callable[..., Any], signature: str | None = None) -> Interface:
    """The interface of `function`: a compiled one, one of a loaded file, a kernel, or any function of the ABI with its
    `signature` in one line (docs/kernels.md has the grammar).

    Raises FrameworkFunction if it is no function of the ABI or has no signature, and FrameworkParameter for
    parameters that frameworks have no value for.
    """
    if not isinstance(function, Function):
        raise make_error("FrameworkFunction", got=f"a {type(function).__name__}")
    exported = function.__dict__.get("_exported", {}) if hasattr(function, "__dict__") else {}
    signature_of_function = getattr(function, "signature", None)
    if signature is not None:
        parsed = _compiler.Signature.parse(signature)
    elif isinstance(signature_of_function, _compiler.Signature):
        parsed = signature_of_function
    elif "text" in exported:
        parsed = parsed_signature(exported["text"], exported.get("accesses"))
    else:
        name = function.__name__ or "a function"
        raise make_error("FrameworkFunction", got=f"`{name}`, which tells no signature")
    targets = getattr(function, "targets", None)
    if targets is None:
        targets = [
            part.strip() for target in exported.get("targets", ()) for part in target.split(",")
        ]
    return _made(parsed, targets, function)


def interface_of_text(signature: str, targets: Iterable[str]) -> Interface:
    """The interface of a function that is not loaded, by its signature in one line and the targets of its code."""
    return _made(_compiler.Signature.parse(signature), targets, None)


def _made(parsed: _compiler.Signature, targets: Iterable[Any], function: Any) -> Interface:
    accesses = parsed.accesses
    arguments = [_argument(parsed.name, parameter, accesses) for parameter in parsed.parameters]
    return Interface(
        parsed.name,
        tuple(argument for argument in arguments if argument is not None),
        tuple(Symbol(*symbol) for symbol in parsed.symbols),
        parsed.text,
        tuple(map(str, targets)),
        function,
    )
