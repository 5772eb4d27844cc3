"""Closed forms that the contact model must meet: each a case with a value, a limit and a convergence rate."""
