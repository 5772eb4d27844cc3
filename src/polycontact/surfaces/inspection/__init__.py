"""What is wrong with a triangle mesh: the facts and searches behind `check_surface` and `repair_surface`.

`mesh` brings any source into arrays, `subject` derives what the searches share, `problems` holds what they
report; `vertex_problems`, `edge_problems`, `face_problems` and `orientation_problems` do the searching.
"""
