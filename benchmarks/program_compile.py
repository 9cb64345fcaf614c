"""Warm compiles of long kernels that use published names alone, by Fairlead and by CuTe DSL by turns: FlashAttention 2
and a GEMM of the tests, and NVIDIA's tensorop_gemm.py and elementwise_add.py if $FAIRLEAD_DSL_EXAMPLES is the folder
(`cute`) with these examples.

With a GPU to loaded code, without one to machine code for sm_90a. With $CUTE_DSL_ARCH=sm_100a, NVIDIA's
dense_gemm_persistent.py for that architecture instead. CuTe DSL is that of the peers' interpreter, or of the
folder $FAIRLEAD_CUTE_DSL.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import _harness
from _harness import Row, compare
from cute_dsl import by_turns, programs

SCRIPT = Path(__file__).resolve().with_name("_program_script.py")


def measure(rounds: int) -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # kept machine code is written into the working directory
        running = programs(SCRIPT)
        for case in running["fairlead"].cases:
            taken = by_turns(running, case, min(rounds, 9))
            rows.append(compare(f"compile: {case}", taken, "fairlead", "CuTe DSL", "ms"))
        for program in running.values():
            program.close()
        os.chdir(_harness.ROOT)
    return rows


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
