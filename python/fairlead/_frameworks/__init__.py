"""What operators of torch and calls of JAX share: a function's parameters, and what its outputs look like."""
