"""--check bounds for GPUs: what of the checks is in the PTX, and that it assembles. It runs in tests/gpu."""

import os
import re
import shutil
import subprocess

import pytest
from support.check_support import zeros

from fairlead import Float32, Int32, cute

PTXAS = os.environ.get("FAIRLEAD_PTXAS") or shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
MESSAGE = "fairlead_check_message"


def ptx(host, *arguments, checks="--check bounds"):
    return cute.compile(host, *arguments, options=f"--target cuda:sm_90a {checks}").__ptx__


def sites(text):
    """The places that the program tells of, as lists of fields."""
    found = []
    for numbers in re.findall(r"fairlead_check_site_\d+\[\d+\] = \{([^}]*)\}", text):
        found.append(bytes(map(int, numbers.split(","))).rstrip(b"\0").decode().split("\x1f"))
    return found


def assembles(text, tmp_path):
    if not os.path.exists(PTXAS):
        pytest.skip("no ptxas here")
    (tmp_path / "kernel.ptx").write_text(text)
    command = [PTXAS, "-arch=sm_90a", "kernel.ptx", "-o", "kernel.cubin"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@cute.kernel
def shift(a: cute.Tensor, last: Int32):
    t, _, _ = cute.arch.thread_idx()
    a[t + last] = Float32(1.0)


@cute.jit
def shifted(a: cute.Tensor, last: Int32):
    shift(a, last).launch(grid=1, block=64)


def test_an_index_is_compared_and_the_site_is_in_the_code(tmp_path):
    text = ptx(shifted, zeros(64), 0)
    assert f".visible .global .align 8 .u64 {MESSAGE}" in text
    assert text.count("call.uni") + text.count("call ") == 1, "one place that can be out of bounds"
    (site,) = sites(text)
    assert site[0].endswith("test_check_cuda.py") and site[2].startswith("shift")
    assert site[3].startswith("Float32 ") and site[4] == "global"
    assembles(text, tmp_path)


@cute.kernel
def tiles(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    smem = cute.SmemAllocator().allocate_tensor(Float32, 64)
    tile = cute.local_tile(a, (64,), (x,))
    smem[t] = tile[t]
    cute.arch.sync_threads()
    window = cute.make_tensor(smem.iterator + t, cute.make_layout(4))
    tile[t] = window[3]


@cute.jit
def tiled(a: cute.Tensor):
    tiles(a).launch(grid=2, block=64)


def test_addresses_are_compared_where_indices_do_not_say(tmp_path):
    text = ptx(tiled, zeros(100))
    kinds = {(site[3].split(" ")[0], site[4]) for site in sites(text)}
    assert ("Float32", "global") in kinds  # a tile that reaches over the tensor's end
    assert ("", "shared") in kinds  # a pointer into shared memory
    assert any(
        site[5].endswith("test_check_cuda.py") for site in sites(text) if site[4] == "shared"
    )
    assembles(text, tmp_path)


@cute.kernel
def constant_places(a: cute.Tensor):
    own = cute.make_rmem_tensor(4, Float32)
    for i in cute.range_constexpr(4):
        own[i] = a[i]
    a[0] = own[3]


def test_what_is_known_while_compiling_costs_nothing():
    @cute.jit
    def host(a: cute.Tensor):
        fixed = cute.make_tensor(a.iterator, cute.make_layout(4))
        constant_places(fixed).launch(grid=1, block=1)

    plain = ptx(host, zeros(4), checks="")
    checked = ptx(host, zeros(4))
    assert MESSAGE not in checked
    assert re.sub(r"\s*//.*", "", checked) == re.sub(r"\s*//.*", "", plain)


@cute.kernel
def asserting(a: cute.Tensor, n: Int32):
    cute.testing.assert_(n < 64, "n is small")
    a[0] = Float32(1.0)


def test_assertions_leave_a_message_too(tmp_path):
    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        asserting(a, n).launch(grid=1, block=1)

    text = ptx(host, zeros(4), 3, checks="--check bounds --enable-assertions")
    assert "__assertfail" not in text
    assert "n is small" in [site[3] for site in sites(text)]
    assembles(text, tmp_path)


def test_without_the_option_nothing_of_it_is_there():
    for host, arguments in ((shifted, (zeros(64), 0)), (tiled, (zeros(100),))):
        text = ptx(host, *arguments, checks="")
        assert "fairlead_check" not in text and "trap" not in text


@pytest.mark.parametrize("checks", ["race", "all", "bounds,init"])
def test_other_checks_need_the_cpu(checks):
    with pytest.raises(ValueError, match="--check needs the CPU target"):
        ptx(shifted, zeros(64), 0, checks=f"--check {checks}")


@cute.kernel
def in_dynamic_memory(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cute.make_tensor(cute.arch.get_dyn_smem(Float32), cute.make_layout(64))
    s[t] = a[t]
    cute.arch.sync_threads()
    a[t] = s[63 - t]


@cute.jit
def dynamic(a: cute.Tensor):
    in_dynamic_memory(a).launch(grid=1, block=64, smem=256)


def test_dynamic_memory_ends_where_the_launchs_does(tmp_path):
    text = ptx(dynamic, zeros(64))
    assert "%dynamic_smem_size" in text
    assembles(text, tmp_path)
