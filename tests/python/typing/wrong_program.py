from fairlead import cute, tuning

number: int = cute.sym_int()
tuning.next_pow2("3")
cute.no_such_name
cute.arch.thread_index()
