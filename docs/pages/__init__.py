"""Makers of generated pages, one a module: each returns Markdown."""
