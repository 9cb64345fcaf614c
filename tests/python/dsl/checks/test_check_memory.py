"""--check memory: an index outside of its mode is a note where the address is inside of the memory, else an error."""

import json
import subprocess
import sys

import numpy as np
import pytest
from support.check_support import checked, found, zeros

from fairlead import Int32, cute

THREADS = 32


@cute.kernel
def column(a: cute.Tensor, out: cute.Tensor, first: Int32):
    t, _, _ = cute.arch.thread_idx()
    out[t] = a[0, first + t]


@cute.jit
def first_row(a: cute.Tensor, out: cute.Tensor, first: Int32):
    """Reads THREADS elements of row 0 from `first` on, as if it went on in row 1."""
    column(a, out, first).launch(grid=1, block=THREADS)


@cute.kernel
def through_shared(out: cute.Tensor, reach: Int32):
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator().allocate_tensor(Int32, 64)
    memory[t] = t
    memory[t + 32] = t + 32
    cute.arch.sync_threads()
    half = cute.make_tensor(memory.iterator, cute.make_layout(32))
    out[t] = half[t + reach]


@cute.jit
def shared(out: cute.Tensor, reach: Int32):
    through_shared(out, reach).launch(grid=1, block=THREADS)


@cute.kernel
def own(out: cute.Tensor, index: Int32):
    values = cute.make_rmem_tensor((4,), Int32)
    values.fill(7)
    out[0] = values[index]


@cute.jit
def registers(out: cute.Tensor, index: Int32):
    own(out, index).launch(grid=1, block=1)


def matrix() -> np.ndarray:
    return np.arange(4 * THREADS, dtype=np.float32).reshape(4, THREADS)


def test_an_index_that_stays_in_the_memory_is_a_note(capfd):
    out = zeros(THREADS)
    checked(first_row, matrix(), out, 8, checks="memory")
    assert out.tolist() == [float(8 + t) for t in range(THREADS)]
    note = capfd.readouterr().err
    assert note.startswith("note: index 32 of mode 1, which has extent 32, of global Float32")
    assert "8 accesses like this in 1 block. It is an error only where" in note
    (finding,) = found(first_row, matrix(), zeros(THREADS), 8, checks="bounds")
    assert finding.kind == "bounds"


@pytest.mark.parametrize(("first", "count"), [(4 * THREADS - 8, THREADS - 8), (-8, 8)])
def test_an_address_outside_of_the_memory_is_an_error(first, count):
    findings = found(first_row, matrix(), zeros(THREADS), first, checks="memory")
    kinds = {finding.kind: finding for finding in findings}
    assert set(kinds) == {"note", "bounds"}
    assert "memory of a: Float32 (4, 32)" in kinds["bounds"].message
    assert kinds["bounds"].count == count


def test_shared_memory(capfd):
    out = zeros(THREADS, dtype=np.int32)
    checked(shared, out, 5, checks="memory")
    assert out.tolist() == [t + 5 for t in range(THREADS)]
    assert (
        "note: index 32 of mode 0, which has extent 32, of shared Int32" in capfd.readouterr().err
    )
    kinds = [finding.kind for finding in found(shared, out, 40, checks="memory")]
    assert sorted(kinds) == ["bounds", "note"]


def test_registers_have_no_memory_around_them():
    out = zeros(1, dtype=np.int32)
    checked(registers, out, 3, checks="memory")
    (finding,) = found(registers, out, 4, checks="memory")
    assert finding.kind == "bounds" and "index 4 of mode 0" in finding.message


PROGRAM = """
import {cute} as cute
import numpy as np

@cute.kernel
def column(a: cute.Tensor, out: cute.Tensor, first: cute.Int32):
    t, _, _ = cute.arch.thread_idx()
    out[t] = a[0, first + t]

@cute.jit
def first_row(a: cute.Tensor, out: cute.Tensor, first: cute.Int32):
    column(a, out, first).launch(grid=1, block=32)

first_row(np.zeros((4, 32), np.float32), np.zeros(32, np.float32), {first})
print("went on")
"""


def run_checked(folder, cute_module: str, first: int, *options: str):
    script = folder / "program.py"
    script.write_text(PROGRAM.format(cute=cute_module, first=first))
    command = [sys.executable, "-m", "fairlead", "check", *options, str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_all_notes_such_indices_of_published_programs(tmp_path):
    report = tmp_path / "found.sarif"
    ended = run_checked(tmp_path, "cutlass.cute", 8, "--report", str(report))
    assert (ended.returncode, ended.stdout) == (0, "went on\n"), ended.stderr
    assert "fairlead check: 1 note" in ended.stderr
    (result,) = json.loads(report.read_text())["runs"][0]["results"]
    assert result["level"] == "note"
    ended = run_checked(tmp_path, "cutlass.cute", 120)
    assert ended.returncode == 1 and "fairlead check: 1 finding, 1 note" in ended.stderr
    ended = run_checked(tmp_path, "cutlass.cute", 8, "--checks", "bounds")
    assert ended.returncode == 1


def test_all_finds_them_in_other_programs_of_the_same_process(tmp_path):
    ended = run_checked(tmp_path, "fairlead.cute", 8)
    assert ended.returncode == 1 and "CheckError: bounds: index 32 of mode 1" in ended.stderr
