"""Whether the meshes of the contacts were fine enough: a table of the errors that facets may make."""

from __future__ import annotations

from polycontact.report.document.markup import fold_if_long, heading, number, paragraph, table
from polycontact.report.document.named_runs import ReportRun

WHAT_IT_IS = (
    "How far the facets of the meshes may put the force off, at the sample of the greatest load: the height of the "
    "smooth bodies above the facets in contact over the mean depth. Below 10 % the force is within 10 % of that of the "
    "smooth bodies; beyond, a finer mesh, balanced meshes or a softer layer help."
)


def mesh_table(runs: list[ReportRun]) -> str:
    """Heading, words and table; nothing where no contact of meshes was seen."""
    rows = []
    for run in runs:
        for name, found in sorted(run.trajectory.mesh_errors.items(), key=lambda item: -item[1].error.share):
            error = found.error
            rows.append(
                (
                    name if len(runs) == 1 else f"{name} ({run.label})",
                    f"{100 * error.share:.2g} %" + (" – too coarse" if error.matters else ""),
                    number(found.load),
                    number(found.time),
                    number(1e3 * error.depth),
                    number(1e3 * error.height),
                    number(1e3 * error.least_depth),
                    str(error.n_elements),
                )
            )
    if not rows:
        return ""
    header = (
        "pairing",
        "force off by",
        "load, N",
        "at, s",
        "mean depth, mm",
        "height above facets, mm",
        "depth for 10 %, mm",
        "elements",
    )
    return (
        heading("Meshes")
        + paragraph(WHAT_IT_IS, "note")
        + fold_if_long("all contacts of meshes", table(header, rows), len(rows))
    )
