"""./run test-aarch64: builds for AArch64 and runs tests under qemu.

All tests of C++; of Python's, those of the language, calls, errors, checks, export and loading. Emulated programs are
about ten times slower, so ./run test leaves this out.

Needs Debian 12, and Linux 6.7 or an entry for qemu-aarch64 in binfmt_misc.
"""

import argparse
from pathlib import Path

from . import aarch64_build, aarch64_system, build, steps
from .results import Result, from_junit

REPORTS = aarch64_build.BUILD / "reports"
_RUN = steps.ROOT / "scripts" / "run_aarch64.sh"
_NICE = ("nice", "-n", "15")
_SECONDS = 3000
_TESTS = steps.ROOT / "tests"
# By folder of tests/, one process of pytest each. None needs torch or jax.
_PYTHON = {
    "python": """
        dsl/arguments/test_call_values.py dsl/arguments/test_named_extents.py dsl/arguments/test_pointer_arguments.py
        dsl/arguments/test_symbols.py dsl/checks dsl/compile/test_compiled_function.py dsl/compile/test_threads.py
        dsl/control_flow/test_carried_values.py dsl/control_flow/test_control_flow.py dsl/direct_calls/test_kinds.py
        dsl/kernels/test_assertions.py dsl/kernels/test_bits.py dsl/kernels/test_block.py dsl/kernels/test_print.py
        dsl/numbers/test_division.py dsl/numbers/test_fused.py dsl/numbers/test_math.py dsl/numbers/test_operators.py
        dsl/numbers/test_saturation.py dsl/numbers/test_shifts.py dsl/numbers/test_wide_integers.py
        dsl/tensors/test_registers.py dsl/tensors/test_slices.py dsl/tensors/test_tensors.py
        dsl/tensors/test_tiled_copy.py ffi/test_calls_from_threads.py ffi/test_library.py
    """,
    "errors": "test_errors.py",
    "aot": "",
    "install": "test_symbol_versions.py",
}
# Beginnings of the names of tests that cannot pass here, and why.
_LEFT_OUT = {
    "python/dsl/numbers/test_fused.py::test_cpu_without_the_instruction": "it is about levels of x86-64",
    "errors/test_errors.py::test_case[CpuLevel]": "it is about levels of x86-64",
    "errors/test_errors.py::test_case[LaunchOutOfMemory]": "qemu sets no limit on memory",
    "errors/test_errors.py::test_case[LoadFailed]": "qemu sets no limit on memory",
    **{
        f"errors/test_errors.py::test_case[{name}": "it needs torch or jax"
        for name in ("Framework", "HandlerCode", "Jax", "TensorNull", "Torch", "Xla")
    },
    "aot/test_container.py::test_in_a_bare_root": "it lists the libraries of a static program",
    "aot/test_inspect_exports.py::test_names_that_are_not_the_functions_own": "it names levels of x86-64",
    "aot/test_plain_arguments.py::test_every_header_compiles": "it names levels of x86-64",
    "aot/test_signed_exports.py::test_programs_in_c": "its programs do not inherit where the emulator finds libraries",
}


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    steps.verbose = options.verbose
    try:
        python = aarch64_build.build_all()
    except steps.StepFailed as failure:
        print(failure)
        return 1
    REPORTS.mkdir(parents=True, exist_ok=True)
    suites = {"unit": _unit, **dict.fromkeys(_PYTHON, _python)}
    results = []
    for name in options.only or suites:
        results.append(suites[name](name, python))
        results[-1].show()
    total = Result.sum(results)
    for result in results:
        for case in result.failures:
            print(f"FAILED {result.name}: {case}")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed or not total.passed else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run test-aarch64",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=("unit", *_PYTHON),
        help="run this suite only (repeatable)",
    )
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    return parser.parse_args(arguments)


def test_environment() -> dict[str, str]:
    """Return the environment of emulated tests: the package, the sysroot's libraries, compilers for AArch64."""
    return {
        "PYTHONPATH": str(aarch64_build.BUILD / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "FAIRLEAD_BUILD_DIR": str(aarch64_build.BUILD),
        "FAIRLEAD_PEERS_PYTHON": "",
        "FAIRLEAD_EMULATED": "1",
        # A tenth of the programs that depend on no processor.
        "FAIRLEAD_RANDOM_LAYOUTS": "2500",
        "QEMU_LD_PREFIX": str(aarch64_system.SYSROOT),
        "PATH": aarch64_system.path(),
    }


def _run(name: str, label: str, command: list, report: Path) -> Result:
    report.unlink(missing_ok=True)
    status, output = steps.run(
        label, [_RUN, *_NICE, *command], env=test_environment(), check=False, timeout=_SECONDS
    )
    return from_junit(name, report, status, output)


def _unit(name: str, python: Path) -> Result:
    report = REPORTS / "unit.xml"
    command = [
        "ctest",
        "--test-dir",
        aarch64_build.BUILD,
        "--output-on-failure",
        "--timeout",
        "900",
    ]
    command += ["--parallel", str(build.jobs()), "--output-junit", report]
    return _run(name, "unit tests for AArch64", command, report)


def _python(name: str, python: Path) -> Result:
    report = REPORTS / f"{name}.xml"
    folder = _TESTS / name
    command = [python, "-m", "pytest", "-q", "--timeout=900", f"--junit-xml={report}"]
    command += [f"--numprocesses={build.jobs()}", "--dist=loadfile"]
    command += [f"--deselect=tests/{test}" for test in _LEFT_OUT if test.startswith(f"{name}/")]
    command += [folder / path for path in _PYTHON[name].split()] or [folder]
    return _run(name, f"tests of {name} for AArch64", command, report)
