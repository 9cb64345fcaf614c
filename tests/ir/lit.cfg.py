"""FileCheck tests of the lowering: `lit build/tests/ir` runs them."""

import os

import lit.formats

config.name = "fairlead-ir"
config.test_format = lit.formats.ShTest()
config.suffixes = [".ll", ".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.fairlead_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
