"""The report: one HTML page about a run, or about several that are compared, which fetches nothing."""

from __future__ import annotations

from polycontact.report.document.report_page import make_report, write_report

__all__ = ["make_report", "write_report"]
