"""Worker processes of this machine: tasks go in, answers come out; one that hangs or dies costs its task alone."""
