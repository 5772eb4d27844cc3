"""What charts on a page need besides their places: data as JSON, the drawing library, and our scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from polycontact.errors import SimulationError
from polycontact.report.document.panels import Panel, Timeline, panel_to_json, timeline_to_json
from polycontact.report.document.series import Thinning, encode
from polycontact.report.html_page import static_text

SCRIPTS = ("data.js", "theme.js", "curves.js", "timeline.js", "main.js")


def chart_data(labels: Sequence[str], panels: Sequence[Panel | Timeline], thinnings: Sequence[Thinning]) -> str:
    """Everything that the charts of some runs need, as JSON that can stand in a script."""
    content = {
        "runs": [{"label": label, "time": encode(each.times)} for label, each in zip(labels, thinnings, strict=True)],
        "panels": [
            panel_to_json(panel, list(thinnings)) if isinstance(panel, Panel) else timeline_to_json(panel)
            for panel in panels
        ],
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def chart_script() -> str:
    """The scripts that draw the charts; after plotly and the data."""
    return "\n".join(static_text("polycontact.report.document", name) for name in SCRIPTS)


def plotly_script() -> str:
    """The drawing library, as it can stand in a script."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise SimulationError(
            "reports need the package plotly, which is not installed; get it with 'pip install plotly'"
        ) from error
    script: str = get_plotlyjs()
    return script.replace("</script", "<\\/script")
