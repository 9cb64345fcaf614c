"""Published versions of apache-tvm-ffi, and packages built with them, for tests/abi_matrix: in build/abi-versions.

Each has its own folder, and none is installed.
"""

from . import build, wheels

FOLDER = build.BUILD / "abi-versions"
# The last of each minor version, from the oldest that is supported, and those in between that changed a layout.
_APACHE = (
    *("0.1.9", "0.1.10", "0.1.11", "0.1.12", "0.1.13", "0.1.13.post0", "0.1.13.post1", "0.1.13.post3"),
    *("0.1.14", "0.1.14.post1", "0.1.15.post2"),
)  # fmt: skip
# Wheels with binaries that were built with some of these. The older xgrammar calls what 0.1.13 took away.
_USERS = ("xgrammar==0.2.3", "xgrammar==0.2.8")


def ensure() -> None:
    """Fetches the wheels that are not there. What cannot be fetched is skipped by the tests."""
    for requirement in (*(f"apache-tvm-ffi=={version}" for version in _APACHE), *_USERS):
        name, _, version = requirement.partition("==")
        wheels.fetch(requirement, FOLDER / name / version, FOLDER / "wheels")
