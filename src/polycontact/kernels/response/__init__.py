"""Impulses and multipliers of rigid contact: problems of complementarity, and laws of impact."""
