"""``python -m fairlead.compat [options] script.py arguments...``: runs a script with the names of fairlead.compat."""

from __future__ import annotations

import os
import re
import runpy
import sys
from types import TracebackType

_USAGE = """usage: python -m fairlead.compat [--device cpu | --target TARGET] SCRIPT [ARGUMENT...]
  --device cpu      a program that names a GPU, on a machine without one: its tensors lie in the CPU's memory, and its
                    kernels are compiled for the CPU; CUTE_DSL_ARCH names the device's architecture, by default sm_90a,
                    and sm_100a for a script that names tcgen05
  --target TARGET   what kernels are compiled for where the program does not say: cpu, cuda:sm_90a, ..."""


def _fail(message: str) -> int:
    print(f"python -m fairlead.compat: {message}\n{_USAGE}", file=sys.stderr)
    return 2


def _names_tensor_memory(script: str) -> bool:
    """True if the script is one for GPUs with tensor memory, which alone have ``tcgen05``."""
    with open(script, "rb") as source:
        return re.search(rb"\btcgen05\b", source.read()) is not None


def _show_error(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Print an error of the script from the script's first frame on, as Python does for ``python script.py``."""
    from fairlead._tracing.state import hidden_frames

    starters = (__file__, runpy.__file__, "<frozen runpy>")
    if hidden_frames() is not None:
        while traceback is not None and traceback.tb_frame.f_code.co_filename in starters:
            traceback = traceback.tb_next
        error.__traceback__ = traceback
    sys.__excepthook__(kind, error, traceback)


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] in (["--help"], ["-h"]):
        print(_USAGE)
        return 0
    device = None
    while arguments and arguments[0] in ("--device", "--target"):
        if len(arguments) < 2:
            return _fail(f"{arguments[0]} takes a value")
        option, value, *arguments = arguments
        if option == "--target":
            os.environ["FAIRLEAD_TARGET"] = value
        elif value != "cpu":
            return _fail(f"--device is cpu, but got {value}")
        else:
            device = value
    if not arguments or arguments[0].startswith("-"):
        return _fail("no script is named" if not arguments else f"unknown option {arguments[0]}")
    script = arguments[0]
    if not os.path.exists(script):
        print(f"python -m fairlead.compat: no such file: {script}", file=sys.stderr)
        return 2
    if device:
        from fairlead.compat import _cpu_device

        if "CUTE_DSL_ARCH" not in os.environ and _names_tensor_memory(script):
            os.environ["CUTE_DSL_ARCH"] = "sm_100a"
        _cpu_device.install()
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    sys.excepthook = _show_error
    # runpy keeps the source where inspect and tracebacks find it.
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
