"""./run test: builds, then runs every test that this machine can run, or the named ones.

./run test tests/python/ffi/test_enums.py tests/unit/base     files and folders, of pytest, GoogleTest or lit
./run test tests/aot/test_loading.py::test_name               one test of a file
./run test -k narrow                                          Python tests whose name has the word
"""

import argparse
import collections
import concurrent.futures
import os
import time
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import (
    abi_versions,
    build,
    cutlass_headers,
    environment,
    format_verb,
    libraries,
    peer_source,
    single_tests,
    steps,
    wheel_verb,
)
from .results import Result, from_junit, from_outcome

REPORTS = build.BUILD / "reports"
# Folders of Python tests, one pytest process each: a crash in one does not hide the others. tests/python has three
# parts, which take about as long.
_PYTEST_FOLDERS = {
    "python": ("python",),
    "python-dsl": ("python/dsl",),
    "python-ops": ("python/ops", "python/frameworks"),
    "errors": ("errors",),
    "aot": ("aot",),
    "install": ("install",),
    "gpu": ("gpu",),
}
# Parts of a folder that are suites of their own.
_APART_FROM = {"python": ("python/dsl", "python/ops", "python/frameworks")}
# `import fairlead.compat` changes nothing for native programs. compat-first runs these suites of _PYTEST_FOLDERS behind
# it, compat-sample the tests that it changed most often.
_COMPAT_FIRST = ("python", "python-dsl", "python-ops", "errors", "aot")
_COMPAT_SAMPLE = (
    "python/dsl/kernels/test_mistakes_seen_while_tracing.py",
    "python/dsl/kernels/test_unwritten_memory.py",
    "python/dsl/kernels/test_launch_extras.py",
    "python/dsl/test_misspelt_options.py",
    "python/dsl/tensors/test_layouts.py",
    "python/dsl/tensors/test_slices.py",
    "python/dsl/tensors/test_tensors.py",
    "python/dsl/tensors/test_tiled_copy.py",
    "errors/test_errors.py",
)
# Run once more in .venv-peers, where the runtime of apache-tvm-ffi is the one that Fairlead meets.
_BESIDE_APACHE = (
    "test_library.py",
    "test_other_package.py",
    "test_surface.py",
    "test_dataclasses.py",
    "test_enums.py",
)
_IMPORTS_COMPAT = {"FAIRLEAD_TEST_COMPAT_FIRST": "1"}
_SUITE_SECONDS = 1800
# All Python tests in compat-first, one suite after the other.
_COMPAT_FIRST_SECONDS = 7200
# Some modules of libraries each need a process of their own.
_LIBRARIES_SECONDS = 7200
# The other package's tests; some of them compile C++.
_PUBLISHED_SECONDS = 1800
# The other package's own tests: the Python ones under its package with our library, and over fairlead.ffi. ctest has
# those in C++.
_PUBLISHED = ("published", "published-own")
# How many random programs tests draw, how long they damage caches, and whether they run some combinations of values
# only (tests/support/thinned.py), without --long, where the tests' own numbers hold.
_FEWER = {
    "FAIRLEAD_FEWER_CASES": "1",
    "FAIRLEAD_CHECKED_BLOCKS": "10",
    "FAIRLEAD_CHECKED_PROGRAMS": "25",
    "FAIRLEAD_RANDOM_LAYOUTS": "5000",
    "FAIRLEAD_RANDOM_LEVELS": "5",
    "FAIRLEAD_RANDOM_SIGNATURES": "50",
    "FAIRLEAD_RANDOM_PROGRAMS": "50",
    "FAIRLEAD_RANDOM_BLOCKS": "10",
    "FAIRLEAD_RANDOM_INDICES": "250",
    "FAIRLEAD_RANDOM_TILES": "20",
    "FAIRLEAD_STATE_PROGRAMS": "50",
    "FAIRLEAD_TORTURE_SECONDS": "5",
}
_is_long = False
# Number of tests at a time (-n). None: a unit or IR test for each processor, and one Python test.
_jobs: int | None = None
# Jobs of their own: they run if --only names them.
_APART = ("abi-matrix", "compat-first", "libraries", "headers")
# The longest part.
_NOT_QUICK = (*_PUBLISHED, "wheel")


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    steps.verbose = options.verbose
    global _is_long
    _is_long = options.long
    start = time.monotonic()
    if options.paths or options.expression:
        results = _run_chosen(options)
    else:
        results = _run_suites(options)
    total = Result.sum(results)
    print(f"\nTests took {time.monotonic() - start:.0f} s.")
    for result in results:
        for case in result.failures:
            print(f"FAILED {result.name}: {case}")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed or not total.passed + total.skipped else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run test",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="run the tests of a file or folder"
    )
    parser.add_argument(
        "-k",
        dest="expression",
        metavar="EXPRESSION",
        help="run the tests whose name fits (as for pytest)",
    )
    parser.add_argument(
        "-n", dest="jobs", type=int, metavar="JOBS", help="run as many tests at a time"
    )
    parser.add_argument("--quick", action="store_true", help=f"leave out {', '.join(_NOT_QUICK)}")
    parser.add_argument(
        "--only", action="append", choices=list(_suites()), help="run this suite only (repeatable)"
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="draw several times as many random programs, and run all combinations of cases",
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="also show which lines the tests of PATH execute: of the Python package, or of lib/ for tests/unit",
    )
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    options = parser.parse_args(arguments)
    if (options.paths or options.expression) and (options.quick or options.only):
        parser.error("PATH and -k name single tests, --only and --quick suites: give one of both")
    if options.coverage and not options.paths:
        parser.error("--coverage shows what the tests of one folder or file execute: give a PATH")
    if options.coverage and (options.jobs or 1) > 1:
        parser.error("--coverage counts in one process: expected no -n, or 1")
    if options.jobs is not None and options.jobs < 1:
        parser.error(f"expected 1 or more as JOBS of -n, but got {options.jobs}")
    return options


def _run_chosen(options: argparse.Namespace) -> list[Result]:
    """Runs the tests that the command line names."""
    try:
        _prepare(["chosen"])
        return single_tests.run(
            options.paths,
            options.expression,
            options.jobs or 1,
            test_environment(),
            REPORTS,
            options.coverage,
        )
    except steps.StepFailed as failure:
        print(failure)
        return [Result("chosen", failed=1)]


def _run_suites(options: argparse.Namespace) -> list[Result]:
    """Runs suites, all of them or those of the options."""
    suites = _suites()
    chosen = [
        name
        for name in suites
        if name in (options.only or [name for name in suites if name not in _APART])
        and not (options.quick and name in _NOT_QUICK)
    ]
    try:
        _prepare(chosen)
    except steps.StepFailed as failure:
        print(failure)
        return [Result("build", failed=1)]
    global _jobs
    _jobs = options.jobs
    return _run_at_once(chosen)


def _run_at_once(names: Sequence[str]) -> list[Result]:
    """Run suites, one more at a time than there are processors: some tests wait for a moment or for other processes.

    Suites start in the order of `names`. Returns the results in the order in which the suites end.
    """
    executor = concurrent.futures.ThreadPoolExecutor(build.jobs() + 1)
    running = {executor.submit(_outcome, name): name for name in names}
    results = []
    start = time.monotonic()
    try:
        while running:
            done, _ = concurrent.futures.wait(
                running, steps.HEARTBEAT, concurrent.futures.FIRST_COMPLETED
            )
            for future in done:
                del running[future]
                results.append(future.result())
                results[-1].show()
            if not done:
                under_way = [name for future, name in running.items() if future.running()]
                print(f"  {', '.join(under_way)} ... {time.monotonic() - start:.0f} s", flush=True)
    except BaseException:  # interrupted: no other suite starts, and those under way end
        executor.shutdown(wait=False, cancel_futures=True)
        steps.end_all()
        raise
    executor.shutdown()
    return results


def _outcome(name: str) -> Result:
    """The result of a suite; a step that fails is a failed test."""
    try:
        return _suites()[name](name)
    except steps.StepFailed as failure:
        print(failure)
        return Result(name, failed=1, failures=["a step of the suite failed"])


def _suites() -> dict[str, Callable[[str], Result]]:
    """Return the suites by name. The longest come first: while they run, the others fill the remaining processors."""
    return {
        **dict.fromkeys(("python", "python-dsl", "python-ops"), _pytest),
        "wheel": _wheel,
        "published": _published,
        "published-own": _published_own,
        **dict.fromkeys(("aot", "install"), _pytest),
        "unit": _unit,
        "compat-sample": _compat_sample,
        "format": _format,
        "errors": _pytest,
        "apache": _beside_apache,
        "ir": _ir,
        "gpu": _pytest,
        "abi-matrix": _abi_matrix,
        "libraries": _libraries,
        "headers": _headers,
        "compat-first": _compat_first,
    }


def _prepare(chosen: list[str]) -> None:
    if set(chosen) == {"format"}:
        return
    environment.ensure("build")
    with concurrent.futures.ThreadPoolExecutor() as beside:
        # Tests need these packages. What is built before them does not.
        packages = beside.submit(environment.ensure, "demo", "test", aside=True)
        # The unit tests hold the interop tests, which compile against the peer's headers.
        if {"unit", "apache", *_PUBLISHED} & set(chosen):
            wants = bool(set(_PUBLISHED) & set(chosen))
            fetching = beside.submit(peer_source.ensure) if wants else None
            environment.ensure("peers", name=".venv-peers")
            if fetching:
                fetching.result()
        if "abi-matrix" in chosen:
            abi_versions.ensure()
        if "libraries" in chosen:
            libraries.ensure()
        if "headers" in chosen:
            cutlass_headers.ensure()
        build.build()
        packages.result()
    # Tests start hundreds of processes, which write no bytecode of their own.
    steps.run(
        "compile the Python files",
        [environment.python(), "-m", "compileall", "-q", build.PACKAGE_PATH],
        quiet=True,
    )
    REPORTS.mkdir(parents=True, exist_ok=True)


def test_environment() -> dict[str, str]:
    """Return the environment of every test: the build tree's package, and where builds and peers are."""
    peers = environment.python(".venv-peers")
    fewer = {} if _is_long else {name: os.environ.get(name, _FEWER[name]) for name in _FEWER}
    return {
        **build.package_environment(),
        **fewer,
        "FAIRLEAD_BUILD_DIR": str(build.BUILD),
        "FAIRLEAD_PEERS_PYTHON": str(peers) if peers.exists() else "",
    }


def _format(name: str) -> Result:
    findings = format_verb.run(check=True)
    for tool, output in findings:
        print(f"{tool} (./run format mends most of it):\n{format_verb.excerpt(output)}")
    return from_outcome(name, format_verb.TOOLS, [tool for tool, _ in findings])


def _unit(name: str) -> Result:
    report = REPORTS / "unit.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", build.BUILD, "--output-on-failure", "--timeout", "300"]
    command += ["--parallel", str(_jobs or build.jobs()), "--output-junit", report]
    status, output = steps.run(
        "unit tests",
        command,
        env=test_environment(),
        check=False,
        timeout=_SUITE_SECONDS,
        aside=True,
    )
    return from_junit(name, report, status, output)


def _ir(name: str) -> Result:
    folders = [build.BUILD / "tests" / "ir", steps.ROOT / "tests" / "ir"]
    configured = [
        folder
        for folder in folders
        if any((folder / file).exists() for file in ("lit.site.cfg.py", "lit.cfg.py"))
    ]
    if not configured:
        return Result(name, note="no tests/ir")
    report = REPORTS / "ir.xml"
    report.unlink(missing_ok=True)
    lit = environment.python().parent / "lit"
    command = [lit, "-v", "--xunit-xml-output", report, configured[0]]
    status, output = steps.run(
        "IR tests", command, env=test_environment(), check=False, timeout=_SUITE_SECONDS, aside=True
    )
    return from_junit(name, report, status, output)


def _pytest(name: str) -> Result:
    return _run_pytest(name, environment.python(), _selection(name))


def _selection(suite: str) -> list:
    """Return pytest's arguments for the folders of a suite."""
    folders = [steps.ROOT / "tests" / folder for folder in _PYTEST_FOLDERS[suite]]
    return [*folders, *(f"--ignore=tests/{folder}" for folder in _APART_FROM.get(suite, ()))]


def _beside_apache(name: str) -> Result:
    folder = steps.ROOT / "tests" / "python" / "ffi"
    files = [folder / file for file in _BESIDE_APACHE]
    return _run_pytest(name, environment.python(".venv-peers"), files)


def _compat_sample(name: str) -> Result:
    files = [steps.ROOT / "tests" / file for file in _COMPAT_SAMPLE]
    return _run_pytest(name, environment.python(), files, variables=_IMPORTS_COMPAT)


def _compat_first(name: str) -> Result:
    """Run the Python tests behind `import fairlead.compat`, each suite in a process of its own."""
    results = [
        _run_pytest(
            f"{name}-{suite}",
            environment.python(),
            _selection(suite),
            variables=_IMPORTS_COMPAT,
            timeout=_COMPAT_FIRST_SECONDS,
        )
        for suite in _COMPAT_FIRST
    ]
    return Result.sum(results, name)


def _published(name: str) -> Result:
    """The Python tests of apache-tvm-ffi, under its package with our library; ctest has those in C++."""
    return _run_published(name, ["--library", build.BUILD / "lib" / "libtvm_ffi.so"])


def _published_own(name: str) -> Result:
    """Run the same tests with fairlead.ffi in place of the package."""
    return _run_published(name, ["--own", build.PACKAGE_PATH])


def _run_published(name: str, side: list) -> Result:
    source = peer_source.folder()
    if not source:
        reasons = collections.Counter({"no source package of apache-tvm-ffi": 1})
        return Result(name, skipped=1, reasons=reasons)
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    runner = steps.ROOT / "tests" / "interop" / "suites" / "python_suite.py"
    command = [environment.python(), runner, "--source", source]
    command += ["--package", build.apache_folder(), *side, "--report", report]
    command += ["--scratch", build.BUILD / name, "--jobs", str(max(1, build.jobs() - 1))]
    label = f"the other package's own tests ({name})"
    status, output = steps.run(label, command, check=False, timeout=_PUBLISHED_SECONDS, aside=True)
    return from_junit(name, report, status, output)


def _run_pytest(
    name: str,
    python: Path,
    selection: list,
    variables: Mapping[str, str] = types.MappingProxyType({}),
    timeout: int = _SUITE_SECONDS,
) -> Result:
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        f"--junit-xml={report}",
        # Tests of a file may share slow fixtures.
        *(("--dist=loadfile", *single_tests.pytest_jobs(_jobs)) if _jobs else ()),
        *selection,
    ]
    status, output = steps.run(
        f"pytest {name}",
        command,
        env={**test_environment(), **variables},
        check=False,
        timeout=timeout,
        aside=True,
    )
    return from_junit(name, report, status, output)


def _abi_matrix(name: str) -> Result:
    """Published binaries and headers of many versions of apache-tvm-ffi, with our runtime and with theirs."""
    return _run_pytest(name, environment.python(), [steps.ROOT / "tests" / "abi_matrix"])


def _libraries(name: str) -> Result:
    """Published libraries of kernels over fairlead.compat, compared with the counts of an earlier run."""
    selection = [steps.ROOT / "tests" / "libraries"]
    return _run_pytest(name, environment.python(), selection, timeout=_LIBRARIES_SECONDS)


def _headers(name: str) -> Result:
    """Compare words, descriptors and layouts of instructions with the results of CUTLASS's headers."""
    return _run_pytest(name, environment.python(), [steps.ROOT / "tests" / "headers"])


def _wheel(name: str) -> Result:
    wheel_verb.build_and_try()
    return Result(name, passed=1)
