"""A C++ compiler for tests that wait for it: it does not optimise, uses ccache, and reads only a few of torch's headers
if these suffice (torch_headers).

    cached_compiler.py FOLDER COMPILER ARGUMENT...

ccache keeps nothing of a command that compiles and links, so such a command is taken apart. FOLDER is for copies of
its sources: ccache's keys have their names, and tests make folders with random names.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

_SOURCES = (".cc", ".cpp", ".cxx")
# Options that end a command before it links.
_NO_LINK = ("-c", "-E", "-S", "-M", "-MM", "-fsyntax-only")
# Options of the linker that have a value of their own.
_WITH_VALUE = ("-o", "-L", "-l")
_TORCH_HEADERS = pathlib.Path(__file__).with_name("torch_headers")


def main(copies: str, compiler: str, *arguments: str) -> int:
    cache = shutil.which("ccache")
    sources = [name for name in arguments if name.endswith(_SOURCES)]
    if cache is None or not sources or not set(_NO_LINK).isdisjoint(arguments):
        command = [compiler, *arguments, "-O0"]
        return compiled([cache, *command] if cache else command)
    with tempfile.TemporaryDirectory() as folder:
        objects = {}
        for number, source in enumerate(sources):
            objects[source] = f"{folder}/{number}.o"
            command = [cache, compiler, *compile_options(arguments), "-O0"]
            command += [
                f"-I{os.path.dirname(source) or '.'}",
                "-c",
                copy_of(source, pathlib.Path(copies)),
            ]
            status = compiled([*command, "-o", objects[source]])
            if status != 0:
                return status
        linked = [objects.get(argument, argument) for argument in arguments]
        return subprocess.run([compiler, *linked]).returncode


def compiled(command: list[str]) -> int:
    """Run a command; return its status. One that needs more of torch than the few headers runs once more."""
    options = next(number for number, word in enumerate(command) if word.startswith("-"))
    shorter = [*command[:options], f"-I{_TORCH_HEADERS}", *command[options:]]
    short = subprocess.run(shorter, stderr=subprocess.PIPE)
    if short.returncode == 0:
        sys.stderr.buffer.write(short.stderr)
        return 0
    return subprocess.run(command).returncode


def compile_options(arguments: tuple[str, ...]) -> list[str]:
    """Return the arguments without sources and linker options."""
    options = []
    skips = False
    for argument in arguments:
        if skips or argument in _WITH_VALUE:
            skips = not skips
        elif argument != "-shared" and not argument.startswith(("-L", "-l", "-Wl,")):
            options.append(argument)
    return [option for option in options if not option.endswith(_SOURCES)]


def copy_of(source: str, folder: pathlib.Path) -> str:
    """Return a copy of the source, under a name that depends on its text alone."""
    content = pathlib.Path(source).read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{hashlib.sha256(content).hexdigest()[:16]}-{pathlib.Path(source).name}"
    part = copy.with_name(f"{copy.name}.{os.getpid()}")
    part.write_bytes(content)
    part.rename(copy)
    return str(copy)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
