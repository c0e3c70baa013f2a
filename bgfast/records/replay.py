"""Recorded events played through `games`, and what a match was as events: the way back.

No rule is told here: whether something may be done, what it leads to and what it counts is asked of `Match`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from bgfast.errors import BgfastError, IllegalActionError, IllegalPlayError, NotationError, RecordError
from bgfast.games.legal_actions import objection
from bgfast.games.match import Match, MatchState
from bgfast.games.match_info import MatchInfo
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.games.state import Action, GameState
from bgfast.games.turns import Turn
from bgfast.position.position_text import STARTS
from bgfast.position.text.play_text import is_pass, read_hops
from bgfast.records.record import Event, Place, RecordedGame, RecordHead, clean
from bgfast.rules import RuleSet

__all__ = ["WARNINGS", "Finding", "NumberedRows", "games_of", "head_of", "replay_games", "replay_match"]

HERE = Place(1, 1)
WARNINGS = ("dead cube", "skipped")
"""Kinds of findings that are no errors of the record."""


class Finding(NamedTuple):
    """Something that is wrong in a record.

    Attributes
    ----------
    kind : str
        ``"play"``, ``"turn"``, ``"cube"``, ``"resignation"``, ``"result"``, ``"score"``, ``"text"``; no
        errors of the record are ``"dead cube"``, a double without effect, and ``"skipped"``, the rest of a
        game that cannot be followed behind an error, and is not looked at.
    message : str
        What was found, and which rule it breaks.
    place : Place
    game : int
        Counted from 1 in its match.
    move : int
        The number of the row in which a score sheet has it; 0 for what belongs to none.
    board : str
        The XGID before it.
    """

    kind: str
    message: str
    place: Place
    game: int
    move: int
    board: str


Report = Callable[[Finding, "Match | None"], None]


class NumberedRows:
    """Counts the rows of a score sheet: player 0's cell begins one, and so does what finds its cell taken."""

    def __init__(self) -> None:
        self.number = 0
        self._taken = (True, True)

    def cell(self, player: int) -> int:
        """Return the number of the row in which the next cell of a player stands."""
        if self._taken[player] or self._taken[1]:
            self.number += 1
            self._taken = (False, False)
        self._taken = (True, self._taken[1]) if player == 0 else (self._taken[0], True)
        return self.number


class _Stop(Exception):  # noqa: N818 - no error
    """The rest of a game cannot be followed."""


class _JacobyPlayed(Exception):  # noqa: N818 - no error
    """A gammon counted once: the record, which says nothing of it, has the Jacoby rule."""


def rules_of(head: RecordHead, games: Iterable[RecordedGame]) -> RuleSet:
    """Return the rules under which games were played, as far as they show."""
    if head.length is not None:
        return _rule_set(cube_limit=head.cube_limit)
    ties = max((_ties(game, head) for game in games), default=0)
    # Where the record does not say, what was done says it.
    beavers = head.beavers is not False
    return _rule_set(
        jacoby=bool(head.jacoby), beavers=beavers, automatic_doubles=ties, cube_limit=head.cube_limit
    )


_rule_set = lru_cache(64)(RuleSet)  # each game of a session has the same


def _ties(game: RecordedGame, head: RecordHead) -> int:
    """Return how many ties of the opening have doubled the cube."""
    return [event.kind for event in game.events].count("tie") or _unsaid_ties(game, head)


def _unsaid_ties(game: RecordedGame, head: RecordHead) -> int:
    """Return how many ties have doubled the cube where the record tells of none: its first double shows."""
    kinds = [event.kind for event in game.events]
    if head.length is not None or "tie" in kinds or "double" not in kinds:
        return 0
    value = game.events[kinds.index("double")].value
    return 0 if value < 4 or value & (value - 1) else value.bit_length() - 2


def replay_match(head: RecordHead, games: Sequence[RecordedGame]) -> Match:
    """Return a whole match.

    Raises
    ------
    RecordError
        At the first thing that is wrong; its `match` has the games before, or what was played of the first.
    """
    try:
        return _whole(head, games)
    except _JacobyPlayed:
        return _whole(replace(head, jacoby=True), games)


def _whole(head: RecordHead, games: Sequence[RecordedGame]) -> Match:
    match = _begun(head, games, (0, 0) if not games or games[0].score is None else games[0].score, False)
    comments: list[tuple[int, str]] = []
    for number, game in enumerate(games, 1):
        before = match._number_done()
        told = len(comments)

        def refuse(finding: Finding, _: Match | None) -> None:
            if finding.kind not in WARNINGS:
                raise _refusal(finding)

        try:
            if number > 1:
                _next_game(match, game, refuse, number)
            _GameReplay(match, head, game, number, refuse, comments).run()
        except RecordError as error:
            if number > 1:  # of the first game what was played is kept, since there is nothing else
                while match._number_done() > before:
                    match.undo()
                match._undone.clear()
                del comments[told:]
            match.info = replace(head.info, comments=tuple(comments))
            kept = match if match._number_done() else None
            raise RecordError(str(error), Place(error.line, error.column), kept) from None
    match.info = replace(head.info, comments=tuple(comments))
    return match


def replay_games(
    head: RecordHead, games: Iterable[RecordedGame], report: Report | None = None
) -> Iterator[Match]:
    """Give each game as a match of its own that begins at its score.

    Parameters
    ----------
    head : RecordHead
    games : iterable of RecordedGame
        Taken one at a time.
    report : callable, optional
        Given what is wrong, and the match at that moment; what follows is replayed as far as that goes.
        Without it the first thing that is wrong raises `RecordError`.

    Yields
    ------
    Match
    """

    def refuse(finding: Finding, _: Match | None) -> None:
        if finding.kind not in WARNINGS:
            raise _refusal(finding)

    report = report or refuse
    score, crawford_played, over = (0, 0), False, False
    for number, game in enumerate(games, 1):
        if over:
            report(_finding("score", "a game behind the end of the match", game.place, number), None)
        claimed = game.score
        if number > 1 and claimed is not None and claimed != score and not over:
            text = f"the score is {claimed[0]}-{claimed[1]}; expected {score[0]}-{score[1]}"
            report(_finding("score", text, game.place, number), None)
        if claimed is not None:
            score = claimed
        if head.length is not None and max(score) >= head.length:
            text = f"a game at {score[0]}-{score[1]} in a match to {head.length}; expected less"
            report(_finding("score", text, game.place, number), None)
            over = True
            continue
        match, after = _one_game(head, game, number, score, crawford_played, report)
        state = match.state
        crawford_played = crawford_played or (state.game.match is not None and state.game.match.crawford)
        score, over = after, head.length is not None and max(after) >= head.length
        yield match


def _one_game(
    head: RecordHead,
    game: RecordedGame,
    number: int,
    score: tuple[int, int],
    crawford_played: bool,
    report: Report,
) -> tuple[Match, tuple[int, int]]:
    """Return a game, and the score behind it."""
    found: list[tuple[Finding, Match | None]] = []
    comments: list[tuple[int, str]] = []

    def replayed(jacoby: bool | None) -> tuple[Match, _GameReplay]:
        found.clear()
        comments.clear()
        told = head if jacoby is head.jacoby else replace(head, jacoby=jacoby)
        match = _begun(told, [game], score, crawford_played)
        replay = _GameReplay(match, told, game, number, lambda *each: found.append(each), comments)
        replay.run()
        return match, replay

    try:
        match, replay = replayed(head.jacoby)
    except _JacobyPlayed:
        match, replay = replayed(True)
    if comments:
        match.info = replace(head.info, comments=tuple(comments))
    for finding, at in found:
        report(finding, at)
    return match, replay.told_score()


def _begun(
    head: RecordHead, games: Sequence[RecordedGame], score: tuple[int, int], crawford_played: bool
) -> Match:
    """Return the match in which nothing was done yet."""
    place = games[0].place if games else head.place
    crawford = head.crawford is not False
    at_stake = head.length is not None and max(score) == head.length - 1
    known = games[0].crawford if games else None
    played = at_stake and crawford and (crawford_played or known is False)
    variant = head.info.variant.strip().lower()
    start = STARTS.get({"": "start", "backgammon": "start", "standard": "start"}.get(variant, variant))
    if start is None:
        names = ", ".join(["backgammon", *list(STARTS)[1:]])
        raise RecordError(f"the variant is {clean(variant)!r:.60}; expected {names}", head.place)
    rules = rules_of(head, games)
    try:
        match = Match(
            head.length, rules, score=score, crawford_played=played, crawford=crawford, position=start()
        )
    except BgfastError as error:
        raise RecordError(str(error), place) from None
    match.info = head.info
    return match


def _next_game(match: Match, game: RecordedGame, report: Report, number: int) -> None:
    try:
        match.next_game()
    except IllegalActionError as error:
        report(
            _finding("score", f"another game, but {str(error).partition(': ')[2]}", game.place, number), match
        )
        return
    if game.score is not None and game.score != match.score:
        told, own = game.score, match.score
        text = f"the score is {told[0]}-{told[1]}; expected {own[0]}-{own[1]}"
        report(_finding("score", text, game.place, number), match)


def _finding(kind: str, message: str, place: Place, game: int, move: int = 0, board: str = "") -> Finding:
    return Finding(kind, message, place, game, move, board)


def _refusal(finding: Finding) -> RecordError:
    """Return the error for something that is wrong."""
    move = f", move {finding.move}" if finding.move else ""
    return RecordError(f"game {finding.game}{move}: {finding.message}", finding.place)


class _GameReplay:
    """Plays one game."""

    def __init__(
        self,
        match: Match,
        head: RecordHead,
        game: RecordedGame,
        number: int,
        report: Report,
        comments: list[tuple[int, str]],
    ) -> None:
        self.match = match
        self.head = head
        self.game = game
        self.number = number
        self.tell = report
        self.comments = comments
        self.events = game.events
        self.index = 0
        self.rows = NumberedRows()
        self.counted = 0
        self.event = Event("comment", None, game.place)
        self.turns: list[Turn | None] = [
            (event.player, event.dice, event.text) if event.kind == "turn" and not event.flagged else None
            for event in game.events
        ]

    def run(self) -> None:
        """Play the events of the game."""
        self.ended = self.stopped = False
        try:
            for _ in range(_unsaid_ties(self.game, self.head)):
                self.match.roll((1, 1))
            while self.index < len(self.events):
                self.index += self.take(self.events[self.index])
        except _Stop:
            self.stopped = True
            self.tell_skipped()

    def take(self, event: Event) -> int:
        """Do what an event says, and those behind it that can be done with it; return how many."""
        self.event = event
        if event.kind == "comment":
            self.comments.append((self.match._number_done(), event.text))
            return 1
        if self.ended:
            self.report("result", f"{self.named(event)} behind the end of the game", stop=True)
        if event.kind == "turn":
            return self.followed_turns(event)
        if event.kind == "wins":
            self.wins(event)
            self.ended = True
        else:
            self.act(event)
        return 1

    def move(self) -> int:
        """Return the number of the row in which the event stands; 0 for what belongs to none."""
        if self.event.kind in ("wins", "tie"):
            return 0
        for event in self.events[self.counted : self.index + 1]:
            if event.kind not in ("comment", "wins", "tie"):
                self.rows.cell(event.player or 0)
        self.counted = self.index + 1
        return self.rows.number

    def named(self, event: Event) -> str:
        return {"turn": "a roll", "wins": "another result"}.get(event.kind, f"a {event.kind}")

    def report(self, kind: str, message: str, *, stop: bool = False) -> None:
        """Say that something is wrong; with `stop` the rest of the game cannot be followed."""
        decision = self.match.decision
        try:
            board = decision.xgid
        except NotationError:
            board = decision.position.gnubg_id
        self.tell(_finding(kind, message, self.event.place, self.number, self.move(), board), self.match)
        if stop:
            raise _Stop

    def tell_skipped(self) -> None:
        """Say what is not looked at, if anything is left."""
        rest = [event for event in self.events[self.index + 1 :] if event.kind != "comment"]
        if rest:
            number = "1 entry" if len(rest) == 1 else f"{len(rest)} entries"
            text = f"the rest of this game, {number}, is not checked: it cannot be followed"
            self.tell(_finding("skipped", text, rest[0].place, self.number), self.match)

    def told_score(self) -> tuple[int, int]:
        """Return the score behind a game that cannot be followed to its end: what the record tells of it."""
        score = self.match.score
        wins = next((event for event in self.game.events if event.kind == "wins"), None)
        if self.match.result is not None or not self.stopped or wins is None or wins.player is None:
            return score
        won = (wins.value, 0) if wins.player == 0 else (0, wins.value)
        return score[0] + won[0], score[1] + won[1]

    # ------------------------------------------------------------ turns

    def followed_turns(self, event: Event) -> int:
        """Do all turns from here on that are plainly legal, or else this one; return how many."""
        opening = self.match.phase == "opening"
        if self.match.phase in ("beavered", "raccooned") and event.player == self.match.on_turn:
            self.match.take()  # GNU Backgammon's .mat has no word for it
        if opening:
            self.roll(event)
        followed = self.match._follow(self.turns, self.index) if opening or self.match.dice is None else 0
        if followed:
            return followed
        if not opening:
            self.roll(event)
        if event.text:
            self.play(event)
        elif not len(self.match.plays()):
            self.match.pass_turn()
        elif event.flagged:  # the record does not say what was played
            self.match.play("pass", unchecked=True)
        elif any(self.events[later].kind == "turn" for later in range(self.index + 1, len(self.events))):
            self.report("play", f"passing is not allowed: there are legal plays ({len(self.match.plays())})")
            self.match.play("pass", unchecked=True)
        return 1

    def roll(self, event: Event) -> None:
        dice = event.dice or (0, 0)
        phase = self.match.phase
        if phase == "opening":
            if dice[0] == dice[1]:
                self.report(
                    "turn", f"the opening roll is {dice[0]}-{dice[1]}, a tie; expected two dice", stop=True
                )
            high_first = (max(dice), min(dice))
            self.match.roll(high_first if event.player in (0, None) else (high_first[1], high_first[0]))
        else:
            on_turn = self.match.on_turn
            if phase == "to_roll" and event.player is not None and event.player != on_turn:
                names = PLAYER_NAMES[event.player], PLAYER_NAMES[on_turn or 0]
                self.report("turn", f"{names[0]} rolls; expected {names[1]}, who is on turn", stop=True)
            try:
                self.match.roll(dice)
            except IllegalActionError as error:
                self.report("turn", str(error), stop=True)

    def play(self, event: Event) -> None:
        if event.flagged:
            return self.illegal_play(event)
        try:
            self.match.play(event.text)
        except (IllegalPlayError, IllegalActionError) as error:
            message = str(error).removeprefix("play: ")
            self.report("play", message)
            self.unchecked(event)
        except NotationError as error:
            self.report("text", str(error), stop=True)
        return None

    def illegal_play(self, event: Event) -> None:
        """Take a play as it stands that the record itself calls illegal."""
        try:
            self.match.play(event.text, unchecked=True)
        except BgfastError as error:
            self.report("play", str(error), stop=True)

    def unchecked(self, event: Event) -> None:
        """Go on behind an illegal play, as hands have made it."""
        try:
            self.match.play(event.text, unchecked=True)
        except BgfastError:
            raise _Stop from None

    # ------------------------------------------------------------ the cube, and giving up

    def act(self, event: Event) -> None:
        match, phase = self.match, self.match.phase
        if event.kind == "double" and phase == "doubled" and event.player not in (None, match.on_turn):
            event = event._replace(kind="beaver")  # some write a beaver so
        elif event.kind in ("double", "beaver") and phase == "beavered":
            event = event._replace(kind="raccoon")
        name = event.kind
        kind = "cube"
        to_act = match.to_act
        if name == "tie":
            match.roll(event.dice or (1, 1))
            return
        if phase == "resigned" or name == "resign":
            kind = "resignation"
        if name != "resign" and event.player is not None and to_act is not None and event.player != to_act:
            names = PLAYER_NAMES[event.player], PLAYER_NAMES[to_act]
            self.report(kind, f"{name}: it is for {names[1]} to act, not for {names[0]}", stop=True)
        try:
            if name == "double":
                self.double(event)
            elif name == "take":
                match.accept_resignation() if phase == "resigned" else match.take()
            elif name == "drop":
                match.refuse_resignation() if phase == "resigned" else match.drop()
            elif name == "beaver":
                match.beaver()
                self.check_value(event, 4)
            elif name == "raccoon":
                match.raccoon()
                self.check_value(event, 8)
            else:
                match.resign(event.value or 1, by=event.player if event.player is not None else to_act)
        except IllegalActionError as error:
            self.report(kind, str(error), stop=True)

    def double(self, event: Event) -> None:
        match = self.match
        try:
            match.double()
        except IllegalActionError as error:
            try:
                match.double(unchecked=True)
            except IllegalActionError:
                raise error from None
            match.undo()
            self.report("dead cube", f"a double without effect: {str(error).removeprefix('double: ')}")
            match.double(unchecked=True)
        self.check_value(event, 2)

    def check_value(self, event: Event, times: int) -> None:
        expected = times * self.match.cube.value
        if event.value and event.value != expected:
            self.report("cube", f"{event.kind}s to {event.value}; expected {expected}")

    # ------------------------------------------------------------ the end

    def wins(self, event: Event) -> None:
        match, head = self.match, self.head
        result = match.result
        winner = event.player
        if result is None:
            self.give_up(event)
            result = match.result
        elif winner is not None and winner != result.winner:
            names = PLAYER_NAMES[winner], PLAYER_NAMES[result.winner]
            self.report("result", f"{names[0]} wins; expected {names[1]}, who has won {result}")
        elif event.value and event.value != result.points:
            turned = match.state.game.cube_turned
            unsaid = head.length is None and head.jacoby is None and not turned
            if unsaid and result.level > 1 and event.value * result.level == result.points:
                raise _JacobyPlayed
            self.report(
                "score", f"wins {_points(event.value)}; expected {_points(result.points)}, as {result}"
            )
        if event.flagged and head.length is not None and match.winner is None and result is not None:
            score = match.score
            self.report("result", f"wins the match; expected more points: it stands {score[0]}-{score[1]}")

    def give_up(self, event: Event) -> None:
        """A game that has not come to its end: its loser has resigned, or dropped a double without a word."""
        match = self.match
        if event.player is None:
            return
        loser, value = 1 - event.player, event.value or match.cube.value
        if match.phase == "resigned":
            self.report("resignation", "a result, but a resignation waits for its answer", stop=True)
        if match.to_act == loser and objection(match.state.game, "drop") is None:
            match.drop()
            if match.result is not None and match.result.points == value:
                return
            match.undo()
            match._undone.clear()
        for level in (1, 2, 3):
            match.resign(level, by=loser)
            match.accept_resignation()
            if match.result is not None and match.result.points == value:
                return
            match.undo()
            match.undo()
            match._undone.clear()
        match.resign(1, by=loser)
        match.accept_resignation()
        least = match.result.points if match.result is not None else 1
        self.report(
            "score", f"wins {_points(value)}; expected {least}, {2 * least} or {3 * least} at this cube"
        )


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"


# ---------------------------------------------------------------- the way back


def head_of(match: Match) -> RecordHead:
    """Return what stands above the games of a match.

    Raises
    ------
    BgfastError
        If no format has room for how it began: in the middle of a game, or in a position of its own.
    """
    rules, start = match.rules, match.states[0]
    if start.game.phase != "opening":
        raise BgfastError(
            "a match that was taken up in a game, or that begins by lot, cannot be written; "
            "expected one from an opening roll"
        )
    variant = next((name for name, make in STARTS.items() if make() == start.position), None)
    if variant is None:
        raise BgfastError(
            f"games from {start.position.gnubg_id} cannot be written; expected {', '.join(STARTS)}"
        )
    return RecordHead(
        HERE,
        length=match.length,
        crawford=match.state.crawford,
        jacoby=rules.jacoby,
        beavers=rules.beavers,
        cube_limit=rules.cube_limit,
        info=replace(match.info, variant="" if variant == "start" else variant),
    )


def games_of(match: Match) -> Iterator[RecordedGame]:
    """Give the games of a match as events; what no format has a word for is left out.

    That is what was taken back by a challenge, a roll that was thrown again or is not played yet, and a
    resignation that was refused.
    """
    states = match.states
    comments = list(match.info.comments)
    game = _new_game(states[0], 1, match.info)
    for index, action in enumerate(match.history):
        while comments and comments[0][0] <= index:
            game.events.append(Event("comment", None, HERE, text=comments.pop(0)[1]))
        before, after = states[index], states[index + 1]
        if action.name == "next_game":
            yield game
            game = _new_game(after, game.number + 1, match.info)
            continue
        _add(game.events, index, action, before.game, after.game)
        if after.game.result is not None and before.game.result is None:
            result = after.game.result
            ending = "resignation" if result.ending == "resignation" else ""
            game.events.append(
                Event("wins", result.winner, HERE, None, ending, result.points, after.winner is not None)
            )
    for _, text in comments:
        game.events.append(Event("comment", None, HERE, text=text))
    yield game


def _new_game(state: MatchState, number: int, info: MatchInfo) -> RecordedGame:
    crawford = state.game.match is not None and state.game.match.crawford
    return RecordedGame(number, HERE, state.score, info.players, [], crawford)


def _moves(before: GameState, action: Action) -> tuple[tuple[int, int], ...]:
    """Return a play die by die; one that no rule allows as it was carried."""
    if not action.unchecked:
        play = next(play for play in before.plays() if play.position == action.after)
        return tuple((start, end) for start, end in play.moves)
    return tuple(read_hops(action.text)[0])


def _add(events: list[Event], number: int, action: Action, before: GameState, after: GameState) -> None:
    """Add what an action says."""
    name, player = action.name, action.player
    if name in ("play", "pass_turn"):
        if before.phase == "moved":
            events.pop()  # it replaces the play that stood there
        text = action.text if name == "play" and not is_pass(action.text) else ""
        moves = _moves(before, action) if text else ()
        dice = before.dice or (0, 0)
        if not any(event.kind == "turn" for event in events):
            dice = max(dice), min(dice)  # one die of each player: the record says who begins otherwise
        turn = Event("turn", player, HERE, dice, text, flagged=action.unchecked, moves=moves, action=number)
        events.append(turn)
    elif name == "challenge":
        last = max(index for index, event in enumerate(events) if event.kind == "turn")
        del events[last]
    elif name == "roll" and after.phase == "opening" and after.cube != before.cube:
        events.append(Event("tie", None, HERE, action.dice))
    elif name in ("double", "beaver", "raccoon"):
        times = {"double": 2, "beaver": 4, "raccoon": 8}[name]
        events.append(Event(name, player, HERE, value=times * before.cube.value, action=number))
    elif name in ("take", "drop"):
        events.append(Event(name, player, HERE, action=number))
