"""Kernels that are checked while they run on the CPU: findings as objects, JSON and SARIF.

``cute.compile(f, ..., options="--check all")``, ``FAIRLEAD_CHECK=all`` and ``with fairlead.checks.on("all"):`` turn
checks on; a call that finds something raises :class:`CheckError`.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from fairlead import _compiler
from fairlead._hints import name_keywords
from fairlead._tracing import checking
from fairlead.errors import require
from fairlead.ffi import register_error, register_global_func

__all__ = ["Access", "CheckError", "Finding", "on", "to_json", "to_sarif"]


def _found(report: str) -> None:
    """Report the findings of a call that does not fail."""
    print(report, file=sys.stderr, flush=True)
    _append(os.environ.get("FAIRLEAD_CHECK_REPORT", ""), _last_findings())


def _stop(message: str) -> None:
    """Stop at a breakpoint; few programs have one, and what it needs takes long to import."""
    from fairlead._stops import stop

    stop(message)


register_global_func("fairlead.checks.stop", _stop, override=True)
register_global_func("fairlead.checks.found", _found, override=True)

_FIELDS, _RECORDS = "\x1f", "\x1e"  # what separates them: fairlead/CheckCpu.h


@dataclass(frozen=True)
class Access:
    """One side of a finding: an access or a wait of a thread.

    Attributes:
        what: "read", "write", "atomic", "copy" (asynchronous), "product" (of a warpgroup), "access" (out of bounds, or
            before an asynchronous product is complete), "use" (of an uninitialised value), "waits", "comes" (to an
            operation of a warp or warpgroup), "skips" (the branch around one), "parts" (from others, at a branch) or
            "result". Of pipelines also "init", "arrives", "expects", "copies", "reads", "accesses" (shared memory of
            another block), and "ends ..." (a phase).
        file, line: where; "" and 0 where that is not known.
        source: the line's text; "" where the file is not to be read.
        thread, block: indices (x, y, z).
    """

    what: str
    file: str
    line: int
    source: str
    thread: tuple[int, int, int]
    block: tuple[int, int, int]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, once for each pair of places in the program.

    Attributes:
        kind: "bounds", "init", "race", "sync", "float" or "schedule"; "note" if it does not fail the call.
        tensor: the accessed tensor; "" for results.
        message: the mistake, in one line.
        hint: a remedy; "" if none is known.
        count: how many times these places met.
        blocks: in how many blocks.
        accesses: the places: of races two, the one that came first in this run first.
    """

    kind: str
    tensor: str
    message: str
    hint: str
    count: int
    blocks: int
    accesses: tuple[Access, ...]


def _index(text: str) -> tuple[int, int, int]:
    x, y, z = (int(part) for part in text.strip("()").split(","))
    return x, y, z


def _finding(text: str) -> Finding:
    kind, tensor, message, hint, count, blocks, *rest = text.split(_FIELDS)
    accesses = tuple(
        Access(what, file, int(line), source, _index(thread), _index(block))
        for what, file, line, source, thread, block in zip(*(rest[i::6] for i in range(6)))  # noqa: B905
    )
    return Finding(kind, tensor, message, hint, int(count), int(blocks), accesses)


def _last_findings() -> list[Finding]:
    """The findings of this thread's last checked call."""
    return [_finding(record) for record in _compiler.check_findings().split(_RECORDS) if record]


@register_error("CheckError")
class CheckError(RuntimeError):
    """A checked call went wrong; the text is a report.

    Attributes:
        findings: a list of :class:`Finding`.
    """

    findings: list[Finding]

    def __init__(self, *args: object, findings: list[Finding] | None = None) -> None:
        super().__init__(*args)
        # The call that found it ended on this thread just now.
        self.findings = _last_findings() if findings is None else findings
        _append(os.environ.get("FAIRLEAD_CHECK_REPORT", ""), self.findings)


def _append(path: str, findings: list[Finding]) -> None:
    """Writes what FAIRLEAD_CHECK_REPORT asks for: this process's findings so far."""
    if not path:
        return
    _reported.extend(findings)
    text = to_sarif(_reported) if path.endswith(".sarif") else to_json(_reported)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


_reported: list[Finding] = []


def to_json(findings: Iterable[Finding]) -> str:
    """The findings as a JSON list of objects, with the attributes of :class:`Finding`."""
    return json.dumps([asdict(finding) for finding in findings], indent=2)


def to_sarif(findings: Iterable[Finding]) -> str:
    """The findings as SARIF 2.1.0, which editors and code hosts show next to the lines."""

    def location(access: Access) -> dict[str, Any]:
        place = f"thread {access.thread} of block {access.block}"
        return {
            "physicalLocation": {
                "artifactLocation": {"uri": access.file},
                "region": {"startLine": max(access.line, 1)},
            },
            "message": {"text": f"{access.what} by {place}"},
        }

    results: list[dict[str, Any]] = [
        {
            "ruleId": finding.kind,
            "level": "note" if finding.kind == "note" else "error",
            "message": {"text": f"{finding.message}. {finding.hint}".strip()},
            "locations": [location(access) for access in finding.accesses[:1]],
            "relatedLocations": [location(access) for access in finding.accesses[1:]],
            "occurrenceCount": finding.count,
        }
        for finding in findings
    ]
    driver: dict[str, Any] = {
        "name": "Fairlead",
        "rules": [{"id": kind} for kind in sorted({result["ruleId"] for result in results})],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2)


@contextmanager
def on(checks: str = "all", threads: str | None = None) -> Iterator[None]:
    """Functions that are compiled or called directly in the block are checked: ``checks`` is as in ``--check``.

    Functions for GPUs are not. ``threads`` names the threads that stop at ``breakpoint()`` and ``print``, as
    FAIRLEAD_CHECK_THREADS does: ``"block=1,thread=0-31"``. For all threads of the process. ValueError for other names
    of checks or filters, when a function is compiled.
    """
    require(on, checks=checks, threads=threads)
    before = checking.active, checking.threads
    checking.active, checking.threads = checks, threads
    try:
        yield
    finally:
        checking.active, checking.threads = before


# --- pipelines, followed when they are compiled


def _statement_at(file: str, line: int) -> ast.stmt | None:
    """The innermost statement of a source file that holds the line."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return None
    statement: ast.stmt | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            if statement is None or node.lineno >= statement.lineno:
                statement = node
    return statement


def _barrier_name(file: str, line: int, stage: int, stages: int) -> str:
    """The barrier's name in the program: what mbarrier_init is given, or the pipeline's variable."""
    fallback = f"mbarrier {stage} of {os.path.basename(file)}:{line}" if file else "an mbarrier"
    statement = _statement_at(file, line)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        (target,) = statement.targets
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        name = ", ".join(ast.unparse(part) for part in parts)
        half = stages // 2
        if stages < 2 or stages % 2 or "Pipeline" not in ast.unparse(statement.value):
            return f"`{name}`"
        side = "full" if stage < half else "empty"
        return f"the {side} barrier of stage {stage % half} of `{name}`"
    for call in ast.walk(statement) if statement else ():
        if isinstance(call, ast.Call) and "mbarrier_init" in ast.unparse(call.func) and call.args:
            name = ast.unparse(call.args[0])
            return f"`{name}`" + (f" (number {stage} of {stages})" if stages > 1 else "")
    return fallback


def _pipeline_finding(record: tuple[Any, ...]) -> Finding:
    message, hint, _, _, barriers, places = record
    for number, barrier in enumerate(barriers):
        message = message.replace(f"{{{number}}}", _barrier_name(*barrier))
    accesses = tuple(
        Access(
            what,
            path,
            number,
            linecache.getline(path, number).strip(),
            (thread, 0, 0),
            (block, 0, 0),
        )
        for what, path, number, thread, block in places
    )
    return Finding("schedule", "", message, hint, 1, 1, accesses)


def _pipeline_report(name: str, records: list[tuple[Any, ...]], findings: list[Finding]) -> str:
    lines = [f"`{name}`: {len(findings)} mistake{'s' * (len(findings) != 1)} of pipelines"]
    for (_, _, kernel, numbers, *_), finding in zip(records, findings, strict=True):
        lines.append(
            f"  {finding.message}  [kernel `{kernel}`{f', for {numbers}' if numbers else ''}]"
        )
        for access in finding.accesses:
            place = f"{os.path.basename(access.file)}:{access.line}" if access.file else "(no line)"
            who = f"warp of thread {access.thread[0]}, block {access.block[0]} of the cluster"
            lines.append(f"    {access.what:8} {place}  {access.source}  ({who})")
        if finding.hint:
            lines.append(f"    {finding.hint}")
    return "\n".join(lines)


def raise_pipeline_mistakes(program: _compiler.Program, name: str) -> None:
    """Follow the pipelines of a traced program, and raise CheckError for mistakes.

    Write to stderr which kernels, or launches of them, could not be followed to their end: nothing is known of these.
    """
    records, undecided, _ = program.check_pipelines()
    for reason in undecided:
        print(f"fairlead: --check schedule: not decided: {reason}", file=sys.stderr, flush=True)
    if records:
        findings = [_pipeline_finding(record) for record in records]
        raise CheckError(_pipeline_report(name, records, findings), findings=findings)


name_keywords(__all__, globals())
