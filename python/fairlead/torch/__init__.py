"""Compiled functions as operators of torch: ``add_one = fairlead.torch.op(compiled, "mylib::add_one", outputs="b")``,
right under ``torch.compile``, ``torch.export``, autograd, ``vmap`` and fake tensors. docs/pytorch.md is the guide.

Importing this module imports torch.
"""

from __future__ import annotations

from fairlead.torch._load import load
from fairlead.torch._op import Operator, op
from fairlead.torch._writes import writes

__all__ = ["Operator", "load", "op", "writes"]
