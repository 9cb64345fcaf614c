from fairlead import cute, tuning

number: int = cute.sym_int()  # error
tuning.next_pow2("3")  # error
cute.no_such_name  # error
cute.arch.thread_index()  # error
cute.make_rmem_tensor((4,), 32)  # error
cute.make_swizzle("3", 4, 3)  # error
cute.compile(3)  # error
cute.runtime.make_fake_compact_tensor("float32", (4,))  # error
