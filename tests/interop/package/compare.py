"""Runs scripts under the apache-tvm-ffi package twice: with its own libtvm_ffi.so, and with Fairlead's in its place.

The package and its metadata are copied, so that the installed one stays as it is. Both runs must succeed and print the
same text. With --own a third run has fairlead.ffi in place of the package; own_differences.py lists what may differ.

Each run is a process forked from this one, which has imported the frameworks: that takes longer than most scripts.
"""

import argparse
import contextlib
import difflib
import gc
import os
import pathlib
import runpy
import shutil
import signal
import sys

from own_differences import unexpected

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 600


def copy_package(package: pathlib.Path, library: pathlib.Path | None, target: pathlib.Path) -> None:
    """Copies the package to target, with library in place of its own where one is given."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copytree(package, target / "tvm_ffi", ignore=shutil.ignore_patterns("src", "3rdparty"))
    for info in package.parent.glob("apache_tvm_ffi-*.dist-info"):
        # The package looks for its library where its record says.
        shutil.copytree(info, target / info.name)
    if library:
        shutil.copy2(library, target / "tvm_ffi" / "lib" / "libtvm_ffi.so")


def start(
    script: pathlib.Path,
    arguments: list[str],
    packages: pathlib.Path,
    variables: dict[str, str],
    output: pathlib.Path,
) -> int:
    """Run a script as `python script arguments` would, with `packages` as PYTHONPATH; return its exit status.

    It prints to the file `output`, and its errors to a file next to it. Does not return in the process of the script.
    """
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    signal.alarm(SECONDS)
    with (
        open(os.devnull) as nothing,
        output.open("w") as out,
        errors_of(output).open("w") as errors,
    ):
        for descriptor, file in enumerate((nothing, out, errors)):
            os.dup2(file.fileno(), descriptor)
    os.environ.pop("LD_LIBRARY_PATH", None)
    os.environ |= {"PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    sys.dont_write_bytecode = True
    sys.argv = [str(script), *arguments]
    sys.path[0:1] = [str(script.parent), str(packages)]
    os.chdir(output.parent)
    runpy.run_path(str(script), run_name="__main__")
    raise SystemExit(0)


def errors_of(output: pathlib.Path) -> pathlib.Path:
    return output.with_suffix(".errors.txt")


def run(script: pathlib.Path, root: pathlib.Path, output: pathlib.Path) -> int:
    """The script under the package in the folder `root`."""
    variables = {
        "TVM_FFI_CACHE_DIR": str(output.parent / "cache"),
        "TVM_FFI_DISABLE_TORCH_C_DLPACK": "1",
    }
    library = root / "tvm_ffi" / "lib" / "libtvm_ffi.so"
    return start(script, [str(library)], root, variables, output)


def run_own(args: argparse.Namespace, script: pathlib.Path, output: pathlib.Path) -> int:
    """The script over fairlead.ffi, with the package's testing library."""
    variables = {
        "TVM_FFI_CACHE_DIR": str(output.parent / "own_cache"),
        "FAIRLEAD_FORCE_OWN_FFI": "1",
    }
    testing = args.package / "lib" / "libtvm_ffi_testing.so"
    return start(HERE / "own.py", [str(testing), str(script)], args.own, variables, output)


def outputs(
    args: argparse.Namespace, script: pathlib.Path, scratch: pathlib.Path
) -> dict[str, str] | None:
    """Return the script's output on each side. If it fails, print its output and return None."""
    texts = {}
    for side in ("theirs", "ours", *(["own"] if args.own else [])):
        output = scratch / f"{side}.txt"
        if side == "own":
            status = run_own(args, script, output)
        else:
            copy_package(args.package, args.library if side == "ours" else None, scratch / side)
            status = run(script, scratch / side, output)
            shutil.rmtree(scratch / side)
        texts[side] = output.read_text().replace(str(scratch / side), "<package>")
        if status != 0:
            print(f"{script.name} failed with {side} ({status}):")
            print(texts[side][-4000:], errors_of(output).read_text()[-8000:], sep="\n")
            return None
    return texts


def complaint(args: argparse.Namespace, script: pathlib.Path) -> str:
    """Return the fault in the script's output; "" if it is right."""
    scratch = args.scratch / script.stem
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    texts = outputs(args, script, scratch)
    if texts is None:
        return f"{script.name} failed"
    if not texts["theirs"].strip():
        return f"{script.name} printed nothing, so nothing was compared"
    if texts["theirs"] != texts["ours"]:
        lines = difflib.unified_diff(
            texts["theirs"].splitlines(), texts["ours"].splitlines(), "theirs", "ours", lineterm=""
        )
        return "\n".join([f"{script.name} prints other text with Fairlead's library:", *lines])
    lines = unexpected(script.stem, texts["theirs"], texts["own"]) if args.own else []
    if lines:
        return "\n".join([f"{script.name} prints other text with fairlead.ffi:", *lines])
    print(f"{script.name}: {len(texts['theirs'].splitlines())} equal lines", flush=True)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", required=True, type=pathlib.Path, help="its tvm_ffi folder")
    parser.add_argument(
        "--library", required=True, type=pathlib.Path, help="Fairlead's libtvm_ffi.so"
    )
    parser.add_argument("--own", type=pathlib.Path, help="the folder that has fairlead")
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    args.scratch = args.scratch.resolve()
    with contextlib.suppress(ImportError):
        import numpy  # noqa: F401
        import torch  # noqa: F401
    # Each process would visit torch's objects in every collection, and once more when it ends.
    gc.freeze()
    complaints = [complaint(args, script.resolve()) for script in args.scripts]
    print(*filter(None, complaints), sep="\n")
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    sys.exit(main())
