"""Shared by all tests: `scenes` beside this file is importable from every folder."""
