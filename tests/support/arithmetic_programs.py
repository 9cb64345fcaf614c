"""Kernels of all operations of a pair of types, for the CPU and for GPUs, and their comparison with the model."""

import numpy as np

import fairlead
from fairlead import cute
from support import arithmetic_model as model

BLOCK = 128
BITS = {8: fairlead.Uint8, 16: fairlead.Uint16, 32: fairlead.Uint32, 64: fairlead.Uint64}

#: In traced functions, `x` and `y` are the operands of the model's operations.
BINARY = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "<<": lambda x, y: x << y,
    ">>": lambda x, y: x >> y,
    "min": lambda x, y: fairlead.min(x, y),
    "max": lambda x, y: fairlead.max(x, y),
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}
UNARY = {
    "-": lambda x: -x,
    "~": lambda x: ~x,
    "abs": lambda x: abs(x),
    "not": lambda x: cute.not_(x),
    "floor": lambda x: cute.math.floor(x),
    "ceil": lambda x: cute.math.ceil(x),
    "sqrt": lambda x: cute.math.sqrt(x),
    "x**0": lambda x: x**0,
    "x**1": lambda x: x**1,
    "x**2": lambda x: x**2,
    "x**3": lambda x: x**3,
    "x**5": lambda x: x**5,
}


class Result:
    """A result of the model: the operation, its operands, and their result."""

    def __init__(self, label, function, expected, name):
        self.label, self.function, self.name = label, function, name
        self.expected = model.bits(name, expected)


def results_of(a, x, b, y):
    """All operations on numbers of two types, as the model has them."""
    found = []
    for op in model.BINARY:
        if model.defined(op, a, b):
            found.append(Result(f"{a} {op} {b}", BINARY[op], *model.binary(op, x, a, y, b)))
    convert = Result(f"{a}.to({b})", _conversion(b), model.convert(x, a, b), b)
    found.append(convert)
    if a == b:
        for op in model.UNARY:
            if model.unary_defined(op, a):
                function = (lambda operation: lambda x, y: operation(x))(UNARY[op])
                found.append(Result(f"{op} {a}", function, *model.unary(op, x, a)))
    return found


def _conversion(name):
    cls = getattr(fairlead, name)
    return lambda x, y: x.to(cls)


def literal_results(a, x, literal, b):
    """Operations whose second operand is a number that the program writes, of the type `b` that it takes."""
    y = np.full(len(x), literal, model.storage(b))
    found = []
    for op in model.BINARY:
        if model.defined(op, a, b) and not (op in ("//", "%") and literal == 0):
            function = (lambda operation: lambda x, y: operation(x, literal))(BINARY[op])
            found.append(Result(f"{a} {op} {literal!r}", function, *model.binary(op, x, a, y, b)))
    return found


def stored(name, x):
    """Numbers of the model as bits for a tensor of unsigned integers."""
    size = max(model.width(name), 8)
    if not model.is_float(name):
        return x.astype(np.uint8) if name == "Boolean" else x.view(f"u{size // 8}")
    with np.errstate(all="ignore"):
        if name == "Float64":
            return x.view(np.uint64)
        if name == "Float16":
            return x.astype(np.float16).view(np.uint16)
        raw = x.astype(np.float32).view(np.uint32)
    return (raw >> 16).astype(np.uint16) if name == "BFloat16" else raw


def seen_as(name, value):
    """Bits as a number of a type, in a traced function."""
    if name == "Boolean":
        return value != 0
    return value if name.startswith("Uint") else value.bitcast(getattr(fairlead, name))


def as_bits(name, value):
    if name == "Boolean":
        return value.to(fairlead.Uint64)
    plain = value if name.startswith("Uint") else value.bitcast(BITS[model.width(name)])
    return plain.to(fairlead.Uint64)


@cute.kernel
def device(
    functions: fairlead.Constexpr,
    types: fairlead.Constexpr,
    x: cute.Tensor,
    y: cute.Tensor,
    out: cute.Tensor,
):
    i = cute.arch.block_idx()[0] * BLOCK + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        a, b = seen_as(types[0], x[i]), seen_as(types[1], y[i])
        for k in fairlead.range_constexpr(len(functions)):
            out[k, i] = as_bits(types[2 + k], functions[k](a, b))


@cute.jit
def run(
    functions: fairlead.Constexpr,
    types: fairlead.Constexpr,
    x: cute.Tensor,
    y: cute.Tensor,
    out: cute.Tensor,
):
    grid = cute.ceil_div(x.shape[0], BLOCK)
    device(functions, types, x, y, out).launch(grid=grid, block=BLOCK)


def compiled(results, a, b, options):
    n = cute.sym_int()
    fakes = [
        cute.runtime.make_fake_compact_tensor(BITS[max(model.width(name), 8)], (n,))
        for name in (a, b)
    ]
    out = cute.runtime.make_fake_compact_tensor(
        fairlead.Uint64, (len(results), n), stride_order=(1, 0)
    )
    functions = tuple(result.function for result in results)
    types = (a, b, *(result.name for result in results))
    return cute.compile(run, functions, types, *fakes, out, options=options)


def check(results, raw):
    """Compares the bits that a program gave with the model's."""
    for result, row in zip(results, raw, strict=True):
        wrong = np.flatnonzero(model.with_one_nan(result.name, row) != result.expected)
        yield result, wrong


def differences(results, raw, x, y, where):
    """Return the mistakes in words; at most three numbers of an operation."""
    for result, wrong in check(results, raw):
        if len(wrong):
            got = raw[results.index(result)]
            shown = [
                f"({x[i]!r}, {y[i]!r}) gave {int(got[i]):#x}, expected {int(result.expected[i]):#x}"
                for i in wrong[:3]
            ]
            yield f"{result.label} {where}: {len(wrong)} of {raw.shape[1]} wrong: " + "; ".join(
                shown
            )


def pairs(a, b, generator=None, count=0):
    """All pairs of edges, and random ones, in an order that puts each at many places of a vector."""
    x, y = (each.ravel() for each in np.meshgrid(model.edges(a), model.edges(b), indexing="ij"))
    if generator is not None:
        x = np.concatenate([x, model.randoms(generator, a, count)])
        y = np.concatenate([y, model.randoms(generator, b, count)])
    return x, y
