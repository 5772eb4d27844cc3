"""Kernels of geometry: vectors, frames, exact signs, triangles, trees and boxes."""
