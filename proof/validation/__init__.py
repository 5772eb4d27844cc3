"""Cases that others published: their numbers beside ours, each with a bound derived beforehand."""
