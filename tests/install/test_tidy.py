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
