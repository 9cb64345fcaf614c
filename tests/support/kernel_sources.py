"""A kernel that the tests of this folder share: `add_one(x, y, n)` in PTX."""

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }
"""
SIGNATURE = "add_one(x: Tensor([n], float32), y: Tensor([n], float32))"
LAUNCH = "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))"
