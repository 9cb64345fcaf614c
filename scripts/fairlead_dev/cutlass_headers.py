"""CUTLASS's C++ headers (BSD-3), for tests/headers: in build/cutlass-headers, and nothing else of their wheel."""

from . import build, wheels

_PACKAGE = "nvidia-cutlass==4.2.0.0"


def ensure() -> None:
    """Fetches them if they are not there. The tests skip without them."""
    folder = build.BUILD / "cutlass-headers"
    folder.mkdir(parents=True, exist_ok=True)
    wheels.fetch(
        _PACKAGE,
        folder / _PACKAGE,
        folder / "wheels",
        lambda name: "/include/cute/" in name or "/include/cutlass/" in name,
    )
