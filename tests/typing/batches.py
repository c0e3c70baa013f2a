"""Static types of the batch functions; type checkers read this file, which is never run."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import bgfast
from bgfast import Successors

Int8s = npt.NDArray[np.int8]
Int64s = npt.NDArray[np.int64]

boards = bgfast.random_positions(3, seed=1, phase="race")
dice = bgfast.random_dice(3, seed=1, opening=True)
plays = bgfast.successors(boards, dice, moves=True)


def sources() -> None:
    assert_type((boards, dice), tuple[Int8s, Int8s])
    assert_type(bgfast.ROLLS, tuple[tuple[int, int], ...])
    assert_type(bgfast.ROLL_WEIGHTS, tuple[int, ...])

    bgfast.random_positions(3, seed=1, phase="over")  # type: ignore[arg-type]
    bgfast.random_positions("3", seed=1)  # type: ignore[arg-type]
    bgfast.random_dice(3)  # type: ignore[call-arg]


def successors() -> None:
    assert_type((plays, plays.segment(0)), tuple[Successors, Successors])
    assert_type(plays.boards, Int8s)
    assert_type((plays.offsets, plays.owners), tuple[Int64s, Int64s])
    assert_type(plays.moves, Int8s | None)
    rows, offsets, moves = plays
    assert_type(rows, Int8s)
    assert_type((offsets, bgfast.count_successors(boards, "all", passes="omit")), tuple[Int64s, Int64s])
    assert_type(moves, Int8s | None)
    assert_type(bgfast.successors(boards, "all", passes="keep", rules="exact", out=rows), Successors)
    # Dice may be in any container.
    bgfast.successors(boards, (3, 1))
    bgfast.successors(boards, [3, 1])
    bgfast.successors(boards, [(3, 1), [3, 1], (6, 6)])
    bgfast.successors(boards, bgfast.ROLLS[:3])
    bgfast.successors(boards, list(dice))
    bgfast.successors(boards, np.array([3, 1]))
    bgfast.successors(boards, ["31", (4, 2), [6, 6]])
    bgfast.successors([list(bgfast.Position.start())], dice[0])

    bgfast.successors(boards, dice, passes="none")  # type: ignore[arg-type]
    bgfast.successors(boards, dice, rules="exactly")  # type: ignore[arg-type]
    bgfast.successors(boards, dice, out=np.empty((9, 26)))  # type: ignore[arg-type]
    bgfast.successors(boards, dice, "exact", True)  # type: ignore[call-arg]
    bgfast.count_successors(boards, 3)  # type: ignore[arg-type]
    plays.moves[0]  # type: ignore[index]


def random_successors(return_dice: bool) -> None:
    assert_type(bgfast.random_successors(boards, "random", 1), Int8s)
    assert_type(bgfast.random_successors(boards, dice, 1, flip=True, out=boards), Int8s)
    assert_type(bgfast.random_successors(boards, "random", 1, return_dice=False), Int8s)
    assert_type(bgfast.random_successors(boards, "random", 1, return_dice=True), tuple[Int8s, Int8s])
    assert_type(
        bgfast.random_successors(boards, "random", 1, return_dice=return_dice), Int8s | tuple[Int8s, Int8s]
    )

    bgfast.random_successors(boards, dice)  # type: ignore[call-overload]


def selection() -> None:
    values = np.zeros(len(plays.boards), np.float32)
    assert_type(bgfast.best_rows(values, plays.offsets, best="min"), Int64s)
    assert_type(bgfast.sample_rows([0.0, 1.0], [0, 2], 1, temperature=0.5), Int64s)
    assert_type(bgfast.mean_over_rolls(values, plays.offsets, empty=np.zeros(3)), npt.NDArray[np.float64])

    bgfast.best_rows(values, plays.offsets, best="highest")  # type: ignore[arg-type]
    bgfast.sample_rows(values, plays.offsets, 1, epsilon="0.1")  # type: ignore[arg-type]
    bgfast.mean_over_rolls(values, best="mean")  # type: ignore[arg-type]


def texts() -> None:
    assert_type(bgfast.play_texts(boards, dice, plays), list[str])
    assert_type(bgfast.play_texts(boards, "all", plays, rules="rear_first"), list[str])
    assert_type(bgfast.play_texts(boards[:1], (3, 1), np.zeros((1, 4, 2), np.int8)), list[str])
    assert_type(bgfast.gnubg_ids(boards), npt.NDArray[np.str_])
    assert_type(bgfast.from_gnubg_ids(["4HPwATDgc/ABMA"]), Int8s)


def conversions() -> None:
    assert_type((bgfast.flip(boards), bgfast.flip([bgfast.Position.start()])), tuple[Int8s, Int8s])
    assert_type(bgfast.from_xgids(["XGID=..."]), bgfast.Decisions)
    assert_type(bgfast.from_xgids(["XGID=..."]).boards, Int8s)
    assert_type(bgfast.pip_counts(boards), npt.NDArray[np.int32])
    assert_type(bgfast.results(boards, "exact", checkers=3), Int8s)
    assert_type(bgfast.encode_tdgammon(boards, side=0), npt.NDArray[np.float32])
    assert_type(bgfast.encode_onehot(boards), npt.NDArray[np.float32])
    assert_type(bgfast.encode_onehot(boards, dtype=np.int8), Int8s)
    assert_type(bgfast.encode_onehot(boards, dtype="int8"), npt.NDArray[Any])
    assert_type(bgfast.get_include(), str)
    sizes: list[int] = [bgfast.TDGAMMON_INPUTS, bgfast.ONEHOT_INPUTS]
    assert_type(sizes, list[int])

    bgfast.results(boards, rules="exactly")  # type: ignore[arg-type]
    bgfast.encode_tdgammon(boards, out=np.empty((3, 198)))  # type: ignore[arg-type]
