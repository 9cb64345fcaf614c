"""Code shared by operators of torch and calls of JAX: a function's parameters, and the shapes of its outputs."""
