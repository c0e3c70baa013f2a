"""Findings and results in the replay of a recorded game: resignations, forfeits, points and winners."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from bgfast.common.text import pluralize
from bgfast.common.validation import flag
from bgfast.errors import NotationError, RecordError
from bgfast.games.match import Match
from bgfast.games.match_info import Finding, Severity
from bgfast.games.scoring import LEVELS, MAX_POINTS, PLAYER_NAMES
from bgfast.games.state import GameState
from bgfast.games.transitions import objection, points_of_drop, points_of_resignation
from bgfast.games.turns import Turn
from bgfast.games.views import SheetCursor
from bgfast.records.record import Event, EventKind, Place, RecordedGame, RecordHead
from bgfast.records.recorded_analysis import DecisionAnalysis

MAX_FINDINGS = 100_000  # maximum number of findings; the rest of the match is not read


class FindingLog:
    """Findings about a match, in the order of the replay; if `strict`, the first error is raised."""

    def __init__(self, file: str, strict: bool) -> None:
        self.file = file
        self.strict = flag("strict", strict)
        self.limit = MAX_FINDINGS
        self.findings: list[Finding] = []
        self._count = 0  # number of findings added, including removed ones

    @property
    def is_full(self) -> bool:
        """True if `limit` findings have been added, including removed ones."""
        return self._count >= self.limit

    def add(
        self,
        severity: Severity,
        kind: str,
        message: str,
        place: Place,
        game: int = 0,
        move: int = 0,
        board: str = "",
    ) -> None:
        """Add a finding; if `strict`, raise an error as `RecordError` instead."""
        finding = Finding(severity, kind, message, self.file, *place, game, move, board)
        if self.strict and severity == "error":
            raise RecordError(f"{finding.context}{message}", place)
        self._count += 1
        self.findings.append(finding)


# ---------------------------------------------------------------- results

MIN_CODE = 1000  # minimum number that may be a site's code instead of points
_REMARKS = ("comment", "notice")
_NAMES: dict[EventKind, str] = {
    "turn": "a roll",
    "resign": "a resignation",
    "accept": "an acceptance",
    "refuse": "a refusal",
}


class StopReplay(Exception):  # noqa: N818 - not an error
    """The rest of a game cannot be read."""


class JacobyPlayedError(Exception):
    """The Jacoby rule applies although the record does not mention it: a gammon counts as a single win."""


@dataclass
class ResultReplay:
    """State of the replay of a game, its findings and its result."""

    match: Match
    head: RecordHead
    game: RecordedGame
    ordinal: int
    next_game: RecordedGame | None
    log: FindingLog
    comments: list[tuple[int, str]]  # number of actions before the comment, and its text
    analysis: dict[int, DecisionAnalysis]  # by index of the action in `Match.history`
    index: int = 0  # index of the current event
    event_count: int = 0  # number of events that `sheet` has counted
    next_index: int = 0  # index at which `next_event` resumes its search
    # Score after the game by its recorded points, if they differ from the replayed points.
    stated_score: tuple[int, int] | None = None
    last_board: tuple[int, str] = (-1, "")  # number of actions before the board, and the board
    applied_count: int = 0  # number of entries that could be applied
    is_stopped: bool = False
    has_error: bool = False
    has_result: bool = False
    loss: Event | None = None  # a resignation or forfeit before its result
    late_loss: Event | None = None  # a resignation or forfeit recorded after its result
    is_offer_left_out: bool = False
    sheet: SheetCursor = field(default_factory=SheetCursor)

    def __post_init__(self) -> None:
        self.events = self.game.events
        self.event = Event("comment", None, self.game.place)
        self.score = self.match.score
        self.turns: list[Turn | None] = [
            (event.player, event.dice, event.text) if event.kind == "turn" and not event.flagged else None
            for event in self.events
        ]

    @property
    def state(self) -> GameState:
        """State of the game."""
        return self.match.state.game

    @property
    def is_complete(self) -> bool:
        """True if the whole game was applied and has a result."""
        return not self.is_stopped and self.match.result is not None

    @property
    def is_read(self) -> bool:
        """True if an entry of the game was applied, or the game has none."""
        return self.applied_count > 0 or not any(event.kind != "comment" for event in self.events)

    # ------------------------------------------------------------ findings

    def report(self, severity: Severity, kind: str, message: str, board: str | None = None) -> None:
        """Report a finding about the current event; `board` is by default the current board."""
        self.has_error = self.has_error or severity == "error"
        board = self.board() if board is None else board
        self.log.add(severity, kind, message, self.event.place, self.ordinal, self.row(), board)

    def board(self) -> str:
        """Return the XGID, or the position ID if the cube is too large; empty if the board is unknown."""
        if self.state.board_unknown:
            return ""
        action = self.match.action_count
        if self.last_board[0] != action:  # many findings may share a board
            decision = self.match.decision
            try:
                self.last_board = action, decision.xgid
            except NotationError:
                self.last_board = action, decision.position.gnubg_id
        return self.last_board[1]

    def stop(self, kind: str, message: str) -> NoReturn:
        """Report an error that stops the replay of the game."""
        self.report("error", kind, message)
        raise StopReplay

    def report_skipped(self) -> None:
        """Report the number of unread entries."""
        skipped_events = [event for event in self.events[self.index :] if event.kind not in _REMARKS]
        place = skipped_events[0].place if skipped_events else self.event.place
        entries = pluralize(len(skipped_events), "entry", "entries")
        text = f"the rest of this game, {entries}, is not read: it cannot be followed"
        self.log.add("error", "skipped", text, place, self.ordinal)

    def row(self) -> int:
        """Return the current event's row of the score sheet; 0 if it has none."""
        if self.event.kind in ("wins", "tie", "position", "notice"):
            return 0
        for event in self.events[self.event_count : self.index + 1]:
            if event.kind not in (*_REMARKS, "wins", "tie", "position"):
                self.sheet.fill(event.player or 0)
        self.event_count = self.index + 1
        return self.sheet.row

    def next_event(self) -> Event | None:
        """Return the next event other than comments and notices."""
        self.next_index = max(self.next_index, self.index + 1)
        while self.next_index < len(self.events) and self.events[self.next_index].kind in _REMARKS:
            self.next_index += 1
        return self.events[self.next_index] if self.next_index < len(self.events) else None

    def leave_out(self, event: Event, kind: str, message: str) -> None:
        """Report an unavailable action; skip it and its answer."""
        self.is_offer_left_out = event.kind in ("double", "beaver", "raccoon")
        self.applied_count -= 1
        self.report("error", kind, f"{message}; the action is left out")

    # ------------------------------------------------------------ resignations and results

    def handle_loss(self, event: Event) -> None:
        """Handle a resignation or a forfeit; if a result follows, it states the points."""
        answer = self.next_event()
        if answer is None or answer.kind == "wins":
            self.loss = event
            return
        loser = event.player if event.player is not None else self.match.to_act
        if loser is None:
            text = f"{event.kind}: before the opening roll, by an unknown player"
            self.leave_out(event, "resignation", text)
            return
        if event.kind == "resign" and answer.kind in ("accept", "take", "refuse", "drop"):
            self.match.resign(event.value or 1, by=loser)
            return
        text = f"{event_name(event)}, but the game continues; treated as refused"
        self.report("warning", "resignation", text)
        self.match.resign(event.value or 1, by=loser)
        self.match.refuse_resignation()

    def handle_result(self, event: Event) -> None:
        """Handle the recorded result."""
        match = self.match
        is_repeated, self.has_result = self.has_result, True
        if is_repeated:
            self.report("note", "result", "another result of the game")
            return
        if match.phase == "resigned":
            match.accept_resignation()
        result = match.result
        if result is None:
            next_event = self.next_event()
            if self.loss is None and next_event is not None and next_event.kind in ("resign", "forfeit"):
                self.loss = self.late_loss = next_event
            self.end_as_stated(event)
        elif event.player is not None and event.player != result.winner:
            names = PLAYER_NAMES[event.player], PLAYER_NAMES[result.winner]
            self.report("warning", "result", f"{names[0]} wins; expected {names[1]}, who has won {result}")
        else:
            self.check_points(self.points_of(event, result.winner))
        self.check_match(event)

    def check_points(self, points: int) -> None:
        """Report recorded points that differ from the points of the game, which take precedence."""
        head, result = self.head, self.match.result
        assert result is not None
        if not points or points == result.points:
            return
        may_be_jacoby = head.length is None and head.jacoby is None and not self.state.cube_turned
        if may_be_jacoby and result.level > 1 and points * result.level == result.points:
            raise JacobyPlayedError
        gain = (points, 0) if result.winner == 0 else (0, points)
        self.stated_score = self.score[0] + gain[0], self.score[1] + gain[1]
        text = f"wins {pluralize(points, 'point')}; expected {pluralize(result.points, 'point')}, as {result}"
        points_needed = (head.length or 0) - self.score[result.winner]
        if head.length is not None and points < result.points and points in (points_needed, head.length):
            reason = "the points needed" if points == points_needed else "the length of the match"
            self.report("note", "score", f"{text}; capped at {reason}")
        else:
            self.report("warning", "score", text)

    def points_of(self, event: Event, winner: int) -> int:
        """Return the recorded points (not a site's code), or infer them from the next score; 0 if unknown."""
        points = event.points or (self.loss.points if self.loss is not None else 0)
        max_points = len(LEVELS) * self.state.cube.value
        if points > MAX_POINTS or (points >= MIN_CODE and points > max_points):
            self.report("note", "score", f"wins {pluralize(points, 'point')}, which is a code, not points")
            points = 0
        return points or self.points_by_next_score(winner)

    def points_by_next_score(self, winner: int) -> int:
        """Infer the points of the game from the score of the next game; return 0 if it does not show them."""
        if self.next_game is None or self.next_game.score is None:
            return 0
        gains = [after - before for before, after in zip(self.score, self.next_game.score, strict=True)]
        return gains[winner] if gains[winner] > 0 and gains[1 - winner] == 0 else 0

    def end_as_stated(self, event: Event) -> None:
        """End an unfinished game as its result states: a resignation, a drop, or an unexplained end."""
        loss = self.loss
        winner = event.player
        if winner is None and loss is not None and loss.player is not None:
            winner = 1 - loss.player
        if winner is None:
            self.report("note", "result", "a result without a winner")
            return
        loser = 1 - winner
        stated_points = self.points_of(event, winner)
        if loss is not None and loss.player == winner:
            names = PLAYER_NAMES[winner], PLAYER_NAMES[loser]
            text = f"{names[0]} gives up, but {names[0]} wins; {names[1]} is taken to have given up"
            self.report("warning", "resignation", text)
        is_match = event.flagged or (loss is not None and loss.flagged)
        if not stated_points and is_match and self.head.length is not None:
            stated_points = self.head.length - self.score[winner]
        if loss is not None and loss.kind != "forfeit":
            self.resign(loser, loss.value, stated_points)
        elif loss is not None:
            self.award(winner, stated_points or self.state.cube.value, "lost by the clock or by leaving")
        else:
            self.end_for(winner, stated_points, "the game does not show why")

    def end_for(self, winner: int, stated_points: int, reason: str) -> None:
        """End a game without a recorded resignation: by a drop if a double is pending, else by an award."""
        is_pending = self.match.to_act == 1 - winner and objection(self.state, "drop") is None
        if is_pending and stated_points <= points_of_drop(self.state):
            self.match.drop()
            self.check_points(stated_points)
        else:
            reason = "the board is unknown" if self.state.board_unknown else reason
            self.award(winner, stated_points or self.state.cube.value, reason)

    def resign(self, loser: int, level: int, stated_points: int) -> None:
        """Resign at the lowest level with at least the recorded points, and accept."""
        state = self.state
        levels = range(max(level, 1), len(LEVELS) + 1)
        offer = next(
            (level for level in levels if points_of_resignation(state, level) >= stated_points), None
        )
        if offer is None:
            self.award(1 - loser, stated_points, "more than a resignation is worth at this cube")
            return
        points = points_of_resignation(state, offer)
        if stated_points and points != stated_points:
            expected = f"{pluralize(points, 'point')}, a {LEVELS[offer - 1]} at this cube"
            self.report("note", "score", f"wins {pluralize(stated_points, 'point')}; expected {expected}")
        self.match.resign(offer, by=loser)
        self.match.accept_resignation()

    def award(self, winner: int, points: int, reason: str) -> None:
        """End the game by an award, and report the reason."""
        self.report("note", "result", f"{PLAYER_NAMES[winner]} wins {pluralize(points, 'point')}: {reason}")
        self.match.award(winner, points)

    def check_match(self, event: Event) -> None:
        """Report a recorded win of the match by a player who needs more points."""
        match = self.match
        is_match = event.flagged and self.head.length is not None
        if is_match and match.result is not None and match.winner is None:
            score = f"{match.score[0]}-{match.score[1]}"
            self.report("warning", "result", f"wins the match; expected more points: the score is {score}")

    def finish(self) -> None:
        """End a game without a recorded result if the record shows its end in another way."""
        match = self.match
        if match.result is not None:
            if not self.has_result and not self.is_stopped:
                winner = PLAYER_NAMES[match.result.winner]
                self.report("note", "result", f"no result is recorded; {winner} has won {match.result}")
            return
        rest = self.events[self.index :] if self.is_stopped else []
        result = next((event for event in rest if event.kind == "wins" and event.player is not None), None)
        if result is not None:
            self.event = result
            assert result.player is not None
            self.end_for(result.player, self.points_of(result, result.player), "as its record states")
        elif self.loss is not None:
            self.end_by_loss(self.loss)
        elif self.next_game is not None:
            self.end_by_next_score()

    def end_by_loss(self, loss: Event) -> None:
        """End a game without a recorded result by its resignation or forfeit."""
        self.event = loss
        winner = self.winner_by_next_score() if loss.player is None else 1 - loss.player
        if winner is None:
            self.report("note", "resignation", f"{event_name(loss)} by an unknown player, and no result")
        else:
            self.end_as_stated(Event("wins", winner, loss.place, flagged=loss.flagged))

    def end_by_next_score(self) -> None:
        """End the game as the score of the next game shows."""
        winner = self.winner_by_next_score()
        if winner is not None:
            points = self.points_by_next_score(winner)
            self.end_for(winner, points, "as the score of the next game shows")
        elif not self.has_error:
            self.report("note", "result", "the game has no end")

    def winner_by_next_score(self) -> int | None:
        """Return the winner according to the score of the next game, or None."""
        return next((player for player in (0, 1) if self.points_by_next_score(player)), None)


def event_name(event: Event) -> str:
    """Return the name of an event with its article."""
    return _NAMES.get(event.kind, f"a {event.kind}")
