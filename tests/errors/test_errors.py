"""Each diagnostic of the table has a case that provokes it; its kind and text are those of the table."""

import builtins
import importlib
import re
from pathlib import Path

import pytest
from diagnostic_calls import help_rows
from error_cases import CASES, HELPS

import fairlead
from fairlead import _compiler

for module in (
    "cases_arguments",
    "cases_atoms",
    "cases_blocks",
    "cases_cache",
    "cases_calls",
    "cases_options",
    "cases_compile",
    "cases_frameworks",
    "cases_help",
    "cases_kernels",
    "cases_loading",
    "cases_mistakes",
    "cases_tracing",
    "cases_tuning",
):
    importlib.import_module(module)

TABLE = {id: (kind, text) for id, kind, text in _compiler.diagnostics()}
ROOT = Path(__file__).resolve().parents[2]

# Diagnostics that Python on one machine cannot provoke: the test that does, as (file, name).
ELSEWHERE = {
    "CudaCall": ("tests/unit/runtime/cuda/CudaLaunchTest.cpp", "NamesAMissingKernel"),
    "CudaDeviceId": ("tests/unit/runtime/cuda/CudaLaunchTest.cpp", "NamesAMissingDevice"),
    "CudaDriver": ("tests/unit/runtime/cuda/CudaLaunchTest.cpp", "NoDriver"),
    "CudaImage": ("tests/unit/runtime/cuda/CudaLaunchTest.cpp", "ListsImagesWhenNoneFits"),
    "CudaLaunch": ("tests/unit/runtime/cuda/CudaLaunchTest.cpp", "ExplainsTooManyThreads"),
    "KernelParamsLoaded": ("tests/unit/artifact/KernelTest.cpp", "TheDriversParametersAreCompared"),
    "LaunchCluster": ("tests/unit/runtime/cpu/CpuLaunchTest.cpp", "RejectsClusters"),
    "ParameterCount": ("tests/unit/dsl/SignatureBuilderTest.cpp", "NamesAndArgumentsMustMatch"),
    "SymbolUnbound": ("tests/unit/entry/EntrySymbolTest.cpp", "AProductNeedsValues"),
}

# Diagnostics that the runtime and the loader raise through the open ABI: plain Python exceptions,
# without an id. Some are the text of another process.
THROUGH_THE_ABI = set(
    """
    HostForeign ThreadsWait ArgumentCount ArgumentType TensorDType TensorNdim ExtentStatic ExtentSymbol
    ExtentDivisibility ExtentRange TensorDevice TensorOnHost TensorDeviceId StrideMismatch
    ArgumentsOverlap TensorAlignment CpuLevel AssertionFailed CheckFailed LaunchOverflow LaunchDivision
    LaunchRange TensorDTypeChoice KernelCompile LibraryUnreadable LibraryNotElf
    LibraryTruncated LibraryCorrupt LibraryArchitecture LibraryUntrusted LibraryKind
    TensorNull PointerNull PointerAlignment ScalarRange LaunchGridNegative LaunchGridSize
    LaunchExtentRange LaunchBlockSize LaunchSharedMemory WholeTensorExtent LoadedOverlap
    ThreadCount LaunchOutOfMemory TensorMemoryUse LoadFailed XlaBuffers XlaNumber XlaElementType XlaRank
    XlaBatch XlaProgram HandlerCode TorchTangent TorchOverlap TorchOperator TorchVersion
    """.split()
)

# Lines that mark the user's source: only errors of tracing have them.
MARKED = re.compile(r"^.*:\d+: (.*)\n    \S.*\n +\^~*$", re.S)
# The last line of some: what to write instead.
HELP = re.compile(r"\n    help: [^\n]+$")


def pattern(text: str) -> re.Pattern[str]:
    """Return a pattern for a diagnostic's text, with anything for its placeholders."""
    return re.compile(
        "".join(
            ".*" if part.startswith("{") else re.escape(part)
            for part in re.split(r"(\{[^}]*\})", text)
        ),
        re.S,
    )


@pytest.mark.parametrize("id", TABLE)
def test_has_a_case(id):
    if id in ELSEWHERE:
        file, name = ELSEWHERE[id]
        assert re.search(rf"\bTEST\w*\(\w+, {name}\)", (ROOT / file).read_text()), (
            f"{file} has no test {name}"
        )
    else:
        assert id in CASES, f"no case under tests/errors provokes {id}"


def test_no_case_without_a_diagnostic():
    assert set(CASES) | set(ELSEWHERE) <= set(TABLE)


@pytest.mark.parametrize("id", CASES)
def test_case(id, request):
    function = CASES[id]
    kind, text = TABLE[id]
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    arguments = {name: request.getfixturevalue(name) for name in names}
    with pytest.raises(getattr(builtins, kind, None) or getattr(fairlead, kind)) as caught:
        function(**arguments)
    message = HELP.sub("", str(caught.value))
    marked = MARKED.match(message)
    assert pattern(text).fullmatch(marked.group(1) if marked else message), message
    if isinstance(caught.value, fairlead.DSLError):
        assert caught.value.diagnostic == id
    else:
        assert id in THROUGH_THE_ABI


#: The help texts of each diagnostic, in the order of the table.
HELP_TEXTS: dict[str, list[str]] = {}
for help_id, _, help_text in help_rows():
    HELP_TEXTS.setdefault(help_id, []).append(help_text)


def test_each_help_text_has_a_case():
    rows = {(id, number) for id, texts in HELP_TEXTS.items() for number in range(len(texts))}
    assert set(HELPS) == rows


@pytest.mark.parametrize(("id", "number"), HELPS)
def test_help(id, number):
    with pytest.raises(fairlead.DSLError) as caught:
        HELPS[id, number]()
    assert caught.value.diagnostic == id
    assert pattern(HELP_TEXTS[id][number]).fullmatch(caught.value.help), caught.value
    assert str(caught.value).endswith(f"\n    help: {caught.value.help}")


TRACED = [
    ("UndefinedName", "b[0] = a[0] + no_such_name", "no_such_name"),
    ("CarriedType", "n = 10.5", "n"),
    ("BreakInLoop", "break", "break"),
    ("IndexType", "b[0] = a[1.5]", "a[1.5]"),
    ("OperatorOperands", "b[0] = a[0] & 3", "a[0] & 3"),
    ("StoreType", "b[0] = a[0]", "b[0]"),
]


@pytest.mark.parametrize(("id", "line", "expression"), TRACED, ids=[entry[0] for entry in TRACED])
def test_marks_line_and_expression(id, line, expression):
    with pytest.raises(fairlead.DSLError) as caught:
        CASES[id]()
    place, source, marker = HELP.sub("", str(caught.value)).split("\n")
    file, number, _ = place.split(":", 2)
    assert (
        file.endswith("cases_tracing.py")
        and line in Path(file).read_text().splitlines()[int(number) - 1]
    )
    assert source.strip().startswith(line)
    assert source[marker.index("^") : len(marker)] == expression


def test_the_process_goes_on():
    """After every error, compiling and calling work, on this thread too."""
    import kernels
    import numpy as np

    for id in ("UndefinedName", "CarriedType", "HostValueInKernel", "ArgumentType"):
        with pytest.raises(Exception, match="."):
            CASES[id]()
        assert not _compiler.tracing()
    a, b = kernels.zeros(), kernels.zeros()
    a[:] = 3
    kernels.compiled()(a, b)
    np.testing.assert_array_equal(b, 6)
