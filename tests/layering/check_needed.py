"""Fails where a library needs another one that its layer must not know.

    check_needed.py LIBRARY... --forbid PATTERN...

PATTERN is a regular expression for the start of a library's name, such as `libLLVM` or `libpython`.
"""

import argparse
import re
import subprocess
import sys


def needed_by(library: str) -> list[str]:
    """The names in the library's NEEDED entries."""
    command = ["readelf", "--dynamic", "--wide", library]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Dynamic section" not in listed:
        raise SystemExit(f"{library} is not a dynamic library")
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--forbid", nargs="+", required=True)
    options = parser.parse_args()
    failed = False
    for library in options.libraries:
        for name in needed_by(library):
            for pattern in options.forbid:
                if re.match(pattern, name):
                    print(f"{library} needs {name}, which matches the forbidden {pattern}")
                    failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
