"""A first scenario from mesh files or an assembly: bodies, masses, contacts and joints that are guessed."""
