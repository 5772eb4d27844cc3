"""Makes the built-in scenarios "pedestrian" and "pedestrian_road": a man of 15 segments and a car, as data.

    python -m tools.pedestrian            writes the files of the package anew
    python -m tools.pedestrian FOLDER     writes them into another folder

Out come two scenario files, which differ by the road, and a folder with a mesh for each segment and the car. From
measures to files: `landmarks` (where the joints are) → `trunk`, `limbs` (solids, made of `fields`) → `skinning` with
`relaxation` → `segments` (surfaces); `car` with `delaunay`; `anthropometry` (masses), `skeleton` (joints and stops),
`pose` (the start) → `crash` (the scenario) → `files`.
"""
