"""Random programs whose threads work together: the same on every target and in every form, to the bit.

Barriers are placed for the whole block, warp collectives for whole warps; around them are branches and loops
that threads go through each for itself.
"""

import random

import numpy as np

from support.random_programs import Expressions, load

BLOCKS = 3
#: Threads of all programs in a pack.
MOST_THREADS = 128
_PREFIX = "from fairlead.utils import SmemAllocator"


class BlockProgram:
    """``text``: a kernel and its launch; ``kernel``: the kernel alone; ``threads``: of a block.

    ``statements``: the limit outside branches and loops, which are ``depth`` deep.
    """

    def __init__(self, seed: int, statements: int = 6, depth: int = 3):
        self.seed = seed
        self.rng = rng = random.Random(seed)
        self.shape = rng.choice(
            [(32, 1, 1), (64, 1, 1), (128, 1, 1), (96, 1, 1), (16, 4, 1), (64, 2, 1), (8, 4, 3)]
        )
        if rng.random() < 0.2:
            self.shape = rng.choice([(33, 1, 1), (20, 1, 1), (10, 7, 1)])
        self.threads = int(np.prod(self.shape))
        self.whole = self.threads % 32 == 0
        self.loops = 0
        self.scope = [("t", "Int32"), ("u", "Int32")]
        self.lines = []
        self.mine = [
            ("i0", "Int32"),
            ("i1", "Int32"),
            ("i2", "Int32"),
            ("g0", "Float32"),
            ("g1", "Float32"),
        ]
        for line in (
            f"def device_{seed}(a: cute.Tensor, f: cute.Tensor, out: cute.Tensor, floats: cute.Tensor, n: cute.Int32):",
            "    block, _, _ = cute.arch.block_idx()",
            "    tx, ty, tz = cute.arch.thread_idx()",
            "    lane, warp = cute.arch.lane_idx(), cute.arch.warp_idx()",
            f"    t = tx + {self.shape[0]} * (ty + {self.shape[1]} * tz)",
            "    smem = SmemAllocator()",
            f"    tile = smem.allocate_tensor(cute.Int32, {self.threads})",
            f"    ftile = smem.allocate_tensor(cute.Float32, {self.threads})",
            "    u = block + n",
            "    i0, i1, i2 = a[block, t], t * 3 + block, lane ^ 5",
            "    g0, g1 = f[block, t], t.to(Float32) * 0.5",
        ):
            self.lines.append(line)
        self.scope += [("lane", "Int32"), ("warp", "Int32"), *self.mine]
        for _ in range(rng.randint(min(3, statements), statements)):
            self.statement(1, "block", depth)
        self.lines += [
            "    out[block, 0, t], out[block, 1, t], out[block, 2, t] = i0, i1, i2",
            "    floats[block, 0, t], floats[block, 1, t] = g0, g1",
        ]
        self.kernel = "@cute.kernel\n" + "\n".join(self.lines) + "\n"
        self.text = (
            f"{self.kernel}\n"
            "@cute.jit\n"
            f"def run_{seed}(a: cute.Tensor, f: cute.Tensor, out: cute.Tensor, floats: cute.Tensor, n: cute.Int32):\n"
            f"    device_{seed}(a, f, out, floats, n).launch(grid=[{BLOCKS}, 1, 1], block={list(self.shape)})\n"
        )

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def expression(self, kind, depth=2):
        return Expressions(self.rng, self.scope).make(kind, depth).text

    def uniform(self, level):
        """A condition that all threads of the level agree on."""
        rng = self.rng
        tests = [f"u > {rng.randint(0, 4)}", f"(u & {rng.randint(1, 3)}) == 1", "n < 2"]
        if level == "warp":
            tests += [
                f"warp < {rng.randint(0, 3)}",
                "warp == 1",
                f"(warp + u) % 2 == {rng.randint(0, 1)}",
            ]
            if self.shape[1:] == (1, 1):
                tests += [f"t < {32 * rng.randint(0, 3)}", "t // 32 == 1"]
        return rng.choice(tests)

    def block(self, indent, level, depth):
        for _ in range(self.rng.randint(1, 3)):
            self.statement(indent, level, depth)

    def statement(self, indent, level, depth):
        rng, choice = self.rng, self.rng.random()
        if level == "block" and choice < 0.25:
            return self.exchange(indent)
        if level != "thread" and choice < 0.45:
            return self.collective(indent)
        if depth > 0 and choice < 0.62:
            return self.branch(indent, level, depth)
        if depth > 0 and choice < 0.78:
            return self.loop(indent, level, depth)
        name, kind = rng.choice(self.mine)
        self.line(indent, f"{name} = {self.expression(kind)}")

    def exchange(self, indent):
        if self.rng.random() < 0.2:
            self.tally(indent)
            return
        name, kind = self.rng.choice(self.mine)
        source = self.rng.choice([other for other, of in self.mine if of == kind])
        tile = "tile" if kind == "Int32" else "ftile"
        shift = self.rng.choice([1, 7, self.threads // 2, self.threads - 1])
        self.line(indent, f"{tile}[t] = {source}")
        self.line(indent, "cute.arch.sync_threads()")
        self.line(indent, f"{name} = {tile}[(t + {shift}) % {self.threads}]")
        self.line(indent, "cute.arch.sync_threads()")

    def tally(self, indent):
        """Threads add to few numbers in shared memory, in any order."""
        name = self.rng.choice(("i0", "i1", "i2"))
        few = self.rng.choice([1, 3, 8])
        self.line(indent, "tile[t] = i1")
        self.line(indent, "cute.arch.sync_threads()")
        self.line(indent, f"cute.arch.atomic_add(tile.iterator + t % {few}, {name})")
        self.line(indent, "cute.arch.sync_threads()")
        self.line(indent, f"{name} = tile[(t + 1) % {few}]")
        self.line(indent, "cute.arch.sync_threads()")

    def collective(self, indent):
        rng = self.rng
        name, kind = rng.choice(self.mine)
        source = rng.choice([other for other, of in self.mine if of == kind])
        choice = rng.random()
        if choice < 0.3 or not self.whole:
            vote = rng.choice(["any", "all", "uni", "ballot"])
            test = self.expression("Boolean", 1)
            self.line(indent, f"i2 = cute.arch.vote_{vote}_sync({test}).to(Int32) + i1")
            return None
        offset = rng.choice([str(rng.randint(0, 31)), "(i0 & 31)", "(u & 31)"])
        call = rng.choice(
            [
                f"shuffle_sync_bfly({source}, {offset})",
                f"shuffle_sync_up({source}, {offset})",
                f"shuffle_sync_down({source}, {offset})",
                f"shuffle_sync({source}, {offset})",
                f"shuffle_sync({source}, {offset}, mask_and_clamp={(24 << 8) | 31})",
                f"shuffle_sync_down({source}, {offset}, mask_and_clamp={(16 << 8) | 31})",
                f"warp_reduction_max({source})",
                f"warp_reduction_sum({source}, threads_in_group=8)",
                f"make_warp_uniform({source})",
            ]
        )
        self.line(indent, f"{name} = cute.arch.{call}")
        return None

    def branch(self, indent, level, depth):
        inner = level if level == "thread" else self.rng.choice([level, "warp", "thread"])
        test = self.expression("Boolean", 1) if inner == "thread" else self.uniform(inner)
        self.line(indent, f"if {test}:")
        self.block(indent + 1, inner, depth - 1)
        if self.rng.random() < 0.5:
            self.line(indent, "else:")
            self.block(indent + 1, inner, depth - 1)

    def loop(self, indent, level, depth):
        rng = self.rng
        self.loops += 1
        inner = level if level == "thread" else rng.choice([level, level, "warp", "thread"])
        bound = {"block": "(u & 3)", "warp": "((warp + u) & 3)", "thread": "(i1 & 3)"}[inner]
        if rng.random() < 0.5:
            variable = f"k{self.loops}"
            self.line(indent, f"for {variable} in range({bound}):")
            self.scope.append((variable, "Int32"))
            self.block(indent + 1, inner, depth - 1)
            self.scope.pop()
            return
        variable = f"w{self.loops}"
        self.line(indent, f"{variable} = {bound} + 1")
        self.line(indent, f"while {variable} > 0:")
        self.scope.append((variable, "Int32"))
        self.block(indent + 1, inner, depth - 1)
        self.scope.pop()
        self.line(indent + 1, f"{variable} = {variable} // 2")

    def function(self):
        return load([_PREFIX, self.text], f"block {self.seed}")[f"run_{self.seed}"]

    def arrays(self):
        """The inputs, and outputs to fill."""
        generator = np.random.default_rng(self.seed)
        a = generator.integers(-100, 100, (BLOCKS, self.threads), np.int32)
        f = generator.standard_normal((BLOCKS, self.threads)).astype(np.float32)
        out = np.full((BLOCKS, 3, self.threads), 77, np.int32)
        return a, f, out, np.full((BLOCKS, 2, self.threads), 77, np.float32)


def pack(programs: list[BlockProgram]):
    """One function of (a, f, out, floats, n) that runs the programs one after another: program p's outputs are
    out[p] and floats[p]."""
    launches = "\n".join(
        f"    device_{each.seed}(a, f, out[{p}, None, None, None], floats[{p}, None, None, None], n)"
        f".launch(grid=[{BLOCKS}, 1, 1], block={list(each.shape)})"
        for p, each in enumerate(programs)
    )
    names = "a: cute.Tensor, f: cute.Tensor, out: cute.Tensor, floats: cute.Tensor, n: cute.Int32"
    run = f"@cute.jit\ndef run({names}):\n{launches}\n"
    first = programs[0].seed
    texts = [_PREFIX, *(each.kernel for each in programs), run]
    return load(texts, f"blocks {first}..{programs[-1].seed}")["run"]


def arrays_of_pack(seed: int, count: int):
    """The inputs, and outputs to fill, of so many programs."""
    generator = np.random.default_rng(seed)
    a = generator.integers(-100, 100, (BLOCKS, MOST_THREADS), np.int32)
    f = generator.standard_normal((BLOCKS, MOST_THREADS)).astype(np.float32)
    out = np.full((count, BLOCKS, 3, MOST_THREADS), 77, np.int32)
    return a, f, out, np.full((count, BLOCKS, 2, MOST_THREADS), 77, np.float32)
