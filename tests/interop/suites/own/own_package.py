"""A plugin of pytest: the other package's tests over fairlead.ffi, by the names of fairlead.compat.

Private names that tests import are ours where ours is the same thing, else raise NotHere when they are used
(own_names.py). A case that fails by one, or that own_left_out.py lists, is reported as skipped with the reason; a
listed case that passes is reported as failed.
"""

import fnmatch
import importlib
import sys
import types
from typing import Any

import pytest
from own_left_out import LEFT_OUT
from own_names import ABSENT, ABSENT_MODULES, MODULES, SAME, STUBS

import fairlead.compat  # noqa: F401  the names


class NotHere(Exception):
    """A private name that ours does not have was used."""


class Absent:
    """Stands for such a name."""

    def __init__(self, name: str, reason: str) -> None:
        self._text = f"{reason} ({name})"

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotHere(self._text)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotHere(self._text)


class Stub(Absent):
    """Stands for a name of a tool: all that is done with it while tests are collected gives another."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class AbsentModule(types.ModuleType):
    """A module of a tool that ours does not have: its names are there, so that tests can be collected."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(f"{self.__name__}.{name}", STUBS)


class _Stubs:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name == "tvm_ffi.stub" or name.startswith("tvm_ffi.stub."):
            return importlib.util.spec_from_loader(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        return AbsentModule(spec.name)

    def exec_module(self, module: Any) -> None:
        """It has no code."""


def _find(text: str) -> Any:
    module, _, name = text.partition(":")
    return getattr(importlib.import_module(module), name)


def _prepare() -> None:
    sys.meta_path.insert(0, _Stubs())
    for where, names in MODULES.items():
        module = types.ModuleType(f"tvm_ffi.{where}")
        vars(module).update({name: _find(text) for name, text in names.items()})
        sys.modules[module.__name__] = module
    for where, names in SAME.items():
        module = importlib.import_module(f"tvm_ffi.{where}")
        for name, text in names.items():
            setattr(sys.modules[module.__name__], name, _find(text))
    for where, names in ABSENT.items():
        importlib.import_module(f"tvm_ffi.{where}")
        for name, reason in names.items():
            setattr(sys.modules[f"tvm_ffi.{where}"], name, Absent(name, reason))
    for where, reason in ABSENT_MODULES.items():
        sys.modules[f"tvm_ffi.{where}"] = absent = Absent(where, reason)  # type: ignore[assignment]
        setattr(sys.modules["tvm_ffi"], where, absent)
    importlib.import_module("tvm_ffi.testing")  # Tests use its functions without importing it.


_prepare()


def _listed(identity: str) -> str | None:
    for pattern, reason in LEFT_OUT.items():
        if identity == pattern or fnmatch.fnmatchcase(identity, pattern):
            return reason
    return None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    outcome = yield
    report = outcome.get_result()
    reason = _listed(item.nodeid)
    if report.failed:
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, NotHere):
            reason = reason or str(error)
        if reason:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"left out: {reason}")
    elif report.passed and report.when == "call" and item.nodeid in LEFT_OUT:
        report.outcome = "failed"
        report.longrepr = "own_left_out.py lists this case, but it passes"
