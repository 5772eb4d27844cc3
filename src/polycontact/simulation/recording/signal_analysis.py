"""Histories of a run as engineers read them: any over any other, filtered, as a spectrum over frequencies or orders.

Samples of a run need not be evenly spaced; spectra and filters take them at equal distances first, linearly between the
samples. Windows and filters are those of `scipy.signal`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SimulationError

Array = NDArray[np.float64]

FEWEST: Final = 16
"""Samples that a spectrum or a filter needs at least."""

TURN: Final = 2.0 * math.pi


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Amplitudes of a history: ``amplitude[i]`` of the sine at ``frequency[i]``, in Hz or in orders of a shaft.

    ``unit`` of the frequencies, "Hz" or "orders"; the amplitude at 0 is the mean.
    """

    frequency: Array
    amplitude: Array
    unit: str = "Hz"

    def peaks(self, number: int = 5) -> list[tuple[float, float]]:
        """Frequency and amplitude of the ``number`` highest lines that stand above their neighbours, highest first."""
        from scipy.signal import find_peaks

        found, _ = find_peaks(self.amplitude[1:])
        order = sorted((found + 1).tolist(), key=lambda i: -self.amplitude[i])[:number]
        return [(float(self.frequency[i]), float(self.amplitude[i])) for i in order]


def spectrum(time: ArrayLike, values: ArrayLike) -> Spectrum:
    """Amplitudes of a history over frequencies: of ``values`` at ``time`` (s), under Hann's window.

    A sine of amplitude a between two frequencies of the spectrum shows at least 0.85 a.
    """
    even, taken = _evenly(*_checked(time, values, "time"))
    return _amplitudes(taken, float(even[1] - even[0]), "Hz")


def order_spectrum(angle: ArrayLike, values: ArrayLike) -> Spectrum:
    """Amplitudes of a history over orders, cycles in a turn of a shaft: of ``values`` at its ``angle`` (rad).

    The speed of the shaft may change; its angle must rise, or fall, from sample to sample.
    """
    given = np.asarray(angle, float)
    if len(given) > 1 and given[-1] < given[0]:
        given = -given
    even, taken = _evenly(*_checked(given, values, "angle"))
    return _amplitudes(taken, float(even[1] - even[0]) / TURN, "orders")


def filtered(
    time: ArrayLike,
    values: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    order: int = 4,
) -> Array:
    """A history without what is faster than ``low`` or slower than ``high`` (Hz), at the same times (s).

    ``low``: limit of a low-pass filter; ``high``: of a high-pass filter; both: what lies between ``high`` and ``low``
    passes. Butterworth's filter of an ``order``, forwards and backwards, so that nothing is delayed.
    """
    from scipy.signal import butter, sosfiltfilt

    times, taken = _checked(time, values, "time")
    even, regular = _evenly(times, taken)
    rate = 1.0 / float(even[1] - even[0])
    for name, limit in (("low", low), ("high", high)):
        if limit is not None and not 0.0 < limit < 0.5 * rate:
            raise SimulationError(
                f"filter: {name} is {limit:g} Hz; give a limit between 0 and {0.5 * rate:.6g} Hz, half of the rate of "
                f"the samples, or take a shorter output_step"
            )
    if low is None and high is None:
        raise SimulationError("filter: give low, high or both, in Hz")
    if low is not None and high is not None:
        if not high < low:
            raise SimulationError(f"filter: nothing lies between high = {high:g} Hz and low = {low:g} Hz; swap them")
        sections = butter(order, [high, low], "bandpass", fs=rate, output="sos")
    elif low is not None:
        sections = butter(order, low, "lowpass", fs=rate, output="sos")
    else:
        assert high is not None
        sections = butter(order, high, "highpass", fs=rate, output="sos")
    passed = sosfiltfilt(sections, regular, padlen=min(3 * (2 * len(sections) + 1), len(regular) - 1))
    return np.asarray(np.interp(times, even, passed), dtype=np.float64)


def _checked(places: ArrayLike, values: ArrayLike, what: str) -> tuple[Array, Array]:
    """Both as arrays: as many of each, enough of them, finite, and in order."""
    along, taken = np.asarray(places, float), np.asarray(values, float)
    if along.ndim != 1 or along.shape != taken.shape:
        raise SimulationError(f"{what} and values have shapes {along.shape} and {taken.shape}; give as many of each")
    if len(along) < FEWEST:
        raise SimulationError(f"{len(along)} samples are too few for a spectrum or a filter; give at least {FEWEST}")
    if not (np.isfinite(along).all() and np.isfinite(taken).all()):
        raise SimulationError(f"{what} or values are not finite; leave out what is not, such as with a window")
    back = np.flatnonzero(~(np.diff(along) > 0.0))
    if len(back):
        at = int(back[0])
        raise SimulationError(
            f"{what} does not go on from {along[at]:.6g} to {along[at + 1]:.6g}; give a part in which it rises"
        )
    return along, taken


def _evenly(along: Array, values: Array) -> tuple[Array, Array]:
    """The same at equal distances, as many."""
    even = np.linspace(along[0], along[-1], len(along))
    return even, np.interp(even, along, values)


def _amplitudes(values: Array, step: float, unit: str) -> Spectrum:
    from scipy.signal.windows import hann

    n = len(values)
    window: Any = hann(n, sym=False)
    mean = float(values.mean())
    lines = np.abs(np.fft.rfft((values - mean) * window)) * 2.0 / float(window.sum())
    lines[0] = abs(mean)
    places = np.asarray(np.fft.rfftfreq(n, step), dtype=np.float64)
    return Spectrum(places, np.asarray(lines, dtype=np.float64), unit)
