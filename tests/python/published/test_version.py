"""Programs that ask for the version of the CuTe DSL get the one whose names fairlead.compat has."""

import subprocess
import sys

PROGRAM = """
import importlib.metadata as metadata
try:
    installed = metadata.version("nvidia-cutlass-dsl")
except metadata.PackageNotFoundError:
    installed = None
import fairlead.compat
from fairlead.compat._version import VERSION
import cutlass
assert cutlass.__version__ == VERSION
assert tuple(map(int, VERSION.split("."))) >= (4, 8)
for name in ("nvidia-cutlass-dsl", "nvidia_cutlass_dsl"):
    assert metadata.version(name) == (installed or VERSION), name
assert metadata.distribution("nvidia-cutlass-dsl").metadata["Name"].replace("_", "-") == "nvidia-cutlass-dsl"
try:
    metadata.version("no-such-package")
except metadata.PackageNotFoundError as error:
    print(error)
"""


def test_programs_see_the_version_of_the_names():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "no-such-package" in done.stdout
