"""Closed forms that the contact model must meet, each as a case with its value, its limit and its convergence rate."""
