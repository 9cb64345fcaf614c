"""Verbs of ./run. Only the standard library: this runs before anything is installed."""

import importlib
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))


def main() -> int:
    from fairlead_dev.steps import StepFailed

    # Asked to end, it ends the step under way first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    verb = sys.argv[1]
    module = importlib.import_module(f"fairlead_dev.{verb.replace('-', '_')}_verb")
    try:
        return module.main(sys.argv[2:])
    except StepFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
