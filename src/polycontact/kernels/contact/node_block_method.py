"""One evaluation by hitting nodes and blocks of the defence surface (S3.1–S3.6), on a page.

In: the pose. Out: an element for each node that penetrates, or for each sheet at it, and the forces. All that belongs
to the defence surface, its box, blocks and lists of patches, is constant, because it is in the contact frame: the nodes
come to it (S3.1). Pre-search (S3.4) are boxes and spheres, post-search (S3.5) blocks and lists: see `node_search`.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.contact.beginning import begin, begin_elements
from polycontact.kernels.contact.detection import roots_overlap
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.contact.evaluation_view import BaseKind
from polycontact.kernels.contact.node_search import find_hitting_nodes
from polycontact.kernels.contact.node_views import as_node_evaluation
from polycontact.kernels.jit import entry_kernel


@entry_kernel((types.int64, types.int64, types.int64))
def evaluate_nodes(row: int, kinematics: int, wrench: int) -> int:
    """As `polygonal_method.evaluate_polygonal`, by nodes: pre-search (S3.4), post-search (S3.5), forces (S3.6)."""
    evaluation = as_node_evaluation(row)
    header, setup, stack = evaluation.header, evaluation.setup, evaluation.stack
    report, pose, elements = header.report, header.pose, header.elements
    out = doubles_at(wrench, 6)
    begin(setup.reach, pose, report, doubles_at(kinematics, 18), out)
    begin_elements(elements, setup.base)
    if report.status or not roots_overlap(setup.e, setup.f, pose, setup.margin):
        return report.status
    by_target = setup.by_target == 1
    if setup.base != BaseKind.F:
        find_hitting_nodes(setup.nodes_e, setup.defence_f, pose, 0, by_target, elements, stack, report)
    if setup.base != BaseKind.E:
        find_hitting_nodes(setup.nodes_f, setup.defence_e, pose, 1, by_target, elements, stack, report)
    find_forces(row, header.laws, pose, elements, report, out)
    return report.status


EVALUATE_NODES = address_of(evaluate_nodes)
