"""What is wrong with a triangle mesh: the facts and searches behind `check_surface` and `repair_surface`.

`unchecked_mesh` brings any source into arrays, `subject` derives what the searches share, `surface_problems` holds what
they report; `problem_search` does the searching.
"""
