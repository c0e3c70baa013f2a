"""Match to a number of points, or session of money games."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

from bgfast.common.files import write_file
from bgfast.common.foreign_names import names_missing
from bgfast.common.validation import PositionLike, flag
from bgfast.errors import IllegalActionError, InvalidGameError, short_repr
from bgfast.games.dice import Dice, dice_source
from bgfast.games.game import Game, game_arguments, game_content, game_rules, read_game, starting_position
from bgfast.games.game_actions import GameBase
from bgfast.games.history import check_keys, dataclass_content, position_content, read_position, read_rules
from bgfast.games.match_info import Finding, MatchInfo
from bgfast.games.scoring import GameResult, MatchScore, match_length, score_pair
from bgfast.games.state import Action, ActionName, GameState, StateBase, evolve
from bgfast.games.transitions import first_state
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike


class EndedGames:
    """Immutable linked list of the results of finished games.

    Every `MatchState` holds one; tuples would take quadratic memory.
    """

    __slots__ = ("_before", "_count", "_last")

    def __init__(self, before: EndedGames | None = None, last: GameResult | None = None) -> None:
        self._before, self._last = before, last
        self._count: int = 0 if before is None else before._count + 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[GameResult]:
        results: list[GameResult] = []
        games: EndedGames | None = self
        while games is not None and games._last is not None:
            results.append(games._last)
            games = games._before
        return reversed(results)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EndedGames):
            return NotImplemented
        return self is other or (len(self) == len(other) and tuple(self) == tuple(other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _ended_games, (tuple(self),)


def _ended_games(results: tuple[GameResult, ...]) -> EndedGames:
    return reduce(EndedGames, results, EndedGames())


@dataclass(frozen=True)
class MatchState(StateBase):
    """State of a match, immutable and hashable.

    Attributes
    ----------
    length : int or None
        Points that win the match; None for a session of money games, which has no end.
    position : Position
        Starting position of all games, from the side of player 0.
    score : (int, int)
        Points of players 0 and 1, including a game that has just ended.
    crawford_played : bool
        True once the Crawford game has begun, or if it was played before the start.
    crawford : bool
        True if the match has a Crawford game.
    game : GameState
        The current game, or the game that has just ended.
    ended : EndedGames
        Results of the finished games.
    number : int
        Number of the current game, counted from 1; unfinished games are included.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.Match(7).state.score
    (0, 0)
    """

    length: int | None
    position: Position
    score: tuple[int, int]
    crawford_played: bool
    game: GameState
    ended: EndedGames = EndedGames()  # noqa: RUF009 - immutable
    crawford: bool = True
    number: int = 1

    @property
    def results(self) -> tuple[GameResult, ...]:
        """`ended` as a tuple, rebuilt on every access."""
        return tuple(self.ended)

    @property
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X."""
        return self.game._decision_at(self.score)

    @property
    def _game(self) -> GameState:
        return self.game

    def _with_game(self, game: GameState) -> MatchState:
        if game.result is None:
            return evolve(self, game=game)
        points = (game.result.points, 0) if game.result.winner == 0 else (0, game.result.points)
        score = self.score[0] + points[0], self.score[1] + points[1]
        return evolve(self, game=game, score=score, ended=EndedGames(self.ended, game.result))

    @property
    def _head(self) -> str:
        is_crawford = self.game.match is not None and self.game.match.crawford
        score = f"X {self.score[0]}, O {self.score[1]}"
        return f"Game {self.number}: {score}" + (" (Crawford)" if is_crawford else "")

    @property
    def winner(self) -> int | None:
        """The player who has reached the length: 0 or 1; None until the match is over."""
        winners = (player for player in (0, 1) if self.length and self.score[player] >= self.length)
        return next(winners, None)


@names_missing
class Match(GameBase[MatchState]):
    """Match to a number of points, or session of money games: a state machine like `Game`.

    Parameters
    ----------
    length : int or None
        Points that win the match, 1 to a million; None for a session of money games, which has no end.
    rules : RuleSet, or the name of a preset
    dice : None, int, numpy.random.Generator, or sequence
        As for `Game`; one source for all games.
    score : (int, int)
        Points of players 0 and 1 at the start.
    crawford_played : bool
        True if the Crawford game was played before the start. Otherwise the Crawford game is the first game
        in which exactly one player needs one point.
    crawford : bool
        False for a match without a Crawford game.
    position : Position, text or board, optional
        Starting position of all games, from the side of player 0; `Position.start` by default.
    info : MatchInfo
        Players, event, date and comments. The attribute may be replaced; equality ignores it.
    game : Game, optional
        First game, for a match that continues in mid-game. It must have an empty history, the rules
        of the match, and the `MatchScore` of this length and score.

    Attributes
    ----------
    findings : tuple of Finding
        Oddities of the record that the match was read from, in order; otherwise empty. `to_json` and equality
        ignore both `findings` and `recorded_analysis`.
    recorded_analysis : mapping of int to bgfast.records.recorded_analysis.DecisionAnalysis
        The record's own analysis, by the index of the action in `history`.

    Raises
    ------
    InvalidGameError
        If length and score contradict each other or the game, or an argument has the wrong type.
    InvalidDiceError, InvalidPositionError, InvalidRulesError
        As for `Game`.

    See Also
    --------
    bgfast.load_match : Read a recorded match.
    bgfast.analyse_match : Errors and luck of both players.

    Notes
    -----
    The actions are `next_game` and the actions of `Game`. In a match (not in a session) there are no beavers
    and no Jacoby rule, whatever `rules` says, no double with a dead cube, and neither a cube nor automatic
    doubles in the Crawford game.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(2, dice=7)
    >>> _ = match.roll()
    >>> match.resign()
    >>> match.accept_resignation()
    >>> match.score, match.legal_actions()
    ((0, 1), ('next_game',))
    >>> match.next_game()
    >>> match.state.game.match
    MatchScore(length=2, score=(0, 1), crawford=True)
    """

    _NOUN = "match"
    _ACTIONS = (*GameBase._ACTIONS, "next_game")

    def __init__(
        self,
        length: int | None,
        rules: RuleSetLike = STANDARD,
        *,
        dice: Dice = None,
        score: tuple[int, int] = (0, 0),
        crawford_played: bool = False,
        crawford: bool = True,
        position: PositionLike | None = None,
        info: MatchInfo = MatchInfo(),  # noqa: B008 - immutable
        game: Game | None = None,
    ) -> None:
        rules = game_rules(rules)
        if not isinstance(info, MatchInfo):
            raise InvalidGameError(f"info is {short_repr(info)}; expected a MatchInfo")
        self.info = info
        self.findings: tuple[Finding, ...] = ()
        self.recorded_analysis: Mapping[int, Any] = {}
        crawford_played = flag("crawford_played", crawford_played, InvalidGameError)
        crawford = flag("crawford", crawford, InvalidGameError)
        if crawford_played and not crawford:
            raise InvalidGameError(
                "crawford_played is True and crawford is False; expected crawford_played=False"
            )
        points, length = score_pair(score), None if length is None else match_length(length)
        if crawford_played and (length is None or max(points) < length - 1):
            expected = "a player who needs one point"
            raise InvalidGameError(f"crawford_played at {points[0]}-{points[1]}; expected {expected}")
        start_position = starting_position(position, "Match")
        game_state = first_state(rules, position=start_position)
        state = MatchState(length, start_position, points, crawford_played, game_state, crawford=crawford)
        start = _begin_game(state)
        if game is not None:
            start = _continue_game(start, game)
        super().__init__(start, dice_source(dice))

    @classmethod
    def _of_decision(cls, decision: Decision, rules: RuleSetLike, dice: Dice) -> Match:
        game = Game(**game_arguments(decision, rules))
        score_x, score_o = decision.score[:: decision.turn]
        length = decision.match_length or None
        is_played = length is not None and max(score_x, score_o) == length - 1 and not decision.crawford
        return cls(
            length, game.rules, dice=dice, score=(score_x, score_o), crawford_played=is_played, game=game
        )

    # ---------------------------------------------------------------- state

    @property
    def length(self) -> int | None:
        """The points that win the match; None for a session of money games."""
        return self.state.length

    @property
    def score(self) -> tuple[int, int]:
        """Points of players 0 and 1, including a game that has just ended."""
        return self.state.score

    @property
    def winner(self) -> int | None:
        """The player who has won the match: 0 or 1; None until the match is over."""
        return self.state.winner

    @property
    def results(self) -> tuple[GameResult, ...]:
        """Results of the finished games."""
        return self.state.results

    @property
    def games(self) -> tuple[Game, ...]:
        """The games so far, each with its own history and result; copies, built on every access.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match(3, dice=["31"])
        >>> match.resign(2, by=0)
        >>> match.accept_resignation()
        >>> match.next_game()
        >>> [(game.action_count, str(game.result)) for game in match.games]
        [(2, '2 points (gammon, resignation)'), (0, 'None')]
        """
        history, states = self.history, [state.game for state in self.states]
        ends = [index for index, action in enumerate(history) if action.name == "next_game"]
        starts = [0, *(end + 1 for end in ends)]
        pairs = zip(starts, [*ends, len(history)], strict=True)
        return tuple(Game._of_states(history[begin:end], states[begin : end + 1]) for begin, end in pairs)

    def _actions_after_game(self) -> tuple[ActionName, ...]:
        return ("next_game",) if _next_game_objection(self.state) is None else ()

    # ---------------------------------------------------------------- actions

    def next_game(self, *, score: tuple[int, int] | None = None, crawford: bool | None = None) -> None:
        """Begin the next game.

        Parameters
        ----------
        score : (int, int), optional
            Recorded score of players 0 and 1, where previous games are missing or unfinished. With a score,
            the next game may begin before the current game is over.
        crawford : bool, optional
            True if the record calls the next game the Crawford game; by default the score decides.

        Raises
        ------
        IllegalActionError
            Without `score`, if the game is not over or the match is over.
        InvalidGameError
            If the score is invalid, ends the match, or contradicts `crawford`.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match(7)
        >>> match.next_game(score=(2, 0))
        >>> match.score, match.state.number
        ((2, 0), 2)
        """
        recorded_score = None if score is None else score_pair(score)
        if crawford is not None and not isinstance(crawford, bool):
            raise InvalidGameError(f"crawford is {short_repr(crawford)}; expected True, False or None")
        self._do(Action("next_game", score=recorded_score, crawford=crawford), None)

    def _after(self, state: MatchState, action: Action) -> MatchState:
        if action.name == "next_game":
            reason = _next_game_objection(state)
            if reason is not None and action.score is None:
                raise IllegalActionError(f"next_game: {reason}")
            score = state.score if action.score is None else action.score
            return _begin_game(evolve(state, score=score, number=state.number + 1), action.crawford)
        return super()._after(state, action)

    # ---------------------------------------------------------------- export

    def to_mat(self) -> str:
        r"""Return the match in Jellyfish's format, which GNU Backgammon, eXtreme Gammon and servers read.

        A warning counts entries that the format lacks, such as refused resignations and challenged plays.

        Raises
        ------
        BgfastError
            If the format cannot express how a game begins; docs/RECORDS.md lists its limits.

        See Also
        --------
        to_sgf : Return SGF, which can express more.
        save : Write a file.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match(3, dice=["31"])
        >>> _ = match.roll()
        >>> match.play("8/5 6/5")
        >>> print(match.to_mat())
         3 point match
        <BLANKLINE>
         Game 1
         X : 0                           O : 0
          1) 31: 8/5 6/5
        <BLANKLINE>
        """
        from bgfast.records.match_files import match_text

        return match_text(self, "mat")

    def to_sgf(self) -> str:
        """Return the match as SGF (GM[6]), with one game tree per game.

        Warnings and errors are as for `to_mat`.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.records.read_match(bgfast.Match(3).to_sgf()).length
        3
        """
        from bgfast.records.match_files import match_text

        return match_text(self, "sgf")

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: Literal["mat", "sgf"] | None = None,
        force: bool = False,
    ) -> None:
        """Write the match to a file atomically.

        Parameters
        ----------
        path : path
        format : {"mat", "sgf"}, optional
            By default from the extension of the file name: .mat, .txt or .sgf.
        force : bool
            Replace an existing file.

        Raises
        ------
        BgfastError
            As for `to_mat`; also if the extension is unknown, or the file exists or cannot be written.

        See Also
        --------
        to_mat, to_sgf : Return the text.
        bgfast.load_match : Read the file.

        Examples
        --------
        >>> import bgfast, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "match.sgf")
        >>> bgfast.Match(3).save(path)
        >>> bgfast.load_match(path).length
        3
        """
        from bgfast.records.match_files import format_of, match_text

        format = format_of(path, format, force=force)
        write_file(os.fspath(path), match_text(self, format))

    # ---------------------------------------------------------------- JSON and text

    def _start_content(self) -> dict[str, Any]:
        start, match = self._start, self._start.game.match
        content = {
            "length": start.length,
            "rules": dataclass_content(start.game.rules),
            "position": position_content(start.position),
            "score": start.score,
            # Constructor argument: False if the first game is the Crawford game, which the score implies.
            "crawford_played": start.crawford_played and match is not None and not match.crawford,
        }
        if not start.crawford:
            content["crawford"] = False
        if self.info != MatchInfo():
            content["info"] = self.info.content()
        if start.game.phase in ("lot", "opening"):
            return content
        return {**content, "game": game_content(start.game)}

    @classmethod
    def _from_start(cls, content: Any) -> Match:
        check_keys(
            "its start",
            content,
            ("length", "rules", "position", "score", "crawford_played"),
            ("game", "crawford", "info"),
        )
        values = {
            "rules": read_rules(content["rules"]),
            "position": read_position(content["position"]),
            "info": MatchInfo.of_content(content.get("info", {})),
            "game": None if content.get("game") is None else Game(**read_game(content["game"])),
        }
        return cls(**{**content, **values})

    def __repr__(self) -> str:
        length = "money games" if self.length is None else f"match to {self.length}"
        return (
            f"<Match: {length}, {self.score[0]}-{self.score[1]}, {self.phase}, {len(self.history)} actions>"
        )


def _next_game_objection(state: MatchState) -> str | None:
    if state.game.result is None:
        return "this game is not over"
    if state.winner is not None:
        return f"the match is over at {state.score[0]}-{state.score[1]}"
    return None


def _continue_game(start: MatchState, game: Any) -> MatchState:
    """Return the first state of a match that continues `game`; check its history, rules and score."""
    if not isinstance(game, Game) or game.history:
        raise InvalidGameError(f"game is {short_repr(game)}; expected a Game without a history")
    state = game.state
    if state.rules != start.game.rules or state.match != start.game.match:
        raise InvalidGameError(
            f"the game has the rules {short_repr(state.rules)} and the score {short_repr(state.match)}; "
            f"expected the same as in the match, {short_repr(start.game.rules)} and "
            f"{short_repr(start.game.match)}"
        )
    return evolve(start, game=state)


def _begin_game(state: MatchState, is_crawford_game: bool | None = None) -> MatchState:
    """Return the state at the beginning of a game; by default `is_crawford_game` follows from the score."""
    length, score, crawford_played, match_score = state.length, state.score, state.crawford_played, None
    if length is not None:
        # "the Crawford game": the first game in which one player needs one point and the other needs more
        is_crawford_reached = state.crawford and max(score) == length - 1
        if is_crawford_game is None:
            is_crawford_game = is_crawford_reached and not crawford_played and min(score) < max(score)
        match_score = MatchScore(length, score, is_crawford_game)
        crawford_played = crawford_played or is_crawford_reached
    rules, throws = state.game.rules, state.game.throws
    game = first_state(rules, match=match_score, position=state.position, throws=throws)
    return evolve(state, game=game, crawford_played=crawford_played)
