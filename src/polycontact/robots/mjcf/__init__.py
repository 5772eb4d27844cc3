"""Models from MJCF files, the XML of MuJoCo: read and checked, as bodies, joints and forces of a multibody system."""
