"""--check schedule: mistakes of pipelines that compiling finds, without running anything, and its limits."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("ml_dtypes")
from support.blackwell_pairs import PairGemm  # noqa: E402
from support.blackwell_programs import TileGemm  # noqa: E402
from support.blackwell_tensors import fake  # noqa: E402

import fairlead  # noqa: E402
import fairlead.checks  # noqa: E402
from fairlead import Float16, cute  # noqa: E402

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


#: as above; the messages name the expected number
MISTAKES_OF_BLOCKS = [
    (
        "handed",
        "cute.arch.barrier(barrier_id=1 + i % 2, number_of_threads=128)  # full",
        "cute.arch.barrier(barrier_id=1 + i % 2, number_of_threads=96)",
        "barrier 1 is for 128 threads by one warp, and for 96 threads by another",
    ),
    (
        "handed",
        "number_of_threads=128",
        "number_of_threads=160",
        "waits for barrier 1 \\(128 of 160 threads\\)|barrier 1 is for 160 threads, but only 128 come",
    ),
    (
        "handed",
        "number_of_threads=128",
        "number_of_threads=64",
        "barrier [1-4] is for 64 threads, but 128 come",
    ),
    (
        "handed",
        "cute.arch.barrier_arrive(barrier_id=3 + i % 2, number_of_threads=128)  # read",
        "pass",
        "deadlock.*barrier 3 \\(64 of 128 threads\\)|barrier 3 is for 128 threads, but only 64 come",
    ),
    ("handed", "if i >= 2", "if i >= 1", "barrier 4 is for 128 threads|barrier 4 .64 of 128"),
    (
        "handed",
        "if i < 6:",
        "if t < 96:",
        "barrier 3 is for 128 threads, but only 96 come|barrier 3 \\(96 of 128 threads\\)",
    ),
    (
        "multicast",
        "mbarrier_init(empty + stage, 64)",
        "mbarrier_init(empty + stage, 96)",
        "begun for 96 arrivals, but only 64 come",
    ),
    (
        "multicast",
        "mbarrier_init(empty + stage, 64)",
        "mbarrier_init(empty + stage, 32)",
        "ends after 32 arrivals, but 64 come",
    ),
    (
        "multicast",
        "cute.arch.mbarrier_arrive(empty + stage, rank ^ 1)",
        "pass",
        "begun for 64 arrivals, but only 32 come",
    ),
    (
        "multicast",
        "Int16(3)",
        "Int16(1)",
        "expects 1024 bytes, but copies bring 0",
    ),
    (
        "multicast",
        "expect_tx(full + stage, BYTES)",
        "expect_tx(full + stage, 2 * BYTES)",
        "expects 2048 bytes, but copies bring 1024",
    ),
    (
        "multicast",
        "    cute.arch.cluster_arrive()  # begun\n    cute.arch.cluster_wait()  # begun",
        "    cute.arch.sync_threads()",
        "before its mbarrier_init|nothing has begun",
    ),
    (
        "multicast",
        "    cute.arch.cluster_arrive()  # begun\n",
        "",
        "waits at the barrier of the cluster, but has not arrived",
    ),
    (
        "multicast",
        "    cute.arch.cluster_arrive()  # begun\n",
        "    if rank == 0:\n        cute.arch.cluster_arrive()\n",
        "waits at the barrier of the cluster, but has not arrived",
    ),
    (
        "multicast",
        "    cute.arch.cluster_wait()  # begun",
        "    cute.arch.cluster_arrive()",
        "arrives at the barrier of the cluster again",
    ),
    (
        "multicast",
        "    cute.arch.cluster_arrive()  # begun\n    cute.arch.cluster_wait()  # begun",
        "    if warp == 0:\n        cute.arch.cluster_arrive()\n        cute.arch.cluster_wait()",
        "for all 4 warps, but only 2 arrive|before its mbarrier_init|nothing has begun",
    ),
    (
        "multicast",
        "    cute.arch.cluster_arrive()  # read\n    cute.arch.cluster_wait()  # read\n",
        "",
        "accesses shared memory of block [01], which may have ended",
    ),
    (
        "tensor_memory",
        "tx_count=bytes_",
        "tx_count=bytes_ // 2",
        "expects 12288 bytes, but copies bring 24576|expects 12288 bytes, but 24576 come",
    ),
    (
        "tensor_memory",
        "tx_count=bytes_",
        "tx_count=16384",
        "full barrier of stage 0 of `loads` expects 16384 bytes, but 24576 come",
    ),
    (
        "bulk_loads",
        "cute.arch.mbarrier_wait(full, k)",
        "pass",
        "is read before the wait for phase 0 of `full`",
    ),
    (
        "tensor_memory",
        "tx_count=bytes_",
        "tx_count=2 * bytes_",
        "expects 49152 bytes, but copies bring 24576",
    ),
    (
        "tensor_memory",
        "products = pipeline.CooperativeGroup(pipeline.Agent.Thread, 1)",
        "products = pipeline.CooperativeGroup(pipeline.Agent.Thread, 2)",
        "empty barrier of stage 0 of `loads` never ends: it was begun for 2 arrivals, but only 1 comes",
    ),
    (
        "tensor_memory",
        "storing = pipeline.CooperativeGroup(pipeline.Agent.Thread, 128)",
        "storing = pipeline.CooperativeGroup(pipeline.Agent.Thread, 64)",
        "empty barrier of stage 0 of `sums` ends after 64 arrivals, but 128 come",
    ),
    (
        "tensor_memory",
        "storing = pipeline.CooperativeGroup(pipeline.Agent.Thread, 128)",
        "storing = pipeline.CooperativeGroup(pipeline.Agent.Thread, 256)",
        "empty barrier of stage 0 of `sums` never ends: it was begun for 256 arrivals, but only 128",
    ),
    (
        "tensor_memory",
        "loads.consumer_release(read)",
        "pass",
        "deadlock: .*empty barrier of stage 0 of `loads` \\(0 of 1 arrival",
    ),
    (
        "tensor_memory",
        "sums.producer_commit(summed)",
        "pass",
        "deadlock: .*full barrier of stage 0 of `sums` \\(0 of 1 arrival",
    ),
    (
        "tensor_memory",
        "sums.consumer_release(stored)",
        "pass",
        "deadlock: .*empty barrier of stage 0 of `sums` \\(0 of 128 arrivals",
    ),
    (
        "tensor_memory",
        "loads.consumer_wait(read)",
        "pass",
        "read before the wait for phase 0 of the full barrier of stage 0 of `loads`",
    ),
    (
        "tensor_memory",
        "loads.consumer_release(read)",
        "place = storage.loads.data_ptr() + (STAGES + read.index)\n"
        "                with cute.arch.elect_one():\n"
        "                    cute.arch.mbarrier_arrive(place)",
        "copied to while it may still be read: nothing makes the copy come after the end of the product",
    ),
    (
        "tensor_memory",
        "filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer",
        "filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer",
        "deadlock: .*phase 0 of the empty barrier of stage 0 of `loads`",
    ),
    (
        "tensor_memory",
        "read.advance()",
        "pass",
        "deadlock|may miss|may see|a warp can arrive for the next phase before",
    ),
]


def module_of(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seeded(program: str, old: str, new: str, folder: Path) -> Path:
    text = (PROGRAMS / f"{program}.py").read_text()
    assert text.count(old) == 1 or old == "number_of_threads=128", old
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


@pytest.mark.parametrize("program, old, new, message", MISTAKES + MISTAKES_OF_BLOCKS)
def test_mistake_is_found(program, old, new, message, tmp_path):
    findings = findings_of(seeded(program, old, new, tmp_path))
    assert any(re.search(message, finding.message) for finding in findings), findings


@pytest.mark.parametrize(
    "program",
    "tma_stages mbarriers pipelined bulk_loads prefetched named handed multicast tensor_memory".split(),
)
def test_correct_program_has_no_findings(program, capfd):
    assert findings_of(PROGRAMS / f"{program}.py") == []
    assert "not decided" not in capfd.readouterr().err


UNDECIDED = {
    "the result decides what is written": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    ended = cute.arch.mbarrier_try_wait(bar, 0)
    if ended:
        cute.arch.mbarrier_arrive(bar + 1)
    cute.arch.mbarrier_wait(bar, 0)
""",
    "the result is a number of arrivals": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    ended = cute.arch.mbarrier_try_wait(bar, 0)
    cute.arch.mbarrier_wait(bar + 1, Int32(ended) ^ 1)
""",
    "the result decides about another wait": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    ended = cute.arch.mbarrier_try_wait(bar, 0)
    if not ended:
        cute.arch.mbarrier_wait(bar + 1, 1)
    cute.arch.mbarrier_wait(bar, 0)
""",
    "the number of failed tests is used": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    count = Int32(0)
    while not cute.arch.mbarrier_try_wait(bar, 0):
        count += 1
    cute.arch.mbarrier_wait(bar + 1, 1 | count)
""",
    "an atomic operation chooses the thread that arrives": """
    first = cute.arch.atomic_add(out.iterator, Int32(1))
    if first == 0:
        cute.arch.mbarrier_arrive(bar)
    cute.arch.mbarrier_wait(bar, 0)
""",
    "threads wait for memory": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
        while out[0] != 0:
            pass
    cute.arch.mbarrier_wait(bar, 0)
""",
    "inline PTX arrives": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    cute.arch.mbarrier_wait(bar, 0)
    primitives.mbarrier_arrive(bar + 2, count=1)
""",
    "memory decides about a wait": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    if out[0] == 0:
        cute.arch.mbarrier_wait(bar, 0)
""",
}
DECIDED = {
    "a wait makes up for a test that fails": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    ended = cute.arch.mbarrier_try_wait(bar, 0)
    if not ended:
        cute.arch.mbarrier_wait(bar, 0)
    cute.arch.mbarrier_wait(bar + 1, 1)
""",
    "a loop repeats the test": """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
    while not cute.arch.mbarrier_try_wait(bar, 0):
        pass
    cute.arch.mbarrier_wait(bar, 0)
""",
}
TESTS = """
import numpy as np
from fairlead import Int32, Int64, cute, primitives

@cute.kernel
def kernel(out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator()
    bar = memory.allocate_array(Int64, 3)
    word = memory.allocate_tensor(Int32, 1, 4)
    if t == 0:
        cute.arch.mbarrier_init(bar, {arrivals})
        cute.arch.mbarrier_init(bar + 1, 1)
    cute.arch.sync_threads()
{body}

@cute.jit
def host(out: cute.Tensor):
    kernel(out).launch(grid=1, block=64, cluster=(1, 1, 1))

def run():
    cute.compile(host, np.zeros(4, np.int32), options="--target cuda:sm_90a --check schedule")
"""


def messages_for(body, folder, capfd, arrivals=1):
    path = folder / "tested.py"
    path.write_text(TESTS.format(body=body, arrivals=arrivals))
    module_of(path).run()
    return capfd.readouterr().err


@pytest.mark.parametrize("body", UNDECIDED.values(), ids=UNDECIDED)
def test_what_one_order_does_not_decide_is_said(body, tmp_path, capfd):
    assert "--check schedule: not decided: `kernel" in messages_for(body, tmp_path, capfd)


@pytest.mark.parametrize("body", DECIDED.values(), ids=DECIDED)
def test_tests_that_a_wait_makes_up_for_are_decided(body, tmp_path, capfd):
    assert "not decided" not in messages_for(body, tmp_path, capfd)


MISUSES = {
    "bytes are expected after the arrival": (
        2,
        """
    if t == 0:
        cute.arch.mbarrier_arrive(bar)
        cute.arch.mbarrier_expect_tx(bar, 4)
    if t == 32:
        cute.arch.mbarrier_arrive(bar)
        cute.arch.store_async_dsmem(word.iterator, Int32(1), bar, 0)
    cute.arch.mbarrier_wait(bar, 0)
""",
        "phase 0 of .* may end before its bytes are expected: none of its 2 arrivals",
    ),
    "too many arrivals while bytes are missing": (
        1,
        """
    if t == 0:
        cute.arch.mbarrier_arrive_and_expect_tx(bar, 4)
        cute.arch.mbarrier_arrive(bar)
    cute.arch.mbarrier_wait(bar, 0)
""",
        "phase 0 of .* gets 2 arrivals, but was begun for 1, and still waits for 4 bytes",
    ),
    "a barrier beyond those that were begun": (
        1,
        """
    cute.arch.mbarrier_arrive(bar + 2)
""",
        "nothing has begun the mbarrier 8 bytes after .bar . 1.",
    ),
    "a phase that nobody arrives at": (
        1,
        """
    cute.arch.mbarrier_wait(bar + 1, 0)
""",
        "deadlock: the warp of thread 0 waits for phase 0 of .bar . 1. .0 of 1 arrival.",
    ),
    "a wait that takes the first phase for the third": (
        1,
        """
    if t == 0:
        for i in range(3):
            cute.arch.mbarrier_arrive(bar)
    if t == 32:
        cute.arch.mbarrier_wait(bar, 0)
""",
        "a wait for phase 2 of .bar. may see phase 0 instead: both have parity 0",
    ),
}


@pytest.mark.parametrize("arrivals, body, message", MISUSES.values(), ids=MISUSES)
def test_misuse_is_named(arrivals, body, message, tmp_path, capfd):
    with pytest.raises(fairlead.CheckError) as caught:
        messages_for(body, tmp_path, capfd, arrivals)
    assert any(re.search(message, each.message) for each in caught.value.findings), caught.value


PAIRS = {
    "a tile of blocks that share operands": lambda: TileGemm(cluster=(2, 1)),
    "a pair of blocks": lambda: PairGemm(),
    "two pairs that share operands": lambda: PairGemm(cluster=(2, 2)),
}


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
def test_correct_products_of_clusters_have_no_findings(make, capfd):
    a, b, c = fake(Float16, 1), fake(Float16, 1), fake(Float16, 1)
    cute.compile(make(), a, b, c, options="--target cuda:sm_100a --check schedule")
    assert "not decided" not in capfd.readouterr().err
