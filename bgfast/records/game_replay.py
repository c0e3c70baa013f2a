"""Replay of a recorded game: applies its events to a `Match`, and reports oddities as findings."""

from __future__ import annotations

from typing import NoReturn

from bgfast.errors import BgfastError, IllegalActionError, IllegalPlayError, NotationError
from bgfast.games.finding import Severity
from bgfast.games.legal_actions import is_dead, objection
from bgfast.games.match import Match
from bgfast.games.scoring import LEVELS, MAX_POINTS, PLAYER_NAMES
from bgfast.games.state import GameState
from bgfast.games.transitions import points_of_drop, points_of_resignation
from bgfast.games.turns import Turn
from bgfast.records.finding_log import FindingLog, NumberedRows
from bgfast.records.formats.record import UNKNOWN_PLAY, Event, EventKind, RecordedGame, RecordHead
from bgfast.records.formats.recorded_analysis import DecisionAnalysis

__all__ = ["GameReplay", "JacobyPlayedError", "hidden_ties"]

MIN_CODE = 1000
"""Minimum number that may be a site's code instead of points."""
_REMARKS = ("comment", "notice")
_NAMES: dict[EventKind, str] = {
    "turn": "a roll",
    "resign": "a resignation",
    "accept": "an acceptance",
    "refuse": "a refusal",
}


class _Stop(Exception):  # noqa: N818 - no error
    """The rest of a game cannot be read."""


class JacobyPlayedError(Exception):
    """A gammon counts single, so the Jacoby rule is in force although the record does not mention it."""


def hidden_ties(game: RecordedGame, head: RecordHead) -> int:
    """Return the number of automatic doubles that only the value of the first double shows."""
    kinds = [event.kind for event in game.events]
    if head.length is not None or "tie" in kinds or "double" not in kinds:
        return 0
    value = game.events[kinds.index("double")].value
    return 0 if value < 4 or value & (value - 1) else value.bit_length() - 2


class GameReplay:
    """Replay of one game.

    Attributes
    ----------
    followed : int
        Number of entries that were followed.
    stated_score : (int, int) or None
        Score after the game by its recorded points, if they differ from the board's.
    comments : list of (int, str)
        Number of actions before each comment, and its text.
    analysis : dict of int to DecisionAnalysis
        Analysis by the index of the action in `Match.history`.
    """

    def __init__(
        self,
        match: Match,
        head: RecordHead,
        game: RecordedGame,
        number: int,
        next_game: RecordedGame | None,
        log: FindingLog,
    ) -> None:
        self.match = match
        self.head = head
        self.game = game
        self.number = number
        self.next_game = next_game
        self.log = log
        self.events = game.events
        self.index = 0
        self.event = Event("comment", None, game.place)
        self.rows = NumberedRows()
        self.row_count = 0  # events that `rows` has counted
        self.next_index = 0  # where `next_event` resumes its search
        self.last_turn = max(
            (index for index, event in enumerate(self.events) if event.kind == "turn"), default=-1
        )
        self.score = match.score
        self.stated_score: tuple[int, int] | None = None
        self.comments: list[tuple[int, str]] = []
        self.analysis: dict[int, DecisionAnalysis] = {}
        self.last_board = (-1, "")  # number of the next action, and the board before it
        self.followed = 0
        self.is_stopped = False
        self.has_error = False
        self.has_result = False
        self.loss: Event | None = None  # a resignation or forfeit before its result
        self.used_loss: Event | None = None  # a resignation or forfeit recorded after its result
        self.is_offer_left_out = False
        self.turns: list[Turn | None] = [
            (event.player, event.dice, event.text) if event.kind == "turn" and not event.flagged else None
            for event in game.events
        ]

    @property
    def state(self) -> GameState:
        """The state of the game."""
        return self.match.state.game

    @property
    def is_followed(self) -> bool:
        """True if the whole game was read, and has a result."""
        return not self.is_stopped and self.match.result is not None

    @property
    def is_read(self) -> bool:
        """True if an entry of the game was followed, or the game has none."""
        return self.followed > 0 or not any(event.kind != "comment" for event in self.events)

    def run(self) -> None:
        """Apply the events of the game."""
        try:
            for _ in range(hidden_ties(self.game, self.head)):
                self.match.roll((1, 1))
            while self.index < len(self.events):
                if self.log.is_full:
                    self.stop("text", f"{self.log.limit:,} findings; the rest of the match is not read")
                self.index += self.apply_event(self.events[self.index])
        except _Stop:
            self.is_stopped = True
            self.report_skipped()
        self.finish()

    def apply_event(self, event: Event) -> int:
        """Apply an event, or several turns from it; return the number of events."""
        self.event = event
        if event.kind == "comment":
            self.comments.append((self.match.action_count, event.text))
            return 1
        if event.kind == "notice":
            self.report(event.severity, "text", event.text)
            return 1
        if event.kind == "stop":
            raise _Stop
        if self.match.result is not None and event.kind != "wins":
            if event is not self.used_loss:
                self.report_after_end(event)
            return 1
        if event.kind == "turn":
            count = self.play_turns(event)
            self.followed += count
            return count
        if event.kind == "wins":
            self.handle_result(event)
        elif event.kind in ("resign", "forfeit"):
            self.handle_loss(event)
        else:
            self.apply_action(event)
        self.followed += 1
        return 1

    def report_after_end(self, event: Event) -> None:
        """Report an event after the end of the game; all but resignations stop the replay."""
        message = f"{_name(event)} after the end of the game"
        if event.kind not in ("resign", "forfeit", "accept"):
            self.stop("result", message)
        self.report("note", "resignation", message)

    # ------------------------------------------------------------ findings

    def report(self, severity: Severity, kind: str, message: str, board: str | None = None) -> None:
        """Report a finding about the current event; `board` is by default the current board."""
        self.has_error = self.has_error or severity == "error"
        board = self.board() if board is None else board
        self.log.add(severity, kind, message, self.event.place, self.number, self.row(), board)

    def board(self) -> str:
        """Return the XGID, or the position ID if the cube is too large for an XGID."""
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
        raise _Stop

    def report_skipped(self) -> None:
        """Report the number of unread entries."""
        skipped = [event for event in self.events[self.index :] if event.kind not in (*_REMARKS, "stop")]
        number = "1 entry" if len(skipped) == 1 else f"{len(skipped)} entries"
        place = skipped[0].place if skipped else self.event.place
        text = f"the rest of this game, {number}, is not read: it cannot be followed"
        self.log.add("error", "skipped", text, place, self.number)

    def row(self) -> int:
        """Return the current event's row of the score sheet; 0 if it has none."""
        if self.event.kind in ("wins", "tie", "notice", "stop"):
            return 0
        for event in self.events[self.row_count : self.index + 1]:
            if event.kind not in (*_REMARKS, "wins", "tie", "stop"):
                self.rows.cell(event.player or 0)
        self.row_count = self.index + 1
        return self.rows.number

    def next_event(self) -> Event | None:
        """Return the next event other than comments and notices."""
        self.next_index = max(self.next_index, self.index + 1)
        while self.next_index < len(self.events) and self.events[self.next_index].kind in _REMARKS:
            self.next_index += 1
        return self.events[self.next_index] if self.next_index < len(self.events) else None

    # ------------------------------------------------------------ turns

    def play_turns(self, event: Event) -> int:
        """Play all following plain, legal turns, or this turn alone; return the number of turns."""
        match = self.match
        self.is_offer_left_out = False
        if event.dice is None:  # not thrown: the player resigned if the opponent wins
            self.give_up_unplayed(event)
            return 1
        if match.phase in ("beavered", "raccooned") and event.player == match.on_turn:
            match.take()  # GNU Backgammon's .mat omits it
        elif match.phase == "doubled" and event.player == match.on_turn:
            self.report("note", "cube", "no answer to the double; the next roll shows that it was taken")
            match.take()
        is_opening = match.phase == "opening"
        if is_opening:
            self.roll(event)
        is_rolled = match.dice is not None
        first_play = match.action_count + (not is_rolled)
        count = match._apply_turns(self.turns, self.index) if is_opening or not is_rolled else 0
        for index in range(self.index, self.index + count):
            self.add_analysis(index, first_play + 2 * (index - self.index))
        if count:
            return count
        if not is_opening:
            self.roll(event)
        self.add_analysis(self.index, match.action_count)
        self.play(event)
        return 1

    def add_analysis(self, index: int, action: int) -> None:
        """Store the record's own analysis of an event by the index of its action."""
        if index in self.game.analysis:
            self.analysis[action] = self.game.analysis[index]

    def give_up_unplayed(self, event: Event) -> None:
        """Treat an unplayed turn as a resignation if the opponent's win is next."""
        result = self.next_event()
        if result is None or result.kind != "wins" or event.player is None:
            return
        if result.player in (None, 1 - event.player):
            self.loss = event

    def opener(self, event: Event) -> int:
        """Return the player of the first turn, if necessary from the player of the next event."""
        if event.player is not None:
            return event.player
        following = self.next_event()
        return 0 if following is None or following.player is None else 1 - following.player

    def roll(self, event: Event) -> None:
        """Roll the dice of a turn."""
        assert event.dice is not None
        dice, match = event.dice, self.match
        if match.phase == "opening":
            if dice[0] == dice[1]:
                self.stop("turn", f"the opening roll is {dice[0]}-{dice[1]}, a tie; expected two dice")
            high, low = max(dice), min(dice)
            match.roll((high, low) if self.opener(event) == 0 else (low, high))
            return
        on_turn = match.on_turn
        if match.phase == "to_roll" and event.player is not None and event.player != on_turn:
            names = PLAYER_NAMES[event.player], PLAYER_NAMES[on_turn or 0]
            self.stop("turn", f"{names[0]} rolls; expected {names[1]}, who is on turn")
        try:
            match.roll(dice)
        except IllegalActionError as error:
            self.stop("turn", str(error))

    def play(self, event: Event) -> None:
        """Make the play of a turn."""
        match, text = self.match, event.text
        if event.flagged:
            return self.play_declared_illegal(event)
        if text.endswith(UNKNOWN_PLAY):
            text = text.removesuffix(UNKNOWN_PLAY).rstrip()
            if not text:
                return self.play_unknown(event)
        if not text:
            return self.play_nothing()
        try:
            match.play(text)
        except (IllegalPlayError, IllegalActionError) as error:
            is_broken_off = text != event.text
            message = str(error).removeprefix("play: ")
            self.report("warning" if is_broken_off else "error", "play", message)
            self.play_as_written(text)
        except NotationError as error:
            self.play_unreadable(text, error)
        return None

    def play_unreadable(self, text: str, error: NotationError) -> None:
        """Make a play that fits no die, or several plays, as written."""
        match, board, dice = self.match, self.board(), self.match.dice
        assert dice is not None
        try:
            match.play(text, unchecked=True)
        except BgfastError:
            self.stop("text", str(error))
        if self.state.moved is None:
            self.report("note", "play", f"{error}; taken as written", board)
        else:
            reason = str(error).partition(" of the play: ")[2] or str(error)
            self.report("error", "play", f"illegal play {text!r} for {dice[0]}-{dice[1]}: {reason}", board)

    def play_nothing(self) -> None:
        """Handle a roll without a play: a pass, the end of the record, or an unrecorded play."""
        match = self.match
        plays = len(match.plays())
        if not plays:
            match.pass_turn()
        elif self.index < self.last_turn:
            self.report("warning", "play", f"a roll without a play; expected one of {plays} legal plays")
            match.play("pass", unchecked=True)

    def play_unknown(self, event: Event) -> None:
        """Handle a roll whose play is marked as unknown."""
        if not len(self.match.plays()):
            self.match.pass_turn()
            return
        self.give_up_unplayed(event)
        if self.loss is None:
            self.play_nothing()

    def play_declared_illegal(self, event: Event) -> None:
        """Make a play that the record calls illegal; without a text nothing was moved."""
        text = event.text or "pass"
        try:
            self.match.play(text)
        except NotationError as error:
            self.play_unreadable(text, error)
        except (IllegalPlayError, IllegalActionError) as error:
            self.report("error", "play", str(error).removeprefix("play: "))
            self.play_as_written(text)

    def play_as_written(self, text: str) -> None:
        """Make an illegal play as written."""
        try:
            self.match.play(text, unchecked=True)
        except BgfastError:
            raise _Stop from None

    # ------------------------------------------------------------ the cube

    def apply_action(self, event: Event) -> None:
        """Apply a cube action, an automatic double or an answer to a resignation."""
        match, phase = self.match, self.match.phase
        if event.kind == "tie":
            match.roll(event.dice or (1, 1))
            return
        if event.kind in ("take", "drop") and self.is_offer_left_out:
            self.is_offer_left_out = False
            return
        if event.kind == "double" and phase == "doubled" and event.player not in (None, match.on_turn):
            event = event._replace(kind="beaver")  # some programs write a beaver as a double
        elif event.kind in ("double", "beaver") and phase == "beavered":
            event = event._replace(kind="raccoon")
        kind = "resignation" if phase == "resigned" else "cube"
        to_act = match.to_act
        if event.player is not None and to_act is not None and event.player != to_act:
            names = PLAYER_NAMES[event.player], PLAYER_NAMES[to_act]
            self.leave_out(event, kind, f"{event.kind}: it is for {names[1]} to act, not for {names[0]}")
            return
        self.add_analysis(self.index, match.action_count)
        try:
            if event.kind == "double":
                self.double(event)
            elif event.kind in ("take", "accept"):
                match.accept_resignation() if phase == "resigned" else match.take()
            elif event.kind in ("drop", "refuse"):
                match.refuse_resignation() if phase == "resigned" else match.drop()
            elif event.kind == "beaver":
                self.check_value(event, 4)
                match.beaver()
            else:
                self.check_value(event, 8)
                match.raccoon()
        except IllegalActionError as error:
            self.analysis.pop(match.action_count, None)
            self.leave_out(event, kind, str(error))

    def leave_out(self, event: Event, kind: str, message: str) -> None:
        """Report an unavailable action and skip it, with its answer."""
        self.is_offer_left_out = event.kind in ("double", "beaver", "raccoon")
        self.followed -= 1
        self.report("error", kind, f"{message}; it is left out")

    def double(self, event: Event) -> None:
        """Double, also with a dead cube."""
        reason, board = objection(self.state, "double"), self.board()
        is_unchecked = reason is not None and is_dead(self.state)
        self.check_value(event, 2)
        self.match.double(unchecked=is_unchecked)
        if is_unchecked:
            self.report("note", "dead cube", f"a double without effect: {reason}", board)

    def check_value(self, event: Event, factor: int) -> None:
        """Compare the recorded value of the cube with `factor` times its current value."""
        expected = factor * self.match.cube.value
        if event.value and event.value != expected:
            self.report("warning", "cube", f"{event.kind}s to {event.value}; expected {expected}")

    # ------------------------------------------------------------ resignations and results

    def handle_loss(self, event: Event) -> None:
        """Handle a resignation or a forfeit; a following result states its points."""
        answer = self.next_event()
        if answer is None or answer.kind == "wins":
            self.loss = event
            return
        loser = event.player if event.player is not None else self.match.to_act
        if loser is None:
            self.leave_out(
                event, "resignation", f"{event.kind}: before the opening roll, by an unknown player"
            )
            return
        if event.kind == "resign" and answer.kind in ("accept", "take", "refuse", "drop"):
            self.match.resign(event.value or 1, by=loser)
            return
        self.report("warning", "resignation", f"{_name(event)}, but the game goes on; it was not accepted")
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
            following = self.next_event()
            if self.loss is None and following is not None and following.kind in ("resign", "forfeit"):
                self.loss = self.used_loss = following
            self.end_as_stated(event)
        elif event.player is not None and event.player != result.winner:
            names = PLAYER_NAMES[event.player], PLAYER_NAMES[result.winner]
            self.report("warning", "result", f"{names[0]} wins; expected {names[1]}, who has won {result}")
        else:
            self.check_points(self.stated_points(event, result.winner))
        self.check_match(event)

    def check_points(self, stated: int) -> None:
        """Report recorded points that differ from those of the game, which decide."""
        head, result = self.head, self.match.result
        assert result is not None
        if not stated or stated == result.points:
            return
        may_be_jacoby = head.length is None and head.jacoby is None and not self.state.cube_turned
        if may_be_jacoby and result.level > 1 and stated * result.level == result.points:
            raise JacobyPlayedError
        gained = (stated, 0) if result.winner == 0 else (0, stated)
        self.stated_score = self.score[0] + gained[0], self.score[1] + gained[1]
        text = f"wins {_points(stated)}; expected {_points(result.points)}, as {result}"
        if head.length is not None and stated < result.points:
            needed = head.length - self.score[result.winner]
            if stated in (needed, head.length):
                reason = "what was needed" if stated == needed else "the length of the match"
                self.report("note", "score", f"{text}; capped at {reason}")
                return
        self.report("warning", "score", text)

    def stated_points(self, event: Event, winner: int) -> int:
        """Return the recorded points; 0 without points, or for a code in their place."""
        points = event.points or (self.loss.points if self.loss is not None else 0)
        max_points = len(LEVELS) * self.state.cube.value
        if points > MAX_POINTS or (points >= MIN_CODE and points > max_points):
            self.report("note", "score", f"wins {_points(points)}, which is no number of points")
            points = 0
        return points or self.points_by_next_score(winner)

    def points_by_next_score(self, winner: int) -> int:
        """Return the points of the game by the score of the next game; 0 if it does not show them."""
        if self.next_game is None or self.next_game.score is None:
            return 0
        gained = [after - before for before, after in zip(self.score, self.next_game.score, strict=True)]
        return gained[winner] if gained[winner] > 0 and gained[1 - winner] == 0 else 0

    def end_as_stated(self, event: Event) -> None:
        """End an unfinished game by its recorded result: a resignation, a drop, or an unexplained end."""
        loss = self.loss
        winner = event.player
        if winner is None and loss is not None and loss.player is not None:
            winner = 1 - loss.player
        if winner is None:
            self.report("note", "result", "a result without a winner")
            return
        loser = 1 - winner
        stated = self.stated_points(event, winner)
        if loss is not None and loss.player == winner:
            names = PLAYER_NAMES[winner], PLAYER_NAMES[loser]
            text = f"{names[0]} gives up, but {names[0]} wins; {names[1]} is taken to have given up"
            self.report("warning", "resignation", text)
        if not stated and self.is_whole_match(event, loss):
            assert self.head.length is not None
            stated = self.head.length - self.score[winner]
        if loss is not None and loss.kind != "forfeit":
            self.resign(loser, loss.value, stated)
        elif loss is not None:
            self.award(winner, stated or self.state.cube.value, "lost by the clock or by leaving")
        else:
            self.end_for(winner, stated, "the game does not show why")

    def end_for(self, winner: int, stated: int, reason: str) -> None:
        """End a game without a recorded resignation: by a drop if a double is pending, else by an award."""
        is_pending = self.match.to_act == 1 - winner and objection(self.state, "drop") is None
        if is_pending and stated <= points_of_drop(self.state):
            self.match.drop()
            self.check_points(stated)
        else:
            self.award(winner, stated or self.state.cube.value, reason)

    def is_whole_match(self, event: Event, loss: Event | None) -> bool:
        """Return whether the record states that the match is won or resigned."""
        is_match = event.flagged or (loss is not None and loss.flagged)
        return is_match and self.head.length is not None

    def resign(self, loser: int, level: int, stated: int) -> None:
        """Resign at the lowest level with at least the recorded points, and accept."""
        state = self.state
        for offered in range(max(level, 1), len(LEVELS) + 1):
            points = points_of_resignation(state, offered)
            if points < stated:
                continue
            if stated and points != stated:
                name = LEVELS[offered - 1]
                text = f"wins {_points(stated)}; expected {_points(points)}, a {name} at this cube"
                self.report("note", "score", text)
            self.match.resign(offered, by=loser)
            self.match.accept_resignation()
            return
        self.award(1 - loser, stated, "more than a resignation is worth at this cube")

    def award(self, winner: int, points: int, reason: str) -> None:
        """End the game by an award, and report the reason."""
        name = PLAYER_NAMES[winner]
        self.report("note", "result", f"{name} wins {_points(points)}: {reason}")
        self.match.award(winner, points)

    def check_match(self, event: Event) -> None:
        """Report a recorded win of the match by a player who needs more points."""
        match = self.match
        is_match = event.flagged and self.head.length is not None
        if is_match and match.result is not None and match.winner is None:
            score = f"{match.score[0]}-{match.score[1]}"
            self.report("warning", "result", f"wins the match; expected more points: it stands {score}")

    def finish(self) -> None:
        """End a game without a recorded result if the record shows its end otherwise."""
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
            self.end_for(result.player, self.stated_points(result, result.player), "as its record states")
        elif self.loss is not None:
            self.end_by_loss(self.loss)
        elif self.next_game is not None:
            self.end_by_next_score()

    def end_by_loss(self, loss: Event) -> None:
        """End the game by a resignation or a forfeit without a recorded result."""
        self.event = loss
        winner = self.winner_by_next_score() if loss.player is None else 1 - loss.player
        if winner is None:
            self.report("note", "resignation", f"{_name(loss)} by an unknown player, and no result")
        else:
            self.end_as_stated(Event("wins", winner, loss.place, flagged=loss.flagged))

    def end_by_next_score(self) -> None:
        """End the game by the score of the next game."""
        winner = self.winner_by_next_score()
        if winner is not None:
            points = self.points_by_next_score(winner)
            self.end_for(winner, points, "as the score of the next game shows")
        elif not self.has_error:
            self.report("note", "result", "the game has no end")

    def winner_by_next_score(self) -> int | None:
        """Return the winner by the score of the next game, or None."""
        return next((player for player in (0, 1) if self.points_by_next_score(player)), None)


def _name(event: Event) -> str:
    """Return the name of an event with its article."""
    return _NAMES.get(event.kind, f"a {event.kind}")


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"
