"""``fairlead-config``: where the headers and libraries of this installation are.

Prints one line for each option given. Runs without the compiler, the runtime or any other package::

    g++ -shared -fPIC kernel.cpp $(fairlead-config --cxxflags --ldflags --libs) -o kernel.so
    g++ program.cpp $(fairlead-config --dsl) -o program
"""

import os.path
import sys

from fairlead import __version__

_ROOT = os.path.dirname(os.path.abspath(__file__))


def include_dir() -> str:
    """Folder of ``tvm/ffi/*.h`` and ``fairlead/*.h``."""
    return os.path.join(_ROOT, "include")


def dlpack_include_dir() -> str:
    """Folder of ``dlpack/dlpack.h``."""
    return include_dir()


def lib_dir() -> str:
    """Folder of ``libtvm_ffi.so``, ``libcuda_dialect_runtime.so`` and ``libfairlead.so``."""
    return os.path.join(_ROOT, "lib")


def cmake_dir() -> str:
    """Prefix for CMake: ``-Dfairlead_ROOT=$(fairlead-config --cmakedir)``, or ``tvm_ffi_ROOT``."""
    return os.path.join(_ROOT, "share", "cmake")


def source_dir() -> str:
    """Folder of the package."""
    return _ROOT


def lib_files() -> str:
    """Return the library that a kernel library links, with its folder."""
    return os.path.join(lib_dir(), "libtvm_ffi.so")


def runtime_libraries(*, enable_tvm_ffi: bool = True) -> list[str]:
    """Return the libraries that an exported object is linked with, with their folder.

    Raises FileNotFoundError, naming the library and where it was looked for.
    """
    names = ["libcuda_dialect_runtime.so", *(["libtvm_ffi.so"] if enable_tvm_ffi else [])]
    paths = [os.path.join(lib_dir(), name) for name in names]
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"the runtime library {os.path.basename(path)} is not in {lib_dir()}"
            )
    return paths


def extension_file() -> str:
    """Return the package's extension module; "" where this installation has none."""
    for name in sorted(os.listdir(_ROOT)):
        if name.startswith("_core.") and name.endswith(".so"):
            return os.path.join(_ROOT, name)
    return ""


def _version() -> str:
    return __version__


def dsl_flags() -> str:
    """All flags of a program in the C++ kernel language: it is compiled, linked, and started, with these alone."""
    lib = lib_dir()
    flags = ["-std=c++20", f"-I{include_dir()}", f"-L{lib}", f"-Wl,-rpath,{lib}"]
    return " ".join([*flags, "-lfairlead", "-ltvm_ffi"])


def runtime_flags() -> str:
    """Return all flags of a program in C or C++ that links or loads exported functions, for g++ and gcc, behind the
    sources and objects: the headers, the two runtime libraries, and where they are found when the program starts.
    The program looks in its own folder first, so that it can be shipped with copies of them, then in this installation.
    """
    lib = lib_dir()
    # A library that the program loads finds them in the program, also if the program itself calls neither.
    libraries = "-Wl,--push-state,--no-as-needed -lcuda_dialect_runtime -ltvm_ffi -Wl,--pop-state"
    return f"-I{include_dir()} -L{lib} -Wl,-rpath,$ORIGIN:{lib} {libraries}"


def static_flags() -> str:
    """Return the link flags of an exported object, so that the program needs no other library."""
    libraries = "-lstdc++ -lm -ldl -lrt -lpthread"
    return f"-I{include_dir()} {os.path.join(lib_dir(), 'libcuda_dialect_runtime_static.a')} {libraries}"


# Option -> (its output, a function that finds it), in the order of the help.
_ANSWERS = {
    "--includedir": ("folder of the headers", include_dir),
    "--dlpack-includedir": ("folder of dlpack/dlpack.h", dlpack_include_dir),
    "--libdir": ("folder of the libraries", lib_dir),
    "--cmakedir": ("prefix for find_package(fairlead) and find_package(tvm_ffi)", cmake_dir),
    "--sourcedir": ("folder of the package", source_dir),
    "--libfiles": ("the library that a kernel library links, with its folder", lib_files),
    "--cython-lib-path": ("the package's extension module", extension_file),
    "--cxxflags": ("flags to compile C++", lambda: f"-I{include_dir()} -std=c++17"),
    "--cflags": ("flags to compile C", lambda: f"-I{include_dir()}"),
    "--ldflags": ("flags to find the libraries", lambda: f"-L{lib_dir()}"),
    "--libs": ("the library that a kernel library links", lambda: "-ltvm_ffi"),
    "--dsl": ("all flags of programs in the C++ kernel language", dsl_flags),
    "--runtime": ("all flags of programs that link or load exported functions", runtime_flags),
    "--static": ("what links an exported object statically, by gcc or g++", static_flags),
    "--version": ("version of Fairlead", _version),
}


def _help() -> str:
    lines = ["usage: fairlead-config OPTION...", "", "Prints one line for each option:"]
    lines += [f"  {option:<20} {text}" for option, (text, _) in _ANSWERS.items()]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Answer `arguments` (the command line's, if None); return the exit status."""
    # Parsed by hand: importing argparse would take longer than all the rest.
    asked = sys.argv[1:] if arguments is None else arguments
    if not asked or "--help" in asked or "-h" in asked:
        print(_help())
        return 0
    for option in asked:
        if option not in _ANSWERS:
            print(f"fairlead-config: unknown option {option!r}\n{_help()}", file=sys.stderr)
            return 2
    for option in asked:
        print(_ANSWERS[option][1]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
