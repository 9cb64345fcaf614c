"""Runs one script under the apache-tvm-ffi package twice: with its own libtvm_ffi.so, and with Fairlead's in its place.

The package and its metadata are copied, so that the installed one stays as it is. Both runs must succeed and print the
same text. With --own a third run has fairlead.ffi in place of the package; own_differences.py lists what may differ.
"""

import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys

from own_differences import unexpected


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


def run(
    python: str, script: pathlib.Path, root: pathlib.Path, scratch: pathlib.Path
) -> subprocess.CompletedProcess:
    environment = dict(os.environ)
    environment["PYTHONPATH"] = str(root)
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["TVM_FFI_CACHE_DIR"] = str(scratch / "cache")
    environment["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"
    environment.pop("LD_LIBRARY_PATH", None)
    command = [python, str(script), str(root / "tvm_ffi" / "lib" / "libtvm_ffi.so")]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=600, cwd=scratch
    )


def run_own(args: argparse.Namespace, scratch: pathlib.Path) -> subprocess.CompletedProcess:
    """The script over fairlead.ffi, with the package's testing library."""
    environment = {**os.environ, "PYTHONPATH": str(args.own), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["TVM_FFI_CACHE_DIR"] = str(scratch / "own_cache")
    environment["FAIRLEAD_FORCE_OWN_FFI"] = "1"
    testing = args.package / "lib" / "libtvm_ffi_testing.so"
    own = pathlib.Path(__file__).resolve().with_name("own.py")
    command = [args.python, str(own), str(testing), str(args.script.resolve())]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=600, cwd=scratch
    )


def outputs(args: argparse.Namespace, scratch: pathlib.Path) -> dict[str, str] | None:
    """Return the script's output on each side; None and the reason if it fails."""
    runs = {}
    for side, library in (("theirs", None), ("ours", args.library)):
        copy_package(args.package, library, scratch / side)
        runs[side] = run(args.python, args.script.resolve(), scratch / side, scratch)
        shutil.rmtree(scratch / side)
    if args.own:
        runs["own"] = run_own(args, scratch)
    texts = {}
    for side, done in runs.items():
        texts[side] = done.stdout.replace(str(scratch / side), "<package>")
        (scratch / f"{side}.txt").write_text(texts[side] + "\n--- stderr ---\n" + done.stderr)
        if done.returncode != 0:
            print(f"{args.script.name} failed with {side} ({done.returncode}):")
            print(texts[side][-4000:], done.stderr[-8000:], sep="\n")
            return None
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="an interpreter that has apache-tvm-ffi")
    parser.add_argument("--package", required=True, type=pathlib.Path, help="its tvm_ffi folder")
    parser.add_argument(
        "--library", required=True, type=pathlib.Path, help="Fairlead's libtvm_ffi.so"
    )
    parser.add_argument("--own", type=pathlib.Path, help="the folder that has fairlead")
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("script", type=pathlib.Path)
    args = parser.parse_args()

    scratch = args.scratch / args.script.stem
    shutil.rmtree(scratch, ignore_errors=True)
    texts = outputs(args, scratch)
    if texts is None:
        return 1
    if not texts["theirs"].strip():
        print("nothing was printed, so nothing was compared")
        return 1
    if texts["theirs"] != texts["ours"]:
        print(f"{args.script.name} prints other text with Fairlead's library:")
        lines = difflib.unified_diff(
            texts["theirs"].splitlines(), texts["ours"].splitlines(), "theirs", "ours", lineterm=""
        )
        print("\n".join(lines))
        return 1
    found = unexpected(args.script.stem, texts["theirs"], texts["own"]) if args.own else []
    if found:
        print(f"{args.script.name} prints other text with fairlead.ffi:", *found, sep="\n")
        return 1
    print(f"{args.script.name}: {len(texts['theirs'].splitlines())} equal lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
