"""What people see of a run: tables."""
