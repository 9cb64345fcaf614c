"""ldmatrix of elements of 8, 6 and 4 bits that are bytes in registers: on the CPU, and as PTX that assembles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.byte_matrix_programs import FORMS, ByteMatrices, arrays_of

from fairlead import Float16, Int8, cute
from fairlead.cute.nvgpu import warp

PTXAS = "/usr/local/cuda/bin/ptxas"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("lone_lanes", [False, True], ids=["warps", "lone lanes"])
def test_registers_are_those_of_ptx(name, lone_lanes, monkeypatch):
    if lone_lanes:
        monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
    rows, registers, expected = arrays_of(name)
    tensors = [cute.from_dlpack(array) for array in (rows, registers)]
    cute.compile(ByteMatrices(*FORMS[name][:3]), *tensors, options="--target cpu")(*tensors)
    np.testing.assert_array_equal(registers, expected)


@pytest.mark.parametrize("name", ["m16n16.x2.trans.shared.b8", "m8n16.x4.shared.b8x16.b6x16_p32"])
@pytest.mark.parametrize("options", ["--check all", "--schedule random:3"])
def test_under_checks(name, options):
    rows, registers, expected = arrays_of(name)
    tensors = [cute.from_dlpack(array) for array in (rows, registers)]
    cute.compile(ByteMatrices(*FORMS[name][:3]), *tensors, options=f"--target cpu {options}")(
        *tensors
    )
    np.testing.assert_array_equal(registers, expected)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("arch", ["sm_100a", "sm_103a", "sm_120a"])
def test_assembles(name, arch, tmp_path):
    tensors = [cute.from_dlpack(array) for array in arrays_of(name)[:2]]
    program = ByteMatrices(*FORMS[name][:3])
    text = cute.compile(program, *tensors, options=f"--target cuda:{arch}").__ptx__
    assert f"ldmatrix.sync.aligned.{name} " in text
    if not Path(PTXAS).exists():
        pytest.skip("no ptxas here")
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    command = [PTXAS, f"-arch={arch}", path, "-o", tmp_path / "kernel.cubin"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_100", "cuda:sm_120"])
def test_needs_the_architecture(target):
    name = "m16n16.x1.trans.shared.b8"
    tensors = [cute.from_dlpack(array) for array in arrays_of(name)[:2]]
    with pytest.raises(Exception, match=r"ldmatrix of bytes transposed x1.* only for .*sm_100a"):
        cute.compile(ByteMatrices(*FORMS[name][:3]), *tensors, options=f"--target {target}")


@pytest.mark.parametrize(
    "make, parts",
    [
        (lambda: warp.LdMatrix16x16x8bOp(False), ["transpose=True of LdMatrix16x16x8bOp"]),
        (
            lambda: warp.LdMatrix16x16x8bOp(unpack_bits=5),
            ["LdMatrix16x16x8bOp: expected None or 4 or 6 as unpack_bits, but got 5"],
        ),
        (
            lambda: warp.LdMatrix8x8x16bOp(unpack_bits=4),
            ["expected None as unpack_bits, but got 4"],
        ),
        (
            lambda: cute.make_copy_atom(warp.LdMatrix16x16x8bOp(num_matrices=4), Int8),
            ["1 or 2 matrices for ldmatrix of bytes", "but got 4"],
        ),
        (
            lambda: cute.make_copy_atom(
                warp.LdMatrix8x16x8bOp(num_matrices=3, unpack_bits=4), Int8
            ),
            ["1, 2 or 4 matrices for ldmatrix of bytes", "but got 3"],
        ),
        (
            lambda: cute.make_copy_atom(warp.LdMatrix16x16x8bOp(), Float16),
            ["elements of 8 bits for ldmatrix of bytes", "but got Float16"],
        ),
    ],
)
def test_errors(make, parts):
    with pytest.raises(Exception) as error:
        make()
    for part in parts:
        assert part in str(error.value)
