"""Replay of a recorded game: applies its events to a `Match`, and reports oddities as findings."""

from __future__ import annotations

from bgfast.errors import BgfastError, IllegalActionError, IllegalPlayError, NotationError
from bgfast.games.finding import Severity
from bgfast.games.legal_actions import is_dead, objection
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.records.formats.record import UNKNOWN_PLAY, Event, RecordedGame, RecordHead
from bgfast.records.game_results import ResultReplay, StopReplay, event_name


def hidden_ties(game: RecordedGame, head: RecordHead) -> int:
    """Return the number of automatic doubles that only the value of the first double shows."""
    kinds = [event.kind for event in game.events]
    if head.length is not None or "tie" in kinds or "double" not in kinds:
        return 0
    value = game.events[kinds.index("double")].value
    return 0 if value < 4 or value & (value - 1) else value.bit_length() - 2


class GameReplay(ResultReplay):
    """Replay of a game: its turns and cube actions."""

    def run(self) -> None:
        """Apply the events of the game."""
        try:
            for _ in range(hidden_ties(self.game, self.head)):
                self.match.roll((1, 1))
            while self.index < len(self.events):
                if self.log.is_full:
                    self.stop("text", f"{self.log.limit:,} findings; the rest of the match is not read")
                self.index += self.apply_event(self.events[self.index])
        except StopReplay:
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
            raise StopReplay
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
        message = f"{event_name(event)} after the end of the game"
        if event.kind not in ("resign", "forfeit", "accept"):
            self.stop("result", message)
        self.report("note", "resignation", message)

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
        text = event.text
        if event.flagged:
            return self.play_or_report(text or "pass", "error")  # without a text nothing was moved
        if text.endswith(UNKNOWN_PLAY):
            text = text.removesuffix(UNKNOWN_PLAY).rstrip()
            if not text:
                return self.play_unknown(event)
        if not text:
            return self.play_nothing()
        # The rest of a play that is broken off is unknown.
        return self.play_or_report(text, "error" if text == event.text else "warning")

    def play_or_report(self, text: str, severity: Severity) -> None:
        """Make a play; report an illegal one and make it as written."""
        try:
            self.match.play(text)
        except NotationError as error:
            self.play_unreadable(text, error)
        except (IllegalPlayError, IllegalActionError) as error:
            self.report(severity, "play", str(error).removeprefix("play: "))
            try:
                self.match.play(text, unchecked=True)
            except BgfastError:
                raise StopReplay from None

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
        match, plays = self.match, self.match.plays()
        if not plays:
            match.pass_turn()
        elif self.next_event() is None:
            return
        elif len(plays) == 1:
            self.report("note", "play", f"no play is recorded; {plays[0]} is the only legal one")
            match.play(plays[0])
        elif self.index < self.last_turn:
            text = f"a roll without a play; expected one of {len(plays)} legal plays"
            self.report("warning", "play", text)
            match.play("pass", unchecked=True)

    def play_unknown(self, event: Event) -> None:
        """Handle a roll whose play is marked as unknown."""
        if not len(self.match.plays()):
            self.match.pass_turn()
            return
        self.give_up_unplayed(event)
        if self.loss is None:
            self.play_nothing()

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
