"""Parameters of a scenario from measured curves: estimates with intervals, and what the data leave open."""
