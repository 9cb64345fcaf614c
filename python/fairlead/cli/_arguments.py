"""Arguments of functions, from the command line."""

from __future__ import annotations

import argparse
import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead._exported.contents import contents
from fairlead._hints import did_you_mean
from fairlead.cli import CommandError

HELP = """\
arguments:
  tensor:DTYPE[SHAPE]          zeros; tensor:float32[4,8], tensor:int64[] for no dimensions
  tensor:DTYPE[SHAPE]=FILL     FILL: zeros, ones, arange, random (of --seed), or a number
  tensor:float32[n,4*n]        extents of n, for commands that have --n
  int:3  int:n  float:1.5  bool:true  str:text  none
"""
_TENSOR = re.compile(r"([A-Za-z]\w*)\[([\dn,\s*+/()-]*)\](?:=(.+))?")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_FILLS = ("zeros", "ones", "arange", "random")
_SHOWN = 16  # elements


def add_to(parser: argparse.ArgumentParser) -> None:
    """Adds what names a function and its arguments."""
    parser.add_argument("library", metavar="LIBRARY", help="a shared library")
    parser.add_argument("function", metavar="FUNCTION", help="the name of an exported function")
    parser.add_argument(
        "--arg",
        dest="args",
        action="append",
        default=[],
        type=parse,
        metavar="KIND:VALUE",
        help="an argument, in order (repeatable)",
    )
    parser.add_argument(
        "--device", default="cpu", metavar="DEVICE", help="of tensors: cpu, cuda, cuda:1"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of random tensors (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def parse(text: str) -> tuple[str, Any]:
    """("tensor", (dtype, shape, fill)), ("int", 3) and so on."""
    kind, colon, rest = text.partition(":")
    if text == "none":
        return "none", None
    try:
        if colon and kind == "tensor":
            return "tensor", _parse_tensor(rest)
        if colon and kind == "int":
            return "int", expression(rest) if "n" in rest else int(rest, 0)
        if colon and kind == "float":
            return "float", float(rest)
        if colon and kind == "bool":
            return "bool", {"true": True, "false": False}[rest.lower()]
        if colon and kind == "str":
            return "str", rest
    except (KeyError, ValueError) as error:
        reason = "" if isinstance(error, KeyError) else f": {error}"
        raise argparse.ArgumentTypeError(f"{text!r} is no {kind}{reason}") from None
    raise argparse.ArgumentTypeError(
        f"{text!r}: expected tensor:, int:, float:, bool: or str: with a value, or none"
    )


def expression(text: str) -> ast.expr:
    """Arithmetic over n: numbers, + - * / and parentheses. ArgumentTypeError for anything else."""
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval").body
        evaluate(tree, 1)
    except (SyntaxError, TypeError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(
            f"expected numbers, n, + - * / and parentheses, such as 2*n*n, but got {text!r}"
        ) from None
    return tree


def evaluate(node: ast.expr | int, size: int | None) -> int:
    """The number of an expression; TypeError if it is none."""
    if isinstance(node, int):
        return node
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name) and node.id == "n" and size is not None:
        return size
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        compute = _OPERATORS[type(node.op)]
        number: int = compute(evaluate(node.left, size), evaluate(node.right, size))
        return number
    raise TypeError("expected numbers, n, + - * / and parentheses")


def sizes(text: str) -> list[int]:
    """``2^10..2^20`` are the powers of two, ``100..1000`` numbers that double, ``1,8,9`` these."""
    try:
        if ".." not in text:
            numbers = [evaluate(expression(part), None) for part in text.split(",")]
        else:
            first, last = (evaluate(expression(part), None) for part in text.split("..", 1))
            numbers = []
            while 0 < first <= last:
                numbers.append(first)
                first *= 2
    except (TypeError, argparse.ArgumentTypeError):
        numbers = []
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError(
            f"expected sizes such as 2^10..2^20, 100..1000 or 1,8,9, but got {text!r}"
        )
    return numbers


def has_size(argument: tuple[str, Any]) -> bool:
    """True if an argument depends on n."""
    kind, value = argument
    parts = value[1] if kind == "tensor" else (value,)
    return any(isinstance(part, ast.expr) for part in parts)


def bytes_of(value: _compiler.Tensor) -> int:
    """The bytes of a tensor's elements; 0 for others."""
    if not is_tensor(value):
        return 0
    return int(math.prod(value.shape)) * int(getattr(value, "itemsize", 1))


def copy_of(count: int, device: str) -> Callable[[], Any]:
    """A function that copies memory so that ``count`` bytes are moved: half of them are read, half written."""
    half = max(1, count // 2)
    if device == "cpu":
        import numpy

        source, target = numpy.zeros(half, numpy.uint8), numpy.empty(half, numpy.uint8)
        return lambda: numpy.copyto(target, source)
    import torch

    first, second = (torch.zeros(half, dtype=torch.uint8, device=device) for _ in range(2))
    return lambda: second.copy_(first)


def _parse_tensor(text: str) -> tuple[str, tuple[Any, ...], str]:
    match = _TENSOR.fullmatch(text)
    if match is None:
        raise ValueError("expected DTYPE[SHAPE] or DTYPE[SHAPE]=FILL")
    dtype, extents, fill = match.groups()
    if any(extent.strip().startswith("-") for extent in extents.split(",")):
        raise ValueError("expected DTYPE[SHAPE] or DTYPE[SHAPE]=FILL")
    shape = tuple(
        expression(extent) if "n" in extent else int(extent)
        for extent in extents.split(",")
        if extent.strip()
    )
    fill = fill or "zeros"
    if fill not in _FILLS:
        float(fill)
    return dtype, shape, fill


def make(options: argparse.Namespace, size: int | None = None) -> list[Any]:
    """The values, for an n: tensors are NumPy's on the CPU where NumPy has the dtype, else PyTorch's."""
    values = []
    for number, (kind, value) in enumerate(options.args):
        if size is None and has_size((kind, value)):
            raise CommandError(f"argument {number} depends on n, which has no size here")
        if kind != "tensor":
            values.append(evaluate(value, size) if isinstance(value, ast.expr) else value)
            continue
        value = (value[0], tuple(evaluate(extent, size) for extent in value[1]), value[2])
        try:
            if options.device == "cpu" and _numpy_has(value[0]):
                values.append(_numpy_tensor(*value, seed=options.seed + number))
            else:
                values.append(
                    _torch_tensor(*value, seed=options.seed + number, device=options.device)
                )
        except ImportError as error:
            raise CommandError(
                f"argument {number}: tensors of {value[0]} on {options.device} need PyTorch: {error}"
            ) from None
        except (
            AttributeError,
            MemoryError,
            OverflowError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as e:
            raise CommandError(f"argument {number}: cannot make the tensor: {e}") from None
    return values


def load(options: argparse.Namespace) -> Any:
    """The function; CommandError with the names of the existing ones."""
    from fairlead import ffi

    try:
        module = ffi.load_module(options.library)
    except (OSError, RuntimeError) as error:
        raise CommandError(str(error)) from None
    if not module.implements_function(options.function):
        names = ", ".join(_names(options.library)) or "none"
        raise CommandError(
            f"{options.library} has no function {options.function!r}; it exports {names}"
        )
    return module.get_function(options.function)


def _names(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            return [function["name"] for function in contents(file.read())["functions"]]
    except (OSError, ImportError, ValueError):
        return []


def synchronizer(device: str) -> Any:
    """A function that waits for work on the device."""
    if not device.startswith("cuda"):
        return lambda: None
    import torch

    return lambda: torch.cuda.synchronize(device)


def _numpy_has(dtype: str) -> bool:
    import numpy

    try:
        return numpy.dtype(dtype).kind in "biuf" and numpy.dtype(dtype).name == dtype
    except TypeError:
        return False


def _numpy_tensor(dtype: str, shape: tuple[int, ...], fill: str, seed: int) -> Any:
    import numpy

    if fill == "zeros":
        return numpy.zeros(shape, dtype)
    if fill == "ones":
        return numpy.ones(shape, dtype)
    if fill == "arange":
        return numpy.arange(math.prod(shape)).astype(dtype).reshape(shape)
    if fill == "random":
        generator = numpy.random.default_rng(seed)
        if numpy.dtype(dtype).kind == "f":
            return generator.random(shape).astype(dtype)
        return generator.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    return numpy.full(shape, _number(fill), dtype)


def _torch_tensor(dtype: str, shape: tuple[int, ...], fill: str, seed: int, device: str) -> Any:
    import torch

    kind = getattr(torch, dtype, None)
    if not isinstance(kind, torch.dtype):
        dtypes = [name for name, value in vars(torch).items() if isinstance(value, torch.dtype)]
        raise ValueError(f"unknown dtype {dtype!r}{did_you_mean(dtype, dtypes)}")
    if fill == "arange":
        numbers = torch.arange(math.prod(shape)).reshape(shape)
    elif fill == "random":
        generator = torch.Generator().manual_seed(seed)
        if kind.is_floating_point:
            numbers = torch.rand(shape, generator=generator)
        else:
            numbers = torch.randint(0, 2 if kind is torch.bool else 100, shape, generator=generator)
    else:
        number = {"zeros": 0, "ones": 1}.get(fill)
        numbers = torch.full(shape, _number(fill) if number is None else number)
    return numbers.to(kind).to(device)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def is_tensor(value: object) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def plain(value: _compiler.Tensor) -> Any:
    """A value as JSON can hold it; of a tensor the first elements and a sum."""
    if not is_tensor(value):
        if value is None or isinstance(value, bool | int | float | str):
            return value
        return repr(value)
    dtype, shape = str(value.dtype).removeprefix("torch."), [int(n) for n in value.shape]
    flat = _float_list(value)
    report: dict[str, Any] = {
        "dtype": dtype,
        "shape": shape,
        "device": str(getattr(value, "device", "cpu")),
    }
    report["first"] = flat[:_SHOWN]
    report["sum"] = math.fsum(flat) if all(map(math.isfinite, flat)) else None
    return report


def _float_list(value: Any) -> list[Any]:
    if hasattr(value, "detach"):
        host = value.detach().cpu()
        values: list[Any] = (
            (host.float() if host.is_floating_point() else host).reshape(-1).tolist()
        )
        return values
    import numpy

    array = value if isinstance(value, numpy.ndarray) else numpy.from_dlpack(value)
    return array.reshape(-1).tolist()


def text(value: object) -> str:
    """A value for people."""
    if not isinstance(value, dict):
        return repr(value)
    elements = [f"{x:.6g}" if isinstance(x, float) else str(x) for x in value["first"]]
    count = math.prod(value["shape"])
    rest = f", ... sum {value['sum']:.8g}" if count > _SHOWN and value["sum"] is not None else ""
    rest = rest or (", ..." if count > _SHOWN else "")
    shape = ",".join(map(str, value["shape"]))
    return f"{value['dtype']}[{shape}] on {value['device']}: {', '.join(elements)}{rest}"
