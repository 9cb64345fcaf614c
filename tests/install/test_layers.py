"""The layers hold: the needs of each library, and the includes of each folder."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Libraries that the runtime may need: neither LLVM nor Python nor any library of CUDA.
SYSTEM = {
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6",
    "libpthread.so.0", "librt.so.1", "libstdc++.so.6",
}  # fmt: skip
NEEDED = {
    "libtvm_ffi.so": SYSTEM,
    "libcuda_dialect_runtime.so": SYSTEM | {"libtvm_ffi.so"},
    "libcute_dsl_runtime.so": SYSTEM | {"libtvm_ffi.so", "libcuda_dialect_runtime.so"},
    "libfairlead.so": SYSTEM
    | {"libtvm_ffi.so", "libcuda_dialect_runtime.so", "libz.so.1", "libzstd.so.1"},
}
# Symbols of LLVM, Python and CUDA as the dynamic linker would look them up.
FOREIGN_SYMBOL = re.compile(r"^(_?Py[A-Z_]|LLVM[A-Z]|_ZN?K?\d*4?(llvm|mlir)|cu[A-Z]\w|cuda[A-Z])")
# A row of HACKING.md's map: the folder of lib/, what lives there, the folders it may use, its tests.
ROW = re.compile(r"^\| `lib/([\w/]+)` \|[^|]*\|([^|]*)\|", re.MULTILINE)
INCLUDES = {
    folder: set(re.findall(r"`([\w/]+)`", uses))
    for folder, uses in ROW.findall((ROOT / "HACKING.md").read_text())
}
# Headers for CUDA C++ sources: who includes them has the toolkit.
CUDA_HEADERS = {
    "include/tvm/ffi/extra/cuda/internal/driver_types.h",
    "include/tvm/ffi/extra/dtype.h",
}
RUNTIME = ("elf", "link", "ffi", "check/runtime", "runtime", "frameworks", "loader")
FOREIGN_INCLUDE = re.compile(r"^(llvm|mlir|clang|nanobind|pybind11)/|^Python\.h|^cuda(_\w+)?\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def dynamic(library: Path) -> set[str]:
    listed = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True)
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", listed.stdout))


def undefined(library: Path) -> list[str]:
    table = ["-D"] if library.suffix == ".so" else []
    command = ["nm", "-u", *table, library]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split()[-1].split("@")[0] for line in listed.stdout.splitlines() if " U " in line]


def folder_of(path: str) -> str | None:
    """The folder of the table that a file belongs to, by its path under lib/."""
    folders = [folder for folder in INCLUDES if path.startswith(folder + "/")]
    return max(folders, key=len, default=None)


def sources(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in (".h", ".cpp", ".c", ".def")]


@pytest.mark.parametrize("name", NEEDED)
def test_library_needs_only_what_its_layer_may(build_dir, name):
    needed = dynamic(build_dir / "lib" / name)
    assert needed, f"{name} is not a dynamic library"
    assert needed <= NEEDED[name]


@pytest.mark.parametrize(
    "name",
    [
        "libtvm_ffi.so",
        "libcuda_dialect_runtime.so",
        "libcuda_dialect_runtime_static.a",
        "libcute_dsl_runtime.so",
    ],
)
def test_runtime_asks_for_no_foreign_symbol(build_dir, name):
    symbols = undefined(build_dir / "lib" / name)
    assert "memcpy" in symbols or "malloc" in symbols, "nm listed nothing"
    assert [symbol for symbol in symbols if FOREIGN_SYMBOL.match(symbol)] == []


def test_cpu_runtime_asks_for_no_symbol_of_its_checker(build_dir):
    """Programs that are linked statically leave the checker out, unless their kernels call it."""
    archive = build_dir / "lib/libcuda_dialect_runtime_static.a"
    listed = subprocess.run(["nm", "-uA", archive], capture_output=True, text=True, check=True)
    members = {f"{path.name}.o" for path in (ROOT / "lib/runtime/cpu").glob("*.cpp")}
    lines = [line for line in listed.stdout.splitlines() if line.split(":")[1] in members]
    assert lines, "nm listed nothing"
    assert [line for line in lines if re.search(r"8fairlead(3cpu)?5check\d", line)] == []


@pytest.mark.parametrize("folder", RUNTIME)
def test_runtime_includes_no_foreign_header(folder):
    files = sources(ROOT / "lib" / folder)
    assert files
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name in INCLUDE.findall(path.read_text())
        if FOREIGN_INCLUDE.match(name)
    }
    assert found == set()


def test_public_headers_include_no_foreign_header():
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources(ROOT / "include")
        for name in INCLUDE.findall(path.read_text())
        if FOREIGN_INCLUDE.match(name) and str(path.relative_to(ROOT)) not in CUDA_HEADERS
    }
    assert found == set()


def test_every_folder_has_its_layer():
    lib = ROOT / "lib"
    paths = [str(path.relative_to(lib)) for path in sources(lib)]
    assert [path for path in paths if not folder_of(path)] == []
    unused = [folder for folder in INCLUDES if not any(folder_of(path) == folder for path in paths)]
    assert set(unused) <= {"library"}  # the library is packed from objects of the other folders


def test_folders_use_only_folders_above_them():
    rows = list(INCLUDES)
    for folder, uses in INCLUDES.items():
        assert uses <= set(rows[: rows.index(folder)]), folder


@pytest.mark.parametrize("folder", INCLUDES)
def test_folder_includes_only_lower_layers(folder):
    allowed = INCLUDES[folder] | {folder}
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources(ROOT / "lib" / folder)
        if folder_of(str(path.relative_to(ROOT / "lib"))) == folder
        for name in INCLUDE.findall(path.read_text())
        if (used := folder_of(name)) and used not in allowed
    }
    assert found == set()


@pytest.mark.parametrize("symbol", ["PyErr_SetString", "cuLaunchKernel", "cudaMalloc", "LLVMFoo"])
def test_foreign_symbols_are_recognised(symbol):
    assert FOREIGN_SYMBOL.match(symbol)


def test_own_symbols_are_not_foreign():
    for symbol in ("TVMFFIErrorSetRaised", "memcpy", "custom", "FairleadRaise", "_ZNSt6thread"):
        assert not FOREIGN_SYMBOL.match(symbol)
