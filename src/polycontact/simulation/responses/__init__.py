"""Responses of rigid contact: impulses at collisions, and multipliers in time steps."""
