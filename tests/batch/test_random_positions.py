"""Random positions: the documented algorithm, and guaranteed rows."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from bgfast import Position, gnubg_ids, random_positions, reference
from bgfast.batch.random_positions import ROWS_AT_ONCE
from tests.support.positions import START, is_possible
from tests.support.streams import MASK, Stream, mix

PHASES = [None, "contact", "race", "bearoff"]


# ---- the documented algorithm, in plain Python ----


def sort_key(board: tuple[int, ...], salt: int) -> int:
    board_bytes = bytes(count & 255 for count in board)
    state = salt
    for first in (0, 8, 16, 18):
        state = (state ^ int.from_bytes(board_bytes[first : first + 8], "little")) * 0xD6E8FEB86659FD93 & MASK
        state ^= state >> 32
    return mix(state)


def documented_row(seed: int, row: int, phase: str | None) -> tuple[int, ...]:
    """Compute a row with the documented algorithm and the reference move generator."""
    stream = Stream(seed, row)
    result = None
    while result is None:
        board, candidate_count = START, 0
        roll = (0, 0)
        while roll[0] == roll[1]:
            roll = stream.roll()
        while (board_phase := Position.from_array(board).phase) != "over":
            if phase in (None, board_phase):
                candidate_count += 1
                if stream.integer_below(candidate_count) == 0:
                    result = board
            elif PHASES.index(board_phase) > PHASES.index(phase):
                break
            salt = stream.next()
            successors = set(map(reference.flip, reference.legal_positions(board, *roll)))
            board = min(successors or [reference.flip(board)], key=lambda child: sort_key(child, salt))
            roll = stream.roll()
    return tuple(result)


@pytest.mark.parametrize("phase", PHASES)
def test_rows_follow_the_documented_algorithm(phase: str | None) -> None:
    for seed, row in ((0, 0), (0, 1), (MASK, 2000)):
        assert tuple(random_positions(row + 1, seed, phase)[row].tolist()) == documented_row(seed, row, phase)


def test_the_first_rows_of_seeds_are_fixed() -> None:
    """Guaranteed rows: a change would break users' data."""
    for seed, phase, expected in (
        (0, None, "bHLwATDCc+IBMA 9ykMRAHmMEiCRw /w4wCAJ7DwUyAA 4HPwQSDgc/ABMA"),
        (1, "contact", "5zSEwAkvTzwAEA Fp+JIDCK54kBUA wnPwAwINX4VBIA ePSDChDEMSDKNg"),
        (MASK, "race", "/70AAIB+SwgAAA t5AkDAf/AAAAAA /9sAAgD3fgEAAA 758AkAC/fgIAAA"),
        (2024, "bearoff", "fwAAAP8+BQAAAA PQAAwB/fAgAAAA DwAA4PcrAAAAAA 3z0AAOAAAAAAAA"),
    ):
        assert gnubg_ids(random_positions(4, seed, phase)).tolist() == expected.split()


@pytest.mark.parametrize(
    ("phase", "digest"),
    [
        (None, "44dce989c25c42dc"),
        ("contact", "55b40a34f5054a3f"),
        ("race", "bd45d250bc1da122"),
        ("bearoff", "d089fee48bf374c6"),
    ],
)
def test_many_rows_are_fixed_valid_and_in_the_phase(phase: str | None, digest: str) -> None:
    """The rows cover rare cases, such as games that skip the phase."""
    boards = random_positions(3000, 0, phase)
    assert hashlib.sha256(boards.tobytes()).hexdigest()[:16] == digest
    assert boards.dtype == np.int8
    assert boards.flags.c_contiguous
    assert boards.flags.writeable
    assert all(is_possible(tuple(board)) for board in boards.tolist())
    phases = Counter(Position.from_array(board).phase for board in boards)
    if phase:
        assert phases == {phase: 3000}
    else:
        # Most positions of random games have contact.
        assert 0.8 < phases["contact"] / 3000 < 0.9
        assert 0.08 < phases["race"] / 3000 < 0.15
        assert 0.02 < phases["bearoff"] / 3000 < 0.06


# ---- reproducibility ----


def test_a_row_does_not_depend_on_the_number_of_rows() -> None:
    for phase, row_count in ((None, ROWS_AT_ONCE + 3), ("race", 80)):
        boards = random_positions(row_count, 42, phase)
        for n in (0, 1, 2, 77, row_count - 3, row_count - 2):
            assert np.array_equal(random_positions(n, 42, phase), boards[:n])
