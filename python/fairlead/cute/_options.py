"""Options of compile: text (``"--opt-level 2 --gpu-arch sm_90a"``) or typed (``compile[OptLevel(2)](...)``)."""

from __future__ import annotations

import functools
import os
import re
from typing import Any

from fairlead import _compiler
from fairlead._hints import name_keywords
from fairlead._tracing import checking, covering, timelines
from fairlead.errors import make_error

__all__ = [
    "Check",
    "DumpDir",
    "EnableAssertions",
    "EnableTVMFFI",
    "FrontendNext",
    "GPUArch",
    "GenerateLineInfo",
    "HostTarget",
    "KeepASM",
    "KeepCUBIN",
    "KeepIR",
    "KeepPTX",
    "KeepSASS",
    "NoCache",
    "NvdisasmOptions",
    "OptLevel",
    "Options",
    "PtxasOptions",
    "Schedule",
    "TargetOption",
]


class _Option:
    """A typed option with one value. Plain classes: making dataclasses would cost a tenth of a first compile."""

    __slots__ = ("value",)
    __match_args__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value: Any = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"


class _Flag(_Option):
    __slots__ = ()

    def __init__(self, value: bool = True) -> None:
        super().__init__(value)


class EnableTVMFFI(_Flag):
    """Accepted for existing programs: a compiled function is always a TVM FFI function."""

    __slots__ = ()


class FrontendNext(_Flag):
    """Accepted for existing programs: functions are traced in one way."""

    __slots__ = ()


class EnableAssertions(_Flag):
    """Check ``cute.testing.assert_`` when the program runs."""

    __slots__ = ()


class Check(_Option):
    """Check kernels while they run on the CPU: "bounds", "memory", "init", "race", "sync", "float"; "all": "bounds",
    "init", "race" and "sync". "guards" alone: an access outside of its memory ends the call with an error. "none".
    "schedule": follow pipelines when compiling, for GPUs, too; it is not in "all".
    """

    __slots__ = ()


class Schedule(_Option):
    """The order of blocks and threads on the CPU target: ``forward``, ``backward`` or ``random:SEED``."""

    __slots__ = ()


class GenerateLineInfo(_Flag):
    """Line tables for debuggers and profilers: the line of the program for each instruction."""

    __slots__ = ()


class PtxasOptions(_Option):
    """Options for the assembler of CUDA targets: "-maxrregcount=32"."""

    __slots__ = ()


class NvdisasmOptions(_Option):
    """Options for nvdisasm, which ``KeepSASS`` runs; default "-g -c"."""

    __slots__ = ()


class OptLevel(_Option):
    """Optimisation, 0 to 3."""

    __slots__ = ()


class GPUArch(_Option):
    """Compile for CUDA devices of this architecture: "sm_90a"."""

    __slots__ = ()


class TargetOption(_Option):
    """The target: "cpu", "cuda", "cuda:sm_90a"; several joined by commas: "cuda:sm_80,ptx:compute_90,cpu"."""

    __slots__ = ()


class HostTarget(_Option):
    """The machine that host code is for: "linux-aarch64", or "llvm -mtriple=... [-mcpu=...] [-mattr=...]"."""

    __slots__ = ()


class NoCache(_Flag):
    """Compile without reading the cache on disk, and store nothing there."""

    __slots__ = ()


class Coverage(_Flag):
    """Report which lines of the function and its kernels threads execute on the CPU."""

    __slots__ = ()


class NoFmad(_Flag):
    """Round every product and every sum of kernels, where one fused multiply-add would round once."""

    __slots__ = ()


class DumpDir(_Option):
    """The existing folder that kept files are written to, instead of $CUTE_DSL_DUMP_DIR; None changes nothing."""

    __slots__ = ()


class KeepPTX(_Flag):
    """Write ``<function>.ptx`` to the folder of DumpDir, else $CUTE_DSL_DUMP_DIR, else the working directory."""

    __slots__ = ()


class KeepCUBIN(_Flag):
    """Write ``<function>.cubin``, machine code for CUDA, where KeepPTX does."""

    __slots__ = ()


class KeepSASS(_Flag):
    """Write ``<function>.sass``, its disassembly, where KeepPTX does."""

    __slots__ = ()


class Timeline(_Flag):
    """Let the kernels record the events of ``fairlead.timeline`` and ``cute.experimental.iket``."""

    __slots__ = ()


class KeepASM(_Flag):
    """Write ``<function>.s``, the assembly text of the CPU's code, where KeepPTX does."""

    __slots__ = ()


class KeepIR(_Flag):
    """Write ``<function>.mlir``, the IR as traced, and ``<function>.ll``, after lowering, where KeepPTX does."""

    __slots__ = ()


_FLAGS = {
    "--coverage": Coverage,
    "--enable-assertions": EnableAssertions,
    "--enable-tvm-ffi": EnableTVMFFI,
    "--generate-line-info": GenerateLineInfo,
    "--keep-asm": KeepASM,
    "--keep-cubin": KeepCUBIN,
    "--keep-ir": KeepIR,
    "--keep-ptx": KeepPTX,
    "--keep-sass": KeepSASS,
    "--no-cache": NoCache,
    "--no-fmad": NoFmad,
    "--timeline": Timeline,
}
_VALUES = {
    "--check": Check,
    "--dump-dir": DumpDir,
    "--gpu-arch": GPUArch,
    "--host-target": HostTarget,
    "--nvdisasm-options": NvdisasmOptions,
    "--opt-level": OptLevel,
    "--ptxas-options": PtxasOptions,
    "--schedule": Schedule,
    "--target": TargetOption,
}
KNOWN = sorted([*_FLAGS, *_VALUES])
#: Reports of another compiler, several joined by commas: accepted for existing programs, without effect.
_REPORT = r"(--)?(warnings|remarks)(\{(nvvm|ptx)(,(nvvm|ptx))*\})?"
_REPORTS = re.compile(f"{_REPORT}(,{_REPORT})*")
#: The outputs that can be kept: the part of the option's name and the suffix of the file.
KEPT = {"asm": "s", "cubin": "cubin", "ir": "mlir", "ptx": "ptx", "sass": "sass"}
_KEPT = ("all", "asm", "cubin", "ir", "ir-debug", "ptx", "sass")
_TRUTH = {
    **dict.fromkeys(("", "0", "false", "no", "off"), False),
    **dict.fromkeys(("1", "true", "yes", "on"), True),
}


@functools.lru_cache(maxsize=256)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of options written as on a command line."""
    import shlex

    return tuple(shlex.split(text))


def _known(option: object) -> str:
    """All options, for a message about an unknown one; the most similar one first."""
    import difflib

    name = option.__name__ if isinstance(option, type) else str(option).partition("=")[0]
    typed = {cls.__name__: text for text, cls in (*_FLAGS.items(), *_VALUES.items())}
    near = difflib.get_close_matches(name, [*KNOWN, *typed], 1, 0.6)
    nearest = typed.get(near[0], near[0]) if near else None
    others = [option for option in KNOWN if option != nearest]
    return ", ".join([f"{nearest} (the nearest)", *others] if nearest else others)


def flag_of_environment(name: str) -> bool:
    """True if the variable is set to 1, true, yes or on; ValueError if it is neither that nor its opposite."""
    text = os.environ.get(name, "")
    flag = _TRUTH.get(text.strip().lower())
    if flag is None:
        raise make_error("OptionValue", option=name, expected="0 or 1", got=text)
    return flag


def asked_checks() -> str:
    """Return the checks that ``fairlead.checks.on`` or FAIRLEAD_CHECK asks for; "" if neither does."""
    return os.environ.get("FAIRLEAD_CHECK", "") if checking.active is None else checking.active


def _text(option: str, value: object) -> str:
    if not isinstance(value, str):
        raise make_error("OptionValue", option=option, expected="a string", got=value)
    return value


def _folder(option: str, path: str) -> str:
    """Return the path of a folder, or "" for none; OptionValue for one that does not exist."""
    if path and not os.path.isdir(path):
        raise make_error("OptionValue", option=option, expected="an existing folder", got=path)
    return path


class Options:
    """Options of one compile. ``target`` is the text of targets and the name of where it was given, or None."""

    def __init__(self) -> None:
        self.opt_level = 3
        self.target: tuple[str, str] | None = None
        self.keep: set[str] = set()
        #: The folder of kept files; "" is the working directory.
        self.dump_folder = os.environ.get("CUTE_DSL_DUMP_DIR", "")
        self.print_ir = False
        self.line_info = False
        self.assertions = False
        #: For kernels for the CPU; checks that only the environment asks for are left out elsewhere.
        self.checks = checking.DEFAULT
        self.must_check = False
        self.schedule = ""
        self.ptxas_options = ""
        self.nvdisasm_options = "-g -c"
        self.host = ""
        self.cache = True
        self.fmad = True
        self.coverage = covering.requested()
        self.timeline = timelines.active

    def set(self, option: object) -> None:
        """Applies a typed option, or a flag's class; UnknownOption for anything else."""
        if isinstance(option, type) and option in (*_FLAGS.values(), FrontendNext):
            option = option()
        if isinstance(option, _Flag) and option.value not in (True, False, None):
            raise make_error(
                "OptionValue", option=type(option).__name__, expected="a bool", got=option.value
            )
        match option:
            case EnableTVMFFI() | FrontendNext():
                pass
            case EnableAssertions(value):
                self.assertions = bool(value)
            case Check(value):
                self.checks, self.must_check = _text("--check", value), True
            case Schedule(value):
                self.schedule = _text("--schedule", value)
            case GenerateLineInfo(value):
                self.line_info = bool(value)
            case PtxasOptions(value):
                self.ptxas_options = _text("--ptxas-options", value)
            case NvdisasmOptions(value):
                self.nvdisasm_options = _text("--nvdisasm-options", value)
            case OptLevel(value):
                if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 3:
                    raise make_error(
                        "OptionValue", option="--opt-level", expected="0, 1, 2 or 3", got=value
                    )
                self.opt_level = value
            case GPUArch(value):
                self.target = (_text("--gpu-arch", value), "--gpu-arch")
            case TargetOption(value):
                self.target = (_text("--target", value), "--target")
            case HostTarget(value):
                self.host = _text("--host-target", value)
            case NoCache(value):
                self.cache = not value
            case Coverage(value):
                self.coverage = bool(value)
            case Timeline(value):
                self.timeline = bool(value)
            case NoFmad(value):
                self.fmad = not value
            case DumpDir(value):
                if value is not None:
                    self.dump_folder = _folder("DumpDir", os.fspath(value))
            case KeepPTX(value):
                self._keep("ptx", value)
            case KeepIR(value):
                self._keep("ir", value)
            case KeepCUBIN(value):
                self._keep("cubin", value)
            case KeepSASS(value):
                self._keep("sass", value)
            case KeepASM(value):
                self._keep("asm", value)
            case _:
                raise make_error("UnknownOption", option=option, known=_known(option))

    def text(self) -> str:
        """The options that change the code and are not the default, as ``parse`` reads them; without the target."""
        import shlex

        values = {
            "--check": self.checks,
            "--schedule": self.schedule,
            "--ptxas-options": self.ptxas_options,
            "--host-target": self.host,
        }
        flags = {
            "--generate-line-info": self.line_info,
            "--enable-assertions": self.assertions,
            "--coverage": self.coverage,
            "--no-cache": not self.cache,
            "--no-fmad": not self.fmad,
            "--timeline": self.timeline,
        }
        words = [] if self.opt_level == 3 else ["--opt-level", str(self.opt_level)]
        words += [word for name, value in values.items() if value for word in (name, value)]
        return shlex.join([*words, *(name for name, is_set in flags.items() if is_set)])

    def _keep(self, what: str, is_wanted: bool) -> None:
        (self.keep.add if is_wanted else self.keep.discard)(what)

    def parse(self, text: str) -> None:
        """Applies options written as on a command line."""
        try:
            words = list(_words(text))
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
            elif word in ("iket", "--iket"):
                self.timeline = True
            elif _REPORTS.fullmatch(word):
                pass
            else:
                level = word[2:] if word[:2] == "-O" and word[2:].isdigit() else None
                raise make_error(
                    "UnknownOption",
                    option=word,
                    known=_known(word),
                    level=level or None,
                )

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
        """The variables that docs/environment.md lists; an invalid value is a ValueError."""
        words = [word.strip() for word in os.environ.get("CUTE_DSL_KEEP", "").split(",")]
        for word in words:
            if word and word not in _KEPT:
                expected = f"a list of {', '.join(_KEPT)}"
                raise make_error("OptionValue", option="CUTE_DSL_KEEP", expected=expected, got=word)
        for what in KEPT:
            if {"all", what} & set(words) or flag_of_environment(f"CUTE_DSL_KEEP_{what.upper()}"):
                self.keep.add(what)
        if "ir-debug" in words:
            self.keep.add("ir")
            self.line_info = True
        self.checks = asked_checks() or checking.DEFAULT
        self.print_ir = flag_of_environment("CUTE_DSL_PRINT_IR")
        self.cache = not flag_of_environment("CUTE_DSL_DISABLE_FILE_CACHING")
        debugging = flag_of_environment("CUTE_DSL_DEBUG")
        if os.environ.get("CUTE_DSL_LINEINFO", ""):
            self.line_info = flag_of_environment("CUTE_DSL_LINEINFO")
        else:
            self.line_info |= debugging
        flag_of_environment("CUTE_DSL_ENABLE_TVM_FFI")
        self.dump_folder = _folder("CUTE_DSL_DUMP_DIR", os.environ.get("CUTE_DSL_DUMP_DIR", ""))
        if options := os.environ.get("CUTE_DSL_COMPILER_OPT"):
            self.parse(options)

    def resolve_targets(self, on_cpu: bool) -> list[Any]:
        """The targets: the option's, else FAIRLEAD_TARGET's, else CUTE_DSL_ARCH's; else the CPU where example arguments
        are on the CPU (``on_cpu``), else this machine's GPU, else the CPU."""
        Target = _compiler.Target
        if self.target is not None:
            return Target.parse_list(*self.target)
        for variable in ("FAIRLEAD_TARGET", "CUTE_DSL_ARCH"):
            if text := os.environ.get(variable):
                return Target.parse_list(text, f"environment variable {variable}")
        return [self.host_target() if on_cpu else Target.detect()]

    @staticmethod
    def host_target() -> Any:
        """The CPU, for arguments in its memory."""
        return _compiler.Target.parse("cpu", "the device of the arguments")

    def names_no_target(self) -> bool:
        """True if only CUTE_DSL_ARCH may choose the target: the target of kernels, for functions that launch any."""
        return self.target is None and not os.environ.get("FAIRLEAD_TARGET")


name_keywords(__all__, globals())
