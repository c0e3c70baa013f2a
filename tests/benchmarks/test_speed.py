"""Positions and counts of the benchmarks; a wrong count is an error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import bgfast
from benchmarks import make_positions
from benchmarks.positions import read_samples
from benchmarks.speed import make_counts
from benchmarks.speed.cases import DOUBLES, NON_DOUBLES, POSITIONS_PER_SET, SET_NAMES, Cases, all_cases, draw
from benchmarks.speed.measuring import measure
from bgfast import ROLLS, reference


def counts_by_position(set_name: str) -> np.ndarray:
    """Return the stored counts of a set: a row for each position, a column for each roll."""
    counts = np.zeros((POSITIONS_PER_SET, len(ROLLS)), int)
    for rolls in (DOUBLES, NON_DOUBLES):
        columns = [ROLLS.index(roll) for roll in rolls]
        counts[:, columns] = all_cases(set_name, rolls).counts.reshape(POSITIONS_PER_SET, -1)
    return counts


@pytest.mark.parametrize("set_name", SET_NAMES)
def test_first_counts_equal_the_reference(set_name: str) -> None:
    assert counts_by_position(set_name)[:10].tolist() == make_counts.counts(set_name, 10)


@pytest.mark.slow
@pytest.mark.parametrize("set_name", SET_NAMES)
def test_all_counts_equal_the_reference(set_name: str) -> None:
    assert counts_by_position(set_name).tolist() == make_counts.counts(set_name)


def test_drawn_cases_have_the_counts_of_the_reference() -> None:
    cases = draw(100_000).part(0, 200)
    for board, roll, count in zip(cases.boards.tolist(), cases.dice.tolist(), cases.counts, strict=True):
        assert len(reference.legal_positions(board, *roll)) == count
    assert (draw(300).boards[:200] == cases.boards).all()
    assert sum(batch.successors for batch in cases.batches(64)) == cases.successors
    assert len({tuple(roll) for roll in draw(1000).dice.tolist()}) == 36
    doubles = draw(50, ("race",), DOUBLES)
    boards = [sample.board for sample in read_samples("race", POSITIONS_PER_SET)]
    counts = dict(zip(boards, counts_by_position("race"), strict=True))
    for (position, roll), count in zip(doubles.calls(), doubles.counts, strict=True):
        assert roll[0] == roll[1]
        assert counts[tuple(position.to_array())][ROLLS.index(roll)] == count


def test_opening_and_bear_off_samples_are_up_to_date() -> None:
    opening, bearoff = read_samples("opening", 10_000), read_samples("bearoff", 10_000)
    assert opening == make_positions.opening_samples()
    assert bearoff == make_positions.bearoff_samples()
    assert len({sample.position_id for sample in opening}) == len(opening) == POSITIONS_PER_SET
    assert len({sample.position_id for sample in bearoff}) == len(bearoff) == POSITIONS_PER_SET
    assert opening[0].position_id == bgfast.Position.start().gnubg_id
    assert {bgfast.Position.from_gnubg_id(sample.position_id).phase for sample in bearoff} == {"bearoff"}


@pytest.mark.parametrize("deviation", [-1, 1], ids=["one play missing", "one play too many"])
def test_wrong_counts_are_errors(deviation: int) -> None:
    def benchmark(work: Callable[[], int]) -> int:
        return work()

    cases: Cases = all_cases("bearoff", DOUBLES)
    with pytest.raises(AssertionError):
        measure(benchmark, lambda: cases.successors + deviation, cases.successors)  # type: ignore[arg-type]
