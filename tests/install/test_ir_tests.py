"""Every pass and every operation has a test in tests/ir."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests/ir"

#: A function of a header that takes a program or a part of it. A class of a pass on LLVM IR.
STEP = re.compile(
    r"^(?:void|bool|int|std::unique_ptr<mlir::Pass>) (\w+)\(([^()]*)\);|^struct (\w+) : llvm::PassInfoMixin",
    re.MULTILINE,
)
PROGRAM = re.compile(
    r"(?<!const )\b(ModuleOp|GPUModuleOp|GPUFuncOp|llvm::Module|Operation \*(root|device|kernel))\b"
)
#: They change nothing, or are part of a step.
NO_STEPS = {"verifyTraced", "holdsCollective", "finishGuards", "removeGuardNotes", "fillsRegisters"}

OPERATION = re.compile(r'^def Fairlead_(\w+Op) : (\w+)<"([\w.]+)"', re.MULTILINE)
MESSAGE = re.compile(r"emitOpError\((.*?);", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: An annotation of an error, the number of lines below which it stands, and its text.
ERROR = re.compile(r"expected-error@\+(\d+) \{\{(.*?)\}\}")


def output(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def registered_passes(build_dir: Path) -> set[str]:
    tools = build_dir / "bin"
    if not (tools / "fairlead-opt").exists():
        pytest.skip("this build has no tools for tests of IR")
    names = re.findall(r"--(fairlead-[\w-]+)", output(tools / "fairlead-opt", "--help"))
    return {*names, *output(tools / "fairlead-llvm-opt", "--print-passes").split()}


def passes_of_tests() -> set[str]:
    runs = [
        line
        for path in TESTS.rglob("*.*l*")
        if path.suffix in (".mlir", ".ll")
        for line in path.read_text().splitlines()
        if "RUN:" in line
    ]
    return {name for line in runs for name in re.findall(r"fairlead-[\w-]+", line)}


def operations() -> dict[str, str]:
    """Return the operations of lib/ir: the mnemonics by the names of the classes."""
    found = {}
    for table in (ROOT / "lib/ir").glob("*.td"):
        for name, base, mnemonic in OPERATION.findall(table.read_text()):
            prefix = "tcgen05." if base.startswith("TensorMemory") else ""
            found[name] = prefix + mnemonic
    return found


def expected_errors() -> list[tuple[str, str]]:
    """Return the errors that tests of operations expect, each with the line that has it."""
    found = []
    for path in (TESTS / "ops").glob("*-invalid.mlir"):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if match := ERROR.search(line):
                found.append((match[2], lines[number + int(match[1])]))
    return found


def test_registered_passes_have_tests(build_dir):
    registered = registered_passes(build_dir)
    assert len(registered) > 40, "the tools listed no passes"
    assert registered - passes_of_tests() == set()


def test_steps_of_pipelines_are_registered():
    tools = "\n".join(path.read_text() for path in (TESTS / "tools").glob("*.cpp"))
    steps = {
        function or structure
        for folder in ("lib/lower", "lib/check/compile")
        for path in (ROOT / folder).rglob("*.h")
        for function, parameters, structure in STEP.findall(path.read_text())
        if structure or function.startswith("create") or PROGRAM.search(parameters)
    }
    assert {"packSums", "splitKeptLoads", "createBranchesPass", "BreakLongChains"} <= steps
    assert NO_STEPS <= steps
    assert {step for step in steps - NO_STEPS if not re.search(rf"\b{step}\b", tools)} == set()


def test_operations_have_valid_forms():
    """A test of an operation parses it and checks how it is printed."""
    names = operations()
    assert len(names) > 30, "the tables of lib/ir were not read"
    checks = "\n".join(
        line
        for path in (TESTS / "ops").glob("*.mlir")
        if not path.stem.endswith("-invalid")
        for line in path.read_text().splitlines()
        if "CHECK" in line
    )
    untested = {
        name
        for name in names.values()
        if not re.search(rf"fairlead\.{re.escape(name)}(?![\w.])", checks)
    }
    assert untested == set()


def test_errors_of_verifiers_have_tests():
    source = (ROOT / "lib/ir/Verifiers.cpp").read_text()
    texts = [text for text, _ in expected_errors()]
    messages = MESSAGE.findall(source)
    assert len(messages) == source.count("emitOpError(")
    patterns = [".*".join(re.escape(part) for part in LITERAL.findall(text)) for text in messages]
    assert [p for p in patterns if not any(re.search(p, text) for text in texts)] == []


def test_operations_have_an_error():
    """A test expects an error of each operation, of its own verifier or of the one made from the table."""
    lines = "\n".join(line for _, line in expected_errors())
    names = operations().values()
    assert [
        name for name in names if not re.search(rf"fairlead\.{re.escape(name)}(?![\w.])", lines)
    ] == []
