"""``cutlass.base_dsl.arch`` and what asks for it: the architecture that a program is compiled for."""

from __future__ import annotations

import enum
import functools
import os
import re
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute._options import Options
from fairlead.cute._types import Number

__all__ = ["Arch", "BaseDSL"]


_OLDEST = 80  # capability

#: Names of CUDA 12.9 for sm_110, and an architecture that programs ask for, which the compiler does not know yet.
_FURTHER = ("sm_101", "sm_101a", "sm_101f", "sm_107", "sm_107a", "sm_107f")


def _members() -> dict[str, tuple[int, int, str]]:
    members = {}
    for name in (*(arch["name"] for arch in _compiler.gpu_architectures()), *_FURTHER):
        digits = name.removeprefix("sm_").rstrip("af")
        if int(digits) >= _OLDEST:
            suffix = name.removeprefix(f"sm_{digits}")
            members[name] = (int(digits[:-1]), int(digits[-1]), suffix)
    return members


@functools.total_ordering
class _Ordered:
    """Architectures are ordered by capability, and those of the same one by their suffix."""

    value: tuple[int, int, str]
    name: str

    @property
    def major(self) -> int:
        return self.value[0]

    @property
    def minor(self) -> int:
        return self.value[1]

    @property
    def suffix(self) -> str:
        return self.value[2]

    def __lt__(self, other: Number) -> bool:
        return self.value < other.value if isinstance(other, _Ordered) else NotImplemented

    def __str__(self) -> str:
        return self.name

    def is_family_of(self, arch: Any) -> bool:
        """Return whether code for ``arch`` runs there.

        It runs on the architecture itself and, with the suffix ``f``, on later ones of its major number with a suffix.
        """
        if arch.suffix == "f":
            return bool(self.suffix) and self.major == arch.major and self.minor >= arch.minor
        return bool(self.value == arch.value)

    @classmethod
    def from_string(cls, text: str) -> Any:
        """``"sm_90a"``; ValueError for an architecture that is not one of the members."""
        if not re.fullmatch(r"sm_?\d+[af]?", text):
            raise ValueError(f"expected an architecture such as sm_90a, but got {text!r}")
        name = text if "_" in text else text.replace("sm", "sm_")
        if name not in cls.__members__:  # type: ignore[attr-defined]
            raise ValueError(f"no architecture {text!r} is known here")
        return cls[name]  # type: ignore[index]


_enum: Any = enum.Enum
Arch = _enum("Arch", _members(), type=_Ordered, module=__name__)
Arch.__doc__ = "Architectures of NVIDIA's GPUs."


class _Environment:
    """The values of environment variables, under the names of published programs."""

    @property
    def arch(self) -> str:
        """The architecture of CUTE_DSL_ARCH, or else of the next compilation, such as sm_90a."""
        return os.environ.get("CUTE_DSL_ARCH") or _language.get_arch_enum().name

    @arch.setter
    def arch(self, name: str | None) -> None:
        if name is None:
            os.environ.pop("CUTE_DSL_ARCH", None)
        else:
            os.environ["CUTE_DSL_ARCH"] = name


class BaseDSL:
    """The language as one object: ``BaseDSL._get_dsl()``."""

    envar = _Environment()
    _told: ClassVar[set[str]] = set()

    @classmethod
    def _get_dsl(cls) -> BaseDSL:
        return _language

    @staticmethod
    def enable_pyir() -> AbstractContextManager[None]:
        """Return a context in which another compiler builds its IR in Python: without effect."""
        return nullcontext()

    # Programs call both of the class and of the object, and put functions of (self, message) in their place.

    def print_warning(*arguments: object) -> None:
        """Print a warning, the last argument, to stderr."""
        print(f"warning: {arguments[-1]}", file=sys.stderr, flush=True)

    def print_warning_once(*arguments: Any) -> None:
        """Print a warning, the last argument, to stderr, unless this process has printed it before."""
        message = arguments[-1]
        if message not in BaseDSL._told:
            BaseDSL._told.add(message)
            _language.print_warning(message)

    def get_arch_enum(self) -> Any:
        """The architecture that the running trace is for; outside of one, that of the next compilation. For the CPU
        what CUTE_DSL_ARCH says: it has all operations of sm_90a, which is the default."""
        target = (
            Options().resolve_targets(False)[0] if state.program is None else state.program.target
        )
        _, _, name = str(target).partition(":")
        return Arch.from_string(name or os.environ.get("CUTE_DSL_ARCH") or "sm_90a")


_language = BaseDSL()
