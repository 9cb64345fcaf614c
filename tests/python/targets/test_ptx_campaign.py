"""The campaign against ptxas (tests/gpu/ptx_campaign.py), apart from launches: the CPU target takes their place."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import ptx_cases, ptx_reduction
from support.cuda_driver import Launcher, LaunchError

SCRIPT = Path(__file__).parents[2] / "gpu/ptx_campaign.py"
needs_ptxas = pytest.mark.skipif(
    not (shutil.which("ptxas") or Path("/usr/local/cuda/bin/ptxas").exists()), reason="needs ptxas"
)


@pytest.fixture(autouse=True)
def path_of_ptxas(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_PTXAS", shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas")


@pytest.fixture(scope="module")
def campaign():
    spec = importlib.util.spec_from_file_location("ptx_campaign", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_ptxas
def test_everything_but_the_launches(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            SCRIPT,
            "--seconds=2",
            "--jobs=1",
            "--without-gpu",
            f"--keep={tmp_path}/k",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(re.findall(r"([\w ]+): (\d+)", done.stdout.splitlines()[-1]))
    kernels = int(counts[" kernels"])
    assert kernels >= 2
    assert int(counts[" programs"]) > kernels
    assert done.stdout.splitlines()[-1].startswith(f"{3 * kernels} launches")
    assert "refused" not in done.stdout, done.stdout
    assert "not compiled" not in done.stdout, done.stdout


@needs_ptxas
@pytest.mark.parametrize("number", [0, 3, 4, 7])
def test_cases_can_be_launched(number):
    """ptxas takes the PTX at all levels, and the kernel's parameters are the addresses and the number."""
    case = ptx_cases.prepared(number, "sm_90a", ("O0", "O3", "default"))
    parameters = re.findall(r"\.param \.(\w+)", case.ptx.split("{")[0])
    assert parameters == ["u64"] * len(case.arrays) + ["u32"] * (case.number is not None)
    assert not any(
        np.array_equal(a, b)
        for a, b in zip(case.arrays[case.first_output :], case.expected, strict=True)
    )
    assert all(image.startswith(b"\x7fELF") for image in case.images.values())


class WrongAtO3:
    """Gives a wrong result at -O3 if the kernel has an instruction that reaches a store."""

    launches = 0

    def __init__(self, instruction):
        self.instruction = instruction

    def architecture(self):
        return "sm_90a"

    def run_case(self, case, level):
        self.launches += 1
        results = [np.zeros(4, np.float32), np.zeros(4, np.int32)]
        if level == "O3":
            reached = re.findall(rf"{re.escape(self.instruction)}\s+(%\w+),", case.ptx)
            results[1][2] = any(
                re.search(rf"st\.global\S*\s.*, {name};", case.ptx) for name in reached
            )
        return results


@needs_ptxas
def test_a_divergence_is_kept_and_reduced(campaign, tmp_path):
    text = campaign.CONTROL.read_text()
    found = campaign.Campaign(WrongAtO3("min.s32"), ("O0", "O3", "default"), tmp_path, 30)
    case = ptx_cases.Case("one", text, [np.zeros(4, np.int64)], None, 1, (64, 1, 1), 0, "the text")
    found.take(case)
    found.reduce(5)
    assert found.counts["divergences"] == 1
    assert "value: O0 O3" in (tmp_path / "one/report.txt").read_text()
    assert (tmp_path / "one/kernel.ptx").read_text() == text
    assert (tmp_path / "one/program.txt").read_text() == "the text"
    small = (tmp_path / "one/reduced.ptx").read_text()
    assert small.count("min.s32") == 1
    assert small.count("st.global") == 1
    assert "neg.s16" not in small
    assert "abs.s64" not in small
    ptx_cases.assembled(small, "O3", "sm_90a")


def test_all_levels_that_differ_from_the_cpu(campaign, tmp_path):
    case = ptx_cases.Case(
        "one",
        ".entry k",
        [],
        None,
        1,
        (1, 1, 1),
        0,
        "",
        [np.ones(4, np.float32), np.zeros(4, np.int32)],
    )
    case.images = {"O0": b"", "O3": b""}
    found = campaign.Campaign(WrongAtO3("none"), ("O0", "O3"), tmp_path, 30)
    found.take(case)
    assert found.counts["differ from the CPU"] == 1


def test_reduced_kernels_stay_defined():
    """Results become zero; addresses, and what branches around barriers depend on, stay."""
    body = """\
.visible .entry k(.param .u64 a)
{
\t.reg .pred %p<2>;
\t.reg .b32 %r<9>;
\t.reg .b64 %rd<4>;
\tld.param.b64 %rd1, [a];
\tmov.u32 %r1, %tid.x;
\tmul.wide.u32 %rd2, %r1, 4;
\tadd.s64 %rd3, %rd1, %rd2;
\tld.global.b32 %r2, [%rd3];
\tsetp.gt.s32 %p1, %r2, 3;
\t@%p1 bra $L1;
\tbar.sync 0;
$L1:
\tmul.lo.s32 %r3, %r2, 7;
\tadd.s32 %r4, %r3, 1;
\tst.global.b32 [%rd3], %r4;
\tret;
}
"""
    small = ptx_reduction.reduced(body, lambda text: "add.s32 %r4, %r3, 1" in text)
    for line in ("setp.gt.s32 %p1, %r2, 3", "@%p1 bra $L1", "bar.sync 0", "ld.global.b32 %r2"):
        assert line in small
    assert "mov.b32 %r3, 0;" in small
    assert "mul.lo" not in small
    assert "st.global" not in small
    without_barrier = ptx_reduction.reduced(
        body.replace("\tbar.sync 0;\n", ""), lambda text: "add.s32 %r4, %r3, 1" in text
    )
    assert "setp" not in without_barrier
    assert "bra" not in without_barrier


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ([1.0, np.nan], [1.0, np.nan], ""),
        ([1.0, np.nan], [1.0, -np.float32(np.nan)], "NaN"),
        ([1.0, 0.0], [1.0, -0.0], "value"),
        ([1.0, np.nan], [1.0, 2.0], "value"),
    ],
)
def test_bits_are_compared(one, other, kind):
    arrays = [np.array(one, np.float32)], [np.array(other, np.float32)]
    assert ptx_cases.differing_bits(*arrays) == kind


def test_a_launcher_without_a_driver_says_so(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    launcher = Launcher()
    with pytest.raises(LaunchError, match="libcuda|cuInit|cuDevice"):
        launcher.architecture()
    launcher.close()
