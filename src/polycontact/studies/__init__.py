"""Studies: one scenario with many values for some of its keys, run on all cores of a machine or on a cluster."""
