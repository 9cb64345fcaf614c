"""What several tests use: kernels, programs with their checks, servers. Imported as `support.name`."""
