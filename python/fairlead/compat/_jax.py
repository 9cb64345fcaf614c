"""Names that existing programs import from ``cutlass.jax``. JAX is imported when something is used."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead.cute._types import DType
from fairlead.errors import make_error

if TYPE_CHECKING:
    from fairlead.jax._call import FunctionCall

__all__ = [
    "TensorSpec",
    "cutlass_call",
    "cutlass_to_jax_dtype",
    "get_export_disabled_safety_checks",
    "is_available",
    "jax_to_cutlass_dtype",
]


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """How a kernel sees an array.

    Args:
        mode: which dimension of the array each mode of the tensor is.
        static: the extents are part of the program.
        divisibility: of each mode of the tensor what its extents are multiples of, or one number for all.
        layout: the array's dimensions from major to minor.
    """

    layout: tuple[int, ...] | None = None
    mode: tuple[int, ...] | None = None
    static: bool | None = None
    divisibility: tuple[int | None, ...] | int | None = None


def is_available() -> bool:
    """Return whether JAX is installed."""
    import importlib.util

    return importlib.util.find_spec("jax") is not None


def cutlass_to_jax_dtype(dtype: type) -> Any:
    """The dtype of JAX for a numeric class."""
    from fairlead.jax._arrays import jax_dtype

    return jax_dtype(dtype)


def jax_to_cutlass_dtype(dtype: DType) -> type:
    """The numeric class for a dtype of JAX."""
    from fairlead.jax._arrays import cute_dtype

    return cute_dtype(dtype)


def get_export_disabled_safety_checks() -> list[Any]:
    """For ``jax.export.export(..., disabled_checks=)``."""
    import jax.export

    from fairlead.jax import EAGER_TARGET, TARGET

    return [jax.export.DisabledSafetyCheck.custom_call(name) for name in (TARGET, EAGER_TARGET)]


def cutlass_call(
    fn: Callable[..., Any],
    *,
    output_shape_dtype: object,
    input_spec: object = None,
    output_spec: object = None,
    input_mode: object = None,
    output_mode: object = None,
    input_output_aliases: Mapping[int, int] | None = None,
    allow_cuda_graph: bool = True,
    compile_options: str | None = None,
    use_static_tensors: bool = False,
    **kwargs: object,
) -> Callable[..., Any]:
    """A function of JAX arrays that calls ``fn(stream, *inputs, *outputs, **kwargs)``, which is compiled for them.

    Outputs that an input is aliased to are not passed: the input is written. Keywords are part of the program.
    """
    specs = (_modes(input_spec, input_mode), _modes(output_spec, output_mode))
    request = _Wanted(
        functools.partial(fn, **kwargs) if kwargs else fn,
        output_shape_dtype,
        *specs,
        dict(input_output_aliases or {}),
        allow_cuda_graph,
        compile_options or "",
        use_static_tensors,
    )
    return request.call


def _modes(spec: object, mode: Any) -> Any:
    """``input_mode=`` of earlier releases: tuples of modes in place of specs."""
    if spec is not None or mode is None:
        return spec
    if mode and isinstance(mode[0], int):
        return TensorSpec(mode=tuple(mode))
    return tuple(None if modes is None else TensorSpec(mode=tuple(modes)) for modes in mode)


@dataclasses.dataclass
class _Wanted:
    """The arguments of cutlass_call."""

    function: Callable[..., Any]
    output_shape: Any
    input_spec: Any
    output_spec: Any
    aliases: dict[int, int]
    cuda_graph: bool
    options: str
    static: bool

    def call(self, *inputs: object) -> Any:
        import jax

        shapes, tree = jax.tree.flatten(self.output_shape)
        arrays = [jax.numpy.asarray(leaf) for leaf in jax.tree.leaves(inputs)]
        compiled, names = self._compile(inputs, arrays, shapes)
        results = dict(zip(names, compiled.run(tuple(arrays)), strict=True))
        return jax.tree.unflatten(tree, [results[index] for index in range(len(shapes))])

    def _compile(
        self, inputs: tuple[Any, ...], arrays: list[Any], shapes: list[Any]
    ) -> tuple[FunctionCall, list[int]]:
        """The call, and the number of each of its results among the outputs."""
        import jax

        from fairlead._frameworks.interface import interface_of
        from fairlead.compat import _cute as cute
        from fairlead.jax._call import FunctionCall, Options, backend_target

        in_specs, out_specs = self._specs(inputs, self.input_spec), self._out_specs(shapes)
        aliased = set(self.aliases.values())
        fakes = [self._fake(array, spec) for array, spec in zip(arrays, in_specs, strict=True)]
        arguments = jax.tree.unflatten(jax.tree.structure(inputs), fakes)
        outputs = [
            None if index in aliased else self._fake(shape, spec)
            for index, (shape, spec) in enumerate(zip(shapes, out_specs, strict=True))
        ]
        options = f"--target {backend_target()} {self.options}"
        compiled = cute.compile(
            self.function,
            cute.runtime.make_fake_stream(),
            *arguments,
            *self._output_arguments(outputs, aliased),
            options=options,
        )
        interface = interface_of(compiled)
        names = [tensor.name for tensor in interface.tensors]
        allocated = [index for index in range(len(shapes)) if index not in aliased]
        # Results come in the order of the parameters: inputs that are written, then outputs.
        by_input = {source: target for source, target in self.aliases.items()}
        order = [by_input[source] for source in sorted(by_input)] + allocated
        out_names = dict(zip(allocated, names[len(arrays) :], strict=True))
        all_specs = dict(zip(names, [*in_specs, *(out_specs[i] for i in allocated)], strict=True))
        call_of_function = FunctionCall(
            interface,
            tuple(out_names.values()),
            Options(
                tuple(names[source] for source in sorted(by_input)),
                layouts={n: s.layout for n, s in all_specs.items() if s.layout is not None},
                cuda_graph=self.cuda_graph,
            ),
            shapes={out_names[index]: shapes[index] for index in allocated},
            modes={n: tuple(s.mode) for n, s in all_specs.items() if s.mode is not None},
        )
        return call_of_function, order

    def _output_arguments(self, outputs: list[Any], aliased: set[int]) -> list[Any]:
        """Return an argument for each of a tuple of outputs."""
        import jax

        if aliased:
            return [output for index, output in enumerate(outputs) if index not in aliased]
        tree = jax.tree.structure(self.output_shape)
        outputs_as_tree = jax.tree.unflatten(tree, outputs)
        several = isinstance(self.output_shape, (tuple, list))
        return list(outputs_as_tree) if several else [outputs_as_tree]

    def _specs(self, values: Any, specs: Any) -> list[TensorSpec]:
        """A spec for each leaf; one for a whole argument is for all arrays in it."""
        import jax

        if specs is None:
            specs = (None,) * len(values)
        if isinstance(specs, TensorSpec):
            specs = (specs,) * len(values)
        if len(specs) != len(values):
            raise make_error(
                "FrameworkOption",
                option="input_spec or output_spec",
                expected=f"{len(values)} entries",
                got=len(specs),
            )
        flat: list[TensorSpec] = []
        for value, spec in zip(values, specs, strict=True):
            count = len(jax.tree.leaves(value))
            if isinstance(spec, (tuple, list)):
                flat += [entry or TensorSpec() for entry in spec]
            else:
                flat += [spec or TensorSpec()] * count
        return flat

    def _out_specs(self, shapes: list[Any]) -> list[TensorSpec]:
        values = (
            self.output_shape
            if isinstance(self.output_shape, (tuple, list))
            else (self.output_shape,)
        )
        return self._specs(values, self.output_spec) if shapes else []

    def _fake(self, array: _compiler.Tensor, spec: TensorSpec) -> Any:
        from fairlead.jax._arrays import fake_tensor

        divisibility: Any = spec.divisibility
        if isinstance(divisibility, int):
            divisibility = (divisibility,) * len(array.shape)
        static = self.static if spec.static is None else spec.static
        return fake_tensor(
            array, static=static, modes=spec.mode, layout=spec.layout, divisibility=divisibility
        )
