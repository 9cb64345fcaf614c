"""Functions fit on a screen; no file is dead, and no declaration."""

import ast
import collections
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("lib", "python/src")
MOST_LINES = 70

#: Beginnings of lines with an opening brace that are no functions.
OTHER_BLOCK = re.compile(
    r"(if|for|while|switch|do|else|try|catch|namespace|class|struct|union|enum|extern|template)\b"
)
LABEL = re.compile(r"(public|private|protected|default|case .*):")
#: Functions that consist of a table of bindings.
BINDINGS = re.compile(r"void bind\w+\(nb::module_ &m\)")
DECLARATION = re.compile(
    r"^(?!\s*(?:return|else|throw|using|#)\b)[ \w:<>,&*\[\]]*[\s&*](\w+)\([^;{}]*\)[^;{}()]*;"
)
COMMENT = re.compile(r"//[^\n]*")


def files(*suffixes: str, folders=FOLDERS) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return [path for path in found if path.suffix in suffixes and "build" not in path.parts]


def cpp_functions(source: str) -> list[tuple[str, int]]:
    """Return the first line and the number of lines of each function.

    clang-format has written the source: a function ends with a line that only has a brace, indented
    as the line that the function begins with.
    """
    lines = source.splitlines()
    starts = {}  # by indentation
    functions = []
    for number, line in enumerate(lines):
        text = line.strip()
        if not text or text.startswith(("#", "//")) or LABEL.fullmatch(text):
            continue
        indent = len(line) - len(line.lstrip())
        if text == "}" and indent in starts:
            start = starts[indent]
            head = " ".join(lines[start:number]).split("{")[0].strip()
            if "(" in head and not OTHER_BLOCK.match(head):
                functions.append((head, number - start + 1))
        if not text.startswith("}"):
            starts[indent] = number
    return functions


def python_functions(source: str) -> list[tuple[str, int]]:
    return [
        (node.name, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def occurrences(paths: list[Path]) -> collections.Counter:
    """Count words in C++ outside of comments."""
    words = collections.Counter()
    for path in paths:
        words.update(re.findall(r"\w+", COMMENT.sub("", path.read_text())))
    return words


def declared(source: str) -> set[str]:
    """Return the names of functions that a header declares and does not define."""
    statements = re.split(r"(?<=[;{}:])\n", COMMENT.sub("", source))
    return {match[1] for text in statements if (match := DECLARATION.match(" ".join(text.split())))}


def test_functions_fit_on_a_screen():
    functions = [
        (path, head, size)
        for path in files(".cpp", ".h", ".c")
        for head, size in cpp_functions(path.read_text())
        if not BINDINGS.match(head)
    ]
    functions += [
        (path, *function)
        for path in files(".py")
        for function in python_functions(path.read_text())
    ]
    assert len(functions) > 4000, "the functions were not found"
    assert [
        f"{path.relative_to(ROOT)}: {head} has {size} lines"
        for path, head, size in functions
        if size > MOST_LINES
    ] == []


def test_no_file_is_dead():
    """A build file, or the table of models, names each source; another source includes each header and table."""
    rules = [*ROOT.rglob("lib/**/CMakeLists.txt"), *ROOT.glob("python/**/CMakeLists.txt")]
    rules += [*ROOT.glob("cmake/*.cmake"), *ROOT.glob("python/**/*.cmake"), ROOT / "CMakeLists.txt"]
    built = {word for path in rules for word in re.findall(r"[\w./-]+", path.read_text())}
    built = {word.rsplit("/")[-1] for word in built}
    models = (ROOT / "lib/lower/cpu/collective/Models.def").read_text()
    built |= {f"{name}.cpp" for name in re.findall(r"^FAIRLEAD_CPU_MODEL\((\w+)\)", models, re.M)}
    sources = files(".cpp", ".h", ".c", ".def", ".td", folders=(*FOLDERS, "include", "tests"))
    included = {
        name.rsplit("/")[-1]
        for path in sources
        for name in re.findall(r'^ *#? *include ["<]([\w./-]+)[">]', path.read_text(), re.MULTILINE)
    }
    assert [
        str(path.relative_to(ROOT))
        for path in files(".cpp", ".h", ".c", ".def", ".td")
        if path.name not in built | included
    ] == []


def test_no_declaration_is_dead():
    """A function of an internal header is named elsewhere than in its declaration and its definition."""
    words = occurrences(
        files(".cpp", ".h", ".c", ".def", ".td", folders=(*FOLDERS, "include", "tests"))
    )
    names = {
        (str(path.relative_to(ROOT)), name)
        for path in files(".h")
        for name in declared(path.read_text())
    }
    assert len(names) > 900, "the declarations were not found"
    assert sorted(f"{path}: {name}" for path, name in names if words[name] <= 2) == []


#: Tables of C functions that Python calls, and what stands in them besides functions.
TABLE = re.compile(
    r"\bPy(MethodDef|GetSetDef|Type_Slot|ModuleDef_Slot) [\w:]+(\[\])? = \{.*?\};", re.DOTALL
)
GUARD = re.compile(r"(slot|method|propertyGetter|propertySetter)<\w+>\(\)")
NO_FUNCTION = re.compile(
    r"\bPy_\w+|METH_\w+|T_\w+|\bconst_cast<char \*>|reinterpret_cast<void \*>\((?=Py)"
    r"|\bPy[A-Z]\w+(?=[,)])|\b(nullptr|methods|members|properties)\b"
)
DIRECTIVE = re.compile(r"^#.*", re.MULTILINE)
STRING = re.compile(r'"(\\.|[^"\\])*"')


def unguarded(source: str) -> list[str]:
    """Return the functions in tables of Python that let C++ exceptions through (Guarded.h)."""
    tables = [
        match[0].split("=", 1)[1]
        for match in TABLE.finditer(DIRECTIVE.sub("", COMMENT.sub("", STRING.sub("", source))))
    ]
    rows = [NO_FUNCTION.sub("", GUARD.sub("", table)) for table in tables]
    return [name for row in rows for name in re.findall(r"[A-Za-z_]\w*", row)]


def test_python_calls_guarded_functions():
    """No C++ exception reaches Python, which is C: it would end the process."""
    sources = {path: path.read_text() for path in files(".cpp", folders=("python/src/core",))}
    assert sum(len(TABLE.findall(source)) for source in sources.values()) > 30
    assert {path.name: names for path, text in sources.items() if (names := unguarded(text))} == {}
    called = [
        (path.name, name)
        for path, source in sources.items()
        for name in re.findall(r"vectorcall = ([\w:<>]+);", source)
        if not name.startswith("Guarded<") and f"::{name}(" not in source
    ]
    assert called == [("Function.cpp", "callFunction")]
    invoke = next(source for path, source in sources.items() if path.name == "Invoke.cpp")
    body = re.search(r"::callFunction\([^)]*\) \{\n(.*?)\n\}", invoke, re.DOTALL)[1]
    ends = set(re.findall(r"return (\w+)\(", body))
    assert ends == {"callArranged", "callPositional"}
    for name in ends:
        assert re.search(rf" \*{name}\([^)]*\) \{{\n  return guarded\(", invoke)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('PyMethodDef all[] = {{"f", method<f>(), METH_O, "It is g."}, {}};', []),
        ('PyMethodDef all[] = {{"f", f, METH_O, nullptr}, {"g", method<g>(), METH_O}, {}};', ["f"]),
        ('PyGetSetDef all[] = {{"x", propertyGetter<x>(), setX, nullptr, nullptr}, {}};', ["setX"]),
        (
            "PyType_Slot slots[] = {{Py_tp_new, slot<create>()}, {Py_tp_methods, methods}, {0, nullptr}};",
            [],
        ),
        ("PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)}};", ["create"]),
        ("PyType_Slot slots[] = {{Py_tp_free, reinterpret_cast<void *>(PyObject_GC_Del)}};", []),
    ],
)
def test_unguarded_functions_are_found(source, names):
    assert [name for name in unguarded(source) if name not in ("reinterpret_cast", "void")] == names


@pytest.mark.parametrize(
    ("source", "functions"),
    [
        ("int one(int x,\n        int y) {\n  return x;\n}\n", [("one", 4)]),
        ("class A {\npublic:\n  A(int x)\n      : x(x) {\n    go();\n  }\n};\n", [("A", 4)]),
        ("void f() {\n  if (g()) {\n    h();\n  }\n}\n", [("f", 5)]),
        ("void f() {\n\n#if 1\n  g();\n#endif\n}\n", [("f", 6)]),
        ("namespace a {\nint x;\n}\n", []),
    ],
)
def test_lines_of_functions_are_counted(source, functions):
    found = [(re.search(r"(\w+)\(", head)[1], size) for head, size in cpp_functions(source)]
    assert found == functions


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("/// f(x);\nint f(int x);\n", {"f"}),
        ("  std::optional<int>\n  first(int x, const std::vector<int> &y) const;\n", {"first"}),
        ("int f(int x) { return g(x); }\n", set()),
        ("  return f(x);\n", set()),
    ],
)
def test_declarations_are_found(source, names):
    assert declared(source) == names


#: Tests that may compare with a clock: what benchmark() measures.
OF_CLOCKS = {"test_benchmarks.py": 1}


def test_assertions_need_no_fast_machine():
    """Tests count what happens; a busy machine is no fault."""
    asserted: collections.Counter[str] = collections.Counter()
    for path in files(".py", folders=("tests",)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assert):
                owners = [n.value for n in ast.walk(node) if isinstance(n, ast.Attribute)]
                asserted[path.name] += any(
                    isinstance(owner, ast.Name) and owner.id == "time" for owner in owners
                )
    assert {name: count for name, count in asserted.items() if count} == OF_CLOCKS
