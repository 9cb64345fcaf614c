"""Shared by the scripts of this folder: printing results and errors so that two runs can be compared."""

import sys

import tvm_ffi


def check_library() -> None:
    """The run means nothing unless the library is the one that was put in place."""
    expected = sys.argv[1]
    assert tvm_ffi.LIB._name == expected, (tvm_ffi.LIB._name, expected)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loaded = {line.split()[-1] for line in maps if line.rstrip().endswith("/libtvm_ffi.so")}
    assert loaded == {expected}, loaded


def show(label: str, call, *args, **kwargs):
    """Print the result of a call, or its error."""
    try:
        result = call(*args, **kwargs)
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {error}")
        return None
    print(f"{label}: {type(result).__name__} {result!r}")
    return result


check_library()
