"""Errors about programs have an id: the language's own rooms raise no bare exception of Python."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "fairlead"
BINDINGS = PACKAGE.parent / "src"
ROOMS = (
    "_tracing",
    "checks.py",
    "cute",
    "kernels",
    "pipeline",
    "ops",
    "jax",
    "torch",
    "tuning",
    "utils",
)
PLAIN = {"TypeError", "ValueError", "RuntimeError", "NotImplementedError"}
# Plain Python functions: files, for each why and how many of its errors are Python's own.
PYTHONS_OWN = {
    "_tracing/language.py": (
        "range() and range_constexpr() called with keywords that they do not have",
        2,
    ),
    "cute/_argument_texts.py": ("arguments of a manifest, which compile_set() reports", 3),
    "cute/_binding.py": ("what inspect.Signature.bind says of a call", 1),
    "cute/_compile_events.py": ("on_compile() of no function", 1),
    "cute/_kernels.py": ("asked too early: smem_usage()", 1),
    "cute/_native_struct.py": ("a class called with other fields than it has", 3),
    "cute/_warm.py": ("arguments of compile_set() and files of manifests", 5),
    "cute/export/aot_config.py": ("a function of the command line", 1),
    "cute/testing.py": ("arguments of benchmark() and JitArguments", 5),
    "torch/_op.py": ("an operator called with other names than it has", 1),
    "utils/_latex.py": ("pictures as LaTeX", 3),
}


def plain_errors(path: Path) -> int:
    return sum(
        isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id in PLAIN
        # A method that a class has to have.
        and bool(node.exc.args)
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_the_languages_errors_have_ids():
    found = {}
    for room in ROOMS:
        files = [PACKAGE / room] if room.endswith(".py") else sorted((PACKAGE / room).rglob("*.py"))
        for path in files:
            if count := plain_errors(path):
                found[str(path.relative_to(PACKAGE))] = count
    assert found == {name: count for name, (_, count) in PYTHONS_OWN.items()}


def test_the_bindings_errors_have_ids():
    sources = [path for path in BINDINGS.rglob("*") if path.suffix in (".cpp", ".h")]
    assert sources
    assert [path.name for path in sources if 'throw Error("' in path.read_text()] == []
