"""The same scenario with every contact response: what the families make of it, and what they cost (S2.20–S2.26)."""
