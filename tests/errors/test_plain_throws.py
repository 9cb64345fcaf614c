"""C++ errors that reach Python have an id: the compiler throws what makeError makes, but for a short list."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("lib", "include/fairlead", "python/src")
THROW = re.compile(r"\bthrow(?:_exception\()?\s+([\w:]+)(.*)")
#: Exceptions that any file may throw besides those of makeError, and why they have no id of their own.
ANYWHERE = {
    "std::bad_alloc": "MemoryError: memory is used up",
    "nb::python_error": "an exception of Python, passed on as it is",
    "nanobind::python_error": "an exception of Python, passed on as it is",
    "reject": "what makeError made",
    "rejectRecast": "what makeError made",
    "dsl::withSourceLoc": "an error with an id, and the place of the line",
}
#: Other exceptions, by file: which one, how often, and why it has no id.
ELSEWHERE = {
    "lib/artifact/Artifact.cpp": ("broken", 5, "what makeError made: ArtifactBytes"),
    "lib/base/Diagnostics.cpp": ("std::invalid_argument", 3, "makeNamedError called wrongly"),
    "lib/dsl/ptx/Reader.cpp": ("UnknownPtx", 1, "caught by the reader: the PTX is for a GPU"),
    "lib/ffi/reflection/GeneratedInit.cpp": ("Error", 1, "the error of a field, through the ABI"),
    "lib/frameworks/onnx/Register.cpp": ("Failure", 2, "caught where ONNX Runtime calls"),
    "lib/frameworks/torch/Kernel.cpp": ("std::", 6, "torch's exceptions, through its own calls"),
    "lib/lower/host/HostModule.cpp": ("crashWith", 2, "caught: reportCrash makes CompilerCrash"),
    "lib/lower/machine/CrashGuard.cpp": ("crashWith", 1, "caught: reportCrash makes CompilerCrash"),
}
#: Functions of C that set an exception of Python. Those of fairlead.ffi raise Python's own (docs/errors.md).
SETS = re.compile(
    r"\bPyErr_(?:SetString|Format|SetObject)\(|\bnb::(?:type|value|index|buffer|key)_error\("
)


def code_of(path: Path) -> str:
    """Return a source without comments and texts."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', path.read_text())
    return re.sub(r"//.*", "", text)


def sources() -> list[Path]:
    folders = [ROOT / folder for folder in FOLDERS]
    return [p for folder in folders for p in folder.rglob("*") if p.suffix in (".cpp", ".h")]


def test_throws_have_ids():
    assert len(sources()) > 400
    others: dict[str, list[str]] = {}
    for path in sources():
        for exception, _ in THROW.findall(code_of(path)):
            if exception not in (*ANYWHERE, "makeError"):
                others.setdefault(str(path.relative_to(ROOT)), []).append(exception)
    assert {file: len(names) for file, names in others.items()} == {
        file: count for file, (_, count, _) in ELSEWHERE.items()
    }
    for file, (exception, _, _) in ELSEWHERE.items():
        assert all(name.startswith(exception) for name in others[file]), others[file]


def test_only_the_runtime_raises_exceptions_of_python():
    """The bindings of the compiler raise what makeError makes; one place turns it into an exception of Python."""
    places = {
        str(path.relative_to(ROOT)): len(SETS.findall(code_of(path)))
        for path in sources()
        if "python/src/core" not in str(path) and SETS.search(code_of(path))
    }
    assert places == {"python/src/compiler/Errors.cpp": 1}
