"""Binaries built with the headers of each version of apache-tvm-ffi under our runtime, and ours under each of theirs.

docs/compatibility.md has the results as a table.
"""

import subprocess
from pathlib import Path

import pytest
from conftest import HERE, VERSIONS, package, prefix, run

# An Optional<Function> has 16 bytes in these withdrawn versions and 8 in all others. ModuleObj::GetFunction returns
# one, so a class derived from ModuleObj and a library of the other layout overwrite each other's stack.
LARGE_OPTIONALS = {"0.1.13", "0.1.13.post0"}
versions = pytest.mark.parametrize("version", VERSIONS)


def use(libraries, name, other, module, path, without=()) -> None:
    arguments = [libraries[name], prefix(name), module, libraries[other], *without]
    assert run(HERE / "uses.py", *arguments, path=path) == "all as expected\n"


def parts_left_out(version) -> list[str]:
    return ["module"] if version in LARGE_OPTIONALS else []


@versions
def test_their_binary_under_their_runtime(libraries, version):
    """The expectations of uses.py are those of every version."""
    use(libraries, version, version, "tvm_ffi", [package(version)])


@versions
def test_their_binary_under_our_runtime(libraries, version, package_dir):
    use(libraries, version, "ours", "fairlead.ffi", [package_dir.parent], parts_left_out(version))


@versions
def test_our_binary_under_their_runtime(libraries, version):
    use(libraries, "ours", version, "tvm_ffi", [package(version)], parts_left_out(version))


@pytest.fixture(scope="module")
def exported(tmp_path_factory, package_dir) -> Path:
    """A library with a function that our compiler exported."""
    folder = tmp_path_factory.mktemp("exported")
    run(HERE / "exports.py", folder / "add_one.o", path=[package_dir.parent])
    library = folder / "add_one.so"
    subprocess.run(
        ["gcc", "-shared", "-o", library, folder / "add_one.o", f"-L{package_dir / 'lib'}"]
        + ["-lcuda_dialect_runtime", "-ltvm_ffi", f"-Wl,-rpath,{package_dir / 'lib'}"],
        check=True,
    )
    return library


@versions
def test_our_exported_function_under_their_runtime(exported, version):
    printed = run(HERE / "calls_exported.py", exported, path=[package(version)])
    assert printed == "all as expected\n"


@versions
def test_our_package_under_their_runtime(version, package_dir):
    """Both packages in one process share that version's library: our compiler, calls and errors work with it."""
    printed = run(HERE / "shares.py", path=[package(version), package_dir.parent])
    assert printed == "all as expected\n"
