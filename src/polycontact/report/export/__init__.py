"""Runs for other programs: VTK files for ParaView, tables for everything else."""

from __future__ import annotations

from polycontact.report.export.export_folder import Exported, export_run

__all__ = ["Exported", "export_run"]
