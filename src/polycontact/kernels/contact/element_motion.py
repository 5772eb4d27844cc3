"""How the two bodies move at each contact element, eqs (13), (16), (17) and (19). Knows nothing of meshes.

In: the table of elements (point and normal on the base, depth) and the velocity of F in E. Out, for each element: the
point C_k between both layers, the speed of approach (m/s, positive where the bodies approach) and the slip of F against
E (m/s), all in frame E.

            base           C_k divides the depth u between both layers as their stiffnesses do: ``split_e`` is the share
     ______ x ______       of E's layer. At C_k both bodies have a velocity; their difference, along the normal into E
            | u            and across it, is what laws see.
     ------ | ------
            target
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, row, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel


@inline_kernel
def into_e(elements: ElementTable, k: int) -> Vector:
    """Normal of element k, into body E, whichever surface is its base; frame E, unit."""
    n_k = row(elements.normal, k)
    return scale(-1.0, n_k) if elements.side[k] == 1 else n_k


@kernel
def find_motion(elements: ElementTable, pose: Pose, split_e: float) -> None:
    """Position between the layers, approach speed and slip of every element; no force yet.

    ``split_e``: E's share of the depth.
    """
    r = as_vector(pose.position)
    v = as_vector(pose.velocity)
    w = as_vector(pose.angular_velocity)
    points = elements.base_point
    normals = elements.normal
    depths = elements.depth
    sides = elements.side
    position = elements.position
    approach = elements.approach
    slip = elements.slip
    common = elements.common_normal
    normal = elements.normal_force
    elastic = elements.elastic_force
    energy = elements.energy
    for k in range(elements.n):
        normal[k] = 0.0  # a law may leave elements out
        elastic[k] = 0.0
        energy[k] = 0.0
        n_k = row(normals, k)
        split = split_e
        into = n_k
        if sides[k] == 1:
            split = 1.0 - split
            into = scale(-1.0, n_k)
        c_k = add(row(points, k), scale(split * depths[k], n_k))  # (13)
        v_k = add(v, cross(w, sub(c_k, r)))  # (17)
        v_n = dot(into, v_k)  # (16)
        v_t = sub(v_k, scale(v_n, into))  # (19)
        approach[k] = v_n
        for a in range(3):
            position[k, a] = c_k[a]
            slip[k, a] = v_t[a]
            common[k, a] = into[a]
