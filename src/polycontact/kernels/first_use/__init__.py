"""The first use of kernels, which compiles them: who does it, and what the user is told."""
