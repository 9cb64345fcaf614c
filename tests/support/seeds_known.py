"""Mistakes that cost real users days, seeded into working programs."""

from seed import DROPPED, SYNC, mistakes_of

KNOWN = [
    *mistakes_of(
        "mbarriers",
        (
            "one elected lane arrives after 32 lanes wrote",
            ("mbarrier_init(full + stage, 32)", "            cute.arch.mbarrier_arrive(full"),
            (
                "mbarrier_init(full + stage, 1)",
                "            if t == 0: cute.arch.mbarrier_arrive(full",
            ),
            "race",
            "s[t, stage] = a[t, i]",
            "out[t - 32, i] = s[63 - t, stage]",
        ),
        (
            "a missing wait",
            "cute.arch.mbarrier_wait(full + stage, phase)",
            DROPPED,
            "race",
            "s[t, stage] = a[t, i]",
            "out[t - 32, i] = s[63 - t, stage]",
        ),
    ),
    *mistakes_of(
        "reduction",
        (
            "writes of some lanes are read without a barrier",
            SYNC,
            DROPPED,
            "race",
            "sums[cute.arch.warp_idx()] = value",
            "total = total + sums[w]",
        ),
    ),
    *mistakes_of(
        "ring",
        (
            "no barrier where the number of threads is no multiple of 32",
            (SYNC, "block=64", "63 - t"),
            (DROPPED, "block=48", "47 - t"),
            "race",
            "s[stage, t] =",
            "= s[stage, 63 - t]",
        ),
    ),
    *mistakes_of(
        "stencil",
        (
            "a barrier in a divergent branch",
            SYNC,
            f"if t < 32: {SYNC}",
            "tracing",
            "kernel(a, out).launch(",
        ),
        (
            "a barrier in a branch of values, that some threads take",
            SYNC,
            f"if a[i] > 32.0: {SYNC}",
            "race",
            "s[t + 1] = a[i + 1]",
            "total = s[t] + s[t + 1] + s[t + 2]",
        ),
    ),
    *mistakes_of(
        "transpose",
        (
            "a conditional write, then an unconditional read of shared memory",
            "if row < a.shape[0] and column < a.shape[1]:",
            "if row < a.shape[0] - 1 and column < a.shape[1]:",
            "init",
            "out[to_row, to_column] = s[x, y]",
        ),
    ),
    *mistakes_of(
        "tail",
        (
            "a masked load with the length of the memory under a strided view",
            "if base + j < a.shape[0]:",
            "if base + j < a.shape[0] * 2:",
            "bounds",
            "r[j] = a[base + j]",
        ),
    ),
]
