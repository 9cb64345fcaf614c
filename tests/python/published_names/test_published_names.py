"""The names that published programs use are there, and do their work: the list may only grow."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

_CHECK = """
import sys
from name_states import state_of
for name in open(sys.argv[1]).read().split():
    if (state := state_of(name)) != "there":
        print(name, state)
"""


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE)


def test_names_are_there():
    """``name_states.py --names FILES > names.txt`` writes a new list from programs that use more names."""
    done = run(_CHECK, HERE / "names.txt")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_stand_ins_are_told_apart():
    """A class that only raises, an attribute of one, and a method that only raises are not there."""
    code = """
from name_states import state_of
for name in (
    "cutlass.Int32", "cutlass.nothing", "cutlass.FloatNV8E5M3FNU", "cutlass._mlir.dialects.scf.IfOp",
    "cutlass._mlir.dialects.cute_nvgpu.Kind.member", "cutlass.cute.nvgpu.warp.WarpMmaOp._make_trait",
):
    print(state_of(name))
"""
    done = run(code)
    expected = ["there", "missing", "stand-in", "stand-in", "stand-in", "stand-in"]
    assert done.stdout.split() == expected, done.stdout + done.stderr


def test_parameters_hide_imports():
    code = """
from name_states import names_of
text = '''
import cutlass.pipeline as pipeline
from cutlass import cute
def load(pipeline, state: cute.Tensor):
    pipeline.producer_acquire(state)
    return lambda: pipeline.tail
def make():
    return pipeline.PipelineAsync.create
'''
print(*sorted(names_of(text)))
"""
    done = run(code)
    assert done.stdout.split() == [
        "cutlass.cute",
        "cutlass.cute.Tensor",
        "cutlass.pipeline",
        "cutlass.pipeline.PipelineAsync.create",
    ], done.stderr
