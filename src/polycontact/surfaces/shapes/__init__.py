"""Ready-made surfaces for tests, benchmarks and first models; use them as ``polycontact.shapes``.

Lengths are in m. All shapes are closed solids with outward normals, but for the open `plane`, `disc`,
`paraboloid`, `cosine_surface` and `container`; `revolve` gives what its profile says.
"""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
