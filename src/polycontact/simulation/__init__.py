"""Time integration of multibody systems with contact: integrators, events, the simulation driver."""
