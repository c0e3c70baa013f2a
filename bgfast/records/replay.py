"""Replay of recorded matches.

`Match` applies the rules. Oddities become findings, and the replay continues wherever possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, tee

from bgfast.common.validation import STARTS
from bgfast.games.match import Match
from bgfast.position.formats import may_be_crawford
from bgfast.position.objects import Position
from bgfast.records.game_replay import GameReplay, hidden_ties
from bgfast.records.game_results import FindingLog, JacobyPlayedError
from bgfast.records.record import RecordedGame, RecordHead, clean
from bgfast.records.recorded_analysis import DecisionAnalysis
from bgfast.rules import RuleSet

DOUBLED_CRAWFORD = "a double at a Crawford score; the Crawford game is over or is not played"


def unread_games(match: Match) -> list[int]:
    """Return the numbers of the games that could not be read to their end."""
    return sorted({finding.game for finding in match.findings if finding.kind == "skipped"})


def replay_match(
    head: RecordHead, games: Sequence[RecordedGame], *, file: str = "", strict: bool = False
) -> tuple[Match, bool]:
    """Replay a match; return it with its findings, and whether any of its games could be read.

    With `strict`, the first error finding is raised as `RecordError`.
    """
    try:
        return _replay_match(head, games, file, strict)
    except JacobyPlayedError:
        return _replay_match(replace(head, jacoby=True), games, file, strict)


def _replay_match(
    head: RecordHead, games: Sequence[RecordedGame], file: str, strict: bool
) -> tuple[Match, bool]:
    replay = _Replay(head, file, strict)
    score = replay.score_before(games[0], 1) if games else None
    replay.begin_match(games, score or (0, 0))
    for ordinal, game in enumerate(games, 1):
        if replay.last_replay is not None:
            score = replay.score_before(game, ordinal)
            if score is None:
                continue
            replay.next_game(game, ordinal, score)
        replay.play(game, ordinal, games[ordinal] if ordinal < len(games) else None)
        if replay.log.is_full:
            break
    replay.end_match(games)
    return replay.match, replay.is_read


def replay_games(
    head: RecordHead, games: Iterable[RecordedGame], *, file: str = "", strict: bool = False
) -> Iterator[tuple[Match, bool]]:
    """Replay games as separate matches from their scores, like `replay_match`; read one game ahead."""
    replay = _Replay(head, file, strict)
    log, crawford_played = replay.log, False
    games, later_games = tee(games)
    pairs = zip(games, chain(islice(later_games, 1, None), [None]), strict=False)
    for ordinal, (game, next_game) in enumerate(pairs, 1):
        score = replay.score_before(game, ordinal)
        if replay.last_replay is not None:
            if score is None:
                replay.match.findings += tuple(log.findings)
                log.findings.clear()
                continue
            yield replay.match, replay.is_read
        finding_count = len(log.findings)
        for candidate_head in (head, replace(head, jacoby=True)):
            replay.head = candidate_head
            replay.begin_match([game], score or (0, 0), crawford_played, ordinal)
            try:
                replay.play(game, ordinal, next_game)
                break
            except JacobyPlayedError:
                del log.findings[finding_count:]
        replay.end_match([game])
        crawford_played = replay.match.state.crawford_played
        if log.is_full:
            break
    if replay.last_replay is not None:
        yield replay.match, replay.is_read


class _Replay:
    """State of the replay: the findings, the current match, and the last game."""

    match: Match
    comments: list[tuple[int, str]]
    analysis: dict[int, DecisionAnalysis]
    is_read: bool  # True if any game of the match could be read

    def __init__(self, head: RecordHead, file: str, strict: bool) -> None:
        self.head = head
        self.log = FindingLog(file, strict)
        self.last_replay: GameReplay | None = None
        for notice in head.notices:
            self.log.add(notice.severity, "text", notice.text, notice.place)

    def play(self, game: RecordedGame, ordinal: int, next_game: RecordedGame | None) -> None:
        last_replay = GameReplay(
            self.match, self.head, game, ordinal, next_game, self.log, self.comments, self.analysis
        )
        last_replay.run()
        self.last_replay = last_replay
        self.is_read = self.is_read or last_replay.is_read

    def end_match(self, games: Iterable[RecordedGame]) -> None:
        """Set comments, analysis and findings; damaged parts of the analysis become one finding."""
        damaged = [part for game in games for part in game.damaged]
        if damaged:
            place, problem = damaged[0]
            summary = "a part of the file's analysis is damaged and left out"
            if len(damaged) > 1:
                summary = f"{len(damaged)} parts of the file's analysis are damaged and left out, the first"
            self.log.add("warning", "analysis", f"{summary}: {problem}", place)
        self.match.info = replace(self.head.info, comments=tuple(self.comments))
        self.match.findings = tuple(sorted(self.log.findings, key=lambda finding: finding.line))
        self.log.findings.clear()
        self.match.recorded_analysis = self.analysis

    def score_before(self, game: RecordedGame, ordinal: int) -> tuple[int, int] | None:
        """Return the score at which a game begins; None if the match is over and the game is skipped.

        The heading takes precedence over the score after the previous games.
        """
        stated_score, length, last_replay = game.score, self.head.length, self.last_replay
        expected = (0, 0) if last_replay is None else last_replay.match.score
        if stated_score is not None and length is not None and max(stated_score) >= length:
            text = f"a game at {stated_score[0]}-{stated_score[1]} in a match to {length}; expected less"
            text += f"; the score stays {expected[0]}-{expected[1]}"
            self.log.add("warning", "score", text, game.place, ordinal)
            stated_score = None
        if last_replay is None:
            return stated_score or expected
        if stated_score is None and last_replay.match.winner is not None:
            text = "a game after the end of the match; it is not read"
            self.log.add("error", "skipped", text, game.place, ordinal)
            return None
        if stated_score is None:
            return expected
        if stated_score not in (expected, last_replay.stated_score) and last_replay.is_complete:
            text = f"the score is {stated_score[0]}-{stated_score[1]}; expected {expected[0]}-{expected[1]}"
            self.log.add("warning", "score", f"{text} after the games before it", game.place, ordinal)
        return stated_score

    def begin_match(
        self,
        games: Sequence[RecordedGame],
        score: tuple[int, int],
        crawford_played: bool = False,
        ordinal: int = 1,
    ) -> None:
        """Begin a match; `ordinal` is the number of its first game in the recorded match."""
        self.comments, self.analysis, self.is_read = [], {}, False
        head = self.head
        has_crawford = head.crawford is not False
        game = games[0] if games else None
        is_first = self.last_replay is None or game is None or game.number > self.last_replay.game.number + 1
        is_one_away = head.length is not None and max(score) == head.length - 1
        stated_crawford = game.crawford if game is not None else None
        is_crawford = is_one_away and has_crawford and not crawford_played and min(score) < max(score)
        if is_crawford and is_first and stated_crawford is None and game is not None and _is_doubled(game):
            self.log.add("note", "cube", DOUBLED_CRAWFORD, game.place, ordinal)
            stated_crawford = False
        variant = head.info.variant.strip().lower()
        start = "start" if variant in ("", "backgammon", "standard") else variant
        if start not in STARTS:
            names = ", ".join(["backgammon", *list(STARTS)[1:]])
            text = f"the variant is {clean(variant)!r:.60}; expected {names}"
            self.log.add("error", "text", text, head.place)
            start = "start"
        self.match = Match(
            head.length,
            _rules_of(head, games),
            score=score,
            crawford_played=is_one_away and has_crawford and (crawford_played or stated_crawford is False),
            crawford=has_crawford,
            position=Position(start),
            info=head.info,
        )

    def next_game(self, game: RecordedGame, ordinal: int, score: tuple[int, int]) -> None:
        assert self.last_replay is not None
        match = self.match
        is_next_game = match.result is not None and match.winner is None and score == match.score
        match.next_game(score=None if is_next_game else score)
        context = match.state.game.match
        if context is None:
            return
        crawford = game.crawford
        if crawford and not may_be_crawford(score, context.length):
            text = f"the Crawford game at {score[0]}-{score[1]}; expected a player who needs one point"
            self.log.add("warning", "score", text, game.place, ordinal)
            crawford = None
        is_after_gap = game.number > self.last_replay.game.number + 1
        if context.crawford and crawford is None and is_after_gap and _is_doubled(game):
            self.log.add("note", "cube", DOUBLED_CRAWFORD, game.place, ordinal)
            crawford = False
        if crawford is not None and crawford != context.crawford:
            match.undo()
            match.next_game(score=score, crawford=crawford)


def _is_doubled(game: RecordedGame) -> bool:
    """Return whether a game has a double, or a recorded position with a turned cube."""
    return any(
        event.kind == "double" or (event.setup is not None and event.setup.owner in (0, 1))
        for event in game.events
    )


def _rules_of(head: RecordHead, games: Iterable[RecordedGame]) -> RuleSet:
    rules = head.rules or head.stated_rules
    ties = 0
    for game in games:
        tie_count = [event.kind for event in game.events].count("tie")
        ties = max(ties, tie_count or hidden_ties(game, head))
    return rules if ties <= rules.automatic_doubles else replace(rules, automatic_doubles=ties)
