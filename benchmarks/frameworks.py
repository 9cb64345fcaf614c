"""The cost of a call as an operator of torch, and inside a jitted function of JAX. The function does nothing."""

import sys

import _harness
import torch
from _harness import Row, compare, interleave, loop

import fairlead
import fairlead.torch
from fairlead import cute


@cute.jit
def nothing(a: cute.Tensor, b: cute.Tensor):
    pass


def compiled():
    n = cute.sym_int()
    fakes = [cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n,)) for _ in range(2)]
    return cute.compile(nothing, *fakes, options="--target cpu")


@torch.library.custom_op("fairlead_bench::custom", mutates_args=("b",))
def custom(a: torch.Tensor, b: torch.Tensor) -> None:
    pass


def torch_rows(rounds: int) -> list[Row]:
    function = compiled()
    operator = fairlead.torch.op(function, "fairlead_bench::nothing", "b")
    a, b = torch.zeros(8), torch.zeros(8)
    samples = interleave(
        {
            "function": loop(function, a, b),
            "out": loop(operator.out, a, b),
            "new": loop(operator.default, a),
            "object": loop(operator, a, b),
            "custom_op": loop(custom, a, b),
            "empty_like": loop(torch.empty_like, a),
        },
        rounds,
    )
    peer = "torch.library.custom_op"
    return [
        compare("operator that writes its output", samples, "out", "custom_op", peer_name=peer),
        compare("the same through the Operator", samples, "object", "custom_op", peer_name=peer),
        compare("operator that allocates it", samples, "new", "empty_like", peer_name="empty_like"),
        compare("the function itself", samples, "function"),
    ]


def compiled_rows(rounds: int) -> list[Row]:
    """Measure what an operator adds inside a compiled graph, beside one of torch that Inductor calls as well."""
    operator = fairlead.torch.op(compiled(), "fairlead_bench::in_graph", "b")
    a = torch.zeros(8, 8)

    def chain(function, count):
        def run(x):
            for _ in range(count):
                x = function(x)
            return x

        # Guards distinguish graphs of one code object, which would cost each of them.
        run.__code__ = run.__code__.replace(co_name=f"run_{count}_{id(function)}")
        return torch.compile(run, fullgraph=True)

    flat, guards = a.reshape(-1), torch._C._dynamo.guards
    samples = interleave(
        {
            "one": loop(chain(operator, 1), flat),
            "many": loop(chain(operator, 51), flat),
            "one mm": loop(chain(lambda x: torch.mm(x, a), 1), a),
            "many mm": loop(chain(lambda x: torch.mm(x, a), 51), a),
            # Inductor's programs do this for any operator.
            "memory": loop(guards._empty_strided_cpu, (64,), (1,), torch.float32),
            "check": loop(guards.assert_size_stride, flat, (64,), (1,), "operator"),
        },
        rounds,
    )
    for name, one, many in (("each", "one", "many"), ("mm", "one mm", "many mm")):
        samples[name] = [
            (more - first) / 50 for more, first in zip(samples[many], samples[one], strict=True)
        ]
    samples["beyond"] = [
        each - memory - check
        for each, memory, check in zip(
            samples["each"], samples["memory"], samples["check"], strict=True
        )
    ]
    return [
        compare("the same beyond its memory and Inductor's check of it", samples, "beyond"),
        compare(
            "each further operator of a torch.compile graph",
            samples,
            "each",
            "mm",
            peer_name="torch.mm, 8x8",
        ),
    ]


def jax_rows(rounds: int) -> list[Row]:
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return []
    import fairlead.jax

    call = fairlead.jax.call(compiled())

    def chain(count):
        def run(x):
            for _ in range(count):
                x = call(x)
            return x

        made = jax.jit(run)
        return lambda x: made(x).block_until_ready()

    x = jax.device_put(jnp.ones(8), jax.devices("cpu")[0])  # where the function runs
    add = jax.jit(lambda x: x + 1)
    samples = interleave(
        {
            "one": loop(chain(1), x),
            "eleven": loop(chain(11), x),
            "x + 1": loop(lambda x: add(x).block_until_ready(), x),
        },
        rounds,
    )
    samples["each"] = [
        (many - one) / 10 for many, one in zip(samples["eleven"], samples["one"], strict=True)
    ]
    return [
        compare("jitted function of one call", samples, "one", "x + 1", "us"),
        compare("each further call in it", samples, "each", unit="us"),
    ]


def measure(rounds: int) -> list[Row]:
    return [*torch_rows(rounds), *compiled_rows(rounds), *jax_rows(rounds)]


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
