"""Replay of a recorded game: applies its events to a `Match`, and reports oddities as findings."""

from __future__ import annotations

from bgfast.common.validation import Roll, flip_board
from bgfast.errors import BgfastError, IllegalActionError, IllegalPlayError, NotationError
from bgfast.games.match_info import Severity
from bgfast.games.scoring import PLAYER_NAMES, Cube
from bgfast.games.transitions import is_dead, objection
from bgfast.games.turns import UNKNOWN_PLAY
from bgfast.position.explain import apply_hops
from bgfast.position.objects import Position
from bgfast.position.turn import hops_text
from bgfast.records.game_results import ResultReplay, StopReplay, event_name
from bgfast.records.record import CENTRE, Event, RecordedGame, RecordHead, Setup, moves_between

BOARD_UNKNOWN = "the board is unknown from here"


def hidden_ties(game: RecordedGame, head: RecordHead) -> int:
    """Return the number of automatic doubles that only the value of the first double implies."""
    kinds = [event.kind for event in game.events]
    if head.length is not None or {"tie", "position"} & set(kinds) or "double" not in kinds:
        return 0
    value = game.events[kinds.index("double")].value
    return 0 if value < 4 or value & (value - 1) else value.bit_length() - 2


class GameReplay(ResultReplay):
    """Replay of the turns and cube actions of a game."""

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
        """Apply an event, or several turns beginning with it; return the number of events applied."""
        self.event = event
        if event.kind == "comment":
            self.comments.append((self.match.action_count, event.text))
            return 1
        if event.kind == "notice":
            self.report(event.severity, "text", event.text)
            return 1
        if event.kind == "position":
            self.set_position(event)
            return 1
        if self.match.result is not None and event.kind != "wins":
            if event is not self.late_loss:
                message = f"{event_name(event)} after the end of the game"
                if event.kind not in ("resign", "forfeit", "accept"):
                    self.stop("result", message)
                self.report("note", "resignation", message)
            return 1
        if event.kind == "turn":
            count = self.play_turns(event)
            self.applied_count += count
            return count
        if event.kind == "wins":
            self.handle_result(event)
        elif event.kind in ("resign", "forfeit"):
            self.handle_loss(event)
        else:
            self.apply_action(event)
        self.applied_count += 1
        return 1

    # ------------------------------------------------------------ turns

    def play_turns(self, event: Event) -> int:
        """Play a run of plain, legal turns, or else this turn alone; return the number of turns."""
        match = self.match
        self.is_offer_left_out = False
        if event.dice is None:  # no dice thrown: a resignation if the opponent's win follows
            self.treat_as_resignation(event)
            return 1
        if match.phase in ("beavered", "raccooned") and event.player == match.on_turn:
            match.take()  # GNU Backgammon's .mat omits the take
        elif match.phase == "doubled" and event.player == match.on_turn:
            self.report("note", "cube", "no answer to the double; the next roll shows that it was taken")
            match.take()
        is_opening = match.phase == "opening"
        if is_opening:
            self.roll(event)
        is_rolled = match.dice is not None
        first_play = match.action_count + (not is_rolled)
        is_plain = (is_opening or not is_rolled) and not self.state.board_unknown
        count = match._apply_turns(self.turns, self.index) if is_plain else 0
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

    def treat_as_resignation(self, event: Event) -> None:
        """Treat an unplayed turn as a resignation if the opponent's win is next."""
        result = self.next_event()
        if result is None or result.kind != "wins" or event.player is None:
            return
        if result.player in (None, 1 - event.player):
            self.loss = event

    def opener(self, event: Event) -> int:
        """Return the player of the first turn, inferred from the next event if it is not recorded."""
        if event.player is not None:
            return event.player
        next_event = self.next_event()
        return 0 if next_event is None or next_event.player is None else 1 - next_event.player

    def roll(self, event: Event) -> None:
        """Roll the dice of a turn."""
        assert event.dice is not None
        dice, match = event.dice, self.match
        if match.phase == "opening":
            if dice[0] == dice[1]:
                self.stop("turn", f"the opening roll is {dice[0]}-{dice[1]}, a tie; expected different dice")
            high, low = max(dice), min(dice)
            match.roll((high, low) if self.opener(event) == 0 else (low, high))
            return
        on_turn = match.on_turn
        if match.phase == "to_play" and event.player == on_turn and sorted(match.dice or ()) == sorted(dice):
            return  # the recorded position already has this roll
        if match.phase == "to_roll" and event.player is not None and event.player != on_turn:
            names = PLAYER_NAMES[event.player], PLAYER_NAMES[on_turn or 0]
            message = f"{names[0]} rolls; expected {names[1]}, who is on turn; {BOARD_UNKNOWN}"
            self.report("error", "turn", message)
            match.set_position(None, on_turn=event.player)
        try:
            match.roll(dice)
        except IllegalActionError as error:
            self.stop("turn", str(error))

    def play(self, event: Event) -> None:
        """Make the play of a turn."""
        text = event.text
        moves = text.removesuffix(UNKNOWN_PLAY).rstrip()
        if event.setup is not None:
            self.play_to(event.setup)
        elif event.flagged:
            self.play_or_report(text or "pass")  # an illegal play without a text moved nothing
        elif not moves:
            self.play_unrecorded(event)
        elif moves == text:
            self.play_or_report(text)
        else:
            self.play_beginning(text, moves)

    def play_or_report(self, text: str) -> None:
        """Make a play; report an illegal one and make it as written."""
        if self.state.board_unknown:
            self.match.play(text, unknown=True)
            return
        try:
            self.match.play(text)
        except NotationError as error:
            self.play_unreadable(text, error)
        except (IllegalPlayError, IllegalActionError) as error:
            board, note = self.board(), self.play_as_written(text)
            self.report("error", "play", f"{str(error).removeprefix('play: ')}{note}", board)

    def play_as_written(self, text: str) -> str:
        """Make an illegal play; return a suffix for its finding, empty if the board stays known."""
        match = self.match
        try:
            match.play(text, unchecked=True)
        except BgfastError:
            plays = match.plays()
            if len(plays) > 1:
                match.play(text, unknown=True)
                self.applied_count -= 1
                return f"; {BOARD_UNKNOWN}"
            match.play(plays[0] if plays else "pass")
        return ""

    def play_unreadable(self, text: str, error: NotationError) -> None:
        """Make a play as written if its text cannot be read, or fits more than one play."""
        board, dice = self.board(), self.match.dice
        assert dice is not None
        if note := self.play_as_written(text):
            self.report("error", "text", f"{error}{note}", board)
        elif self.state.moved is None:
            self.report("note", "play", f"{error}; taken as written", board)
        else:
            reason = str(error).partition(" of the play: ")[2] or str(error)
            self.report("error", "play", f"illegal play {text!r} for {dice[0]}-{dice[1]}: {reason}", board)

    def play_to(self, setup: Setup) -> None:
        """Make an illegal play of which only the resulting board is recorded."""
        match, mover = self.match, self.match.on_turn
        assert mover is not None
        before = tuple(match.position.to_array().tolist())
        after = (setup.board or ()) if mover == 0 else flip_board(setup.board or ())
        moves = moves_between(before, after) if after and not self.state.board_unknown else []
        if moves and apply_hops(before, moves) == after:
            self.play_or_report(hops_text(moves, ()))
            return
        self.report("error", "play", "an illegal play without its moves; the board after it is recorded")
        match.play(UNKNOWN_PLAY, unknown=True)
        self.set_up(setup, 1 - mover)

    def play_beginning(self, text: str, moves: str) -> None:
        """Make a play whose end is marked as unknown; ignore the mark if the moves are a complete play."""
        if not self.state.board_unknown:
            try:
                self.match.play(moves)
                return
            except (IllegalPlayError, IllegalActionError, NotationError):
                if self.play_forced():
                    return
                self.report("warning", "play", f"only {moves!r} of the play is recorded; {BOARD_UNKNOWN}")
        self.match.play(text, unknown=True)

    def play_forced(self) -> bool:
        """Make the play if only one is legal; return whether it was made."""
        plays = self.match.plays()
        if len(plays) != 1:
            return False
        self.report("note", "play", f"no play is recorded; {plays[0]} is the only legal one")
        self.match.play(plays[0])
        return True

    def play_unrecorded(self, event: Event) -> None:
        """Handle a roll without a play: a pass, the end of the record, or an unrecorded play."""
        match, is_board_known = self.match, not self.state.board_unknown
        play_count = len(match.plays()) if is_board_known else 0
        if is_board_known and not play_count:
            match.pass_turn()
            return
        if event.text:
            self.treat_as_resignation(event)
        next_event = self.next_event()
        if self.loss is not None or next_event is None:
            return
        is_last = next_event.kind in ("wins", "resign", "forfeit")
        if is_board_known and (event.text or not is_last) and self.play_forced():
            return
        if is_last:
            return
        if is_board_known:
            message = f"a roll without a play; expected one of {play_count} legal plays; {BOARD_UNKNOWN}"
            self.report("warning", "play", message)
        match.play(UNKNOWN_PLAY if is_board_known else event.text or "pass", unknown=True)

    # ------------------------------------------------------------ positions

    def set_position(self, event: Event) -> None:
        """Continue from a recorded position, unless the game has reached it or is over."""
        if self.match.result is not None or event.setup is None:
            return
        next_event = self.next_event()
        player = event.player
        if player is None and next_event is not None and next_event.player is not None:
            is_answer = next_event.kind in ("take", "drop", "beaver", "accept", "refuse")
            player = 1 - next_event.player if is_answer else next_event.player
        self.set_up(event.setup, player, event.dice)

    def set_up(self, setup: Setup, player: int | None, roll: Roll | None = None) -> None:
        """Set up a recorded position and cube; `player` None leaves the turn as it is."""
        state = self.state
        mover = (state.on_turn or 0) if player is None else player
        is_same_side = mover == (state.on_turn or 0)
        old_position = state.position if is_same_side else state.position.flip()
        position = None if state.board_unknown else old_position
        severity: Severity = "warning"
        message = BOARD_UNKNOWN
        if setup.board is not None:
            try:
                position = self.position_of(setup.board, mover)
            except BgfastError as error:
                position, severity, message = None, "error", f"{error}; {BOARD_UNKNOWN}"
        cube = self.cube_of(setup)
        is_reached = (position, cube, roll) == (old_position, state.cube, None) and not state.board_unknown
        if is_reached and (is_same_side if state.on_turn is not None else self.may_open()):
            return
        if position is None and not state.board_unknown:
            self.report(severity, "position", message)
        self.match.set_position(position, on_turn=mover, cube=cube if cube != state.cube else None, roll=roll)
        self.applied_count += 1

    def may_open(self) -> bool:
        """Return whether the next event may begin a game: a roll of two different dice."""
        event = self.next_event()
        return event is None or (event.dice is not None and event.dice[0] != event.dice[1])

    def cube_of(self, setup: Setup) -> Cube:
        """Return the cube of a recorded position."""
        current_cube = self.state.cube
        owner = current_cube.owner if setup.owner is None else setup.owner
        value = setup.cube or current_cube.value
        if owner in (None, CENTRE):
            return Cube(value if setup.cube or current_cube.owner is None else 1 << self.state.ties)
        return Cube(value, owner if value > 1 else None)  # an owned cube has a value of at least 2

    def position_of(self, board: tuple[int, ...], mover: int) -> Position | None:
        """Return a recorded position from the side of a player; None if it is unknown."""
        if not any(board):
            return None
        cells = board if mover == 0 else flip_board(board)
        position = Position.from_array(cells, self.state.position.checkers)
        if position.phase == "over":
            raise BgfastError("a finished position; expected checkers of both sides")
        return position

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
            self.leave_out(event, kind, f"{event.kind}: it is {names[1]}'s turn to act, not {names[0]}'s")
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
        """Double, even if the cube is dead."""
        reason, board = objection(self.state, "double"), self.board()
        is_unchecked = reason is not None and is_dead(self.state)
        self.check_value(event, 2)
        self.match.double(unchecked=is_unchecked)
        if is_unchecked:
            self.report("note", "dead cube", f"a double without effect: {reason}", board)

    def check_value(self, event: Event, factor: int) -> None:
        """Report a recorded cube value that is not `factor` times the current value."""
        expected = factor * self.match.cube.value
        if event.value and event.value != expected:
            self.report("warning", "cube", f"{event.kind}s to {event.value}; expected {expected}")
