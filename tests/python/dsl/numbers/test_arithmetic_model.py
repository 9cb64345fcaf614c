"""Every operation, every pair of types, the edges of types: as docs/language-numbers.md says, on the CPU.

`FAIRLEAD_MODEL=SECONDS` runs longer: all pairs, levels of optimisation and of the processor, literals, and random
numbers of new seeds until the time is up.
"""

import os
import time

import numpy as np
import pytest
from support import arithmetic_model as model
from support import arithmetic_programs as programs
from test_math_everywhere import highest_level

LONG = float(os.environ.get("FAIRLEAD_MODEL", "0"))
PAIRS = [(a, b) for a in model.TYPES for b in model.TYPES]


def evaluate(function, results, x, y, a, b):
    """In one piece, whose last part is no whole vector, and as pieces of 3, which are none at all."""
    raw = [programs.stored(name, numbers) for name, numbers in ((a, x), (b, y))]
    whole = np.zeros((len(results), len(x)), np.uint64)
    function(*raw, whole)
    n = min(len(x), 600)
    pieces = np.zeros((len(results), n), np.uint64)
    for start in range(0, n, 3):
        some = np.zeros((len(results), len(raw[0][start : start + 3][: n - start])), np.uint64)
        function(raw[0][start : start + some.shape[1]], raw[1][start : start + some.shape[1]], some)
        pieces[:, start : start + some.shape[1]] = some
    return whole, pieces


def run_pair(a, b, options, generator=None, count=0):
    """Return the number of compared values, and the mistakes."""
    x, y = programs.pairs(a, b, generator, count)
    results = programs.results_of(a, x, b, y)
    function = programs.compiled(results, a, b, options)
    whole, pieces = evaluate(function, results, x, y, a, b)
    wrong = list(programs.differences(results, whole, x, y, options))
    few = [_cut(result, pieces.shape[1]) for result in results]
    wrong += programs.differences(few, pieces, x, y, options + " in pieces")
    return whole.size + pieces.size, wrong


def _cut(result, n):
    made = programs.Result.__new__(programs.Result)
    made.label, made.function, made.name = result.label, result.function, result.name
    made.expected = result.expected[:n]
    return made


def chosen():
    """All pairs, each at one level of optimisation; of the same type at both."""
    for index, (a, b) in enumerate(PAIRS):
        for level in (0, 3):
            if a == b or index % 2 == level % 2:
                yield pytest.param(a, b, f"--opt-level {level}", id=f"{a}-{b}-{level}")


@pytest.mark.parametrize("a, b, level", list(chosen()))
def test_edges(a, b, level):
    _, wrong = run_pair(a, b, f"--target cpu {level}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("a", model.TYPES)
def test_written_numbers(a):
    """A number in the program's text takes the other operand's type; a float next to an integer is a Float32."""
    if a == "Boolean":
        return
    x = model.edges(a)
    results = []
    literals = [0, 1, 2, 3, 7, 8, 40] if not model.is_float(a) else [0, 1, 2, 3]
    for literal in literals:
        results += programs.literal_results(a, x, literal, a)
    for literal in (0.5, 2.0, -1.25, 0.1):
        b = a if model.is_float(a) else "Float32"
        value = float(model.rounded(b, np.array([literal]))[0])
        results += [
            programs.Result(
                f"{a} {op} {literal}",
                _with(op, literal),
                *model.binary(op, x, a, np.full(len(x), value), b),
            )
            for op in model.BINARY
            if model.defined(op, a, b)
        ]
    for level in ("--opt-level 0", "--opt-level 3"):
        function = programs.compiled(results, a, a, f"--target cpu {level}")
        raw = np.zeros((len(results), len(x)), np.uint64)
        function(programs.stored(a, x), programs.stored(a, x), raw)
        wrong = list(programs.differences(results, raw, x, x, level))
        assert not wrong, "\n".join(wrong)


def _with(op, literal):
    return lambda x, y: programs.BINARY[op](x, literal)


@pytest.mark.skipif(not LONG, reason="FAIRLEAD_MODEL=SECONDS runs it")
@pytest.mark.timeout(LONG + 300)
def test_long():
    """Random numbers of all pairs, levels and processors that this machine has, until the time is up."""
    end = time.monotonic() + LONG
    seed = int(time.time())
    generator = np.random.default_rng(seed)
    targets = (
        ["cpu"]
        + [f"cpu:x86-64-v{level}" for level in range(2, highest_level() + 1)]
        + ["cpu:x86-64"]
    )
    compared, wrong = 0, []
    while time.monotonic() < end and len(wrong) < 20:
        a, b = PAIRS[generator.integers(len(PAIRS))]
        target = targets[generator.integers(len(targets))]
        level = f"--opt-level {generator.integers(4)}"
        count, found = run_pair(a, b, f"--target {target} {level}", generator, 20000)
        compared += count
        wrong += found
    print(f"seed {seed}: {compared:,} values compared, {len(wrong)} operations differ")
    assert not wrong, "\n".join(wrong)
