"""Writes stubs of the installed C and C++ libraries, so that libraries linked against them run with older ones.

    link_stubs.py --compiler gcc --readelf readelf --output FOLDER

A shared library names a version for each symbol that it takes from another one: by default the newest that the
installed library has. The stubs define every symbol with its newest version up to the limits below, and no symbol that
came later. They hold no code: they are for the linker alone. A symbol without an old version is left undefined;
lib/oldglibc/Shim.c defines those that are needed. What libstdc++ has added since is linked from its static library.
"""

import argparse
import re
import subprocess
from pathlib import Path

# The newest versions that manylinux_2_28 allows.
LIMITS = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}

# Until glibc 2.34 these were libraries of their own: the names of what libc.so.6 has taken over.
_FORMER = {
    "libdl.so.2": re.compile(r"dl(open|close|sym|vsym|error|addr|addr1|info|mopen)$"),
    "libpthread.so.0": re.compile(r"(pthread|sem)_"),
    "librt.so.1": re.compile(r"(shm_(open|unlink)$|aio_|lio_|mq_|timer_)"),
}
_SYMBOL = re.compile(
    r"^\s*\d+: \S+\s+(?P<size>\S+)\s+(?P<type>FUNC|IFUNC|OBJECT|TLS|NOTYPE)\s+"
    r"(?:GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+(?P<section>\S+) (?P<name>[^@\s]+)@@?(?P<version>\S+)$",
    re.MULTILINE,
)

#: Section, type and size in bytes (0: that of the symbol) of symbols that are no functions.
_PLACES = {
    "OBJECT": (".data", "%object", 0),
    "TLS": ('.section .tbss,"awT",%nobits', "%tls_object", 0),
}


def version_key(version: str) -> tuple[str, tuple[int, ...]] | None:
    """``("GLIBC", (2, 28))`` for ``GLIBC_2.28``; None for versions that only the library itself uses."""
    family, _, number = version.partition("_")
    if family not in LIMITS or not re.fullmatch(r"[\d.]+", number):
        return None
    return family, tuple(map(int, number.split(".")))


def old_symbols(listing: str) -> dict[str, tuple[str, str, int]]:
    """The symbols of ``readelf --dyn-syms -W``: their newest allowed version, their type and their size in bytes."""
    newest: dict[str, tuple[tuple[int, ...], str, str, int]] = {}
    for match in _SYMBOL.finditer(listing):
        key = version_key(match["version"])
        if key is None or match["section"] in ("UND", "ABS") or key[1] > LIMITS[key[0]]:
            continue
        entry = (key[1], match["version"], match["type"], int(match["size"], 0))
        name = match["name"]
        if name not in newest or newest[name][0] < key[1]:
            newest[name] = entry
    return {name: (version, kind, size) for name, (_, version, kind, size) in newest.items()}


def write_stub(compiler: str, path: Path, symbols: dict[str, tuple[str, str, int]]) -> None:
    """Links a shared library of this name that defines the symbols with their versions."""
    assembly, versions = ['.section .note.GNU-stack,"",%progbits'], {}
    for name, (version, kind, size) in sorted(symbols.items()):
        section, type_, bytes_ = _PLACES.get(kind, (".text", "%function", 1))
        assembly += [
            section,
            f'.globl "{name}"',
            f'.type "{name}",{type_}',
            f'"{name}": .zero {bytes_ or max(size, 1)}',
            f'.size "{name}", . - "{name}"',
        ]
        versions.setdefault(version, []).append(name)
    source, script = path.with_suffix(".s"), path.with_suffix(".map")
    source.write_text("\n".join(assembly) + "\n")
    script.write_text(
        "".join(
            f"{version} {{ global: {' '.join(f'{chr(34)}{name}{chr(34)};' for name in names)} }};\n"
            for version, names in sorted(versions.items())
        )
    )
    subprocess.run(
        [
            *(compiler, "-shared", "-nostdlib", "-nostartfiles", "-o", path, source),
            *(f"-Wl,-soname,{path.name}", f"-Wl,--version-script={script}"),
        ],
        check=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--output", required=True, type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    def installed(name: str) -> str:
        found = subprocess.run(
            [options.compiler, f"-print-file-name={name}"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        if found == name:
            raise SystemExit(f"link_stubs.py: {options.compiler} finds no {name}")
        return found

    def symbols_of(name: str) -> dict[str, tuple[str, str, int]]:
        command = [options.readelf, "--dyn-syms", "-W", installed(name)]
        return old_symbols(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )

    stubs = {
        name: symbols_of(name) for name in ("libc.so.6", "libm.so.6", "libstdc++.so.6", *_FORMER)
    }
    for name, pattern in _FORMER.items():
        stubs[name] = {
            symbol: entry
            for symbol, entry in (stubs[name] | stubs["libc.so.6"]).items()
            if pattern.match(symbol)
        }
        for symbol in stubs[name]:
            stubs["libc.so.6"].pop(symbol, None)
    for name, symbols in stubs.items():
        write_stub(options.compiler, options.output / name, symbols)
    folder = options.output.resolve()
    loader = re.search(r"AS_NEEDED\s*\(\s*(\S+)", Path(installed("libc.so")).read_text())
    former = " ".join(f'"{folder / name}"' for name in _FORMER)
    nonshared = installed("libc_nonshared.a")
    scripts = {
        "libc.so": f'GROUP("{folder}/libc.so.6" "{nonshared}"'
        f" AS_NEEDED({former} {loader[1] if loader else ''}))",
        "libm.so": f'INPUT("{folder}/libm.so.6")',
        "libstdc++.so": f'GROUP("{folder}/libstdc++.so.6" "{installed("libstdc++.a")}")',
        **{name.partition(".so")[0] + ".so": f'INPUT("{folder / name}")' for name in _FORMER},
    }
    for name, text in scripts.items():
        (options.output / name).write_text(text + "\n")


if __name__ == "__main__":
    main()
