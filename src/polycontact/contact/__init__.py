"""The contact force element: layers, laws, pairings and their results."""
