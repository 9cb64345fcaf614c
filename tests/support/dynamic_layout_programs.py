"""Layouts with extents and strides of run time, in programs, against counting through static ones."""

import itertools
import random

import numpy as np

import fairlead
from fairlead import cute

make = cute.make_layout
CASES = 12  # of a program


def leaves(tree):
    return [leaf for mode in tree for leaf in leaves(mode)] if isinstance(tree, tuple) else [tree]


def rebuilt(tree, values):
    """The tree with its leaves taken from an iterator."""
    if isinstance(tree, tuple):
        return tuple(rebuilt(mode, values) for mode in tree)
    return next(values)


def indices(shape, stride):
    """The index of every coordinate, mode 0 fastest."""
    extents, strides = leaves(shape), leaves(stride)
    ranges = [range(extent) for extent in reversed(extents)]
    return [
        sum(entry * step for entry, step in zip(reversed(place), strides, strict=True))
        for place in itertools.product(*ranges)
    ]


def random_shape(generator, levels, most):
    """Powers of two, so that much divides."""
    while True:
        shape = _shape(generator, levels)
        if np.prod(leaves(shape)) <= most:
            return shape


def _shape(generator, levels):
    if levels == 0 or generator.random() < 0.3:
        return 1 << generator.randrange(4)
    return tuple(_shape(generator, levels - 1) for _ in range(generator.randint(1, 3)))


def compact(shape, generator):
    """Strides of a compact layout whose leaves run in a random order."""
    extents = leaves(shape)
    order = list(range(len(extents)))
    generator.shuffle(order)
    strides, step = [0] * len(extents), 1
    for leaf in order:
        strides[leaf] = step
        step *= extents[leaf]
    return rebuilt(shape, iter(strides))


class Case:
    """``a`` and ``b`` to compose: any strides, and a compact ``b``, which always divides. Some leaves are dynamic."""

    def __init__(self, generator):
        self.shape_a = random_shape(generator, 2, 64)
        self.stride_a = rebuilt(
            self.shape_a, iter([generator.randrange(40) for _ in leaves(self.shape_a)])
        )
        self.shape_b = random_shape(generator, 2, 64)
        self.stride_b = compact(self.shape_b, generator)
        trees = (self.shape_a, self.stride_a, self.shape_b, self.stride_b)
        everything = generator.random() < 0.2
        # Per leaf: whether it is dynamic, and which factor of it is known.
        self.dynamic = [
            [
                (everything or generator.random() < 0.5, generator.choice((1, 1, 2, 4)))
                for _ in leaves(tree)
            ]
            for tree in trees
        ]
        self.trees = trees

    def values(self):
        """Return the arguments of the call, leaf by leaf."""
        return [leaf for tree in self.trees for leaf in leaves(tree)]

    def traced(self, numbers, start):
        """The two layouts, dynamic leaves read from ``numbers``."""
        place = itertools.count(start)
        made = []
        for tree, kinds in zip(self.trees, self.dynamic, strict=True):
            entries = []
            for leaf, (dynamic, factor) in zip(leaves(tree), kinds, strict=True):
                at = next(place)
                known = leaf if not dynamic else numbers[at]
                if dynamic and factor > 1 and leaf % factor == 0:
                    known = cute.assume(known, divby=factor)
                entries.append(known)
            made.append(rebuilt(tree, iter(entries)))
        return make(made[0], stride=made[1]), make(made[2], stride=made[3])

    def expected(self):
        """a(b(c)) by coordinate; None where b(c) lies beyond ``a``."""
        outer = indices(self.shape_a, self.stride_a)
        inner = indices(self.shape_b, self.stride_b)
        return [outer[i] if i < len(outer) else None for i in inner]


@cute.kernel
def device_compose(cases: fairlead.Constexpr, numbers: cute.Tensor, out: cute.Tensor):
    start = 0
    for k in fairlead.range_constexpr(len(cases)):
        a, b = cases[k].traced(numbers, start)
        start = start + len(cases[k].values())
        result = cute.composition(a, b)
        for c in range(cute.size(b)):
            out[k, c] = result(c)


@cute.jit
def compose(cases: fairlead.Constexpr, numbers: cute.Tensor, out: cute.Tensor):
    device_compose(cases, numbers, out).launch(grid=1, block=1)


def check_compositions(seed, on_device=None, options="--target cpu"):
    generator = random.Random(seed)
    cases = [Case(generator) for _ in range(CASES)]
    numbers = np.array([n for case in cases for n in case.values()], np.int32)
    out = np.full((len(cases), 64), -7, np.int32)
    runtime = cute.runtime
    function = cute.compile(
        compose,
        cases,
        runtime.make_fake_compact_tensor(cute.Int32, (len(numbers),)),
        runtime.make_fake_compact_tensor(cute.Int32, out.shape, stride_order=(1, 0)),
        options=options,
    )
    if on_device is None:
        function(numbers, out)
    else:
        moved = on_device(out)
        function(on_device(numbers), moved)
        out = moved.cpu().numpy()
    for k, case in enumerate(cases):
        for c, value in enumerate(case.expected()):
            if value is not None:
                assert out[k, c] == value, (seed, k, c, case.trees, case.dynamic)


@cute.kernel
def device_tiles(whole: cute.Tensor, tiled: cute.Tensor, parts: cute.Tensor, divided: cute.Tensor):
    """Copies a tensor (m,(n,k)) of dynamic extents in three ways."""
    thread, _, _ = cute.arch.thread_idx()
    view, target = cute.group_modes(whole, 1, 3), cute.group_modes(tiled, 1, 3)
    if thread < cute.size(whole) // 32:
        # A tile of 4 by 8 elements for each thread.
        rows = cute.ceil_div(whole.shape[0], 4)
        place = (thread % rows, thread // rows)
        tile, goal = cute.local_tile(view, (4, 8), place), cute.local_tile(target, (4, 8), place)
        for i in range(32):
            goal[i] = tile[i]
        # By all tiles at once.
        source = cute.zipped_divide(view, (4, 8))
        goals = cute.zipped_divide(cute.group_modes(divided, 1, 3), (4, 8))
        mine, yours = source[None, thread], goals[None, thread]
        for i in range(cute.size(mine)):
            yours[i] = mine[i]
    # A place in every tile for each thread.
    threads = make((4, 8))
    own = cute.local_partition(view, threads, thread)
    put = cute.local_partition(cute.group_modes(parts, 1, 3), threads, thread)
    for i in range(cute.size(own)):
        put[i] = own[i]


@cute.jit
def tiles(whole: cute.Tensor, tiled: cute.Tensor, parts: cute.Tensor, divided: cute.Tensor):
    """At most 32 tiles."""
    device_tiles(whole, tiled, parts, divided).launch(grid=1, block=32)


def check_tiles(function, shape, on_device=np.asarray, back=np.asarray):
    """``function``: ``tiles``, compiled for three modes of any extents."""
    whole = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    outs = [on_device(np.full(shape, -1, np.int32)) for _ in range(3)]
    function(on_device(whole), *outs)
    for name, out in zip(("local_tile", "local_partition", "zipped_divide"), outs, strict=True):
        assert np.array_equal(back(out), whole), (name, shape)


def any_tensor():
    extents = tuple(cute.sym_int() for _ in range(3))
    return cute.runtime.make_fake_compact_tensor(cute.Int32, extents, stride_order=(2, 1, 0))
