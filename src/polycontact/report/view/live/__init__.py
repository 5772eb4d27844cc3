"""A page that follows a run while it goes: `live_page` in the process of the run, `serving` in one of its own.

The run writes its file; a second process reads the file as it grows, makes frames of what a page asks for and serves
them on the loopback address. The run itself only looks, ten times a second, whether the page wants it to wait or end.
"""
