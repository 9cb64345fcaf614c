"""Counting tests over suites of different runners, by their JUnit reports."""

import collections
import dataclasses
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path


@dataclasses.dataclass
class Result:
    """How one suite went."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    failures: list[str] = dataclasses.field(default_factory=list)
    reasons: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    @staticmethod
    def sum(results: Sequence["Result"], name: str = "total") -> "Result":
        return Result(
            name,
            sum(result.passed for result in results),
            sum(result.failed for result in results),
            sum(result.skipped for result in results),
            failures=[failure for result in results for failure in result.failures],
            reasons=sum((result.reasons for result in results), collections.Counter()),
        )

    def show(self) -> None:
        counts = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        print(f"    {self.name}: {self.note or counts}", flush=True)
        for reason, count in self.reasons.most_common():
            print(f"      skipped {count}: {reason}", flush=True)


def from_outcome(name: str, cases: Sequence[str], failures: Sequence[str]) -> Result:
    return Result(name, len(cases) - len(failures), len(failures), failures=list(failures))


def from_junit(name: str, report: Path, status: int, output: str) -> Result:
    """Reads a runner's report; a runner that ended badly without one counts as one failure."""
    result = Result(name)
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        cases = []
    for case in cases:
        title = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
            result.failures.append(title)
        elif (skipped := case.find("skipped")) is not None:
            result.skipped += 1
            result.reasons[_reason(case, skipped)] += 1
        else:
            result.passed += 1
    if status != 0 and not result.failed:
        result.failed += 1
        result.failures.append(f"the runner ended with status {status}")
    elif not cases:
        result.failed += 1
        result.failures.append("no test ran")
    if result.failed:
        print("\n".join(output.splitlines()[-120:]))
    return result


def _reason(case: ElementTree.Element, skipped: ElementTree.Element) -> str:
    """Return why a test was skipped: the report's message, or the text of a GoogleTest after "Skipped"."""
    text = skipped.get("message") or skipped.text or ""
    if text.startswith("SKIP_REGULAR_EXPRESSION"):
        text = (case.findtext("system-out") or "").strip()
        text = text.split(": Skipped\n")[-1]
    elif text == "collection skipped":
        text = (skipped.text or text).split("Skipped: ")[-1].rstrip("\"')")
    return (text.strip() or "no reason given").splitlines()[0][:120]
