"""Lines that fairlead.ffi prints otherwise than the apache-tvm-ffi package on purpose, with the reason.

By script: a pattern for the other package's line, one for ours, the reason.
"""

import re

_ZERO = (
    "the class that was raised, where the other package has RuntimeError for what it does not know"
)
_WORDS = "the same class of error, other words"

DIFFERENCES = {
    "calls": [
        (r"bad alignment: RuntimeError", r"bad alignment: ValueError", "as the documentation says"),
        (
            r"not contiguous: RuntimeError",
            r"not contiguous: ValueError",
            "as the documentation says",
        ),
        (r"device \S+: ValueError", r"device \S+: ValueError", _WORDS),
        (r"bad stream: ValueError", r"bad stream: ValueError", _WORDS),
    ],
    "conversions": [
        (r"echo numpy .*: Tensor", r"echo numpy .*: ndarray", "NumPy in, NumPy out"),
        (r"\w+ numpy bool: bool np", r"\w+ numpy bool: bool True", "a bool, not an opaque object"),
        (r"convert .*: OpaquePyObject", r"convert (?!.*Opaque)", "the value, not its wrapper"),
        (
            r"convert numpy [\w ]+: \w+ np",
            r"convert numpy [\w ]+: (int|float) ",
            "as the ABI has it",
        ),
        (
            r"echo nested tensors: ",
            r"echo nested tensors: .*torch.*torch",
            "all of the same framework",
        ),
        (r"wrong tensor class: TypeError", r"wrong tensor class: TypeError", _WORDS),
        (
            r"convert (numpy (str|bytes)|str enum): ",
            r"convert (numpy (str|bytes)|str enum): ",
            "text as it is",
        ),
        (r"convert fraction: Fraction", r"convert fraction: float", "as the ABI has it"),
        (r"convert __\w+__: the same", r"convert __\w+__: (?!the same)", "what it stands for"),
        (
            r"\w+ torch complex: (ValueError|KeyError)",
            r"\w+ torch complex: dtype",
            "complex dtypes are known",
        ),
        (
            r"convert numpy struct: KeyError",
            r"convert numpy struct: ValueError",
            "a value that is none",
        ),
    ],
    "containers": [
        (
            r"map missing: KeyError: 'key is",
            r"map missing: KeyError: 'z'",
            "the key, as dict has it",
        ),
        (r"shape of text: ValueError", r"shape of text: TypeError", "a value of a wrong type"),
    ],
    "modules": [
        (r"load missing: Loader", r"load missing: there is no module file", _WORDS),
        (r"module repr: Module ffi", r"module repr: Module <Module library", "tells what it is"),
    ],
    "structural": [
        (r".*RuntimeError", r".*ZeroDivisionError", _ZERO),
        (r"pattern: .*, None\)$", r"pattern: .*Error\('no", "what was raised travels along"),
        (r"moved modes var: \[\('Var\(typed\)', 0", r"moved modes var: .*, 1\)\]", "fewer owners"),
    ],
}


def normal(line: str) -> str:
    """The line without addresses and the names of classes that are Python's own here."""
    line = re.sub(r" at 0x[0-9a-f]+", "", line).replace("fairlead.ffi", "tvm_ffi")
    return line.replace(": String ", ": str ").replace(": Bytes ", ": bytes ")


def unexpected(script: str, theirs: str, ours: str) -> list[str]:
    """Return the differences that are not in the list, and the listed ones that do not occur."""
    allowed = DIFFERENCES.get(script, [])
    used = set()
    left, right = theirs.splitlines(), ours.splitlines()
    if len(left) != len(right):
        return [f"{len(left)} lines of theirs, {len(right)} of ours"]
    found = []
    for a, b in zip(map(normal, left), map(normal, right), strict=True):
        if a == b:
            continue
        for number, (pattern, own, _) in enumerate(allowed):
            if re.match(pattern, a) and re.match(own, b):
                used.add(number)
                break
        else:
            found += [f"- {a}", f"+ {b}"]
    found += [
        f"listed, but equal: {entry[0]}"
        for number, entry in enumerate(allowed)
        if number not in used
    ]
    return found
