"""Random kernels for a campaign against ptxas: their PTX, machine code at several levels, and expected results."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

#: Levels of ptxas, and the options for each.
LEVELS = {"O0": ["-O0"], "O1": ["-O1"], "O2": ["-O2"], "O3": ["-O3"], "default": []}
LANES = 64
#: Number of programs of a kernel, without programs of blocks.
PROGRAMS = 4


@dataclass
class Case:
    """A kernel with its arguments: ``arrays`` and one number, if ``number`` is not None."""

    name: str
    ptx: str
    arrays: list[np.ndarray]
    number: int | None
    grid: int
    block: tuple[int, int, int]
    #: Index of the first array that the kernel writes; it also writes the following ones.
    first_output: int
    #: The program's text.
    source: str = ""
    #: The outputs on the CPU target, if the program was run there.
    expected: list[np.ndarray] | None = None
    num_programs: int = 1
    images: dict[str, bytes] = field(default_factory=dict)

    @property
    def kernel(self) -> str:
        return re.findall(r"\.entry\s+(\w+)", self.ptx)[0]


class AssemblerError(RuntimeError):
    """ptxas refused PTX or crashed."""


def assembled(ptx: str, level: str, architecture: str) -> bytes:
    """Return the CUBIN. Products and sums are never fused: each level would choose others."""
    ptxas = os.environ.get("FAIRLEAD_PTXAS") or "ptxas"
    with tempfile.TemporaryDirectory(prefix="fairlead-campaign-") as folder:
        source, image = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        options = [*LEVELS[level], "-fmad=false", "-arch", architecture]
        done = subprocess.run(
            [ptxas, *options, str(source), "-o", str(image)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        if done.returncode:
            raise AssemblerError(f"ptxas -{level}: {done.stderr.strip() or done.returncode}")
        return image.read_bytes()


def random_case(number: int, architecture: str) -> Case:
    """A kernel of its own for each number: one in four of blocks whose threads work together, else of several programs
    one after another; half of all with fused operations, half as LLVM leaves them at level 0."""
    from support import random_blocks, random_programs

    options = f"--no-cache --opt-level {3 * (number // 8 % 2)}"
    if number // 4 % 2 == 0:
        options += f" {random_programs.ROUNDED}"
    name = f"case-{number}"
    if number % 4 == 3:
        program = random_blocks.BlockProgram(number, statements=10)
        arrays, value = list(program.arrays()), number % 3
        ptx, after = _compiled(program.function(), arrays, value, architecture, options)
        grid = random_blocks.BLOCKS
        return Case(name, ptx, arrays, value, grid, program.shape, 2, program.text, after[2:])
    programs = random_programs.make(number * PROGRAMS, PROGRAMS)
    run = random_programs.packed(programs, LANES)
    arrays = [*random_programs.inputs(number, LANES), *random_programs.outputs(PROGRAMS, LANES)]
    ptx, after = _compiled(run, arrays, None, architecture, options)
    text = "\n".join(program.text for program in programs)
    return Case(name, ptx, arrays, None, 1, (LANES, 1, 1), 3, text, after[3:], PROGRAMS)


def _compiled(run, arrays, number, architecture: str, options: str):
    """The PTX, and the arrays after a run on the CPU target."""
    from fairlead import cute
    from fairlead.cute.runtime import from_dlpack

    # Layouts of tensors of Fairlead are constants: the kernel's parameters are the addresses alone.
    constant = [from_dlpack(array) for array in arrays]
    typed = [] if number is None else [cute.Int32(number)]
    target = architecture.replace("sm_", "ptx:compute_")
    function = cute.compile(run, *constant, *typed, options=f"{options} --target {target}")
    on_cpu = cute.compile(run, *constant, *typed, options=f"{options} --target cpu")
    after = [array.copy() for array in arrays]
    on_cpu(*(from_dlpack(array) for array in after), *typed)
    return function.__ptx__, after


def prepared(number: int, architecture: str, levels: tuple[str, ...]) -> Case:
    """The random case of a number with its images."""
    warnings.simplefilter("ignore")  # of odd constants
    case = random_case(number, architecture)
    case.images = {level: assembled(case.ptx, level, architecture) for level in levels}
    return case


def differing_bits(one: list[np.ndarray], other: list[np.ndarray]) -> str:
    """How results differ: "" for the same bits, "NaN" if all that differ are NaNs on both sides, else "value"."""
    kind = ""
    for a, b in zip(one, other, strict=True):
        different = a.view(f"u{a.itemsize}") != b.view(f"u{b.itemsize}")
        if not different.any():
            continue
        if a.dtype.kind != "f" or not (np.isnan(a) & np.isnan(b))[different].all():
            return "value"
        kind = "NaN"
    return kind
