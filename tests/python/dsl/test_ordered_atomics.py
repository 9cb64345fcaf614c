"""Atomic operations have the order and the scope that they ask for, in PTX that ptxas, if there is one, takes."""

import os
import re
import shutil

import pytest

import fairlead
from fairlead import cute

SCOPES = ["cta", "gpu", "sys"]
ASSEMBLES = bool(shutil.which("ptxas")) or os.path.exists("/usr/local/cuda/bin/ptxas")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX and machine code that are kept are also written to files."""
    monkeypatch.chdir(tmp_path)


def ptx_of(dtype, change, target="cuda:sm_90a"):
    @cute.kernel
    def kernel(cells: cute.Tensor):
        cells[1] = change(cells.iterator, dtype(1))

    @cute.jit
    def launch(cells: cute.Tensor):
        kernel(cells).launch(grid=1, block=1)

    cells = cute.runtime.make_fake_compact_tensor(dtype, (2,), stride_order=(0,))
    options = (cute.TargetOption(target), cute.KeepPTX(True), cute.KeepCUBIN(ASSEMBLES))
    made = cute.compile[options](launch, cells)
    assert not ASSEMBLES or made.__cubin__
    return made.__ptx__


def changes(dtype):
    functions = [cute.arch.atomic_add]
    if dtype.width > 16:
        functions += [cute.arch.atomic_max, cute.arch.atomic_exch]
    if dtype.is_integer:
        functions += [cute.arch.atomic_and, exchange]
    return functions


def exchange(cell, value, **order):
    return cute.arch.atomic_cas(cell, cmp=0, val=value, **order)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release", "acq_rel"])
@pytest.mark.parametrize("name", ["Int32", "Uint64", "Float32", "Float64"])
def test_words(name, sem, scope):
    dtype = getattr(fairlead, name)
    for function in changes(dtype):
        ptx = ptx_of(dtype, lambda *given, f=function: f(*given, sem=sem, scope=scope))
        words = re.findall(r"\batom(\.\w+\.\w+)\.", ptx)
        # `atom` alone is relaxed, for the device.
        is_plain = sem == "relaxed" and scope != "sys" and re.search(r"\batom\.global\.\w+\.", ptx)
        assert words == [f".{sem}.{scope}"] or is_plain, ptx


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a", "cuda:sm_120a"])
@pytest.mark.parametrize("name", ["Float16", "BFloat16"])
def test_16_bits(name, target):
    """Fences order an exchange of the word."""
    dtype = getattr(fairlead, name)

    def change(*given):
        return cute.arch.atomic_add(*given, sem="acq_rel", scope="sys")

    ptx = ptx_of(dtype, change, target)
    assert len(re.findall(r"\bfence\.(?:acq_rel|acquire|release)\.sys;", ptx)) == 2, ptx
    assert "atom.relaxed.sys.global.cas.b32" in ptx


def test_shared_memory():
    def change(cell, one):
        shared = cute.arch.alloc_smem(fairlead.Int32, 1)
        return cute.arch.atomic_add(shared, one, sem="acq_rel", scope="cta")

    assert "atom.acq_rel.cta.shared.add.u32" in ptx_of(fairlead.Int32, change)
