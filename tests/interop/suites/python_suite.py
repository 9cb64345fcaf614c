"""Runs the Python tests of apache-tvm-ffi's source package under its installed package, with Fairlead's libtvm_ffi.so.

    python_suite.py --source DIR --package DIR --library FILE --scratch DIR [--report FILE] [--jobs N] [FILE...]
    python_suite.py --source DIR --package DIR --own DIR --scratch DIR [--report FILE] [--jobs N] [FILE...]

With --own, the folder of Fairlead's package, they run over fairlead.ffi in place of the package; the folder own/ says
which cases are left out and why. At least LEAST of the cases that name nothing of the extension module have to pass.

Each test file is a process of its own, forked by file_runner.py. What fails is run once more with the package's own
library: what fails there too is not the library's doing (a missing compiler, a framework of another version), and is
reported as skipped. Ends with 1 where a test passes with the package's own library only.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "package"))
from compare import copy_package  # noqa: E402

# Tests that need another language's compiler, or a GPU; and those of a library for torch, which takes minutes to
# build and uses nothing of libtvm_ffi.so.
LEFT_OUT = (
    *("rust_static_init", "stubgen_rust", "cubin_launcher", "current_work_stream_gpu"),
    "optional_torch_c_dlpack",
)
# These compile C++ and take longest: first.
SLOW = ("load_inline", "build", "build_inline")
SECONDS = 900
LEAST = 0.95


class Side:
    """The package with one of the two libraries, and the folders of its runs."""

    def __init__(self, args: argparse.Namespace, name: str, library: pathlib.Path | None):
        self.folder = args.scratch / name
        self.tests = self.folder / "tests"
        self.site = self.folder / "site"
        copy_package(args.package, library, self.site)
        shutil.copytree(args.source / "tests" / "python", self.tests)
        # Without it pytest would take the settings of the folder above.
        (self.tests / "pytest.ini").write_text("[pytest]\n")
        # Programs of the package, such as tvm-ffi-config, start whichever interpreter runs the tests.
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for name, module in (
            ("tvm-ffi-config", "tvm_ffi.config"),
            ("tvm-ffi-stubgen", "tvm_ffi.stub.cli"),
        ):
            self._write_program(name, f'"{sys.executable}" -m {module} "$@"')
        # The tests wait for the compiler, not for the compiled programs; a later run finds them in the cache.
        wrapper, copies = HERE / "cached_compiler.py", self.folder / "sources"
        for name in ("c++", "g++"):
            if compiler := shutil.which(name):
                self._write_program(
                    name, f'"{sys.executable}" "{wrapper}" "{copies}" "{compiler}" "$@"'
                )
        # A process that runs files one after another, for each thread that asks for them.
        self._runner_of_thread = threading.local()
        self._runners: list[subprocess.Popen] = []

    def _write_program(self, name: str, command: str) -> None:
        program = self.programs / name
        program.write_text(f"#!/bin/sh\nexec {command}\n")
        program.chmod(0o755)

    def environment(self) -> dict[str, str]:
        settings = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("TVM_FFI_", "PYTEST_"))
        }
        for name in ("LD_LIBRARY_PATH", "PYTHONHOME"):
            settings.pop(name, None)
        settings["PYTHONPATH"] = str(self.site)
        settings["PYTHONDONTWRITEBYTECODE"] = "1"
        # Each run writes the programs above again, with the same text.
        settings["CCACHE_COMPILERCHECK"] = "content"
        settings["PATH"] = os.pathsep.join(
            [str(self.programs), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
        )
        settings.setdefault("MAX_JOBS", "2")
        return settings

    def run(self, name: str, cases: list[str] | None = None) -> list[ElementTree.Element]:
        """The cases of one file, or those of the given ids; a process that ends otherwise is a failed case."""
        work = self.folder / "work" / name
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        report = work / "report.xml"
        arguments = ["-q", "-p", "no:cacheprovider", "--basetemp", str(work / "tmp")]
        arguments += ["--junit-xml", str(report), *(cases or [str(self.tests / f"{name}.py")])]
        status = self._run_pytest(arguments, work)
        try:
            found = list(ElementTree.parse(report).iter("testcase"))
        except (OSError, ElementTree.ParseError):
            found = []
        if status not in (0, 1) or not found:
            lost = ElementTree.Element("testcase", classname=name, name="(process)")
            text = (work / "log.txt").read_text(errors="replace")[-4000:]
            ElementTree.SubElement(
                lost, "failure", message=f"ended with status {status}"
            ).text = text
            found.append(lost)
        return found

    def _run_pytest(self, arguments: list[str], work: pathlib.Path) -> int:
        """Run pytest in a process of its own, with its output in work/log.txt; return its exit status."""
        order = {
            "arguments": arguments,
            "folder": str(self.tests),
            "variables": {"TVM_FFI_CACHE_DIR": str(work / "cache")},
            "log": str(work / "log.txt"),
            "seconds": SECONDS,
        }
        if not hasattr(self._runner_of_thread, "process"):
            self._runner_of_thread.process = subprocess.Popen(
                [sys.executable, str(HERE / "file_runner.py")],
                env=self.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._runners.append(self._runner_of_thread.process)
        runner = self._runner_of_thread.process
        runner.stdin.write(json.dumps(order) + "\n")
        runner.stdin.flush()
        return int(runner.stdout.readline())

    def end(self) -> None:
        for runner in self._runners:
            runner.communicate()


class OwnSide(Side):
    """fairlead.ffi in place of the package."""

    def __init__(self, args: argparse.Namespace):
        super().__init__(args, "own", None)
        self.site = args.own
        self.adapter = HERE / "own"
        self.testing = args.package / "lib"

    def environment(self) -> dict[str, str]:
        settings = super().environment()
        settings["PYTHONPATH"] = os.pathsep.join([str(self.site), str(self.adapter)])
        settings["LD_LIBRARY_PATH"] = str(self.testing)  # libtvm_ffi_testing.so
        settings["FAIRLEAD_FORCE_OWN_FFI"] = "1"
        settings["PYTEST_PLUGINS"] = "own_package"
        return settings


def left_out(case: ElementTree.Element) -> str | None:
    """Why a case was left out; None for others."""
    skipped = case.find("skipped")
    reason = skipped.get("message") or "" if skipped is not None else ""
    return reason.partition("left out: ")[2] or None


def share(cases: list[ElementTree.Element]) -> bool:
    """Print how many of the cases that do not use the extension module pass; return True if they are enough."""
    reasons = [reason for reason in map(left_out, cases) if reason]
    for reason, count in collections.Counter(
        re.sub(r" \(.*", "", each) for each in reasons
    ).most_common():
        print(f"left out, {count}: {reason}")
    internal = sum(reason.startswith("cython:") for reason in reasons)
    passed = sum(not failed(case) and case.find("skipped") is None for case in cases)
    counted = passed + sum(map(failed, cases)) + len(reasons) - internal
    print(f"{passed} of {counted} cases pass, {internal} more name what is of the extension module")
    return counted > 0 and passed >= LEAST * counted


def identity(case: ElementTree.Element) -> str:
    """Return pytest's name of the case: `test_x.py::Class::test`."""
    module, *classes = (case.get("classname") or "").split(".")
    return "::".join([f"{module}.py", *classes, case.get("name") or ""])


def failed(case: ElementTree.Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def judge(theirs: Side, name: str, cases: list[ElementTree.Element]) -> None:
    """Marks as skipped what fails with the package's own library as well."""
    broken = [case for case in cases if failed(case)]
    if not broken:
        return
    whole = any(case.get("name") == "(process)" for case in broken)
    again = theirs.run(name, None if whole else [identity(case) for case in broken])
    also = {identity(case) for case in again if failed(case)}
    for case in broken:
        if identity(case) in also:
            for child in list(case):
                case.remove(child)
            ElementTree.SubElement(
                case, "skipped", message="fails with the package's own library as well"
            )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--source", required=True, type=pathlib.Path, help="the unpacked source package"
    )
    parser.add_argument(
        "--package", required=True, type=pathlib.Path, help="the installed tvm_ffi folder"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--library", type=pathlib.Path, help="Fairlead's libtvm_ffi.so")
    which.add_argument("--own", type=pathlib.Path, help="the folder that has fairlead")
    parser.add_argument(
        "--scratch", required=True, type=pathlib.Path, help="a folder to work in, emptied first"
    )
    parser.add_argument("--report", type=pathlib.Path, help="where the JUnit report goes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", help="test files; every one without them")
    args = parser.parse_args()
    for name in ("source", "package", "library", "own", "scratch"):
        if getattr(args, name):
            setattr(args, name, getattr(args, name).resolve())
    shutil.rmtree(args.scratch, ignore_errors=True)
    ours = OwnSide(args) if args.own else Side(args, "ours", args.library)
    theirs = Side(args, "theirs", None)
    left_out = {f"test_{name}" for name in LEFT_OUT}
    slow = {f"test_{name}" for name in SLOW}
    names = args.files or sorted(
        {path.stem for path in ours.tests.glob("test_*.py")} - left_out,
        key=lambda name: (name not in slow, name),
    )
    suite = ElementTree.Element("testsuite", name="python_suite")
    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def one(name: str) -> list[ElementTree.Element]:
        cases = ours.run(name)
        judge(theirs, name, cases)
        return cases

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, cases in zip(names, pool.map(one, names), strict=True):
            suite.extend(cases)
            for case in cases:
                kind = (
                    "failed"
                    if failed(case)
                    else "skipped"
                    if case.find("skipped") is not None
                    else "passed"
                )
                counts[kind] += 1
                if kind == "failed":
                    print(f"FAILED {identity(case)}")
            print(f"{name}: {len(cases)} cases", flush=True)
    ours.end()
    theirs.end()
    if args.report:
        ElementTree.ElementTree(suite).write(args.report)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    enough = share(list(suite)) if args.own else counts["passed"] > 0
    return 1 if counts["failed"] or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
