"""Lists of positions instead of arrays, in all functions that take boards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import InvalidPositionError, Network, Position
from bgfast.evaluators import Bearoff, Lookahead, PipCount, Pubeval

POSITIONS = [Position.start(), Position.nackgammon(), Position.longgammon()]
BOARDS = np.array([position.to_array() for position in POSITIONS])
CALLS: dict[str, Callable[[Any], Any]] = {
    "successors": lambda boards: bgfast.successors(boards, (3, 1), moves=True),
    "count_successors": lambda boards: bgfast.count_successors(boards, "all"),
    "random_successors": lambda boards: bgfast.random_successors(boards, (3, 1), seed=1),
    "flip": bgfast.flip,
    "pip_counts": bgfast.pip_counts,
    "results": bgfast.results,
    "gnubg_ids": bgfast.gnubg_ids,
    "encode_tdgammon": bgfast.encode_tdgammon,
    "encode_onehot": bgfast.encode_onehot,
    "play_texts": lambda boards: bgfast.play_texts(
        boards, (3, 1), bgfast.successors(BOARDS, (3, 1), moves=True)
    ),
    "Network.evaluate": lambda boards: Network.builtin_fast().evaluate(boards),
    "Network.equities": lambda boards: Network.builtin_fast().equities(boards),
    "Network.best_successors": lambda boards: Network.builtin_fast().best_successors(boards, (3, 1)),
    "Lookahead": lambda boards: Lookahead(PipCount(), ply=0)(boards),
    "Lookahead.equities": lambda boards: Lookahead(PipCount(), ply=0).equities(boards),
    "PipCount": PipCount(),
    "Pubeval": Pubeval(),
}


def same(first: Any, second: Any) -> bool:
    if isinstance(first, tuple):
        return all(same(a, b) for a, b in zip(first, second, strict=True))
    return bool(np.array_equal(first, second))


@pytest.mark.parametrize("name", CALLS)
def test_lists_equal_arrays_of_boards(name: str) -> None:
    expected = CALLS[name](BOARDS)
    assert same(CALLS[name](POSITIONS), expected)
    assert same(CALLS[name](tuple(POSITIONS)), expected)


def test_bearoff_databases_accept_lists() -> None:
    bearing_off = Position.from_array([0, 5] + [0] * 22 + [-5, 0])
    boards = bearing_off.to_array()[None]
    bearoff = Bearoff()
    assert same(bearoff([bearing_off]), bearoff(boards))
    assert bearoff.covers([bearing_off]).tolist() == [True]


def test_other_numbers_of_checkers() -> None:
    three = [Position.hypergammon()]
    boards = three[0].to_array()[None]
    # Plays, sides, pips and IDs are those of the board, however many are off.
    for call in (CALLS["successors"], bgfast.flip, bgfast.pip_counts, bgfast.gnubg_ids):
        assert same(call(three), call(boards))
    assert bgfast.results(three, checkers=3).tolist() == [0]
    for call in (bgfast.results, bgfast.encode_tdgammon, Network.builtin_fast().evaluate, PipCount()):
        with pytest.raises(InvalidPositionError, match="row 0: a position of 3 checkers a side; expected 15"):
            call(three)


def test_mixed_lists_are_refused() -> None:
    with pytest.raises(InvalidPositionError, match="row 1 is 'start'; expected a Position, as in row 0"):
        bgfast.flip([Position.start(), "start"])  # type: ignore[list-item]
    with pytest.raises(InvalidPositionError):
        bgfast.flip([BOARDS[0], Position.start()])  # type: ignore[list-item]
    with pytest.raises(InvalidPositionError):
        bgfast.flip(Position.start())  # type: ignore[arg-type]
