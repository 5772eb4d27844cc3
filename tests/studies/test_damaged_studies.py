"""The file of a study on which a bit has changed, and one of the format without checksums."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from small_study import RESULTS, drop, speeds

import polycontact as pc
from polycontact.errors import StudyError


@pytest.fixture(scope="module")
def study_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "study.h5"
    pc.study(drop(), speeds(), RESULTS, output=path, workers=0)
    return path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rows", "the checksum of its rows differs"),
        ("committed", "the checksum of the number of rows differs"),
        ("scenario", "the checksum of its structure differs"),
    ],
)
def test_damage_is_refused(study_file: Path, tmp_path: Path, name: str, said: str) -> None:
    path = tmp_path / "study.h5"
    with h5py.File(study_file) as file:
        place = file[name].id.get_offset()
    content = bytearray(study_file.read_bytes())
    content[place + 4] ^= 1
    path.write_bytes(content)
    with pytest.raises(StudyError, match=rf"study\.h5: the file of the study is damaged \({said}\); copy it once more"):
        pc.studies.StudyTable(path)
    with pytest.raises(StudyError, match="delete it and make the study again"):
        pc.study(drop(), speeds(), RESULTS, output=path, workers=0)


def test_the_format_without_checksums_is_read_but_not_continued(study_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "study.h5"
    shutil.copy(study_file, path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 1
        counts = file["committed"][:2]
        del file["committed"]
        file["committed"] = counts
    np.testing.assert_array_equal(pc.studies.StudyTable(path)["height"], pc.studies.StudyTable(study_file)["height"])
    with pytest.raises(StudyError, match="which kept no checksums; go on with that version, or give another name"):
        pc.study(drop(), speeds(), RESULTS, output=path, workers=0)
