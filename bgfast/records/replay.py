"""Replay of recorded matches.

`Match` applies the rules. Oddities become findings, and the replay continues wherever possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, tee
from typing import NamedTuple

from bgfast.games.match import Match
from bgfast.games.match_info import Finding
from bgfast.position.formats import may_be_crawford
from bgfast.position.position_text import STARTS
from bgfast.records.game_replay import GameReplay, hidden_ties
from bgfast.records.game_results import FindingLog, JacobyPlayedError
from bgfast.records.record import RecordedGame, RecordHead, clean
from bgfast.records.recorded_analysis import DecisionAnalysis
from bgfast.rules import RuleSet

DOUBLED_CRAWFORD = "a double in what may be the Crawford game, which is over or was not played"


class ReplayedGame(NamedTuple):
    """Recorded game as a match that begins at its score; `is_read` is True if any of it could be read."""

    match: Match
    is_read: bool


def unread_games(match: Match) -> list[int]:
    """Return the numbers of the games that could not be read to their end."""
    return sorted({finding.game for finding in match.findings if finding.kind == "skipped"})


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings sorted by line."""
    return tuple(sorted(findings, key=lambda finding: finding.line))


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
    log = FindingLog(file, strict)
    _add_notices(head, log)
    score = _first_score(head, games[0] if games else None, log)
    match = _begin_match(head, games, score, False, log)
    comments: list[tuple[int, str]] = []
    analysis: dict[int, DecisionAnalysis] = {}
    is_read = False
    last: GameReplay | None = None
    for number, game in enumerate(games, 1):
        if last is not None:
            stated = _later_score(head, game, number, match.score, last, log)
            if stated is None:
                continue
            _next_game(match, game, number, stated, last, log)
        last = GameReplay(match, head, game, number, games[number] if number < len(games) else None, log)
        last.run()
        comments += last.comments
        analysis.update(last.analysis)
        is_read = is_read or last.is_read
        if log.is_full:
            break
    _add_damage(games, log)
    match.info = replace(head.info, comments=tuple(comments))
    match.findings = in_order(log.findings)
    match.recorded_analysis = analysis
    return match, is_read


def replay_games(
    head: RecordHead, games: Iterable[RecordedGame], *, file: str = "", strict: bool = False
) -> Iterator[ReplayedGame]:
    """Replay games as separate matches that begin at their scores; two of `games` are read ahead."""
    log = FindingLog(file, strict)
    _add_notices(head, log)
    crawford_played = False
    last: GameReplay | None = None
    games, later = tee(games)
    pairs = zip(games, chain(islice(later, 1, None), [None]), strict=False)
    for number, (game, following) in enumerate(pairs, 1):
        if last is None:
            score = _first_score(head, game, log)
        else:
            stated = _later_score(head, game, number, last.match.score, last, log)
            if stated is None:
                last.match.findings += tuple(log.findings)
                log.findings.clear()
                continue
            yield ReplayedGame(last.match, last.is_read)
            score = stated
        before = len(log.findings)
        try:
            last = _replay_game(head, game, number, score, crawford_played, following, last, log)
        except JacobyPlayedError:
            del log.findings[before:]
            jacoby = replace(head, jacoby=True)
            last = _replay_game(jacoby, game, number, score, crawford_played, following, last, log)
        match = last.match
        match.info = replace(head.info, comments=tuple(last.comments))
        match.recorded_analysis = last.analysis
        _add_damage([game], log)
        match.findings = in_order(log.findings)
        log.findings.clear()
        crawford_played = match.state.crawford_played
        if log.is_full:
            break
    if last is not None:
        yield ReplayedGame(last.match, last.is_read)


def _replay_game(
    head: RecordHead,
    game: RecordedGame,
    number: int,
    score: tuple[int, int],
    crawford_played: bool,
    following: RecordedGame | None,
    last: GameReplay | None,
    log: FindingLog,
) -> GameReplay:
    is_first = last is None or game.number > last.game.number + 1
    match = _begin_match(head, [game], score, crawford_played, log, number, is_first)
    replay = GameReplay(match, head, game, number, following, log)
    replay.run()
    return replay


def _add_notices(head: RecordHead, log: FindingLog) -> None:
    for severity, message, place in head.notices:
        log.add(severity, "text", message, place)


def _add_damage(games: Iterable[RecordedGame], log: FindingLog) -> None:
    """Report the damaged parts of the record's own analysis as one finding."""
    damaged = [part for game in games for part in game.damaged]
    if damaged:
        place, problem = damaged[0]
        number = "a part" if len(damaged) == 1 else f"{len(damaged)} parts"
        text = f"{number} of the file's analysis is damaged and left out: {problem}"
        if len(damaged) > 1:
            text = f"{number} of the file's analysis are damaged and left out, the first: {problem}"
        log.add("warning", "analysis", text, place)


# ---------------------------------------------------------------- scores and rules of a game


def _first_score(head: RecordHead, game: RecordedGame | None, log: FindingLog) -> tuple[int, int]:
    if game is None or game.score is None or _is_over_at(head, game, game.score, 1, log):
        return 0, 0
    return game.score


def _later_score(
    head: RecordHead,
    game: RecordedGame,
    number: int,
    expected: tuple[int, int],
    last: GameReplay,
    log: FindingLog,
) -> tuple[int, int] | None:
    """Return the score at which a later game begins; None if the match is over and the game is skipped.

    The heading takes precedence over `expected`, the score after the previous games.
    """
    stated = game.score
    if stated is not None and _is_over_at(head, game, stated, number, log):
        stated = None
    if stated is None and last.match.winner is not None:
        log.add("error", "skipped", "a game after the end of the match; it is not read", game.place, number)
        return None
    if stated is None:
        return expected
    if stated not in (expected, last.stated_score) and last.is_followed:
        previous = f"{expected[0]}-{expected[1]} by the games before it"
        text = f"the score is {stated[0]}-{stated[1]}; expected {previous}"
        log.add("warning", "score", text, game.place, number)
    return stated


def _is_over_at(
    head: RecordHead, game: RecordedGame, score: tuple[int, int], number: int, log: FindingLog
) -> bool:
    """Return whether the match is over at a score, and report it if so."""
    if head.length is None or max(score) < head.length:
        return False
    text = f"a game at {score[0]}-{score[1]} in a match to {head.length}; expected less"
    log.add("warning", "score", text, game.place, number)
    return True


def _begin_match(
    head: RecordHead,
    games: Sequence[RecordedGame],
    score: tuple[int, int],
    crawford_played: bool,
    log: FindingLog,
    number: int = 1,
    is_first: bool = True,
) -> Match:
    """Return the match before its first roll.

    `number` is the number of its first game; `is_first` is False if the previous game was read.
    """
    has_crawford = head.crawford is not False
    game = games[0] if games else None
    is_at_stake = head.length is not None and max(score) == head.length - 1
    stated = game.crawford if game is not None else None
    is_crawford = is_at_stake and has_crawford and not crawford_played and min(score) < max(score)
    if is_crawford and is_first and stated is None and game is not None and _is_doubled(game):
        log.add("note", "cube", DOUBLED_CRAWFORD, game.place, number)
        stated = False
    variant = head.info.variant.strip().lower()
    start = STARTS.get({"": "start", "backgammon": "start", "standard": "start"}.get(variant, variant))
    if start is None:
        names = ", ".join(["backgammon", *list(STARTS)[1:]])
        log.add("error", "text", f"the variant is {clean(variant)!r:.60}; expected {names}", head.place)
        start = STARTS["start"]
    match = Match(
        head.length,
        _rules_of(head, games),
        score=score,
        crawford_played=is_at_stake and has_crawford and (crawford_played or stated is False),
        crawford=has_crawford,
        position=start(),
    )
    match.info = head.info
    return match


def _next_game(
    match: Match, game: RecordedGame, number: int, score: tuple[int, int], last: GameReplay, log: FindingLog
) -> None:
    """Begin the next game at the recorded score, as the Crawford game or not."""
    follows = match.result is not None and match.winner is None and score == match.score
    match.next_game(score=None if follows else score)
    context = match.state.game.match
    if context is None:
        return
    crawford = game.crawford
    if crawford and not may_be_crawford(score, context.length):
        text = f"the Crawford game at {score[0]}-{score[1]}; expected a player who needs one point"
        log.add("warning", "score", text, game.place, number)
        crawford = None
    is_after_gap = game.number > last.game.number + 1
    if context.crawford and crawford is None and is_after_gap and _is_doubled(game):
        log.add("note", "cube", DOUBLED_CRAWFORD, game.place, number)
        crawford = False
    if crawford is not None and crawford != context.crawford:
        match.undo()
        match.next_game(score=score, crawford=crawford)


def _is_doubled(game: RecordedGame) -> bool:
    """Return whether the cube is turned in a game, or before its first position."""
    return any(
        event.kind == "double" or (event.setup is not None and event.setup.owner in (0, 1))
        for event in game.events
    )


def _rules_of(head: RecordHead, games: Iterable[RecordedGame]) -> RuleSet:
    """Return the rules that the record shows."""
    rules = head.rules or head.stated_rules
    ties = max((_tie_count(game, head) for game in games), default=0)
    return rules if ties <= rules.automatic_doubles else replace(rules, automatic_doubles=ties)


def _tie_count(game: RecordedGame, head: RecordHead) -> int:
    """Return the number of automatic doubles."""
    return [event.kind for event in game.events].count("tie") or hidden_ties(game, head)
