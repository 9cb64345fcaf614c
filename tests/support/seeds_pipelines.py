"""Mistakes with copies that run ahead, pipelines, predicates and TMA."""

from seed import DROPPED, SYNC, mistakes_of

FIRST, NEXT = "cute.copy(atom, tiles[None, (k, t)]", "cute.copy(atom, tiles[None, (k + 2, t)]"
READ = "out[k, t] = s[0, 63 - t"
FILL, USE = "s[t, filled.index] =", "out[k, t - 32] ="
ACQUIRE, WAIT = "rows.producer_acquire(filled)", "rows.consumer_wait(read)"
COMMIT, RELEASE = "rows.producer_commit(filled)", "rows.consumer_release(read)"
LOAD, EXPECT = "cute.copy(load,", "mbarrier_arrive_and_expect_tx(full, 512)"
INIT, INIT_FENCE = "cute.arch.mbarrier_init(full, 1)", "cute.arch.mbarrier_init_fence()"
WRITE, STORE = "s[t // 8, t % 8] =", "cute.copy(atom, origin, target)"
COMMITS = "        cute.arch.cp_async_commit_group()  # also of nothing: waits count groups"
PRODUCERS = "producers = pipeline.CooperativeGroup(pipeline.Agent.Thread, {})"
CONSUMERS = "consumers = pipeline.CooperativeGroup(pipeline.Agent.Thread, {})"

PIPELINES = [
    *mistakes_of(
        "prefetched",
        ("a wait for a group too few", "wait_group(1)", "wait_group(2)", "race", FIRST, READ),
        ("the next stage is read", "k % 3]", "(k + 1) % 3]", "race", NEXT, READ),
        ("rows past the end are copied", "if k + 2 < rows:", "if k < rows:", "bounds", NEXT),
        (
            "a copy into the stage of another copy",
            "(k + 2) % 3]",
            "(k + 1) % 3]",
            "race",
            NEXT,
            READ,
        ),
        ("groups of the last turns are left out", COMMITS, f"    {COMMITS}", "race", NEXT, READ),
        ("a missing barrier", SYNC, DROPPED, "race", NEXT, READ),
    ),
    *mistakes_of(
        "pipelined",
        (
            "more producers than there are",
            PRODUCERS.format(32),
            PRODUCERS.format(64),
            "sync",
            ACQUIRE,
            WAIT,
        ),
        (
            "more consumers than there are",
            CONSUMERS.format(32),
            CONSUMERS.format(64),
            "sync",
            ACQUIRE,
            WAIT,
        ),
        (
            "the producer begins in the consumer's phase",
            "PipelineUserType.Producer",
            "PipelineUserType.Consumer",
            "sync",
            ACQUIRE,
            WAIT,
        ),
        ("no wait for an empty stage", ACQUIRE, DROPPED, "race", FILL, USE),
        ("always the first stage is filled", FILL, "s[t, 0] =", "race", FILL, USE),
        ("the stage is not committed", COMMIT, DROPPED, "sync", ACQUIRE, WAIT),
        ("the producer does not advance", "filled.advance()", DROPPED, "sync", ACQUIRE, WAIT),
        ("the consumer does not advance", "read.advance()", DROPPED, "sync", ACQUIRE, WAIT),
        (
            "a row too many is waited for",
            "range(out.shape[0])",
            "range(out.shape[0] + 1)",
            "sync",
            WAIT,
        ),
        ("no wait for a full stage", WAIT, DROPPED, "init", USE),
        ("the stage is not released", RELEASE, DROPPED, "sync", ACQUIRE, WAIT),
        (
            "the stage is released before it is read",
            (WAIT, f"            {RELEASE}\n"),
            (f"{WAIT}; {RELEASE}", "            pass\n"),
            "race",
            FILL,
            USE,
        ),
    ),
    *mistakes_of(
        "predicated",
        (
            "the extents are swapped",
            "elem_less(place[i], a.shape)",
            "elem_less(place[i], (a.shape[1], a.shape[0]))",
            "bounds",
            "cute.copy(mine, r, target",
        ),
        (
            "the load has no predicate",
            "origin, r, pred=inside)",
            "origin, r)",
            "bounds",
            "cute.copy(mine, origin, r",
        ),
        (
            "the store has no predicate",
            "target, pred=inside)",
            "target)",
            "bounds",
            "cute.copy(mine, r, target",
        ),
    ),
    *mistakes_of(
        "bulk_loads",
        (
            "too few bytes are announced",
            "(full, 512)",
            "(full, 256)",
            "sync",
            "mbarrier_wait(full, k)",
        ),
        (
            "too many bytes are announced",
            "(full, 512)",
            "(full, 1024)",
            "sync",
            "mbarrier_wait(full, k)",
        ),
        (
            "the phase stays",
            "mbarrier_wait(full, k)",
            "mbarrier_wait(full, 0)",
            "sync",
            "mbarrier_wait(full, k)",
        ),
        (
            "all lanes announce the bytes",
            "with cute.arch.elect_one():",
            "if t >= 0:",
            "sync",
            EXPECT,
        ),
        ("no fence after the mbarrier begins", INIT_FENCE, DROPPED, "sync", INIT, LOAD),
        ("a copy over what is still read", f"{SYNC}  # read", DROPPED, "race", LOAD, "out[k, t] ="),
    ),
    *mistakes_of(
        "tma_stores",
        (
            "no fence before the store",
            "cute.arch.fence_view_async_shared()",
            DROPPED,
            "race",
            WRITE,
            STORE,
        ),
        (
            "the store's group is not committed",
            "cute.arch.cp_async_bulk_commit_group()",
            DROPPED,
            "race",
            WRITE,
            STORE,
        ),
        (
            "no wait for the store",
            "cute.arch.cp_async_bulk_wait_group(0, read=True)",
            DROPPED,
            "race",
            WRITE,
            STORE,
        ),
        (
            "a wait for a group too few",
            "wait_group(0, read=True)",
            "wait_group(1, read=True)",
            "race",
            WRITE,
            STORE,
        ),
        ("no barrier after the wait", f"{SYNC}  # stored", DROPPED, "race", WRITE, STORE),
        ("no barrier before the store", f"{SYNC}  # written", DROPPED, "race", WRITE, STORE),
    ),
]
