"""Runs as records: what the driver hands over, files written as a run goes, trajectories read back."""
