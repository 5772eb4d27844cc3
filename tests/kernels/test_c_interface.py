"""Programs in C and C++ evaluate pairings that Python saved: the same bits, and damaged images are refused."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.pairing_image import pairing_image
from polycontact.kernels.contact.contact_report import OVERFLOW, Status
from polycontact.kernels.library_file.shared_library import C_FOLDER, FOLDER, level, library_name
from polycontact.kernels.views import JIT_IS_OFF

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "c"
HEADER = (C_FOLDER / "polycontact.h").read_text(encoding="utf-8")
CHECKSUM = slice(32, 40)
SIZE = 168
"""Of the header of an image."""

pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")


class CInterface:
    """A library as C sees it."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        for name in ("evaluate", "derivative", "n_elements"):
            getattr(self.library, f"polycontact_{name}").restype = ctypes.c_int64
        for name in ("column", "whole_column"):
            getattr(self.library, f"polycontact_{name}").restype = ctypes.c_void_p
        for name in ("message", "name"):
            getattr(self.library, f"polycontact_{name}").restype = ctypes.c_char_p

    def message(self, status: int) -> str:
        return str(self.library.polycontact_message(ctypes.c_int64(status)).decode())

    def open(self, image: bytes) -> Any:
        """A pairing, or what went wrong."""
        pairing = ctypes.c_void_p()
        failure = self.library.polycontact_open_bytes(image, ctypes.c_size_t(len(image)), ctypes.byref(pairing))
        return pairing if failure == 0 else failure

    def memory(self, pairing: Any) -> Any:
        memory = ctypes.c_void_p()
        assert self.library.polycontact_make_memory(pairing, ctypes.byref(memory)) == 0
        return memory

    def evaluate(self, memory: Any, motion: np.ndarray[Any, Any]) -> tuple[int, np.ndarray[Any, Any], int]:
        """Status, wrench, and how often the memory had to grow."""
        wrench = np.empty(6)
        for growths in range(64):
            given = (memory, ctypes.c_void_p(motion.ctypes.data), ctypes.c_void_p(wrench.ctypes.data))
            status = int(self.library.polycontact_evaluate(*given))
            if not status & OVERFLOW:
                return status, wrench, growths
            assert self.library.polycontact_grow(memory, ctypes.c_int64(status)) == 0
        raise AssertionError("it grows for ever")

    def table(self, memory: Any, name: str, kind: Any = np.float64) -> np.ndarray[Any, Any]:
        """A column of the elements."""
        width = ctypes.c_int()
        find = self.library.polycontact_column if kind is np.float64 else self.library.polycontact_whole_column
        address = find(memory, name.encode(), ctypes.byref(width))
        assert address, name
        n = self.library.polycontact_n_elements(memory)
        items = n * width.value
        return np.frombuffer(ctypes.string_at(address, items * np.dtype(kind).itemsize), kind).reshape(n, width.value)


def motions(n: int, height: float) -> np.ndarray[Any, Any]:
    """Motions (n, 18) of F about a height (m) above E."""
    numbers = np.random.default_rng(5)
    found = np.empty((n, 18))
    for each in found:
        q, r = np.linalg.qr(numbers.normal(size=(3, 3)))
        each[:9] = (q * np.sign(np.diag(r)) * np.sign(np.linalg.det(q * np.sign(np.diag(r))))).ravel()
        each[9:12] = (*numbers.uniform(-0.01, 0.01, 2), height + numbers.uniform(-0.01, 0.01))
        each[12:] = numbers.normal(size=6)
    return found


def convex_pairing() -> pc.ContactPairing:
    return pc.ContactPairing(
        pc.convex.Box((1.0, 1.0, 0.2)),
        pc.convex.Ellipsoid((0.1, 0.08, 0.06)),
        law=pc.laws.HuntCrossley(coefficient=1e6, dissipation=0.2),
        friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01),
        name="egg on plate",
    )


def in_python(pairing: pc.ContactPairing, motion: np.ndarray[Any, Any]) -> pc.ContactResult:
    return pairing.evaluate(
        pc.RelativeKinematics(
            rotation=motion[:9].reshape(3, 3),
            position=motion[9:12],
            velocity=motion[12:15],
            angular_velocity=motion[15:],
        )
    )


def agree_in_bits(c: CInterface, pairing: pc.ContactPairing, height: float, n: int) -> int:
    """Compare wrenches and elements with Python's; how many poses touch."""
    opened = c.open(pairing_image(pairing))
    assert c.library.polycontact_name(opened).decode() == pairing.name
    memory = c.memory(opened)
    touching = 0
    for motion in motions(n, height):
        _, wrench, _ = c.evaluate(memory, motion)
        expected = in_python(pairing, motion)
        np.testing.assert_array_equal(wrench, [*expected.force, *expected.torque])
        touching += bool(wrench.any())
        for name in ("position", "force", "depth", "area"):
            found = c.table(memory, name)
            np.testing.assert_array_equal(found, getattr(expected.elements, name).reshape(found.shape))
    c.library.polycontact_free_memory(memory)
    c.library.polycontact_close(opened)
    return touching


@pytest.mark.slow
def test_a_saved_pairing_gives_the_same_bits(small_library: Path) -> None:
    assert agree_in_bits(CInterface(small_library), convex_pairing(), 0.16, 200) > 100


@pytest.mark.slow
def test_memories_of_one_pairing_do_not_disturb_each_other(small_library: Path) -> None:
    c = CInterface(small_library)
    opened = c.open(pairing_image(convex_pairing()))
    one, other = c.memory(opened), c.memory(opened)
    given = motions(20, 0.16)
    alone = [c.evaluate(one, motion)[1] for motion in given]
    mixed = []
    for motion, before in zip(given, given[::-1], strict=True):
        c.evaluate(other, before)
        mixed.append(c.evaluate(one, motion)[1])
    np.testing.assert_array_equal(alone, mixed)


@pytest.mark.slow
def test_bad_motions_and_images_are_told(small_library: Path, tmp_path: Path) -> None:
    c = CInterface(small_library)
    image = pairing_image(convex_pairing())
    memory = c.memory(c.open(image))
    motion = motions(1, 0.16)[0]
    motion[9] = np.nan
    status, _, _ = c.evaluate(memory, motion)
    assert status & Status.BAD_KINEMATICS
    assert "not finite" in c.message(status)
    assert c.open(b"solid cube\n" * 100) == -2
    assert c.open(image[:100]) == -2
    assert c.open(image[:-64]) == -4
    other = bytearray(image)
    other[8] = 9  # the version
    assert c.open(bytes(other)) == -3
    assert c.open(with_checksum(image[:40] + b"x" * 24 + image[64:])) == -3  # other sources
    assert "save the pairing again" in c.message(-3)
    renamed = image.replace(b"polycontact_contact_convex_method", b"polycontact_contact_convex_mEthod")
    assert c.open(with_checksum(renamed)) == -5
    pairing = ctypes.c_void_p()
    for path in (tmp_path / "nothing.pcp", tmp_path):
        assert c.library.polycontact_open(str(path).encode(), ctypes.byref(pairing)) < 0
    assert not pairing.value
    assert c.library.polycontact_open(None, ctypes.byref(pairing)) == -1
    assert c.message(0) == "all is well"


def with_checksum(image: bytes) -> bytes:
    """An image whose header tells the checksum that it has."""
    return image[:32] + struct.pack("<q", zlib.crc32(image[SIZE:])) + image[40:]


FUZZ = """
import random, sys
sys.path.insert(0, sys.argv[1])
from test_c_interface import *

c = CInterface(Path(sys.argv[2]))
image = Path(sys.argv[3]).read_bytes()
numbers = random.Random(int(sys.argv[4]))
n_tables = struct.unpack("<q", image[88:96])[0]
refused = opened = 0
for k in range(int(sys.argv[5])):
    changed = bytearray(image)
    mended = k % 2
    # Half of them: anywhere, as a disk or a network damages; others: header and tables, with a checksum that fits.
    limit = 4096 if mended else len(changed)
    for _ in range(numbers.randint(1, 4)):
        at = numbers.randrange(limit)
        if numbers.random() < 0.5:
            changed[at] ^= 1 << numbers.randrange(8)
        else:
            at -= at % 8
            value = numbers.choice((0, 1, -1, 2**31, 2**40, 2**62, -2**63, numbers.randrange(2**20), len(image)))
            changed[at : at + 8] = struct.pack("<q", value)
    if numbers.random() < 0.1:
        del changed[numbers.randrange(len(changed)) :]
    if mended:
        changed = bytearray(with_checksum(bytes(changed))) if len(changed) > SIZE else changed
    if bytes(changed) == image:
        continue
    found = c.open(bytes(changed))
    if isinstance(found, int):
        refused += 1
        assert -8 <= found < 0
    else:
        opened += 1
        assert mended, "damage was not seen"
        c.library.polycontact_free_memory(c.memory(found))
        c.library.polycontact_close(found)
print(refused, opened)
"""


@pytest.mark.slow
def test_changed_images_are_refused_and_crash_nothing(small_library: Path, tmp_path: Path) -> None:
    image = tmp_path / "contact.pcp"
    convex_pairing().save(image)
    n = os.environ.get("POLYCONTACT_MUTATIONS", "2000")
    words = [str(Path(__file__).parent), str(small_library), str(image), "7", n]
    done = subprocess.run([sys.executable, "-c", FUZZ, *words], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    refused, opened = map(int, done.stdout.split())
    assert refused > 0.6 * int(n)
    assert opened < 0.4 * int(n)


def compiled(compiler: str, source: Path, library: Path, made: Path) -> Path:
    """A program of an example; a warning fails."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    words = ["-Wall", "-Wextra", "-Werror", "-O1", str(source), "-I", str(C_FOLDER), str(library), "-o", str(made)]
    subprocess.run([compiler, *words, f"-Wl,-rpath,{library.parent}"], check=True)
    return made


@pytest.mark.slow
def test_examples_in_c_and_cpp_do_as_python(small_library: Path, tmp_path: Path) -> None:
    image = tmp_path / "ball_on_plate.pcp"
    subprocess.run([sys.executable, str(EXAMPLES / "save_pairing.py"), str(image)], check=True)
    falls = compiled("cc", EXAMPLES / "ball_on_plate.c", small_library, tmp_path / "falls")
    told = subprocess.run([str(falls), str(image)], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told[0] == "# ball on plate"
    rows = np.array([[float(word) for word in line.split()] for line in told[1:]])
    ball, plate = pc.convex.Sphere(0.1), pc.convex.Box((1.0, 1.0, 0.02))
    law = pc.laws.HuntCrossley(coefficient=1e6, exponent=1.5, dissipation=0.2)
    pairing = pc.ContactPairing(plate, ball, law=law)
    height, speed, expected = 0.115, 0.0, []
    for k in range(1001):
        force = -pairing.wrench(np.eye(3), (0.0, 0.0, height), (0.0, 0.0, speed))[2]
        if k % 100 == 0:
            expected.append((k * 1e-4, height, force))
        speed += 1e-4 * (force / 0.5 - 9.81)
        height += 1e-4 * speed
    np.testing.assert_allclose(rows, expected, rtol=1e-9, atol=1e-12)  # C may round its own sums otherwise
    assert rows[:, 2].max() > 0.0
    assert subprocess.run([str(falls), str(falls)], capture_output=True, text=True, check=False).returncode == 1

    patch = compiled("c++", EXAMPLES / "patch.cpp", small_library, tmp_path / "patch")
    told = subprocess.run([str(patch), str(image)], capture_output=True, text=True, check=True).stdout.splitlines()
    expected_force = -pairing.wrench(np.eye(3), (0.0, 0.0, 0.109))[2]
    assert f"wrench {expected_force:.17g} N" in told[-1]
    assert len(told) == 2


def test_the_header_names_the_bits_of_the_status() -> None:
    for bit in Status:
        if not bit & OVERFLOW:
            assert f"POLYCONTACT_{bit.name} = {int(bit)}" in HEADER


def test_a_law_of_ones_own_cannot_be_saved(tmp_path: Path) -> None:
    @pc.laws.contact_law("pushes gently, for C")
    def push(elements, parameters):  # type: ignore[no-untyped-def]
        for k in range(elements.n):
            elements.normal_force[k] = elements.elastic_force[k] = parameters[0] * elements.depth[k]

    pairing = pc.ContactPairing(pc.convex.Sphere(0.1), pc.convex.Sphere(0.1), law=push(1e3), name="own")
    with pytest.raises(pc.errors.ContactError, match=r"own: .*in no library of kernels"):
        pairing.save(tmp_path / "own.pcp")
    assert not (tmp_path / "own.pcp").exists()


WHOLE = FOLDER / library_name(sys.platform, level())
has_whole_library = pytest.mark.skipif(not WHOLE.is_file(), reason="python3 dev.py library builds it")


@pytest.mark.slow
@has_whole_library
def test_meshes_give_the_same_bits_and_memory_grows() -> None:
    """Of a ball that is pressed in deeper than its first memory holds."""
    c = CInterface(WHOLE)
    ball = pc.shapes.sphere(0.1, subdivisions=4)
    floor = pc.shapes.box((1.0, 1.0, 0.2), divisions=(20, 20, 4))
    pairing = pc.ContactPairing(
        floor, ball, law=pc.LayerLaw(stiffness=1e8), friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)
    )
    assert agree_in_bits(c, pairing, 0.17, 20) == 20
    memory = c.memory(c.open(pairing_image(pairing)))
    growths = 0
    for motion in motions(5, 0.12):
        _, wrench, grown = c.evaluate(memory, motion)
        growths += grown
        expected = in_python(pairing, motion)
        np.testing.assert_array_equal(wrench, [*expected.force, *expected.torque])
        slope, again = np.empty((6, 12)), np.empty(6)
        given = [ctypes.c_void_p(each.ctypes.data) for each in (motion, again, slope)]
        assert c.library.polycontact_derivative(memory, *given) >= 0
        parts = (motion[:9].reshape(3, 3), motion[9:12], motion[12:15], motion[15:])
        np.testing.assert_array_equal(slope, pairing.wrench_derivative(*parts))
    assert growths > 0
