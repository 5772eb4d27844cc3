"""Kernels from a shared library that was built ahead, instead of compiling them."""
