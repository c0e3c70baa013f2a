"""Randomly damaged records: no crash, no hang, and no illegal play without a finding."""

from __future__ import annotations

import gzip
import io
import random
import re
from functools import lru_cache

import pytest

import bgfast
from bgfast import Match, reference
from bgfast.errors import BgfastError
from bgfast.games.match_info import Finding
from bgfast.games.state import Action, GameState
from bgfast.records.match_files import _items, iterate_games
from bgfast.records.record import RecordedGame
from tests.records.test_match_files import RECORDS

NUMBER_PREFIXES = re.compile(rb"Wins |=> |RE\[.\+| : |[wb]s:|CV\[")  # text before a number
CUBE_ACTIONS = {  # lines of .mat files (False) and nodes of SGF files (True)
    False: [
        f"  {word}\n".encode() for word in ("Doubles => 2", "Doubles => 4     Takes", "   Takes", "Drops")
    ],
    True: [b";W[double]", b";B[double]", b";W[take]", b";B[take]", b";W[drop]", b";B[double];W[take]"],
}
CHARACTERS = b"0123456789/():;*[]\\ \nBWxyz=>abDTGame\t\xff\x00"


def original_files() -> list[bytes]:
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
        *((RECORDS / name).read_bytes() for name in ("beavers.mat", "beavers.sgf", "ties.sgf")),
    ]


def damage_text(content: bytes, rng: random.Random) -> bytes:
    """Return a file with deleted, swapped, repeated or changed bytes and lines."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        method = rng.randrange(10)
        is_sgf = content.lstrip()[:1] == b"("
        if method < 4:
            start = rng.randrange(len(content) + 1)
            end = start + rng.choice((1, 1, 2, 8))
            piece = content[start:end]
            replacement = (b"", piece * 2, bytes([rng.choice(CHARACTERS)]), piece[::-1])[method]
            content = content[:start] + replacement + content[end:]
            continue
        if method == 8:
            offset = rng.choice([match.end() for match in NUMBER_PREFIXES.finditer(content)] or [0])
            content = content[:offset] + b"%d" % rng.randrange(10) + content[offset + 1 :]
            continue
        lines = content.splitlines(keepends=True) or [b""]
        row, other_row = rng.randrange(len(lines)), rng.randrange(len(lines))
        if method == 4:
            del lines[row]
        elif method == 5:
            lines.insert(other_row, lines[row])
        elif method == 9:
            lines.insert(row, rng.choice(CUBE_ACTIONS[is_sgf]))
        elif method == 6:
            lines[row], lines[other_row] = lines[other_row], lines[row]
        else:
            lines = lines[: row + 1]
        content = b"".join(lines)
    return content


@lru_cache(maxsize=100_000)
def legal_boards(board: tuple[int, ...], dice: tuple[int, int]) -> frozenset[tuple[int, ...]]:
    return frozenset(reference.legal_positions(list(board), *dice))


class RuleBook:
    """Independent implementation of the cube and scoring rules in docs/RULES.md, to check `bgfast.games`."""

    def __init__(self, match: Match) -> None:
        start, rules = match.states[0], match.rules
        self.length, self.score = start.length, start.score
        self.crawford = start.game.match is not None and start.game.match.crawford
        self.rules = rules
        self.cube, self.owner = start.game.cube.value, start.game.cube.owner
        self.is_turned = False
        self.offer_values: list[int] = []  # cube values of the offers
        self.offers: list[str] = []  # names of the unanswered offers
        self.resignation: tuple[int, int] | None = None
        self.outcome: tuple[int, int] | None = None  # winner, points

    def apply(self, action: Action, state: GameState) -> None:
        """Apply an action; fail if it breaks a rule."""
        assert self.outcome is None
        name, player = action.name, action.player
        if name in ("double", "beaver", "raccoon"):
            self.offer(action, state.on_turn)
        elif name in ("take", "drop"):
            self.answer(name, player, state.on_turn)
        elif name == "resign":
            self.resignation = player, action.level
        elif name == "accept_resignation":
            loser, level = self.resignation
            assert player == 1 - loser
            self.win(1 - loser, level, self.stake())
        elif name == "award":
            self.outcome = action.winner, action.points
        elif name == "refuse_resignation":
            self.resignation = None
        elif name == "roll":
            assert not self.offers
            if state.phase == "opening":
                if action.dice is not None and action.dice[0] == action.dice[1] and not self.crawford:
                    self.cube *= 2
            else:
                assert player == state.on_turn
        else:
            assert name in ("play", "pass_turn")
            self.play(action, state)

    def offer(self, action: Action, on_turn: int | None) -> None:
        name, player = action.name, action.player
        assert not self.crawford
        if name == "double":
            assert not self.offers
            assert player == on_turn
            assert self.owner in (None, player)
            is_dead_cube = self.length is not None and self.score[player] + self.cube >= self.length
            assert is_dead_cube == action.unchecked
        else:
            assert self.length is None
            assert self.rules.beavers
            assert self.offers == ["double"] if name == "beaver" else ["double", "beaver"]
            assert (player == on_turn) == (name == "raccoon")
        self.offers.append(name)
        self.offer_values.append(self.cube * 2 ** len(self.offers))
        assert self.offer_values[-1] <= (self.rules.cube_limit or 2**30)

    def stake(self) -> int:
        """Return the stake before the last offer."""
        return self.cube * 2 ** max(0, len(self.offers) - 1)

    def answer(self, name: str, player: int | None, on_turn: int | None) -> None:
        assert self.offers
        assert on_turn is not None
        assert (player == on_turn) == (len(self.offers) == 2)
        if name == "drop":
            self.win(1 - player, 1, self.stake())
        else:
            self.cube, self.owner = 2 * self.stake(), 1 - on_turn
            self.is_turned, self.offers = True, []

    def play(self, action: Action, state: GameState) -> None:
        assert action.player == state.on_turn
        boards = legal_boards(tuple(state.position), state.dice)
        if action.name == "pass_turn":
            assert not boards
            return
        board = tuple(action.after.flip())
        assert (board in boards) != action.unchecked
        if not any(count > 0 for count in board):
            checkers = -sum(count for count in board if count < 0)
            level = 1 if checkers < action.after.checkers else 3 if board[0] or min(board[1:7]) < 0 else 2
            self.win(state.on_turn, level, self.cube)

    def win(self, winner: int, level: int, stake: int) -> None:
        jacoby = self.length is None and self.rules.jacoby and not self.is_turned
        self.outcome = winner, stake * (1 if jacoby else level)


def check_game(match: Match, game: RecordedGame) -> None:
    """Assert that a game's plays and cube actions are legal and that its recorded points are correct."""
    book = RuleBook(match)
    for action, state in zip(match.history, match.states, strict=False):
        book.apply(action, state.game)
    gained_points = [0, 0]
    if book.outcome is not None:
        gained_points[book.outcome[0]] = book.outcome[1]
    assert match.score == (book.score[0] + gained_points[0], book.score[1] + gained_points[1])
    assert (match.result is None) == (book.outcome is None)
    offers = [event.value for event in game.events if event.kind in ("double", "beaver", "raccoon")]
    assert all(offer in (0, value) for offer, value in zip(offers, book.offer_values, strict=True))
    for event in game.events:
        if event.kind == "wins" and event.player is not None:
            assert book.outcome == (event.player, event.points or max(gained_points))


def check_file(content: bytes, games: list[Match]) -> None:
    """Assert that the games of a file without findings are legal."""
    expected: tuple[int, int] | None = None  # score after the previous game of the match
    remaining_games = iter(games)
    for item in _items(io.BytesIO(content)):
        if not isinstance(item, RecordedGame):
            expected = None
            continue
        match = next(remaining_games)
        check_game(match, item)
        assert item.score is None or expected in (None, item.score)
        expected = match.score
    assert not list(remaining_games)


def count_clean_and_faulty(seed: int, count: int) -> tuple[int, int]:
    """Read damaged files; return how many have no findings, and how many have some or are refused."""
    rng, files, clean_count = random.Random(seed), original_files(), 0
    for _ in range(count):
        content = damage_text(rng.choice(files), rng)
        findings: list[Finding] = []
        games: list[Match] = []
        refusal: BgfastError | None = None
        try:
            for _, game, _ in iterate_games(io.BytesIO(content), "file"):
                games.append(game)
                findings += game.findings
        except BgfastError as error:
            refusal = error
        if refusal is not None:
            assert "expected" in str(refusal)
            continue
        for finding in findings:
            assert min(finding.line, finding.column) >= 1
            assert finding.message
        if not findings:
            clean_count += 1
            check_file(content, games)
    return clean_count, count - clean_count


@pytest.mark.parametrize("count", [60, pytest.param(200_000, marks=pytest.mark.long)])
def test_damaged_files_without_findings_are_legal(count: int) -> None:
    assert all(count_clean_and_faulty(1, count))
