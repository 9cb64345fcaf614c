"""`--check schedule` follows one order of the warps. Here all orders are explored, by another program."""

import pytest
from support import every_order

import fairlead
from fairlead import Float32, cute

TENSORS = [
    cute.make_fake_tensor(Float32, shape, stride, assumed_align=16)
    for shape, stride in (((4, 6), (1, 4)), ((8,), (1,)))
]


def is_clean(seed: int) -> bool:
    """True if the check finds nothing. It must decide about these programs."""
    program = every_order.random_program(seed)
    host = every_order.host_of(program, f"<every order {seed}>", whole_warps=seed % 2 == 0)
    try:
        cute.compile(host, *TENSORS, options="--target cuda:sm_90a --check schedule --opt-level 0")
    except fairlead.CheckError:
        return False
    return True


@pytest.mark.parametrize("first", [0, 20, 40, 60])
def test_it_finds_a_mistake_where_orders_differ(first, capfd):
    seeds = range(first, first + 20)
    agree = {seed: every_order.agree(every_order.random_program(seed)) for seed in seeds}
    assert {seed: is_clean(seed) for seed in seeds} == agree
    assert capfd.readouterr().err == ""
    assert len(set(agree.values())) == 2


@pytest.mark.parametrize(
    ("counts", "warps", "agrees"),
    [
        ((1,), [[("arrive", 0, 0)], [("wait", 0, 0)]], True),
        # The second arrival may end another phase before the wait sees the first.
        ((1,), [[("arrive", 0, 0), ("arrive", 0, 0)], [("wait", 0, 0)]], False),
        ((2,), [[("arrive", 0, 0)], [("wait", 0, 0)]], False),
        ((1,), [[("expect", 0, 1), ("send", 0, 0)], [("wait", 0, 0)]], True),
        ((1,), [[("expect", 0, 2), ("send", 0, 0)], [("wait", 0, 0)]], False),
        ((1, 1), [[("wait", 0, 0), ("arrive", 1, 0)], [("wait", 1, 0), ("arrive", 0, 0)]], False),
    ],
)
def test_the_exploration(counts, warps, agrees):
    program = every_order.Program(counts, tuple(map(tuple, warps)))
    assert every_order.agree(program) is agrees
