"""Tracing a function into a program: its rewriting, so that conditions and loops on run-time values become branches and
loops of the compiled program, while those on Python values stay Python, and the state of a trace.

``source`` finds a function's syntax tree, ``names`` says which variables a region changes and which are read later,
``transform`` turns regions into nested functions, ``rewrite`` compiles the result, ``regions`` runs it while tracing,
``carry`` flattens the variables that go through regions, ``objects`` the objects they change in place, ``composite``
says how values consist of values, ``marks`` points errors at the user's line. ``state`` is the program that a thread
traces, ``dialect`` what differs for functions of programs for another package, ``trace`` runs a trace, ``language``
has the words that are bound to no tensor.
"""
