"""Runs a script of this folder with fairlead.ffi in place of the apache-tvm-ffi package.

Usage: own.py <libtvm_ffi_testing.so> <script>. ``tvm_ffi.testing`` is own_testing.py, over that library.
"""

import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys

from fairlead import ffi


class Substitute(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tvm_ffi.x as fairlead.ffi.x."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "tvm_ffi":
            return None
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        if spec.name == "tvm_ffi.testing":
            return importlib.import_module("own_testing")
        return importlib.import_module("fairlead.ffi" + spec.name.removeprefix("tvm_ffi"))

    def exec_module(self, module):
        """It has run."""


def main() -> None:
    _, testing, script = sys.argv
    os.environ["OWN_TESTING_LIBRARY"] = testing
    sys.meta_path.insert(0, Substitute())
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        (library,) = {line.split()[-1] for line in maps if line.rstrip().endswith("/libtvm_ffi.so")}
    assert os.path.samefile(ffi.LIB._name, library)
    ffi.LIB._name = library
    sys.argv = [script, library]
    # The package prints its own name.
    importlib.import_module("tvm_ffi.testing")
    runpy.run_path(script, run_name="__main__")


main()
