"""Every public name has a docstring, and one of a function says what each parameter is."""

import ast
import importlib
import inspect
import re
import textwrap

import pytest

MODULES = """
    fairlead fairlead.checks fairlead.pictures fairlead.tuning fairlead.ops fairlead.jax fairlead.torch
    fairlead.cute fairlead.cute.arch fairlead.cute.math fairlead.cute.runtime fairlead.cute.testing fairlead.cute.nvgpu
    fairlead.cute.nvgpu.cpasync fairlead.cute.nvgpu.tcgen05 fairlead.cute.nvgpu.warp fairlead.cute.nvgpu.warpgroup
    fairlead.ffi fairlead.ffi.cpp fairlead.pipeline fairlead.utils
""".split()

# "see atomic_add", "those of ``rms_norm``": what that docstring names counts here too.
REFERENCE = re.compile(r"(?:[Ss]ee|as in|those of)\s+`*([a-z_]\w*)")


def public(module):
    """(name, value) of the functions and classes that a module offers."""
    if module.startswith(("fairlead.jax", "fairlead.torch")):
        pytest.importorskip(module.removeprefix("fairlead."))
    loaded = importlib.import_module(module)
    for name in loaded.__all__:
        value = getattr(loaded, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            yield name, value


def text_of(value):
    """Return the docstring, with the docstrings that it refers to."""
    text = inspect.getdoc(value) or ""
    home = vars(inspect.getmodule(value) or object)
    for name in REFERENCE.findall(text):
        text += inspect.getdoc(home.get(name)) or "" if name in home else ""
    return text


def unnamed(value):
    """The parameters that the docstring does not mention; ``loc`` and ``ip`` are the same everywhere."""
    if inspect.isclass(value):
        return []
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:  # a builtin function, whose first line of documentation is its signature
        return []
    text = text_of(value)
    taken = (each.name for each in parameters if each.name not in ("self", "loc", "ip"))
    return [name for name in taken if not name.startswith("_") and not mentioned(name, text)]


def mentioned(name, text):
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


@pytest.mark.parametrize("module", MODULES)
def test_there_is_one(module):
    assert [name for name, value in public(module) if not inspect.getdoc(value)] == []


@pytest.mark.parametrize("module", MODULES)
def test_it_names_every_parameter(module):
    found = {name: missing for name, value in public(module) if (missing := unnamed(value))}
    assert found == {}


def own_text(value, name):
    """The docstring of a class's member, without the signature that the bindings begin it with."""
    member = inspect.getattr_static(value, name)
    is_bound = type(member).__name__.startswith("nb_")
    text = (member.__doc__ if is_bound else inspect.getdoc(getattr(value, name))) or ""
    first, _, rest = text.partition("\n\n")
    return rest if re.match(rf"({name})?\(self\b", first) else text


SAYS_ERRORS = re.compile(r"\w*Error\b|\b[Rr]aises?\b|\berrors?\b|\brefused?\b")


def functions(module):
    """(name, function) of a module's functions, and of the methods that its classes define."""
    for name, value in public(module):
        if not inspect.isclass(value):
            yield name, inspect.unwrap(value)
            continue
        for member, function in vars(value).items():
            if not member.startswith("_") and inspect.isfunction(function):
                yield f"{name}.{member}", inspect.unwrap(function)


def raises(function):
    """Return whether the function itself raises; a method that others override does not."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # a builtin function, or what Python has generated
        return False
    errors = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    return any("NotImplementedError" not in ast.unparse(each) for each in errors)


@pytest.mark.parametrize("module", MODULES)
def test_it_says_what_it_raises(module):
    assert [
        name
        for name, function in functions(module)
        if raises(function) and not SAYS_ERRORS.search(text_of(function))
    ] == []


# Fields of objects of the ABI have the registered docstrings.
@pytest.mark.parametrize("module", [each for each in MODULES if each != "fairlead.ffi"])
def test_members_of_classes_have_one(module):
    assert [
        f"{name}.{member}"
        for name, value in public(module)
        if inspect.isclass(value) and (value.__module__ or "").startswith("fairlead")
        for member in dir(value)
        if not member.startswith("_")
        and (
            isinstance(inspect.getattr_static(value, member), property)
            or inspect.isroutine(getattr(value, member))
        )
        and not own_text(value, member)
    ] == []


def test_the_rule_sees_what_is_missing():
    def documented(x, mode):
        """The ``mode`` of x."""

    def silent(x, mode):
        """The mode of a value."""

    def refers(x, mode):
        """See test_docstrings, and no unknown name."""

    def fails(x):
        """Half of x."""
        if x % 2:
            raise ValueError(x)

    assert raises(fails) and not SAYS_ERRORS.search(text_of(fails))
    assert not raises(documented)
    assert unnamed(documented) == []
    assert unnamed(silent) == ["x"]
    assert unnamed(refers) == ["x", "mode"]
