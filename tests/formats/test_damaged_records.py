"""Files that were damaged at random: no crash, no hang, and never called clean unless each play is legal."""

from __future__ import annotations

import gzip
import io
import random
from contextlib import suppress
from functools import lru_cache

import pytest

import bgfast
from bgfast import Match, RecordError, reference
from bgfast.errors import BgfastError
from bgfast.formats.match_files import recorded
from bgfast.formats.replay import Finding, Report
from tests.formats.test_match_files import RECORDS

SIGNS = b"0123456789/():;*[]\\ \nBWxyz=>abDTGame\t\xff\x00"


def originals() -> list[bytes]:
    """Return short valid files of both formats."""
    match = bgfast.load_match(RECORDS / "resigned.mat")
    session = bgfast.load_match(RECORDS / "session.mat")
    return [
        (RECORDS / "resigned.mat").read_bytes(),
        match.to_sgf().encode(),
        (RECORDS / "crawford.mat").read_bytes(),
        session.to_mat().encode(),
        session.to_sgf().encode(),
        gzip.decompress((RECORDS / "resigned.sgf.gz").read_bytes())[:20000],
    ]


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return a file with some of it deleted, swapped, repeated or changed: bytes, and lines."""
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        kind = chance.randrange(8)
        if kind < 4:
            at = chance.randrange(len(content) + 1)
            end = at + chance.choice((1, 1, 2, 8))
            piece = content[at:end]
            change = (b"", piece * 2, bytes([chance.choice(SIGNS)]), piece[::-1])[kind]
            content = content[:at] + change + content[end:]
            continue
        lines = content.splitlines(keepends=True) or [b""]
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        if kind == 4:
            del lines[first]
        elif kind == 5:
            lines.insert(second, lines[first])
        elif kind == 6:
            lines[first], lines[second] = lines[second], lines[first]
        else:
            lines = lines[: first + 1]
        content = b"".join(lines)
    return content


@lru_cache(maxsize=100_000)
def legal(board: tuple[int, ...], dice: tuple[int, int]) -> frozenset[tuple[int, ...]]:
    return frozenset(reference.legal_positions(list(board), *dice))


def check_all_plays(match: Match) -> None:
    """See by the reference that each play of a game is legal, and that it counts what it has to."""
    for action, before in zip(match.history, match.states, strict=False):
        game = before.game
        if action.name not in ("play", "pass_turn"):
            continue
        assert game.dice is not None
        results = legal(tuple(game.position), game.dice)
        if action.name == "pass_turn":
            assert not results
        elif not action.unchecked:
            assert action.after is not None
            assert tuple(action.after.flip()) in results


def into(found: list[Finding]) -> Report:
    """Return what is given each finding."""
    return lambda finding, _: found.append(finding)


def try_damage(seed: int, number: int) -> tuple[int, int]:
    """Damage files; return how many were clean, and how many not."""
    chance, files, clean = random.Random(seed), originals(), 0
    for _ in range(number):
        content = damaged(chance.choice(files), chance)
        found: list[Finding] = []
        games: list[Match] = []
        refused: BgfastError | None = None
        try:
            games = [game for _, game in recorded(io.BytesIO(content), into(found))]
        except BgfastError as error:
            refused = error
        if refused is not None:
            assert "expected" in str(refused)
            if isinstance(refused, RecordError):
                assert min(refused.line, refused.column) >= 1
            continue
        wrong = [each for each in found if each.kind != "dead cube"]
        for each in found:
            assert each.place.line >= 1
            assert each.message
        if not wrong:
            clean += 1
            for game in games:
                check_all_plays(game)
    return clean, number - clean


def test_damage_is_found_or_none() -> None:
    clean, wrong = try_damage(1, 150)
    assert clean
    assert wrong


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_much_damage(seed: int) -> None:
    clean, wrong = try_damage(100 + seed, 10_000)
    assert clean
    assert wrong


@pytest.mark.parametrize(
    "content", [b"(" * 200_000, b"(;" * 20_000, b"(;C[" + b"\\" * 100_000, b"(;GM[6]" + b"A" * 10**6]
)
def test_what_is_built_to_hang_ends(content: bytes) -> None:
    with pytest.raises(BgfastError):
        list(recorded(io.BytesIO(content)))


@pytest.mark.parametrize(
    "line", ["31: " + "8/5 " * 400, "1" * 1900, ": " * 900, " Anna : 0 " * 150, "31:" * 600]
)
def test_long_lines_of_mat_end(line: str) -> None:
    text = " 3 point match\n Game 1\n"
    for content in (text + line, text + " A : 0     B : 0\n" + line):
        with suppress(BgfastError):  # as the head of a game one of them can be read
            bgfast.read_match(content)
