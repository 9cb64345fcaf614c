"""Options of compile: text (``"--opt-level 2 --gpu-arch sm_90a"``) or typed (``compile[OptLevel(2)](...)``)."""

from __future__ import annotations

import os
from typing import Any

from fairlead.errors import make_error

__all__ = [
    "EnableAssertions",
    "EnableTVMFFI",
    "GPUArch",
    "GenerateLineInfo",
    "HostTarget",
    "KeepIR",
    "KeepPTX",
    "NoCache",
    "OptLevel",
    "Options",
    "PtxasOptions",
    "TargetOption",
]


class _Option:
    """A typed option with one value. Plain classes: making dataclasses would cost a tenth of a first compile."""

    __slots__ = ("value",)
    __match_args__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"


class _Flag(_Option):
    __slots__ = ()

    def __init__(self, value: bool = True) -> None:
        super().__init__(value)


class EnableTVMFFI(_Flag):
    """Accepted for existing programs: a compiled function is always a TVM FFI function."""

    __slots__ = ()


class EnableAssertions(_Flag):
    """Accepted for existing programs, without effect: the language has no assertions at run time."""

    __slots__ = ()


class GenerateLineInfo(_Flag):
    """Accepted for existing programs, without effect."""

    __slots__ = ()


class PtxasOptions(_Option):
    """Accepted for existing programs, without effect: the driver assembles the PTX."""

    __slots__ = ()


class OptLevel(_Option):
    """Optimisation, 0 to 3."""

    __slots__ = ()


class GPUArch(_Option):
    """Compile for CUDA devices of this architecture: "sm_90a"."""

    __slots__ = ()


class TargetOption(_Option):
    """Where the code runs: "cpu", "cuda", "cuda:sm_90a"; several joined by commas: "cuda:sm_80,ptx:compute_90,cpu"."""

    __slots__ = ()


class HostTarget(_Option):
    """The machine that host code is for: "linux-aarch64", or "llvm -mtriple=... [-mcpu=...] [-mattr=...]"."""

    __slots__ = ()


class NoCache(_Flag):
    """Compile, whatever the cache on disk holds, and keep nothing there."""

    __slots__ = ()


class KeepPTX(_Flag):
    """Write ``<function>.ptx`` to $CUTE_DSL_DUMP_DIR, else the working directory."""

    __slots__ = ()


class KeepIR(_Flag):
    """Write ``<function>.mlir``, the IR as traced, and ``<function>.ll``, after lowering, where KeepPTX does."""

    __slots__ = ()


_FLAGS = {
    "--enable-assertions": EnableAssertions,
    "--enable-tvm-ffi": EnableTVMFFI,
    "--generate-line-info": GenerateLineInfo,
    "--keep-ir": KeepIR,
    "--keep-ptx": KeepPTX,
    "--no-cache": NoCache,
}
_VALUES = {
    "--gpu-arch": GPUArch,
    "--host-target": HostTarget,
    "--opt-level": OptLevel,
    "--ptxas-options": PtxasOptions,
    "--target": TargetOption,
}
KNOWN = sorted([*_FLAGS, *_VALUES])
_KEPT = ("all", "ir", "ptx")
_TRUTH = {
    **dict.fromkeys(("", "0", "false", "no", "off"), False),
    **dict.fromkeys(("1", "true", "yes", "on"), True),
}


def _known(option: object) -> str:
    """The options that there are, for a message about one that there is not; the most similar one first."""
    import difflib

    name = option.__name__ if isinstance(option, type) else str(option).partition("=")[0]
    typed = {cls.__name__: text for text, cls in (*_FLAGS.items(), *_VALUES.items())}
    near = difflib.get_close_matches(name, [*KNOWN, *typed], 1, 0.6)
    nearest = typed.get(near[0], near[0]) if near else None
    others = [each for each in KNOWN if each != nearest]
    return ", ".join([f"{nearest} (the nearest)", *others] if nearest else others)


def flag_of_environment(name: str) -> bool:
    """Whether the variable is set to 1, true, yes or on; ValueError for what is neither that nor its opposite."""
    text = os.environ.get(name, "")
    found = _TRUTH.get(text.strip().lower())
    if found is None:
        raise make_error("OptionValue", option=name, expected="0 or 1", got=text)
    return found


class Options:
    """Options of one compile. ``target`` is the text of targets and the name of where it was given, or None."""

    def __init__(self) -> None:
        self.opt_level = 3
        self.target: tuple[str, str] | None = None
        self.keep_ptx = False
        self.keep_ir = False
        self.print_ir = False
        self.host = ""
        self.cache = True

    def set(self, option: Any) -> None:
        """Applies a typed option, or a flag's class; UnknownOption for anything else."""
        if isinstance(option, type) and option in _FLAGS.values():
            option = option()
        match option:
            case EnableTVMFFI() | EnableAssertions() | GenerateLineInfo() | PtxasOptions():
                pass
            case OptLevel(value):
                if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 3:
                    raise make_error(
                        "OptionValue", option="--opt-level", expected="0, 1, 2 or 3", got=value
                    )
                self.opt_level = value
            case GPUArch(value):
                self.target = (value, "--gpu-arch")
            case TargetOption(value):
                self.target = (value, "--target")
            case HostTarget(value):
                self.host = value
            case NoCache(value):
                self.cache = not value
            case KeepPTX(value):
                self.keep_ptx = value
            case KeepIR(value):
                self.keep_ir = value
            case _:
                raise make_error("UnknownOption", option=option, known=_known(option))

    def parse(self, text: str) -> None:
        """Applies options written as on a command line."""
        import shlex

        try:
            words = shlex.split(text)
        except ValueError as error:
            raise make_error(
                "OptionValue", option=text, expected="balanced quotes", got=error
            ) from None
        while words:
            word = words.pop(0)
            name, assigned, value = word.partition("=")
            if name in _FLAGS and not assigned:
                self.set(_FLAGS[name]())
            elif name in _VALUES:
                if not assigned:
                    if not words:
                        raise make_error(
                            "OptionValue", option=name, expected="a value", got="nothing"
                        )
                    value = words.pop(0)
                if name == "--opt-level":
                    if not value.isdigit():
                        raise make_error(
                            "OptionValue", option=name, expected="0, 1, 2 or 3", got=value
                        )
                    self.set(OptLevel(int(value)))
                else:
                    self.set(_VALUES[name](value))
            else:
                raise make_error("UnknownOption", option=word, known=_known(word))

    @classmethod
    def gather(cls, typed: tuple[Any, ...], text: str | None) -> Options:
        """Options of the environment, then typed ones, then ``text``."""
        options = cls()
        options._read_environment()
        for option in typed:
            options.set(option)
        if text is not None:
            if not isinstance(text, str):
                raise make_error(
                    "OptionValue", option="options", expected="a string", got=type(text).__name__
                )
            options.parse(text)
        return options

    def _read_environment(self) -> None:
        """The variables that docs/language.md lists; an invalid value is a ValueError."""
        kept = [word.strip() for word in os.environ.get("CUTE_DSL_KEEP", "").split(",")]
        for word in kept:
            if word and word not in _KEPT:
                expected = f"a list of {', '.join(_KEPT)}"
                raise make_error("OptionValue", option="CUTE_DSL_KEEP", expected=expected, got=word)
        everything = "all" in kept
        self.keep_ptx = everything or "ptx" in kept or flag_of_environment("CUTE_DSL_KEEP_PTX")
        self.keep_ir = everything or "ir" in kept or flag_of_environment("CUTE_DSL_KEEP_IR")
        self.print_ir = flag_of_environment("CUTE_DSL_PRINT_IR")
        self.cache = not flag_of_environment("CUTE_DSL_DISABLE_FILE_CACHING")
        for accepted in ("CUTE_DSL_ENABLE_TVM_FFI", "CUTE_DSL_LINEINFO"):
            flag_of_environment(accepted)
        folder = os.environ.get("CUTE_DSL_DUMP_DIR", "")
        if folder and not os.path.isdir(folder):
            raise make_error(
                "OptionValue", option="CUTE_DSL_DUMP_DIR", expected="an existing folder", got=folder
            )
        if more := os.environ.get("CUTE_DSL_COMPILER_OPT"):
            self.parse(more)

    def resolve_targets(self, on_cpu: bool) -> list[Any]:
        """The targets: the option's, else FAIRLEAD_TARGET's, else CUTE_DSL_ARCH's; else the CPU where example arguments
        lie there (``on_cpu``), else this machine's GPU, else the CPU."""
        from fairlead import _compiler

        Target = _compiler.Target
        if self.target is not None:
            return Target.parse_list(*self.target)
        for variable in ("FAIRLEAD_TARGET", "CUTE_DSL_ARCH"):
            if text := os.environ.get(variable):
                return Target.parse_list(text, f"environment variable {variable}")
        return [Target.parse("cpu", "the device of the arguments") if on_cpu else Target.detect()]
