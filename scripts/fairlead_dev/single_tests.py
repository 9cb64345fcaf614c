"""Runs the tests that `./run test PATH... -k EXPRESSION` names, each with the runner of its folder."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import build, environment, line_coverage, steps
from .results import Result, from_junit

_TESTS = steps.ROOT / "tests"
_UNIT, _IR = _TESTS / "unit", _TESTS / "ir"
# Folders that `-k` alone looks through.
_PYTHON = tuple(_TESTS / name for name in ("python", "errors", "aot", "install", "gpu"))
# The definition of a test of GoogleTest, up to the names of its suite and of itself.
_DEFINITION = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
# pytest's status if it ran no test.
_NO_TESTS = 5


def run(
    paths: Sequence[str],
    expression: str | None,
    jobs: int,
    variables: dict[str, str],
    folder: Path,
    coverage: bool = False,
) -> list[Result]:
    """Runs them and returns a result for each runner. `variables` is the environment of the tests, `folder` holds
    the reports. With `coverage`, shows which lines the Python and unit tests execute. Raises StepFailed for a path that
    does not exist."""
    chosen = [_located(path) for path in paths]
    unit = [path for path in chosen if _is_in(path, _UNIT)]
    ir = [path for path in chosen if _is_in(path, _IR)]
    python = [path for path in chosen if path not in unit and path not in ir]
    if expression and not chosen:
        python = [str(path) for path in _PYTHON]
    results = []
    if unit:
        unit_tests = _covered_unit if coverage else _unit
        results.append(unit_tests(unit, expression, jobs, variables, folder / "unit.xml"))
    if ir:
        results.append(_ir(ir, expression, jobs, variables, folder / "ir.xml"))
    if python:
        results += _pytests(python, expression, jobs, variables, folder, coverage)
    return results


def pytest_jobs(jobs: int) -> list[str]:
    """The options of pytest for as many processes."""
    return [f"--numprocesses={jobs}"] if jobs > 1 else []


def _located(path: str) -> str:
    """The path, with pytest's `::name` after it, from the root of the repository or from `tests`."""
    file, separator, name = path.partition("::")
    for start in (Path.cwd(), steps.ROOT, _TESTS):
        if (start / file).exists():
            return f"{(start / file).resolve()}{separator}{name}"
    raise steps.StepFailed(f"./run test: expected a file or folder of tests, but got `{path}`")


def _is_in(path: str, folder: Path) -> bool:
    return Path(path.partition("::")[0]).is_relative_to(folder)


def _covered_unit(
    paths: list[str], expression: str | None, jobs: int, variables: dict[str, str], report: Path
) -> Result:
    """Run unit tests of the coverage build, and show which lines of lib/ they execute."""
    folders = [Path(path) if Path(path).is_dir() else Path(path).parent for path in paths]
    programs = line_coverage.build_unit_tests(folders)
    counters = report.parent / "coverage-unit"
    variables = {**variables, **line_coverage.profiles(counters)}
    result = _unit(paths, expression, jobs, variables, report, line_coverage.BUILD)
    line_coverage.show_cpp(programs, counters)
    return result


def _unit(
    paths: list[str],
    expression: str | None,
    jobs: int,
    variables: dict[str, str],
    report: Path,
    build_folder: Path | None = None,
) -> Result:
    names = _unit_names(paths, expression, build_folder)
    if not names:
        return Result("unit", failed=1, failures=[f"no test of {', '.join(paths)} was chosen"])
    pattern = "^(" + "|".join(re.escape(name) for name in names) + ")$"
    report.unlink(missing_ok=True)
    command = [
        "ctest",
        "--test-dir",
        build_folder or build.BUILD,
        "--output-on-failure",
        "--timeout",
        "300",
    ]
    command += ["--parallel", str(jobs), "--output-junit", report, "-R", pattern]
    status, output = steps.run("chosen unit tests", command, env=variables, check=False)
    return _shown(from_junit("unit", report, status, output), output)


def _unit_names(
    paths: list[str], expression: str | None, build_folder: Path | None = None
) -> list[str]:
    """The names that ctest gives to the tests of these files, of the build in build/ by default."""
    sources = [
        source
        for path in paths
        for source in (sorted(Path(path).rglob("*.cpp")) if Path(path).is_dir() else [Path(path)])
    ]
    defined = {match for source in sources for match in _DEFINITION.findall(source.read_text())}
    listing = subprocess.run(
        ["ctest", "--test-dir", build_folder or build.BUILD, "--show-only=json-v1"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = [test["name"] for test in json.loads(listing)["tests"]]
    return [
        name
        for name in names
        if _definition_of(name) in defined and (expression is None or expression in name)
    ]


def _definition_of(name: str) -> tuple[str, str]:
    """The suite and the test of `Table/RunsOn.Answers/3` as the source has them."""
    suite, _, test = name.partition(".")
    return suite.rpartition("/")[2], test.partition("/")[0]


def _ir(
    paths: list[str], expression: str | None, jobs: int, variables: dict[str, str], report: Path
) -> Result:
    # lit finds its configuration in the build tree, where the folder has the same structure.
    built = build.BUILD / "tests" / "ir"
    chosen = [str(built / Path(path).relative_to(_IR)) for path in paths]
    report.unlink(missing_ok=True)
    command = [environment.python().parent / "lit", "-v", f"-j{jobs}"]
    command += ["--xunit-xml-output", report, *chosen]
    command += ["--filter", re.escape(expression)] if expression else []
    status, output = steps.run("chosen IR tests", command, env=variables, check=False)
    return _shown(from_junit("ir", report, status, output), output)


def _pytests(
    paths: list[str],
    expression: str | None,
    jobs: int,
    variables: dict[str, str],
    folder: Path,
    coverage: bool,
) -> list[Result]:
    """Runs pytest once for each folder of `tests`: modules of two folders may have one name."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(_suite_of(path), []).append(path)
    results = []
    for suite, group in groups.items():
        report = folder / f"chosen-{suite}.xml"
        report.unlink(missing_ok=True)
        counted = folder / f"coverage-{suite}"
        command: list[str | Path] = [environment.python(), "-m"]
        if coverage:
            command = line_coverage.python_command(counted)
        command += ["pytest", "-q", f"--junit-xml={report}"]
        command += [*pytest_jobs(jobs), *group, *(("-k", expression) if expression else ())]
        status, output = steps.run(
            f"chosen tests of {suite}",
            command,
            env=variables,
            check=False,
            accepted=(0, _NO_TESTS),
        )
        if status != _NO_TESTS:
            results.append(_shown(from_junit(suite, report, status, output), output))
            if coverage:
                line_coverage.show_python(counted)
    return results or [Result("pytest", failed=1, failures=["no test was chosen"])]


def _suite_of(path: str) -> str:
    """The folder of `tests` that holds the path; `others` for paths elsewhere."""
    file = Path(path.partition("::")[0])
    parts = file.relative_to(_TESTS).parts if file.is_relative_to(_TESTS) else ()
    return parts[0] if parts else "others"


def _shown(result: Result, output: str) -> Result:
    """Prints the output of a runner if a test failed, unless it was shown already."""
    if result.failed and not steps.verbose:
        print(output)
    return result
