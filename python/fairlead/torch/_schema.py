"""The schema of an operator of torch: its names, its overloads, and the arguments they take, write and return."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from fairlead import _compiler
from fairlead._exported.operators import ExportedOperator
from fairlead._frameworks.description import describe, symbol_sources
from fairlead._frameworks.interface import Interface, Scalar, Stream, Tensor
from fairlead.errors import make_error

__all__ = ["Overload", "Schema"]

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*\Z")


class Overload(NamedTuple):
    """An operator as torch's dispatcher knows it."""

    #: ``namespace::name``.
    name: str
    #: The line of torch's schema language that defines it.
    schema: str
    inputs: tuple[str, ...]
    #: The tensors that it allocates and returns.
    results: tuple[str, ...]
    #: The inputs that it writes.
    written: tuple[str, ...]


class Schema:
    """The names of an operator's arguments, checked against the parameters of its function.

    Attributes:
        name: ``namespace::name``.
        interface: the function's parameters.
        arguments: the names of all arguments: those of the overload that writes its outputs.
        inputs: of these the names of the inputs.
        outputs: of these the names of the outputs.
        tensor_places: the positions of tensors in ``inputs``.
        streams: the positions of streams among the function's parameters.
        overloads: the overloads that were registered.
    """

    def __init__(
        self,
        interface: Interface,
        name: str,
        outputs: tuple[str, ...],
        mutates: tuple[str, ...],
        may_alias: dict[str, str],
    ) -> None:
        if not isinstance(name, str) or not _NAME.match(name):
            raise make_error("TorchName", got=repr(name))
        self.name, self.interface = name, interface
        self.namespace, _, self.own_name = name.partition("::")
        self.mutates, self.may_alias = mutates, may_alias
        self._tensor_names = [tensor.name for tensor in interface.tensors]
        self._check_names(outputs, mutates)
        self._check_aliases(may_alias, (*outputs, *mutates))
        arguments = [
            argument for argument in interface.arguments if isinstance(argument, (Tensor, Scalar))
        ]
        self.arguments = tuple(argument.name for argument in arguments)
        self.inputs = tuple(name for name in self.arguments if name not in outputs)
        self.outputs = tuple(name for name in self.arguments if name in outputs)
        self._check_shapes()
        self.tensor_places = self.places_of_tensors(self.inputs)
        self.streams = tuple(
            index
            for index, argument in enumerate(interface.arguments)
            if isinstance(argument, Stream)
        )
        self.overloads: list[Overload] = []

    def tensors(self, names: Sequence[str]) -> list[Tensor]:
        """Return the tensor parameters among the names, in the order of the function's parameters."""
        return [tensor for tensor in self.interface.tensors if tensor.name in names]

    def places_of_tensors(self, names: Sequence[str]) -> tuple[int, ...]:
        return tuple(index for index, name in enumerate(names) if name in self._tensor_names)

    def allocating(self) -> Overload:
        """Return the overload that allocates the outputs and returns them."""
        return self._overload(self.own_name, self.inputs, self.outputs, self.mutates)

    def writing(self) -> Overload:
        """Return the overload that writes the outputs that it is given."""
        written = (*self.mutates, *self.outputs)
        return self._overload(f"{self.own_name}_out", self.arguments, (), written)

    def _overload(
        self,
        own_name: str,
        inputs: tuple[str, ...],
        results: tuple[str, ...],
        written: tuple[str, ...],
    ) -> Overload:
        scalars = {scalar.name: scalar for scalar in self.interface.scalars}
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        parts = []
        for name in inputs:
            word = re.sub(r"\W+", "_", name).strip("_")
            if name in written:
                parts.append(f"Tensor({next(letters)}!) {word}")
            elif name in scalars:
                parts.append(f"{_number(scalars[name].dtypes[0])} {word}")
            else:
                parts.append(f"Tensor {word}")
        returned = ", ".join(["Tensor"] * len(results))
        returned = returned if len(results) == 1 else f"({returned})"
        text = f"{own_name}({', '.join(parts)}) -> {returned}"
        return Overload(f"{self.namespace}::{own_name}", text, inputs, results, written)

    def describe(self, overload: Overload) -> dict[str, Any]:
        """Return an overload by the members of FairleadTorchOperator."""
        return describe(
            self.namespace,
            overload.schema,
            self.interface,
            overload.inputs,
            self.tensors(overload.results),
            overload.written,
            self.may_alias,
        )

    def exported(self) -> ExportedOperator:
        """Return what exported files say of the operator: for ``load``, and for fairlead_register_torch()."""
        return {
            "name": self.name,
            "outputs": list(self.outputs),
            "mutates": list(self.mutates),
            "may_alias": self.may_alias,
            "registered": [self.describe(overload) for overload in self.overloads],
        }

    def check_free(self) -> None:
        """Raise TorchNameTaken if torch has an operator of one of the names."""
        names = [self.own_name, *([f"{self.own_name}_out"] if self.outputs else [])]
        for own_name in names:
            if hasattr(getattr(torch.ops, self.namespace), own_name):
                raise make_error("TorchNameTaken", name=f"{self.namespace}::{own_name}")

    def _check_names(self, outputs: tuple[str, ...], mutates: tuple[str, ...]) -> None:
        both = (*outputs, *mutates)
        for index, name in enumerate(both):
            if name not in self._tensor_names or name in both[:index]:
                self._refuse_outputs("outputs" if index < len(outputs) else "mutates", repr(name))
        if not both:
            expectation = "an operator has at least one output, or a tensor in mutates="
            self._refuse_outputs("outputs", f"none: {expectation}")

    def _refuse_outputs(self, option: str, got: str) -> None:
        raise make_error(
            "FrameworkOutputs",
            option=option,
            signature=self.interface.text,
            expected=", ".join(self._tensor_names) or "none",
            got=got,
        )

    def _check_aliases(self, may_alias: dict[str, str], written: tuple[str, ...]) -> None:
        for name, other in may_alias.items():
            if name in written and other in self._tensor_names and other != name:
                continue
            raise make_error(
                "FrameworkOption",
                option="may_alias",
                expected=f"tensors that are written ({', '.join(written)}), and for each another tensor "
                f"parameter ({', '.join(self._tensor_names)})",
                got=repr({name: other}),
            )

    def _check_shapes(self) -> None:
        sources = set(symbol_sources(self.interface, self.inputs))
        variables = {tensor.variable for tensor in self.tensors(self.inputs)}
        for tensor in self.tensors(self.outputs):
            of_shape = {symbol for _, symbols in tensor.shape for symbol in symbols}
            if not of_shape <= sources or (
                tensor.variable >= 0 and tensor.variable not in variables
            ):
                raise make_error("FrameworkShape", signature=self.interface.text, name=tensor.name)


def _number(dtype: type[_compiler.Numeric]) -> str:
    if dtype is _compiler.Boolean:
        return "bool"
    # An integer may be an extent, which is not one number under dynamic shapes.
    return "float" if issubclass(dtype, _compiler.Float) else "SymInt"
