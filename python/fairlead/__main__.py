"""``python -m fairlead``: the command line."""

import sys

from fairlead.cli import main

if __name__ == "__main__":
    sys.exit(main())
