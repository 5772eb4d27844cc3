"""What shows that polycontact is right and fast; not part of what is installed: see README.md beside this file."""
