"""The few names of ``cutlass._mlir`` that say which IR types an argument has (docs/compile.md)."""
