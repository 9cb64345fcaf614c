"""--check schedule: mistakes of pipelines that compiling finds, without running anything."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import fairlead
import fairlead.checks

PROGRAMS = Path(__file__).parent / "seeded"

#: program, the text to replace (it occurs once), the mistake, a part of the message (a pattern)
MISTAKES = [
    (
        "tma_stages",
        "cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES)",
        "cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES // 2)",
        "expects 4096 bytes, but copies bring 8192",
    ),
    (
        "tma_stages",
        "cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES)",
        "cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES + 16)",
        "expects 8208 bytes, but copies bring 8192",
    ),
    (
        "tma_stages",
        "cute.arch.mbarrier_arrive_and_expect_tx(full + stage, BYTES)",
        "cute.arch.mbarrier_arrive_and_expect_tx(full + stage, 2 * BYTES)",
        "expects 16384 bytes, but copies bring 8192",
    ),
    (
        "bulk_loads",
        "expect_tx(full, 512)",
        "expect_tx(full, 256)",
        "expects 256 bytes, but copies bring 512",
    ),
    (
        "bulk_loads",
        "expect_tx(full, 512)",
        "expect_tx(full, 1024)",
        "expects 1024 bytes, but copies bring 512",
    ),
    (
        "tma_stages",
        "mbarrier_init(empty + stage, 64)",
        "mbarrier_init(empty + stage, 96)",
        "begun for 96 arrivals, but only 64 come",
    ),
    (
        "tma_stages",
        "mbarrier_init(empty + stage, 64)",
        "mbarrier_init(empty + stage, 32)",
        "ends after 32 arrivals, but 64 come for it",
    ),
    (
        "tma_stages",
        "mbarrier_init(full + stage, 1)",
        "mbarrier_init(full + stage, 2)",
        "begun for 2 arrivals, but only 1 comes",
    ),
    (
        "tma_stages",
        "cute.arch.mbarrier_arrive(empty + stage)",
        "cute.arch.mbarrier_arrive(empty + stage); cute.arch.mbarrier_arrive(empty + stage)",
        "ends after 64 arrivals, but 128 come for it",
    ),
    (
        "tma_stages",
        "cute.arch.mbarrier_arrive(empty + stage)",
        "\n            if warp == 0:\n                cute.arch.mbarrier_arrive(empty + stage)",
        "begun for 64 arrivals, but only 32 come",
    ),
    (
        "mbarriers",
        "mbarrier_init(full + stage, 32)",
        "mbarrier_init(full + stage, 64)",
        "begun for 64 arrivals, but only 32 come",
    ),
    (
        "pipelined",
        "consumers = pipeline.CooperativeGroup(pipeline.Agent.Thread, 32)",
        "consumers = pipeline.CooperativeGroup(pipeline.Agent.Thread, 64)",
        "the empty barrier of stage 0 of `rows` never ends",
    ),
    (
        "pipelined",
        "producers = pipeline.CooperativeGroup(pipeline.Agent.Thread, 32)",
        "producers = pipeline.CooperativeGroup(pipeline.Agent.Thread, 64)",
        "the full barrier of stage 0 of `rows` never ends",
    ),
    ("tma_stages", "cute.arch.mbarrier_arrive(empty + stage)", "pass", "deadlock"),
    (
        "tma_stages",
        "cute.arch.mbarrier_wait(empty + stage, phase ^ 1)",
        "cute.arch.mbarrier_wait(empty + stage, phase)",
        "deadlock",
    ),
    (
        "mbarriers",
        "cute.arch.mbarrier_wait(empty + stage, phase ^ 1)",
        "cute.arch.mbarrier_wait(empty + stage, phase)",
        "deadlock",
    ),
    ("pipelined", "rows.consumer_release(read)", "pass", "deadlock"),
    ("pipelined", "rows.producer_commit(filled)", "pass", "deadlock"),
    ("pipelined", "PipelineUserType.Producer", "PipelineUserType.Consumer", "deadlock"),
    ("pipelined", "filled.advance()", "pass", "deadlock|may miss|may see"),
    ("pipelined", "read.advance()", "pass", "deadlock|may miss|may see"),
    ("pipelined", "range(out.shape[0])", "range(out.shape[0] + 1)", "deadlock"),
    (
        "tma_stages",
        "            out[t, k] =",
        "            cute.arch.mbarrier_wait(full + stage, phase ^ 1)\n            out[t, k] =",
        "deadlock|may miss|may see",
    ),
    ("mbarriers", "cute.arch.mbarrier_wait(full + stage, phase)", "pass", "ends after|may"),
    (
        "tma_stages",
        "cute.arch.mbarrier_wait(full + stage, phase)",
        "pass",
        "is read before the wait|may",
    ),
    (
        "tma_stages",
        "out[t, k] = s[t, 0, stage]",
        "out[t, k] = s[t, 0, (stage + 1) % STAGES]",
        "is copied to while|is read before the wait",
    ),
    (
        "tma_stages",
        "            out[t, k] = s[t, 0, stage]\n            cute.arch.mbarrier_arrive(empty + stage)",
        "            cute.arch.mbarrier_arrive(empty + stage)\n            out[t, k] = s[t, 0, stage]",
        "is copied to while it may still be read",
    ),
    (
        "tma_stages",
        "cute.arch.sync_threads()  # begun",
        "pass",
        "before its mbarrier_init|nothing has begun",
    ),
    (
        "mbarriers",
        "    cute.arch.sync_threads()\n",
        "",
        "before its mbarrier_init|nothing has begun",
    ),
    (
        "tma_stages",
        "for stage in range(STAGES):",
        "for stage in range(STAGES - 1):",
        "nothing has begun|deadlock",
    ),
]


def module_of(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seeded(program: str, old: str, new: str, folder: Path) -> Path:
    text = (PROGRAMS / f"{program}.py").read_text()
    assert text.count(old) == 1, old
    path = folder / f"{program}_with_a_mistake.py"
    path.write_text(text.replace(old, new))
    return path


def findings_of(path: Path) -> list[fairlead.checks.Finding]:
    with fairlead.checks.on("schedule"):
        try:
            module_of(path).run()
        except fairlead.CheckError as error:
            return error.findings
    return []


@pytest.mark.parametrize("program, old, new, message", MISTAKES)
def test_mistake_is_found(program, old, new, message, tmp_path):
    findings = findings_of(seeded(program, old, new, tmp_path))
    assert any(re.search(message, finding.message) for finding in findings), findings


@pytest.mark.parametrize(
    "program", ["tma_stages", "mbarriers", "pipelined", "bulk_loads", "prefetched"]
)
def test_correct_program_has_no_findings(program):
    assert findings_of(PROGRAMS / f"{program}.py") == []
