"""``python3 dev.py bench``: time, counters and bit-identity of evaluations beside collision libraries.

Absolute times mean little on a shared machine, so peers run on the same meshes and poses, in turns with us,
and the ratios of the medians are shown beside what they should be.
"""
