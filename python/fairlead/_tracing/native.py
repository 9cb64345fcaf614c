"""Calls of the compiler's functions with arguments of other types, in the terms of the program that made them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fairlead import _compiler
from fairlead._hints import nearest
from fairlead.errors import DSLError, make_error

_REFUSED = re.compile(
    r"(?P<function>\w+)\(\): incompatible function arguments\. The following argument types are supported:\n"
    r"    1\. \w+\((?P<parameters>.*)\) -> .*\n\n"
    r"Invoked with types: (?P<given>.*)\Z"
)
#: Classes that are written as others in annotations: what may be passed for them.
_ALSO = {"float": {"int"}, "Sequence": {"list", "tuple"}, "int": {"bool"}}


def refused(error: TypeError) -> DSLError | None:
    """Return the refusal of a compiled function with one form as a diagnostic. It names the first keyword that the
    function does not have, else the first argument of another type, else an argument that is missing or too much. None
    if the text is none of a refusal."""
    match = _REFUSED.match(str(error))
    if match is None:
        return None
    parameters = [
        parameter
        for parameter in _split(match["parameters"])
        if parameter not in ("*", "/") and not parameter.startswith("**")
    ]
    positional, _, keyed = match["given"].partition("kwargs = ")
    arguments, keywords = _split(positional), re.findall(r"(\w+):", keyed)
    method = bool(parameters) and parameters[0] == "self"
    names = [_name(parameter) for parameter in parameters]
    unknown = next((keyword for keyword in keywords if keyword not in names), None)
    if unknown is not None:
        return make_error(
            "KeywordUnknown", help=meant(unknown, names), function=match["function"], got=unknown
        )
    for index, (parameter, got) in enumerate(zip(parameters, arguments, strict=False)):
        name, _, hint = parameter.partition(":")
        expected = _classes(hint.partition("=")[0])
        is_none = _last(got) == "NoneType" and "None" not in expected
        if not hint or ("object" in expected and not is_none) or _fits(_last(got), expected):
            continue
        return make_error(
            "ArgumentAnnotation",
            function=match["function"],
            index=index - method,
            name=name,
            expected=" or ".join("a value" if cls == "object" else f"a {cls}" for cls in expected),
            got={"nb_type": "a class", "type": "a class", "NoneType": "None"}.get(
                _last(got), _last(got)
            ),
        )
    missing = next(
        (
            name
            for name, parameter in zip(names[len(arguments) :], parameters[len(arguments) :])
            if "=" not in parameter and name not in keywords
        ),
        None,
    )
    if missing is None and len(arguments) <= len(names):
        return None
    return make_error(
        "ArgumentKind",
        function=match["function"],
        expected=f"at most {len(names) - method} arguments"
        if missing is None
        else f"an argument `{missing}`",
        got=str(len(arguments) - method) if missing is None else "none",
    )


def meant(keyword: str, names: Iterable[str]) -> str | None:
    """Return the advice to write the nearest of the names; None if none is near."""
    name = nearest(keyword, [name for name in names if name != "self"])
    return f"did you mean `{name}`?" if name else None


def keywords_of(function: str) -> list[str]:
    """Return the names of the parameters of all methods of this name."""
    classes = [cls for cls in vars(_compiler).values() if isinstance(cls, type)]
    methods = [vars(cls).get(function) for cls in classes]
    texts = [
        re.match(r"\w+\((.*)\) -> ", getattr(method, "__doc__", "") or "") for method in methods
    ]
    return [_name(parameter) for text in texts if text for parameter in _split(text[1])]


def _name(parameter: str) -> str:
    return re.split(r"[:=]", parameter)[0].strip(" *")


def kind_of(value: object) -> str:
    """Return what messages call a value: the name of its class, or that it is a class itself. A class of another
    package gets the package's name if a class of ours has the same name (``torch.Tensor``)."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name, package = type(value).__name__, type(value).__module__.partition(".")[0]
    return f"{package}.{name}" if package != "fairlead" and hasattr(_compiler, name) else name


def _split(text: str) -> list[str]:
    """The entries of a list, divided by commas outside of brackets."""
    return [part.strip() for part in re.split(r",(?![^\[\(]*[\]\)])", text) if part.strip()]


def _last(name: str) -> str:
    return name.strip().rpartition(".")[2]


def _classes(hint: str) -> list[str]:
    names = re.findall(r"[\w.]+", re.sub(r"\[[^\]]*\]", "", hint))
    return [_last(name) for name in names]


def _fits(got: str, expected: list[str]) -> bool:
    cls = getattr(_compiler, got, None)
    if isinstance(cls, type) and any(base.__name__ in expected for base in cls.__mro__):
        return True
    if got == "NoneType":
        return "None" in expected
    return got in expected or any(got in _ALSO.get(name, ()) for name in expected)
