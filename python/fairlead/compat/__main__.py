"""``python -m fairlead.compat script.py arguments...``: runs a script with the names of fairlead.compat."""

from __future__ import annotations

import os
import runpy
import sys


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: python -m fairlead.compat SCRIPT [ARGUMENT...]", file=sys.stderr)
        return 2
    script = sys.argv[1]
    if not os.path.exists(script):
        print(f"python -m fairlead.compat: no such file: {script}", file=sys.stderr)
        return 2
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    # runpy keeps the source where inspect and tracebacks find it.
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
