"""Checks that a program that includes one published header sees with ours all the headers that it sees with theirs.

includes.py THEIR_INCLUDE_FOLDER OUR_INCLUDE_FOLDER
"""

import pathlib
import re
import sys

#: Header of theirs -> what ours does not show with it, and why.
MISSING = {
    name: {
        "tvm/ffi/type_traits.h": "ours is written with the class Object, theirs the other way around"
    }
    for name in (
        "tvm/ffi/error.h",
        "tvm/ffi/memory.h",
        "tvm/ffi/object.h",
        "tvm/ffi/extra/cuda/base.h",
        "tvm/ffi/extra/cuda/device_guard.h",
        "tvm/ffi/extra/cuda/internal/unified_api.h",
    )
}
INCLUDE = re.compile(r'^\s*#\s*include [<"](tvm/ffi/[^>"]+)[>"]', re.MULTILINE)


def seen(folder: str) -> dict[str, set[str]]:
    """Header -> all that it includes, itself too."""
    root = pathlib.Path(folder)
    direct = {
        str(path.relative_to(root)): set(INCLUDE.findall(path.read_text()))
        for path in (root / "tvm" / "ffi").rglob("*.h")
    }

    def walk(name: str, found: set[str]) -> set[str]:
        if name not in found:
            found.add(name)
            for other in direct.get(name, ()):
                walk(other, found)
        return found

    return {name: walk(name, set()) for name in direct}


def main() -> int:
    theirs, ours = seen(sys.argv[1]), seen(sys.argv[2])
    wrong = [f"{name} is not there" for name in sorted(theirs.keys() - ours.keys())]
    for name in sorted(theirs.keys() & ours.keys()):
        # Headers named details hold no public names.
        public = {each for each in theirs[name] & ours.keys() if "_detail" not in each}
        lacking, known = public - ours[name], MISSING.get(name, {}).keys()
        wrong += [f"{name} does not show {each}" for each in sorted(lacking - known)]
        wrong += [f"{name} is listed, but shows {each}" for each in sorted(known - lacking)]
    print(*wrong, sep="\n")
    print(f"{len(theirs)} headers compared")
    return 1 if wrong or not theirs else 0


if __name__ == "__main__":
    sys.exit(main())
