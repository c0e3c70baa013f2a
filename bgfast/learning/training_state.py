"""Training runs saved in folders; a resumed run gives the same result.

``state.npz`` has the settings, progress, weights with Adam's moments, and games; ``positions-ROUND.npz`` has
the positions and targets of a round; ``begin.bgnet`` is the network that the run began with. Files are
written atomically, ``state.npz`` last; position files that it does not list are ignored and later deleted.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.files import naming, read_limited, reason, replace_file
from bgfast.common.validation import MAX_STORED
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.network import Network
from bgfast.learning.targets import Lesson
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings

STATE = "state.npz"
BEGIN = "begin.bgnet"
FORMAT = 6
MAX_READ = 1 << 36  # bytes

_PROGRESS: tuple[str, ...] = ("round", "exact_rounds", "kind", "phase", "ply", "games_played", "positions")
_PROGRESS += ("judged", "caught_up", "pass_began", "seconds_before", "round_began", "anneal_began")
"""Attributes of `Training` that are stored as JSON."""

Arrays = Mapping[str, Any]


def save_training(training: Training, folder: str | os.PathLike[str]) -> None:
    """Write the state of a training run into a folder, which is created if needed.

    If writing fails, the previous state stays valid.
    """
    path = Path(folder)
    with naming(f"training {path}"):
        path.mkdir(exist_ok=True)
        if training.begin is not None and not (path / BEGIN).exists():
            training.begin.save(path / BEGIN)
        for round_, lesson in training.lessons.items():
            if not (path / lesson_file(round_)).exists():
                write_arrays(path / lesson_file(round_), lesson._asdict())
        progress = {name: getattr(training, name) for name in _PROGRESS}
        head = {
            "format": FORMAT,
            "settings": training.settings.to_json(),
            "begin": training.begin is not None,
            "kept": list(training.lessons),
            "steps": [layer.steps for layer in training.layers],
            "progress": progress | {"seconds_before": training.seconds},
        }
        no_lesson = Lesson(np.empty((0, 26), np.int8), np.empty((0, 5), np.float32))
        arrays: dict[str, Any] = {
            "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
            "games": training.games,
            "cut": training.cut,
            "beside": training.replaced_rows,
            **(training.new_lesson or no_lesson)._asdict(),
        }
        for index, layer in enumerate(training.layers):
            for name, array in {**layer.arrays, "average": training.averages[index]}.items():
                arrays[f"layer{index}_{name}"] = array
        write_arrays(path / STATE, arrays)
        names = {lesson_file(round_) for round_ in training.lessons}
        for file in path.glob("positions-*.npz"):
            if file.name not in names:
                file.unlink()


def load_training(
    folder: str | os.PathLike[str],
    *,
    threads: int = 1,
    load_evaluator: Callable[[str], Evaluator] | None = None,
) -> Training:
    """Return the training run saved in a folder; raise `BgfastError` if its state is missing or damaged.

    Runs with teachers need `load_evaluator`, which returns an evaluator by name.
    """
    path = Path(folder)
    state = _read(path / STATE)
    head = _read_head(state, path)
    if head["format"] != FORMAT:
        raise BgfastError(f"training {path} has the format {head['format']}; expected {FORMAT}")
    settings = Settings.from_json(head["settings"])
    begin = Network.load(path / BEGIN) if head.get("begin") else None
    if settings.teachers and load_evaluator is None:
        raise BgfastError(f"training {path} has teachers; expected the argument load_evaluator")
    teachers = [load_evaluator(name) for name in settings.teachers] if load_evaluator else []
    training = Training(settings, begin, teachers=teachers, threads=threads)
    lessons = dict(_read_lessons(head, path))
    new_lesson = _read_lesson(state, path / STATE)
    try:
        for index, layer in enumerate(training.layers):
            if (steps := head["steps"][index]) < 0:
                raise ValueError(head)
            layer.resume({name: state[f"layer{index}_{name}"] for name in layer.arrays}, steps)
        progress, games, cut, replaced_rows = head["progress"], state["games"], state["cut"], state["beside"]
        averages = [state[f"layer{index}_average"] for index in range(len(training.layers))]
        if (
            set(progress) != set(_PROGRESS)
            or any(type(progress[name]) is not type(getattr(training, name)) for name in _PROGRESS)
            or not all(0 <= value <= MAX_STORED for value in progress.values() if type(value) is not str)
            or games.shape != training.games.shape
            or games.dtype != np.int8
            or progress["phase"] not in ("play", "judge", "learn")
            or progress["kind"] not in ("opening", "round", "anneal", "done")
            or cut.dtype != np.bool_
            or any(
                (stored.shape, stored.dtype) != (initial.shape, initial.dtype)
                for stored, initial in zip(averages, training.averages, strict=True)
            )
            or replaced_rows.dtype != np.int64
            or (
                progress["phase"] == "judge"
                and not progress["judged"] <= len(new_lesson.boards) == len(cut) + len(replaced_rows)
            )
            or not ((replaced_rows >= 0) & (replaced_rows < len(cut))).all()
            or (progress["phase"] == "learn" and not lessons)
        ):
            raise ValueError(progress)
    except (IndexError, KeyError, TypeError, ValueError, OverflowError):
        raise _damage_error(path / STATE) from None
    for name in _PROGRESS:
        setattr(training, name, progress[name])
    training.games, training.cut, training.replaced_rows = games, cut, replaced_rows
    training.lessons, training.averages = lessons, averages
    training.new_lesson = new_lesson if len(new_lesson.boards) else None
    return training


def load_lessons(folder: str | os.PathLike[str]) -> list[Lesson]:
    """Return the lessons in a folder; raise `BgfastError` if its state is missing or damaged."""
    path = Path(folder)
    return [lesson for _, lesson in _read_lessons(_read_head(_read(path / STATE), path), path)]


def _read_head(state: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the JSON content of a state."""
    try:
        head = json.loads(bytes(state["head"]).decode())
        if (
            not isinstance(head["settings"], dict)
            or type(head["format"]) is not int
            or not isinstance(head["kept"], list)
            or not all(type(round_) is int for round_ in head["kept"])
        ):
            raise ValueError(head)
    except (KeyError, TypeError, ValueError, RecursionError):
        raise _damage_error(folder / STATE) from None
    return dict(head)


def _read_lessons(head: Mapping[str, Any], folder: Path) -> Iterator[tuple[int, Lesson]]:
    """Yield the stored rounds and their lessons."""
    for round_ in head["kept"]:
        path = folder / lesson_file(round_)
        yield round_, _read_lesson(_read(path), path)


def lesson_file(round_: int) -> str:
    """Return the file name for the lesson of a round."""
    return f"positions-{round_:05d}.npz"


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays to an ``.npz`` file; if that fails, the previous file stays."""
    with replace_file(path) as file:
        np.savez(file, **arrays)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = read_limited(path, MAX_READ)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # `np.savez` does not compress; reject members larger than the file, which could fill the memory.
            members = archive.infolist()
            if sum(info.file_size for info in members) > len(content):
                raise ValueError(path)
            return {info.filename.removesuffix(".npy"): _read_array(archive.read(info)) for info in members}
    except OSError as error:
        raise BgfastError(f"training {path.parent}: {path.name}: {reason(error)}") from None
    except (ValueError, KeyError, EOFError, NotImplementedError, zlib.error, zipfile.BadZipFile):
        raise _damage_error(path) from None


def _read_array(content: bytes) -> npt.NDArray[Any]:
    """Return the array in a ``.npy`` file; allocate no more than the file holds, whatever its header says."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("unknown version of the format")
    shape, is_transposed, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject:
        raise ValueError(dtype)
    elements = np.frombuffer(content, dtype, offset=file.tell()).copy()
    return elements.reshape(shape, order="F" if is_transposed else "C")


def _read_lesson(arrays: Arrays, path: Path) -> Lesson:
    boards, targets = arrays.get("boards"), arrays.get("targets")
    if (
        boards is None
        or targets is None
        or (boards.dtype, targets.dtype) != (np.int8, np.float32)
        or boards.shape != (len(boards), 26)
        or targets.shape != (len(boards), 5)
    ):
        raise _damage_error(path)
    return Lesson(boards, targets)


def _damage_error(path: Path) -> BgfastError:
    return BgfastError(f"training {path.parent}: {path.name} is damaged; expected a file of bgfast train")
