"""Machine code that Fairlead and CuTe DSL make of one program, for sm_90a: registers, bytes of local memory, and the
instructions of the innermost loop with the most tensor-core instructions, or of the whole kernel if it has no loop.

Neither needs a GPU; nvdisasm must be there. The programs are those of program_compile.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import _harness
from _harness import Row
from cute_dsl import programs
from program_compile import SCRIPT

#: Kinds of instructions and how their names begin; the first that fits counts.
KINDS = (
    ("tensor cores", r"HMMA|IMMA|DMMA|QGMMA|HGMMA"),
    ("ldmatrix", r"LDSM"),
    ("cp.async", r"LDGSTS"),
    ("global loads", r"LDG\b"),
    ("global stores", r"STG"),
    ("shared accesses", r"LDS|STS|STSM"),
    ("spills", r"LDL|STL"),
    ("exp2 and the like", r"MUFU"),
    ("f32 arithmetic", r"FADD|FMUL|FFMA|FMNMX|FSEL|FSETP"),
    ("conversions", r"F2F|F2I|I2F"),
    ("shuffles and votes", r"SHFL|VOTE"),
    ("barriers and waits", r"BAR|LDGDEPBAR|DEPBAR|WARPSYNC|BSSY|BSYNC"),
    ("moves", r"U?MOV|IMAD\.MOV|PRMT|R2UR|S2U?R|CS2R|U?SEL|P2R|R2P"),
    ("integers and addresses", r"U?IMAD|U?IADD3|VIADD|U?LEA|U?LOP3|U?SHF|U?ISETP|U?PLOP3|IABS"),
)


class Instruction(NamedTuple):
    name: str
    #: The label that a branch goes to.
    target: str | None
    #: True if the next instruction may follow.
    goes_on: bool


class MachineCode(NamedTuple):
    registers: int
    local_bytes: int
    loop: Counter


def instructions(sass: str) -> tuple[list[Instruction], dict[str, int]]:
    """Return the instructions that nvdisasm printed, and the instruction that follows each label."""
    found: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in sass.splitlines():
        if label := re.match(r"\s*(\.L\w+):", line):
            labels[label[1]] = len(found)
        elif code := re.match(
            r"\s*/\*[0-9a-f]+\*/\s+\{?\s*(@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*)", line
        ):
            condition, name, operands = code.groups()
            target = re.search(r"\.L\w+", operands) if name.startswith("BRA") else None
            # A branch with an operand before its label has a condition, too.
            always = not condition and not re.match(r"\s*!?U?P\d", operands)
            leaves = always and name.split(".")[0] in ("BRA", "EXIT", "RET")
            found.append(Instruction(name, target[0] if target else None, not leaves))
    return found, labels


def kind_of(name: str) -> str:
    return next((kind for kind, begin in KINDS if re.match(begin, name)), "others")


def loops_of(code: list[Instruction], labels: dict[str, int]) -> list[list[Instruction]]:
    """Return, for each branch backwards, the code on all ways from its target to it, wherever the assembler put it."""
    before: list[list[int]] = [[] for _ in code]
    for place, each in enumerate(code):
        if each.goes_on and place + 1 < len(code):
            before[place + 1].append(place)
        if each.target in labels and labels[each.target] < len(code):
            before[labels[each.target]].append(place)
    loops = []
    for end, each in enumerate(code):
        head = labels.get(each.target, end) if each.target else end
        if head >= end:
            continue
        inside, waiting = {head}, [end]
        while waiting:
            place = waiting.pop()
            if place not in inside:
                inside.add(place)
                waiting += before[place]
        if head == 0 or 0 not in inside:  # else the kernel's beginning leads into it otherwise
            loops.append([code[place] for place in sorted(inside)])
    return loops


def main_loop(code: list[Instruction], labels: dict[str, int]) -> list[Instruction]:
    """The shortest of the loops that have the most tensor-core instructions; all code if there is no loop."""

    def order(loop: list[Instruction]) -> tuple[int, int]:
        return sum(kind_of(each.name) == "tensor cores" for each in loop), -len(loop)

    return max(loops_of(code, labels), key=order, default=code)


def read(cubin: Path) -> MachineCode:
    command = [sys.executable, "-m", "fairlead", "inspect", "--json", str(cubin)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (kernel,) = json.loads(done.stdout)[0]["images"][0]["parts"][0]["kernels"]
    done = subprocess.run(["nvdisasm", "-c", cubin], capture_output=True, text=True, check=True)
    loop = main_loop(*instructions(done.stdout))
    kinds = Counter(kind_of(each.name) for each in loop if each.name != "NOP")
    return MachineCode(kernel["registers"], kernel["local_bytes"], kinds)


def told(code: MachineCode) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in code.loop.most_common())


def compared(case: str, codes: dict[str, MachineCode]) -> list[Row]:
    ours, peer = codes["fairlead"], codes.get("CuTe DSL")
    rows = []
    for what, number in (
        ("registers", lambda code: code.registers),
        ("bytes of local memory", lambda code: code.local_bytes),
        ("instructions of the main loop", lambda code: code.loop.total()),
    ):
        other = number(peer) if peer else None
        ratio = number(ours) / other if other else None
        name = "CuTe DSL" if peer else None
        rows.append(Row(f"{case}: {what}", number(ours), "", other, name, ratio))
    rows[-1].detail = "; ".join(f"{name}: {told(code)}" for name, code in codes.items())
    return rows


def measure(rounds: int) -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        running = programs(SCRIPT)
        for case in running["fairlead"].cases:
            codes = {
                name: read(Path(program.ask("machine code", case)))
                for name, program in running.items()
            }
            rows += compared(case, codes)
        for program in running.values():
            program.close()
        os.chdir(_harness.ROOT)
    return rows


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
