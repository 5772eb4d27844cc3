"""Watches in a run whether the meshes are fine enough for their contacts: at the samples, from elements at hand.

In: the evaluation of each sample. Out: of each contact the error that its facets may make at the greatest load so far;
a warning where that matters. It is judged when a load has passed its peak, or at the end of the run, as every contact
begins with a touch so light that no mesh is fine enough for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from polycontact.contact.mesh_error import told_mesh_error
from polycontact.errors import ContactWarning, level_of_the_caller
from polycontact.kernels.stepping.sample_rows import SampleRows
from polycontact.multibody.evaluation import ContactsSeen, Evaluation
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.recording.loaded_mesh import LoadedMesh

MORE = "; 'polycontact converge' (pc.converge) tells how far results of a scenario are off"
"""Where to go from the warning."""

MOST_WARNINGS = 3
"""Contacts of a run that are warned of: those of a heap would all say the same."""


class MeshWatch:
    """Follows the contacts of a run; ``earlier``: what `finish` gave for the part of it that it goes on from."""

    def __init__(self, setup: SystemSetup, evaluator: Evaluator, earlier: Mapping[str, dict[str, Any]]) -> None:
        self._setup = setup
        self._evaluator = evaluator
        self._earlier = earlier
        self._worst: dict[int, LoadedMesh] = {}
        """By pair: at its greatest load."""
        self._judged: set[int] = set()
        self._told: set[int] = set()

    def look(self, found: Evaluation | ContactsSeen) -> None:
        """Look at a sample: the memory of the evaluator holds its elements."""
        loads = np.linalg.norm(found.contacts.wrench[:, :3], axis=1)
        for pair in np.flatnonzero(found.contacts.area > 0.0).tolist():
            before = self._worst.get(pair)
            load = float(loads[pair])
            if before is not None and load <= before.load:
                self._judge(pair, before)
                continue
            error = self._setup.pairing(pair).mesh_error_in(self._evaluator.contact_memory(pair))
            if error is not None:
                self._worst[pair] = LoadedMesh(found.time, load, error)
                self._judged.discard(pair)

    def begin(self, samples: SampleRows) -> None:
        """Tell compiled code that a mesh may have to be judged at the first sample with a load."""
        samples.judged_load[:] = -1.0
        samples.is_judged[:] = 1

    def leave(self, samples: SampleRows, found: Evaluation | ContactsSeen) -> None:
        """And after a look at a sample, which loads are of interest from now on."""
        for pair in np.flatnonzero(found.contacts.area > 0.0).tolist():
            worst = self._worst.get(pair)
            if worst is not None:
                samples.judged_load[pair] = worst.load
                samples.is_judged[pair] = int(pair in self._judged)
            elif not self._setup.pairing(pair).is_between_meshes:
                samples.judged_load[pair] = np.inf

    def finish(self) -> dict[str, dict[str, Any]]:
        """Judge what is still loaded; errors by name of contact, as plain values."""
        for pair, worst in self._worst.items():
            self._judge(pair, worst)
        found = {self._setup.contacts[pair].name: worst.to_plain() for pair, worst in sorted(self._worst.items())}
        heavier = {
            name: before
            for name, before in self._earlier.items()
            if name not in found or found[name]["load"] < before["load"]
        }
        return found | heavier

    def _judge(self, pair: int, worst: LoadedMesh) -> None:
        """Warn, once a contact, if the force at its greatest load so far may be off."""
        if pair in self._judged:
            return
        self._judged.add(pair)
        if not worst.error.matters or pair in self._told or len(self._told) >= MOST_WARNINGS:
            return
        self._told.add(pair)
        contact = self._setup.contacts[pair]
        others = "; further contacts with this are not named" if len(self._told) == MOST_WARNINGS else ""
        text = f"contact {contact.name!r} at t = {worst.time:.6g} s, {worst.load:.4g} N: "
        text += told_mesh_error(worst.error, contact.e, contact.f) + MORE + others
        warnings.warn(text, ContactWarning, stacklevel=level_of_the_caller())
