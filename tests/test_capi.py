"""The C interface, tested with an engine that is built against the installed package."""

from __future__ import annotations

import ctypes
import doctest
import importlib.util
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import bgfast
from bgfast import Position, capi
from tests.support.positions import (
    CLOSED_OUT,
    FINISHED,
    ORDERED_ROLLS,
    START,
    board_of_id,
    json_data,
    random_board,
)

HERE = Path(__file__).parent
PACKAGE = Path(bgfast.__file__).parent
RNG = random.Random("capi")
RANDOM_BOARDS = [np.array(random_board(RNG), np.int8) for _ in range(60)]
# These boards have the most plays: 2,226 of 1-1 and 224 of 2-1.
WIDE_BOARDS = [np.array(board_of_id(text), np.int8) for text in ("AAABRSkppZQCAA", "hIiIKIdSSimVAg")]
BOARDS = [*np.array([START, *WIDE_BOARDS, CLOSED_OUT, FINISHED], np.int8), *RANDOM_BOARDS]

FROZEN_MESSAGE = (
    "the C interface is append-only: engines that were compiled against it rely on every name, signature, "
    "value and layout. Add new entries to tests/data/capi.json; do not change existing ones."
)


# ---- building ----


def skip_without_compiler(variable: str) -> None:
    """Skip the test if the named compiler is missing; Python on Windows names none, so a build is tried."""
    command = os.environ.get(variable) or sysconfig.get_config_var(variable)
    if command and shutil.which(shlex.split(command)[0]) is None:
        pytest.skip(f"the C interface was NOT tested: no compiler {command!r}")


def build_module(folder: Path, name: str, compiler: str = "CC", flags: str = "") -> ModuleType:
    """Run a folder's setup.py with the tested bgfast; import and return the module that it builds."""
    pytest.importorskip("Cython", reason="the C interface was NOT tested: no Cython, see the extra 'test'")
    pytest.importorskip("setuptools", reason="the C interface was NOT tested: no setuptools")
    skip_without_compiler(compiler)
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    completed = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "CFLAGS": f"-O0 -g0 {flags}", "CXXFLAGS": "-O0 -g0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert completed.returncode == 0, completed.stdout
    (file,) = (path for path in folder.glob(f"{name}.*") if path.suffix in (".so", ".pyd"))
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["C with OpenMP", pytest.param("C++", marks=pytest.mark.slow)])
def consumer(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> ModuleType:
    folder = tmp_path_factory.mktemp("consumer")
    for source in (HERE / "capi_consumer").iterdir():
        shutil.copy(source, folder)
    if request.param == "C with OpenMP":  # the compiler of macOS has no OpenMP
        return build_module(folder, "consumer", flags="" if sys.platform == "darwin" else "-fopenmp")
    source = folder / "consumer.pyx"
    source.write_text("# distutils: language = c++\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    return build_module(folder, "consumer", "CXX")


# ---- a consumer ----


def test_successors_and_moves_equal_position_plays(consumer: ModuleType) -> None:
    for board in BOARDS[:15]:
        consumer.read_board(board.tobytes())
        position = Position.from_array(board)
        is_over = position.phase == "over"
        assert consumer.measures()["is_over"] is is_over
        for roll, flip in product(ORDERED_ROLLS, (False, True)):
            rows = moves = np.empty((0, 26), np.int8)
            if not is_over:
                plays = position.plays(roll)
                rows, moves = bgfast.flip(plays.boards) if flip else plays.boards, plays.moves
            count, actual_rows, actual_moves, untouched = consumer.successors(*roll, flip, True)
            assert count == consumer.count(*roll) == len(rows)
            assert actual_rows == rows.tobytes()
            assert actual_moves == moves.tobytes()
            assert untouched
            assert consumer.successors(*roll, flip, False) == (count, actual_rows, None, True)
    for board, roll, count in zip(WIDE_BOARDS, ((1, 1), (2, 1)), (2226, 224), strict=True):
        consumer.read_board(board.tobytes())
        assert consumer.count(*roll) == count


def test_flip_pip_counts_and_hash_agree_with_position(consumer: ModuleType) -> None:
    width = sys.hash_info.width
    hashes = set()
    for board in BOARDS:
        assert consumer.read_board(board.tobytes()) == board.tobytes() + bytes(6)
        position = Position.from_array(board)
        flipped = position.flip().to_array().tobytes() + bytes(6)
        assert consumer.flip_position() == (flipped, flipped)
        measures = consumer.measures()
        assert (measures["pip_count"], measures["pip_count_opponent"]) == position.pip_counts
        assert measures["is_over"] is (position.phase == "over")
        # The hash of the object includes the checkers per side.
        assert (measures["hash"] + position.checkers - hash(position)) % 2**width == 0
        hashes.add(measures["hash"])
    assert len(hashes) == len({board.tobytes() for board in BOARDS})


def test_equals_compares_every_point(consumer: ModuleType) -> None:
    board = np.array(START, np.int8)
    consumer.read_board(board.tobytes())
    assert consumer.equals(board.tobytes()) is True
    for index in range(26):
        other = board.copy()
        other[index] += 1
        assert consumer.equals(other.tobytes()) is False


def test_is_valid_agrees_with_from_array(consumer: ModuleType) -> None:
    deadlock = np.array([-1] + [2] * 6 + [0] * 12 + [-2] * 6 + [1], np.int8)
    boards = [*BOARDS, deadlock, np.zeros(26, np.int8)]
    for board, index, value in product(BOARDS[:4], range(26), (-128, -16, -1, 1, 16, 127)):
        boards.append(board.copy())
        boards[-1][index] = value
    answers = set()
    for board, checkers in product(boards, (1, 3, 14, 15)):
        consumer.read_board(board.tobytes())
        try:
            Position.from_array(board, checkers=checkers)
            is_valid = True
        except bgfast.InvalidPositionError:
            is_valid = False
        assert consumer.is_valid(checkers) is is_valid, (board.tolist(), checkers)
        answers.add(is_valid)
    assert answers == {True, False}

    board = np.array(START, np.int8)
    consumer.read_board(board.tobytes())
    assert [consumer.is_valid(checkers) for checkers in (15, 16, 127, 0, -1)] == [True] + [False] * 4
    consumer.read_board(board.tobytes(), padding=1)
    assert consumer.is_valid(15) is False


def test_a_loop_without_the_gil_counts_all_leaves(consumer: ModuleType) -> None:
    for board in (np.array(START, np.int8), *RANDOM_BOARDS[:5]):
        children = bgfast.successors([board], "all", flip=True).boards
        leaves = bgfast.count_successors(children, "all").sum()
        assert consumer.count_tree(board.tobytes()) == (leaves, bgfast.pip_counts(children).sum())


# ---- batches ----

MANY_BOARDS = np.array([board for board in BOARDS if Position.from_array(board).phase != "over"] * 5, np.int8)
DICE = np.random.default_rng(2).integers(1, 7, (len(MANY_BOARDS), 2)).astype(np.int8)


@pytest.mark.parametrize("dice", [None, DICE], ids=["all rolls", "one roll per board"])
def test_batches_equal_successors(consumer: ModuleType, dice: np.ndarray | None) -> None:
    for flip in (False, True):
        result = bgfast.successors(MANY_BOARDS, "all" if dice is None else dice, moves=True, flip=flip)
        total, sizes = len(result.boards), np.diff(result.offsets)
        assert consumer.count_batch(MANY_BOARDS, dice, True) == (total, sizes.tolist())
        assert consumer.count_batch(MANY_BOARDS, dice, False) == (total, None)
        rows = np.full((total + 20, 26), 77, np.int8)
        moves = np.full(total + 20, 77, np.uint64)
        counts = np.empty(len(sizes), np.int64)
        assert consumer.generate_batch(MANY_BOARDS, dice, flip, rows, moves, counts, total) == total
        assert np.array_equal(rows[:total], result.boards)
        assert (rows[total:] == 77).all()
        assert moves[:total].tobytes() == result.moves.tobytes()
        assert (moves[total:] == 77).all()
        assert np.array_equal(counts, sizes)
        rows[:] = 77
        assert consumer.generate_batch(MANY_BOARDS, dice, flip, rows, None, None, total) == total
        assert np.array_equal(rows[:total], result.boards)
        assert consumer.generate_batch(MANY_BOARDS, dice, flip, rows, None, None, total - 1) == -1
        assert (rows[total:] == 77).all()


def test_batches_report_the_first_invalid_row(consumer: ModuleType) -> None:
    rows, boards, dice = np.empty((500_000, 26), np.int8), MANY_BOARDS.copy(), DICE.copy()
    boards[[70, 200], 12] = 127
    dice[100] = 0, 7
    for rolls, expected in ((None, -72), (dice, -72)):
        assert consumer.count_batch(boards, rolls, True) == (expected, None)
        assert consumer.generate_batch(boards, rolls, False, rows, None, None, len(rows)) == expected
    assert consumer.count_batch(MANY_BOARDS, dice, False) == (-102, None)
    assert consumer.generate_batch(MANY_BOARDS, dice, False, rows, None, None, len(rows)) == -102


def test_batches_run_in_external_threads(consumer: ModuleType, request: pytest.FixtureRequest) -> None:
    result = bgfast.successors(MANY_BOARDS, "all", flip=True)
    is_shared = False
    for _ in range(20):
        rows = np.zeros_like(result.boards)
        total, has_workers = consumer.generate_in_threads(MANY_BOARDS, True, rows, result.offsets, 3, 40)
        assert total == len(rows)
        assert np.array_equal(rows, result.boards)
        is_shared |= has_workers
        if is_shared:
            break
    assert is_shared is ("OpenMP" in request.node.callspec.id)


# ---- networks ----

NETWORK = bgfast.Network.random(64, seed=11)


def test_networks_agree_with_python(consumer: ModuleType) -> None:
    player = consumer.Player(NETWORK)
    expected = NETWORK.evaluate(BOARDS)
    equities = NETWORK.equities(BOARDS)
    for row, board in enumerate(BOARDS):
        consumer.read_board(board.tobytes())
        assert player.evaluate() == (expected[row].tolist(), equities[row], True)
    for threads in (0, 3):
        probabilities = np.full((len(MANY_BOARDS) + 1, 5), 77, np.float32)
        if threads:
            player.evaluate_in_threads(MANY_BOARDS, probabilities, threads)
        else:
            assert player.evaluate_batch(MANY_BOARDS, probabilities) == len(MANY_BOARDS)
        assert np.array_equal(probabilities[:-1], NETWORK.evaluate(MANY_BOARDS))
        assert (probabilities[-1] == 77).all()


def test_best_successors_equal_the_network(consumer: ModuleType) -> None:
    player = consumer.Player(NETWORK)
    dice = np.random.default_rng(3).integers(1, 7, (len(BOARDS), 2)).astype(np.int8)
    best = NETWORK.best_successors(BOARDS, dice)
    counts = set()
    for row, board in enumerate(BOARDS):
        consumer.read_board(board.tobytes())
        count, after, moves, value = player.best(*dice[row].tolist())
        assert count == consumer.count(*dice[row].tolist())
        assert after == best.boards[row].tobytes() + bytes(6)
        assert moves == best.moves[row].tobytes()
        assert value == best.equities[row]
        counts.add(min(count, 1))
    assert counts == {0, 1}
    rows = np.full((len(BOARDS) + 2, 26), 77, np.int8)
    moves = np.full(len(BOARDS) + 1, 77, np.uint64)
    values = np.full(len(BOARDS) + 1, 77, np.float32)
    boards = np.array(BOARDS, np.int8)
    assert player.best_batch(boards, dice, rows, moves, values) == len(boards)
    for actual, expected in ((rows[:-1], best.boards), (values, best.equities)):
        assert np.array_equal(actual[:-1], expected)
        assert (actual[-1] == 77).all()
    assert moves[:-1].tobytes() == best.moves.tobytes()
    assert moves[-1] == 77
    rows[:] = 77
    assert player.best_batch(boards, dice, rows, None, None) == len(boards)
    assert np.array_equal(rows[:-2], best.boards)


def test_networks_report_the_first_invalid_row(consumer: ModuleType) -> None:
    player = consumer.Player(NETWORK)
    boards, dice, rows = MANY_BOARDS.copy(), DICE.copy(), np.empty((len(MANY_BOARDS), 26), np.int8)
    boards[[70, 200], 12] = 127
    dice[100] = 0, 7
    probabilities = np.full((len(boards), 5), 77, np.float32)
    assert player.evaluate_batch(boards, probabilities) == -72
    assert np.array_equal(probabilities[:70], NETWORK.evaluate(MANY_BOARDS[:70]))
    assert (probabilities[70:] == 77).all()
    assert player.best_batch(boards, dice, rows, None, None) == -72
    assert player.best_batch(MANY_BOARDS, dice, rows, None, None) == -102


def test_empty_batches_return_0(consumer: ModuleType) -> None:
    for count in (0, -1, -5, -1000):
        assert consumer.Player(NETWORK).empty_batches(count) == (0, 0, 0, 0)


def test_handles_of_other_objects_are_refused(consumer: ModuleType) -> None:
    class Other:
        _nets = capi.__pyx_capi__["evaluate"]  # the capsule of a function

    for handle in (None, 3, Other(), bgfast.Network.__new__(bgfast.Network), bgfast.evaluators.PipCount()):
        with pytest.raises(
            TypeError, match=rf"{type(handle).__name__} is not a network; expected a bgfast\.Network"
        ):
            consumer.Player(handle)


@pytest.mark.slow
def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (HERE.parent / "docs" / "C_API.md").read_text(encoding="utf-8")
    source = "\n".join(re.findall(r"```cython\n(.*?)```", page, re.DOTALL))
    (setup,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", page, re.DOTALL))
    (tmp_path / "engine.pyx").write_text(source, encoding="utf-8")
    (tmp_path / "setup.py").write_text(setup, encoding="utf-8")
    engine = build_module(tmp_path, "engine")
    monkeypatch.setitem(sys.modules, "engine", engine)
    test = doctest.DocTestParser().get_doctest(examples, {}, "C_API.md", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 5)
    for board in (np.array(START, np.int8), *RANDOM_BOARDS[:20]):
        plays = Position.from_array(board).plays((3, 1))
        if not len(plays):
            assert engine.fewest_replies(board, 3, 1) == -1
            continue
        replies = bgfast.count_successors(bgfast.flip(plays.boards), "all").reshape(-1, 21).sum(axis=1)
        assert engine.fewest_replies(board, 3, 1) == np.argmin(replies)
    with pytest.raises(ValueError, match="the position is not valid"):
        engine.fewest_replies(np.zeros(26, np.int8), 3, 1)


# ---- the stable interface ----


def signatures() -> dict[str, object]:
    """Return the exported functions with their C signatures, which Cython compares on import."""
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype = ctypes.c_char_p
    name_of.argtypes = [ctypes.py_object]
    return {name: name_of(capsule).decode() for name, capsule in capi.__pyx_capi__.items()}


def test_functions_are_unchanged() -> None:
    assert signatures() == json_data("capi.json")["functions"], FROZEN_MESSAGE


def test_struct_is_unchanged(consumer: ModuleType) -> None:
    assert consumer.layout()["struct"] == json_data("capi.json")["bgfast_position"], FROZEN_MESSAGE


def test_constants_are_unchanged(consumer: ModuleType) -> None:
    header = (Path(bgfast.get_include()) / "bgfast.h").read_text(encoding="utf-8")
    defined = {name: int(value) for name, value in re.findall(r"#define (\w+) +(-?\d+)", header)}
    recorded = json_data("capi.json")["constants"]
    assert defined == consumer.layout()["constants"] == recorded, FROZEN_MESSAGE


def test_every_function_of_the_pxd_is_noexcept_and_nogil() -> None:
    """Capsules do not record these words; without them callers would check for errors or need the GIL."""
    text = (PACKAGE / "capi.pxd").read_text(encoding="utf-8")
    declared = re.findall(r"^cdef (?!extern)[^(]*?(\w+)\(([^)]*)\)(.*)$", text, re.MULTILINE)
    endings = {name: ending for name, _, ending in declared}
    assert sorted(endings) == sorted(signatures())
    assert endings.pop("network_of") == " except NULL"  # it takes a Python object
    assert set(endings.values()) == {" noexcept nogil"}


def test_the_pxd_imports_nothing_from_bgfast() -> None:
    text = (PACKAGE / "capi.pxd").read_text(encoding="utf-8")
    assert re.findall(r"^ *(?:from (\S+) )?c?import\b", text, re.MULTILINE) == ["libc.stdint"]
    header = (Path(bgfast.get_include()) / "bgfast.h").read_text(encoding="utf-8")
    assert re.findall(r"#include (\S+)", header) == ["<stdint.h>"]
