"""Call every public function with an object of a wrong class for each parameter in turn, and keep the messages."""

from __future__ import annotations

import ast
import contextlib
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import public_api

import fairlead
import fairlead.pipeline
import fairlead.utils
from fairlead import Float32, cute
from fairlead._tracing.marks import marked
from fairlead.cute.nvgpu import tcgen05

VALUES = np.zeros(32, np.float32)
#: Modules whose functions are called by plain programs rather than in kernels.
_OF_HOSTS = (
    *("fairlead.ffi", "fairlead.pictures", "fairlead.torch", "fairlead.jax", "fairlead.kernels"),
    *("fairlead.bundles", "fairlead.tuning", "fairlead.ops", "fairlead.plans", "fairlead.checks"),
    *("fairlead.coverage", "fairlead.errors", "fairlead.cute.testing", "fairlead.cute.runtime"),
    "fairlead.cute.cuda",
)
#: Types that any object has: it has a truth value, or is an element, or anything is allowed.
_ANYTHING = {"object", "Any", "bool", "T", "Literal[False]"}
#: Each message about an argument has one of these words.
_EXPECTS = re.compile(
    "expect|takes|is one of|works on|needs|must be|is an int or|is a namespace and|is aligned to"
)
#: Words of messages that are about the code of the package rather than about the program.
_INNER = re.compile(
    r"nb_type|_compiler\.|incompatible function arguments|has no attribute|unsupported operand"
    r"|object is not|not supported between|bad_cast|argument must be|cannot unpack"
)


class Thing:
    """A class that no function takes."""


class Call(NamedTuple):
    """A call with a Thing for the argument `parameter`, and the message that it raised; None if it raised none."""

    function: str
    parameter: str
    message: str | None

    @property
    def fault(self) -> str | None:
        """The fault of the message, or None."""
        if self.message is None:
            return "no error"
        if _INNER.search(self.message):
            return "inner words"
        if "Thing" not in self.message:
            return "does not name what was passed"
        if not re.search(rf"\b{self.parameter}\b", self.message):
            return "does not name the parameter"
        return None if _EXPECTS.search(self.message) else "does not name what is expected"


class _Parameter(NamedTuple):
    name: str
    annotation: str
    is_optional: bool
    is_keyword: bool


def calls() -> list[Call]:
    """Call each function in every way, those of the language while a kernel is traced."""
    results: list[Call] = []

    def of_kernels(tensor: cute.Tensor, atom: cute.CopyAtom) -> None:
        samples = {**_samples_of_kernels(tensor), "TensorCopyAtom": atom}
        for module, name, parameters in _functions():
            if module not in _OF_HOSTS:
                results.extend(_calls(module, name, parameters, samples))
        raise KeyError("all of them were called")

    @cute.kernel
    def kernel(tensor: cute.Tensor, atom: cute.CopyAtom):
        of_kernels(tensor, atom)

    @cute.jit
    def host(tensor: cute.Tensor):
        operation = cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()
        atom, _ = cute.nvgpu.cpasync.make_tiled_tma_atom(
            operation, tensor, cute.make_layout((4, 8), stride=(8, 1)), (4, 8)
        )
        kernel(tensor, atom).launch(grid=1, block=32)

    try:
        cute.compile(host, VALUES.reshape(4, 8))
    except KeyError:
        pass
    samples = _samples_of_hosts()
    for module, name, parameters in _functions():
        if module in _OF_HOSTS:
            results += _calls(module, name, parameters, samples)
    return results


def _functions() -> Iterator[tuple[str, str, list[_Parameter]]]:
    """Yield the module, the name and the parameters of each public function."""
    seen = set()
    for module in public_api.MODULES:
        for name in public_api.public_names(module):
            home, own_name, nodes = public_api.definition(module, name)
            if nodes and (home, own_name) not in seen and isinstance(nodes[0], ast.FunctionDef):
                seen.add((home, own_name))
                yield module, name, _parameters(nodes[0].args)


def _parameters(arguments: ast.arguments) -> list[_Parameter]:
    places = [*arguments.posonlyargs, *arguments.args]
    required = len(places) - len(arguments.defaults)
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [
        *(
            _Parameter(node.arg, _annotation(node), index >= required, False)
            for index, node in enumerate(places)
        ),
        *(
            _Parameter(node.arg, _annotation(node), default is not None, True)
            for node, default in pairs
        ),
    ]


def _annotation(node: ast.arg) -> str:
    return ast.unparse(node.annotation).replace("_compiler.", "") if node.annotation else "Any"


def _pieces(annotation: str) -> list[str]:
    return [piece.strip() for piece in re.split(r"\|(?![^\[]*\])", annotation)]


def _calls(
    module: str, name: str, parameters: list[_Parameter], samples: Mapping[str, Any]
) -> Iterator[Call]:
    function = getattr(importlib.import_module(module), name)
    for wrong in parameters:
        if not {*_pieces(wrong.annotation)} & _ANYTHING:
            message = _message(function, f"{module}.{name}", parameters, wrong, samples)
            yield Call(f"{module}.{name}", wrong.name, message)


def _message(
    function: Callable[..., Any],
    name: str,
    parameters: list[_Parameter],
    wrong: _Parameter,
    samples: Mapping[str, Any],
) -> str | None:
    """Return the message of a call with a Thing as `wrong` and samples for the other required arguments."""
    places, keywords = [], {}
    for parameter in parameters:
        if parameter is wrong:
            value: Any = Thing()
        elif parameter.is_optional and f"{name}.{parameter.name}" not in samples:
            continue
        else:
            value = _sample(name, parameter, samples)
        if parameter.is_keyword or parameter.is_optional:
            keywords[parameter.name] = value
        else:
            places.append(value)
    try:
        result = function(*places, **keywords)
        if isinstance(result, contextlib.AbstractContextManager):
            with result:
                pass
    except Exception as error:
        return str(error if "jax" in samples else marked(error))
    return None


def _sample(function: str, parameter: _Parameter, samples: Mapping[str, Any]) -> Any:
    """Return a value that a parameter takes."""
    for key in (f"{function}.{parameter.name}", parameter.name, *_pieces(parameter.annotation)):
        if key in samples:
            return samples[key]
    return None


#: Values of annotations, of parameters by name, and of parameters of one function, in programs of hosts.
_SAMPLES: dict[str, Any] = {
    **dict.fromkeys(("bool", "object", "Any"), True),
    **dict.fromkeys(("int", "Number", "Int"), 1),
    **dict.fromkeys(("str", "str | os.PathLike[str]"), "x"),
    "float": 1.0,
    "Callable[..., Any]": lambda *arguments: None,
    "Tensor": VALUES,
    "DType": Float32,
    "type": int,
    "Extents": (4, 8),
    "Iterable[str]": ["x"],
    "type[Numeric]": Float32,
    "fairlead.cute.runtime.nullptr.dtype": Float32,
    "fairlead.cute.testing.tune.func": lambda *arguments: lambda: None,
    "fairlead.bundles.bundle.objects": ["x.o"],
    **{f"fairlead.pictures.{name}.dtype": Float32 for name in ("banks", "coalescing")},
    "fairlead.pictures.thread_values.layout_tv": cute.make_layout((1, 1)),
    "Sequence[Any]": (1, 2),
    **dict.fromkeys(("Layout", "LayoutLike"), cute.make_layout((4, 8))),
}


def _samples_of_hosts() -> dict[str, Any]:
    @cute.jit
    def fill(tensor: cute.Tensor):
        tensor[0] = Float32(0.0)

    compiled = cute.compile(fill, VALUES)
    heads = np.zeros((1, 16, 2, 32), np.float16)
    matrix = np.zeros((16, 16), np.float32)
    return {
        **_SAMPLES,
        "jax": True,
        "fairlead.torch.op.mutates": "tensor",
        "fairlead.torch.op.name": "tests_of_arguments::fill",
        "fairlead.torch.op.function": compiled,
        "fairlead.jax.call.function": compiled,
        **{f"fairlead.ops.attention.{name}": heads for name in "qkv"},
        **{
            f"fairlead.ops.{function}.{name}": matrix
            for function in (
                *("matmul", "grouped_matmul", "softmax", "log_softmax", "rms_norm", "layer_norm"),
                *("quantize", "cross_entropy"),
            )
            for name in ("a", "b", "x")
        },
        "fairlead.ops.grouped_matmul.b": np.zeros((1, 16, 16), np.float32),
        "fairlead.ops.grouped_matmul.offsets": np.array([16], np.int32),
        **{
            f"fairlead.ops.{function}.{name}": value
            for function, problems in (("scaled_matmul", ()), ("grouped_scaled_matmul", (1,)))
            for name, value in {
                "a": np.zeros((128, 128), ml_dtypes.float8_e4m3fn),
                "b": np.zeros((*problems, 128, 128), ml_dtypes.float8_e4m3fn),
                "scale_a": np.ones((128, 1), np.float32),
                "scale_b": np.ones((*problems, 1, 1), np.float32),
                "offsets": np.array([128], np.int32),
            }.items()
        },
    }


def _samples_of_kernels(tensor: cute.Tensor) -> dict[str, Any]:
    layout = cute.make_layout((4, 8))
    copy_op = cute.nvgpu.CopyUniversalOp()
    copy_atom = cute.make_copy_atom(copy_op, Float32)
    mma_op = cute.nvgpu.MmaUniversalOp(Float32)
    mma_atom = cute.make_mma_atom(mma_op)
    registers = cute.make_rmem_tensor(4, Float32)
    registers.fill(0.0)
    return {
        **_SAMPLES,
        "Number": cute.Int32(1),
        "Numeric": cute.Int32(1),
        "Elements": Float32(1.0),
        "TensorExpr": registers.load(),
        "Pointer": tensor.iterator,
        "Tensor": registers,
        "Layout": layout,
        "LayoutLike": layout,
        "ComposedLayout": cute.make_composed_layout(cute.make_swizzle(1, 1, 1), 0, layout),
        "type[Numeric]": Float32,
        "Modes": layout,
        "CopyAtom": copy_atom,
        "MmaAtom": mma_atom,
        "TiledMma": cute.make_tiled_mma(mma_atom),
        "TiledCopy": cute.make_tiled_copy_tv(copy_atom, cute.make_layout(32), cute.make_layout(1)),
        "Tiler": (2, 2),
        "Coordinate": (0, 0),
        "list[int]": [0],
        "AddressSpace": cute.AddressSpace.gmem,
        "Swizzle": cute.make_swizzle(1, 1, 1),
        "Callable[[Any, Any], Any]": lambda first, second: first,
        "configs": [{"n": 1}],
        "exponent": 2,
        "fairlead.cute.from_dlpack.tensor": VALUES,
        "fairlead.cute.full_like.src": registers,
        "fairlead.cute.make_composed_layout.offset": 0,
        "fairlead.cute.make_copy_atom.op": copy_op,
        "fairlead.cute.make_ptr.value": 16,
        "fairlead.cute.make_tiled_mma.op_or_atom": mma_atom,
        "fairlead.kernel.name": "x",
        "fairlead.kernel.signature": "x(a: Tensor([n], float32))",
        "fairlead.cute.experimental.partition.buffer": cute.make_rmem_tensor((4, 4), Float32),
        "fairlead.cute.nvgpu.cpasync.make_tiled_tma_atom.op": (
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp()
        ),
        "fairlead.tune.function": lambda n: None,
        **dict.fromkeys(("number_of_threads", "num_threads"), 32),
        **{
            f"fairlead.cute.arch.{name}": cute.Int32(1)
            for name in ("bfe.value", "lop3.a", "lop3.b", "lop3.c", "warp_redux_sync.value")
        },
        "fairlead.cute.arch.red.op": "add",
        "fairlead.cute.arch.vote_sync_op.kind": "any",
        "fairlead.cute.arch.warp_redux_sync.kind": "add",
        "fairlead.cute.nvgpu.tcgen05.make_umma_smem_desc.major": "k",
        "fairlead.cute.experimental.allocate.address_space": cute.AddressSpace.rmem,
        "fairlead.cute.experimental.partition.tiler": (2, 2),
        "PipelineUserType": fairlead.pipeline.PipelineUserType.Consumer,
        "LayoutEnum": fairlead.utils.LayoutEnum.ROW_MAJOR,
        "Sequence[int]": (128, 128),
        "SmemLayoutAtomKind": cute.nvgpu.tcgen05.SmemLayoutAtomKind.K_SW128,
        "fairlead.utils.create_cute_tensor_for_fp8.storage_tensor": VALUES,
        "leading_dim": 0,
        **{
            f"fairlead.cute.nvgpu.tcgen05.{name}.atom": cute.make_copy_atom(
                tcgen05.Cp4x32x128bOp(tcgen05.CtaGroup.ONE), cute.Float8E8M0FNU
            )
            for name in ("make_s2t_copy", "get_s2t_smem_desc_tensor")
        },
        "fairlead.pipeline.make_pipeline_state.type": fairlead.pipeline.PipelineUserType.Consumer,
        "fairlead.cute.nvgpu.tcgen05.make_umma_smem_desc.layout": layout,
    }
