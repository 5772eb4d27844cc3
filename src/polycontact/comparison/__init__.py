"""One geometry, many methods: the same bodies in the same pose by every method and law that fits (S2.23–S2.26)."""
