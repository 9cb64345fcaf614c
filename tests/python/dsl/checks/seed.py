"""Mistakes that tests seed into a working program."""

from __future__ import annotations

from typing import NamedTuple


class Seed(NamedTuple):
    """Lines are those of the working program, told by a part of each: no mistake moves lines."""

    program: str  #: of seeded/
    mistake: str
    old: str | tuple[str, ...]  #: text of the program that stands there once
    new: str | tuple[str, ...]
    kind: str
    lines: tuple[str, ...]  #: of the accesses of the finding


def mistakes_of(program: str, *rows: tuple[str, ...]) -> list[Seed]:
    return [Seed(program, *row[:4], row[4:]) for row in rows]


DROPPED = "pass"
SYNC = "cute.arch.sync_threads()"
