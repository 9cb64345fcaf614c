"""Shared by the tests of operators."""

import itertools

import torch

import fairlead.torch

#: Torch's exception for std::invalid_argument: a RuntimeError from 2.15 on.
MISMATCH = ValueError if torch.__version__ < (2, 14) else (ValueError, RuntimeError)

_numbers = itertools.count()


def make(function, outputs=None, **options):
    """An operator with a name of its own."""
    return fairlead.torch.op(function, f"fairlead_tests::op{next(_numbers)}", outputs, **options)


def check(operator, *args, out=None):
    """torch's own checks of an operator: schema, autograd's registration, fake against real, compiled against eager."""
    overloads = [(operator.default, args)]
    if out is not None:
        overloads.append((operator.out, (*args, *out)))
    for overload, given in overloads:
        results = torch.library.opcheck(overload, given)
        assert set(results.values()) == {"SUCCESS"}, (overload, results)
