"""Walks the table of GPU architectures: every name compiles, and ptxas agrees with its row."""

from __future__ import annotations

import re
import subprocess

import pytest
from support.blackwell_programs import TileGemm
from support.feature_instructions import INSTRUCTIONS
from support.gemm_programs import SharedGemm
from support.hopper_programs import EditedMap, PersistentGemm, copy_by_a_chosen_thread
from support.scaled_warp_programs import ScaledWarpGemm, operands
from target_kernels import compile_scale

from fairlead import Float16, Float32, Int8, _compiler, cute, utils

ROWS = {row["name"]: row for row in _compiler.gpu_architectures()}
NAMES = [name for name, row in ROWS.items() if row["compiles"]]
PTXAS = _compiler.ptx_assembler()


def known_to_ptxas() -> list[str]:
    """The names of the table that this machine's ptxas assembles for, from the oldest on."""
    if not PTXAS:
        return []
    text = subprocess.run([PTXAS, "--help"], capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"'(sm_\w+)'", text))
    return [name for name in NAMES if name in listed]


KNOWN = known_to_ptxas()
needs_ptxas = pytest.mark.skipif(not PTXAS, reason="no ptxas on this machine")


def accepts(text: str, arch: str, folder) -> str:
    """Return ptxas' complaint about the PTX; "" if it assembles it for the architecture."""
    path = folder / "kernel.ptx"
    path.write_text(text)
    run = subprocess.run(
        [PTXAS, f"-arch={arch}", path, "-o", folder / "kernel.cubin"],
        capture_output=True,
        text=True,
    )
    return "" if run.returncode == 0 else run.stdout + run.stderr


def assembles(text: str, name: str, folder) -> None:
    """Checks that ptxas takes the PTX for the name, or, if it is too new for it, for a later GPU."""
    assert f".target {name}" in text
    arch = name if name in KNOWN else KNOWN[0]
    assert accepts(text, arch, folder) == "", (name, arch)


def matrix(dtype, *leading):
    extents = tuple(cute.sym_int(divisibility=128) for _ in range(2))
    return cute.make_fake_compact_tensor(
        dtype, (*extents, *leading), stride_order=(1, 0, 2)[: 2 + len(leading)], assumed_align=16
    )


def fixed(*shape):
    order = tuple(reversed(range(len(shape))))
    return cute.make_fake_compact_tensor(Float32, shape, stride_order=order, assumed_align=16)


def numbers(count):
    return cute.make_fake_compact_tensor(Int8, (count,), assumed_align=128)


def product(program, *types):
    return program, *(matrix(dtype) for dtype in types)


#: Programs to compile for an architecture with the feature: a function that makes a program and its arguments.
PROGRAMS = {
    "mma_sync": lambda: product(SharedGemm(Float16, "k", "k"), Float16, Float16, Float32),
    "tma": lambda: (copy_by_a_chosen_thread(True), fixed(64, 32), fixed(64, 32)),
    "tensormap": lambda: (
        EditedMap(utils.TensorMapUpdateMode.GMEM),
        *(fixed(128, 128), fixed(128, 128), fixed(64, 64)),
        numbers(128),
    ),
    "wgmma": lambda: (PersistentGemm(), *(matrix(Float16, cute.sym_int()) for _ in range(3))),
    "tcgen05": lambda: product(TileGemm(), Float16, Float16, Float16),
    "tcgen05_i8": lambda: product(TileGemm(), Int8, Int8, Int8),
    "mma_block_scale": lambda: (ScaledWarpGemm("mxf4nvf4"), *operands("mxf4nvf4")[0]),
}


@needs_ptxas
@pytest.mark.parametrize("name", NAMES)
def test_every_name_compiles(name, tmp_path):
    assembles(compile_scale(f"--target cuda:{name}").__ptx__, name, tmp_path)


@needs_ptxas
@pytest.mark.parametrize(
    "name, feature",
    [(name, each) for name in NAMES for each in PROGRAMS if each in ROWS[name]["features"]],
)
def test_programs_of_its_features_compile(name, feature, tmp_path):
    program, *arguments = PROGRAMS[feature]()
    text = cute.compile(program, *arguments, options=f"--target cuda:{name}").__ptx__
    assembles(text, name, tmp_path)


def test_every_feature_has_an_instruction():
    assert sorted(INSTRUCTIONS) == sorted(
        {each for row in ROWS.values() for each in row["features"]}
    )


@needs_ptxas
@pytest.mark.parametrize("feature", INSTRUCTIONS)
def test_ptxas_agrees_about_the_feature(feature, tmp_path):
    have = [
        name
        for name in KNOWN
        if not accepts(
            f".version 9.0\n.target {name}\n.address_size 64\n"
            f".visible .entry kernel() {{ {INSTRUCTIONS[feature]} ret; }}\n",
            name,
            tmp_path,
        )
    ]
    assert have == [name for name in KNOWN if feature in ROWS[name]["features"]]


@needs_ptxas
@pytest.mark.parametrize("name", [name for name in KNOWN if ROWS[name]["ptx"] > 63])
def test_ptxas_agrees_about_the_ptx_isa(name, tmp_path):
    least = ROWS[name]["ptx"]
    versions = [version for version in (*range(63, 66), *range(70, 79), *range(80, 91))]
    text = f"\n.target {name}\n.address_size 64\n.visible .entry kernel() {{ ret; }}\n"
    first = next(
        version
        for version in versions
        if not accepts(f".version {version / 10:.1f}{text}", name, tmp_path)
    )
    # LLVM has sm_88 from PTX ISA 9.0 on, as the documentation says, while ptxas takes it from 7.3 on.
    assert first == {"sm_88": 73}.get(name, least)


@needs_ptxas
def test_ptxas_agrees_about_what_runs_where(tmp_path):
    for name in KNOWN:
        text = (
            f".version 9.0\n.target {name}\n.address_size 64\n.visible .entry kernel() {{ ret; }}\n"
        )
        runs = [device for device in KNOWN if not accepts(text, device, tmp_path)]
        # To ptxas, the suffix of the device's name chooses the code that it makes; the GPU is the same one.
        fits = [
            device
            for device in KNOWN
            if _compiler.image_fit(name.replace("sm", "compute"), device.rstrip("af"))
            and not (name.endswith("a") and device != name)
        ]
        assert runs == fits, name


@pytest.mark.parametrize("old, new", [("101", "110"), ("101a", "110a"), ("101f", "110f")])
def test_former_names_mean_the_present_ones(old, new):
    assert str(_compiler.Target.parse(f"cuda:sm_{old}", "")) == f"cuda:sm_{new}"
    assert str(_compiler.Target.parse(f"compute_{old}", "")) == f"ptx:compute_{new}"
    assert _compiler.gpu_architecture(f"sm_{old}") == ROWS[f"sm_{new}"]


@pytest.mark.parametrize(
    "name, instead", [("107", "sm_103"), ("107a", "sm_103f"), ("107f", "sm_103f")]
)
def test_a_name_that_llvm_lacks_says_so(name, instead):
    with pytest.raises(ValueError) as caught:
        compile_scale(f"--target cuda:sm_{name}")
    text = str(caught.value)
    assert f"LLVM 22, which it is built with, does not know sm_{name}; LLVM 24 does" in text
    assert "and ptxas of CUDA 13.4 or newer" in text and "Compile for sm_103f, whose" in text


def test_a_name_that_no_ptxas_knows_says_which_one_does(tmp_path, monkeypatch):
    """The assembler options make machine code compulsory."""
    old = tmp_path / "ptxas"
    old.write_text(
        "#!/bin/sh\necho \"ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\"\nexit 255\n"
    )
    old.chmod(0o755)
    monkeypatch.setenv("FAIRLEAD_PTXAS", str(old))
    with pytest.raises(RuntimeError) as caught:
        compile_scale("--target cuda:sm_121a --ptxas-options -O3").export_to_c(
            str(tmp_path / "scale.o"), function_name="scale"
        )
    text = str(caught.value)
    assert "no ptxas here knows sm_121a, that of CUDA 12.9 or newer does" in text
    assert f"ptxas ({old})" in text


@needs_ptxas
def test_a_newer_ptxas_on_the_machine_is_used(tmp_path, monkeypatch):
    """One that does not know the name leaves it to the next."""
    old = tmp_path / "old" / "bin" / "ptxas"
    old.parent.mkdir(parents=True)
    old.write_text(
        "#!/bin/sh\necho \"Value 'sm_121a' is not defined for option 'gpu-name'\"\nexit 255\n"
    )
    old.chmod(0o755)
    toolkit = PTXAS.removesuffix("/bin/ptxas")
    monkeypatch.setenv("FAIRLEAD_CUDA_PATH", f"{old.parents[1]}:{toolkit}")
    monkeypatch.delenv("FAIRLEAD_PTXAS", raising=False)
    assert _compiler.ptx_assembler() == str(old)
    path = tmp_path / "scale.o"
    compile_scale("--target cuda:sm_121a --ptxas-options -O3").export_to_c(
        str(path), function_name="scale"
    )
    assert b"sm_121a" in path.read_bytes()


def test_targets_tell_their_features():
    target = _compiler.Target.parse("cuda:sm_90a", "")
    assert target.has("wgmma") and target.has("tma") and not target.has("tcgen05")
    assert not _compiler.Target.parse("cpu", "").has("tma")
    with pytest.raises(ValueError, match="expected one of ldmatrix, .* but got 'warp'"):
        target.has("warp")
