"""Random kernels over ragged tiles: narrow floats and integers of several widths, copied by layouts of threads and
values under predicates, computed in branches and loops of the run. As text in the language, and as NumPy's arrays."""

import random

import ml_dtypes
import numpy as np

from fairlead import cute
from support.random_programs import ROUNDED, load

NUMPY = {
    "Float8E4M3FN": ml_dtypes.float8_e4m3fn,
    "Float8E5M2": ml_dtypes.float8_e5m2,
    "BFloat16": ml_dtypes.bfloat16,
    "Float16": np.float16,
    "Float32": np.float32,
    "Int8": np.int8,
    "Uint8": np.uint8,
    "Int16": np.int16,
    "Uint16": np.uint16,
    "Int32": np.int32,
}
NARROW = ("Float8E4M3FN", "Float8E5M2", "BFloat16", "Float16")
FLOATS = ("Float32", "Float16", "BFloat16")
INTS = ("Int8", "Uint8", "Int16", "Uint16", "Int32")
#: Bounds of floats before they are converted: all types have them.
BOUND = 100


def _cast(values, kind):
    with np.errstate(all="ignore"):
        return values.astype(NUMPY[kind])


class Tiles:
    """One kernel: `text`, and `expected(a, b, k)`."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        pick = self.pick
        self.seed, self.steps = seed, []
        is_float = pick.random() < 0.6
        self.kind = pick.choice(FLOATS if is_float else INTS)
        inputs = (*NARROW, "Float32", "Int8") if is_float else INTS
        self.types = pick.choice(inputs), pick.choice(inputs)
        self.out = pick.choice((*NARROW, "Float32") if is_float else INTS)
        self.threads = pick.choice([(1, 32), (4, 8), (8, 4), (2, 16), (32, 1), (3, 5)])
        self.values = pick.choice([(1, 1), (1, 4), (2, 2), (4, 1), (1, 8), (3, 2)])
        self.by_rows = pick.random() < 0.5
        tile = [threads * values for threads, values in zip(self.threads, self.values, strict=True)]
        self.shape = [pick.randint(1, 2 * extent + 3) for extent in tile]
        self.form = pick.choice(["unrolled", "loop", "whole"])
        self.copied = pick.random() < 0.5
        self.lines = []
        for _ in range(pick.randint(2, 6)):
            self._statement(4 if self.form != "whole" else 3, "")
        self.tile = tile

    def _constant(self):
        pick = self.pick
        if self.kind in FLOATS:
            return pick.choice([0.5, -1.5, 2.0, 3.25, -0.125])
        return pick.choice([1, 2, 3, 5] if self.kind[0] == "U" else [1, -2, 3, -5])

    def _operand(self):
        if self.pick.random() < 0.5:
            return "u", lambda v, u: u
        number = self._constant()
        return f"C({number})", lambda v, u: _cast(np.full_like(u, number), self.kind)

    def _simple(self):
        """A line and what it makes of `v` and `u`."""
        pick, kind = self.pick, self.kind
        what = pick.choice(
            ["+", "-", "*", "trip", "max"] if kind in FLOATS else ["+", "-", "*", "trip", "&"]
        )
        if what == "trip":
            narrow = pick.choice(NARROW if kind in FLOATS else INTS)
            if kind in FLOATS:
                line = f"v = bounded(v).to(cute.{narrow}).to(C)"
                return line, lambda v, u: _cast(_cast(self._bounded(v), narrow), kind)
            return f"v = v.to(cute.{narrow}).to(C)", lambda v, u: _cast(_cast(v, narrow), kind)
        text, value = self._operand()
        if what == "max":
            bound = self._constant()
            return f"v = larger(v, {bound})", lambda v, u: np.where(
                v > _cast(np.full_like(v, bound), kind), v, _cast(np.full_like(v, bound), kind)
            )
        compute = {
            "+": lambda v, u: v + value(v, u),
            "-": lambda v, u: v - value(v, u),
            "*": lambda v, u: v * value(v, u),
            "&": lambda v, u: v & value(v, u),
        }[what]
        operand = text if text == "u" or self.form != "whole" else f"cute.full_like(v, {text})"
        if kind in FLOATS:
            return f"v = bounded(v {what} {operand})", lambda v, u: self._bounded(compute(v, u))
        return f"v = wrapped(v {what} {operand})", compute

    def _bounded(self, v):
        low, high = (_cast(np.full_like(v, bound), self.kind) for bound in (-BOUND, BOUND))
        return np.minimum(np.maximum(v, low), high)

    def _statement(self, kinds, indent):
        pick = self.pick
        what = pick.choice(["simple", "uniform", "loop", "element"][:kinds])
        if what == "simple":
            line, step = self._simple()
            self.lines.append(indent + line)
            self.steps.append(lambda v, u, k: step(v, u))
            return
        inside, step = self._simple()
        other, otherwise = self._simple()
        if what == "uniform":
            number = pick.randint(0, 4)
            self.lines += [
                f"{indent}if k > {number}:",
                f"{indent}    {inside}",
                f"{indent}else:",
                f"{indent}    {other}",
            ]
            self.steps.append(lambda v, u, k: step(v, u) if k > number else otherwise(v, u))
        elif what == "loop":
            self.lines += [f"{indent}for j in range(k):", f"{indent}    {inside}"]

            def repeat(v, u, k):
                for _ in range(k):
                    v = step(v, u)
                return v

            self.steps.append(repeat)
        else:
            number = self._constant()
            self.lines += [
                f"{indent}if v > C({number}):",
                f"{indent}    {inside}",
                f"{indent}else:",
                f"{indent}    {other}",
            ]
            self.steps.append(
                lambda v, u, k: np.where(
                    v > _cast(np.full_like(v, number), self.kind), step(v, u), otherwise(v, u)
                )
            )

    def expected(self, a, b, k):
        v, u = (_cast(each, self.kind) for each in (a, b))
        with np.errstate(all="ignore"):
            for step in self.steps:
                v = step(v, u, k)
        return _cast(v, self.out)

    def arrays(self):
        generator = np.random.default_rng(self.seed)
        low = 0 if self.kind[0] == "U" else -8
        made = []
        for kind in self.types:
            numbers = generator.integers(low, 9, self.shape)
            if kind not in INTS:
                numbers = numbers / generator.choice([1, 2, 4], self.shape)
            made.append(numbers.astype(np.float32).astype(NUMPY[kind]))
        made.append(np.full(self.shape, 7, np.float32).astype(NUMPY[self.out]))
        return made, int(generator.integers(0, 5))

    @property
    def text(self):
        (tr, tc), (vr, vc) = self.threads, self.values
        order = "(1, 0)" if self.by_rows else "(0, 1)"
        body = {"unrolled": "cute.range_constexpr(count)", "loop": "range(count)", "whole": ""}[
            self.form
        ]
        elements = (
            f"""
    for e in {body}:
        v, u = A[e].to(C), B[e].to(C)
{self._indented(8)}
        R[e] = v.to(R.element_type)"""
            if body
            else f"""
    v, u = A.load().to(C), B.load().to(C)
{self._indented(4)}
    R.store(v.to(R.element_type))"""
        )
        helpers = (
            """
def bounded(v):
    return cute.where(v < -100, cute.full_like(v, -100), cute.where(v > 100, cute.full_like(v, 100), v))
def larger(v, bound):
    return cute.where(v > bound, v, cute.full_like(v, bound))
"""
            if not body
            else """
def bounded(v):
    return C(min(max(v, C(-100)), C(100)))
def larger(v, bound):
    return C(max(v, C(bound)))
"""
        )
        if self.copied:
            fill = "cute.copy(atom{0}, part{0}, {0}, pred=P)"
            loads, store = (
                "\n    ".join(fill.format(name) for name in "AB"),
                "cute.copy(atomR, R, partR, pred=P)",
            )
        else:
            loads = """for e in cute.range_constexpr(count):
        if P[e]:
            A[e] = partA[e]
            B[e] = partB[e]"""
            store = """for e in cute.range_constexpr(count):
        if P[e]:
            partR[e] = R[e]"""
        return f"""
C = cute.{self.kind}
{helpers}
def wrapped(v):
    return v.to(C)

@cute.kernel
def device(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, k: cute.Int32):
    t = cute.arch.thread_idx()[0]
    x, y, _ = cute.arch.block_idx()
    threads = cute.make_ordered_layout(({tr}, {tc}), order={order})
    values = cute.make_ordered_layout(({vr}, {vc}), order={order})
    tile = ({tr * vr}, {tc * vc})
    op = cute.nvgpu.CopyUniversalOp()
    atomA, atomB, atomR = (
        cute.make_copy_atom(op, each.element_type, num_bits_per_copy=each.element_type.width)
        for each in (a, b, out)
    )
    def parted(atom, tensor):
        copy = cute.make_tiled_copy_tv(atom, threads, values).get_slice(t)
        return copy.partition_S(cute.local_tile(tensor, tile, (x, y)))

    partA, partB, partR = parted(atomA, a), parted(atomB, b), parted(atomR, out)
    partC = parted(atomR, cute.make_identity_tensor(a.shape))
    count = cute.size(partC)
    A, B, R = (cute.make_rmem_tensor_like(part) for part in (partA, partB, partR))
    P = cute.make_rmem_tensor(partC.shape, cute.Boolean)
    A.fill(0)
    B.fill(0)
    for e in cute.range_constexpr(count):
        P[e] = cute.elem_less(partC[e], a.shape)
    {loads}
{elements}
    {store}

@cute.jit
def run(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, k: cute.Int32):
    m, n = a.shape
    device(a, b, out, k).launch(grid=(cute.ceil_div(m, {tr * vr}), cute.ceil_div(n, {tc * vc}), 1), block={tr * tc})
"""

    def _indented(self, spaces):
        return "\n".join(" " * spaces + line for line in self.lines)

    def check(self, target="cpu"):
        """Run the kernel and compare."""
        (a, b, out), k = self.arrays()
        run = load([self.text], f"tiles_{self.seed}")["run"]
        tensors = [cute.runtime.from_dlpack(_seen(each)) for each in (a, b, out)]
        for tensor, kind in zip(tensors, (*self.types, self.out), strict=True):
            tensor.element_type = getattr(cute, kind)
            tensor.mark_layout_dynamic(leading_dim=1)
        options = f"--target {target} {ROUNDED}"
        cute.compile(run, *tensors, 0, options=options)(*tensors, k)
        expected = self.expected(a, b, k)
        same = (out.astype(np.float32) == expected.astype(np.float32)).all()
        assert same, (
            f"seed {self.seed}, k = {k}, shape {self.shape}\n{self.text}\n{out}\n{expected}"
        )


def _seen(array):
    """The array with integers in place of the types that DLPack does not carry everywhere."""
    return (
        array.view({1: np.uint8, 2: np.uint16}[array.itemsize])
        if array.dtype.isbuiltin != 1
        else array
    )
