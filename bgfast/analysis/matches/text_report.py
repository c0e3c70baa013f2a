"""The analysis of a match as a table for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bgfast.analysis.matches.analysed import NORMAL_95, AnalysedDecision, Status
from bgfast.analysis.matches.match_statistics import GameStatistics, MatchStatistics
from bgfast.analysis.matches.players import PlayerTotals
from bgfast.analysis.matches.rates import ERROR_KINDS, MARKS, Rates, marked
from bgfast.common.terminal import cut
from bgfast.errors import one_line
from bgfast.games.match import Match
from bgfast.records.replay import unread_games

__all__ = ["decision_line", "match_line", "rolled_out_line", "text_report", "totals_text"]

NAME = 18  # columns of a name, at most
LEAST_NAME = 8  # and where there is no room for it
WIDTH = 50  # of the summary and the games: a narrow terminal
LABEL = 20
RATE = 7  # of what stands in a row of a game


def text_report(analysis: MatchStatistics, worst: int) -> str:
    """Return the summary of a match, its games, and its worst decisions, the worst first.

    Parameters
    ----------
    analysis : MatchStatistics
    worst : int
        How many decisions are listed.

    Returns
    -------
    str
        Lines without control characters, whatever names the record holds.
    """
    lines = [_about(analysis), "", *_summary(analysis), "", *_games(analysis)]
    if analysis.is_rolled_out:
        lines += ["", rolled_out_line(analysis)]
    decisions = analysis.worst(worst)
    if decisions:
        lines += ["", "What cost most:"]
        lines += [decision_line(each, analysis.names) for each in decisions]
    return "\n".join(lines)


def rolled_out_line(analysis: MatchStatistics) -> str:
    """Return how many decisions rollouts have settled."""
    words: tuple[Status, ...] = ("settled", "too close to call", "not rolled out")
    numbers = {word: sum(each.status == word for each in analysis.decisions) for word in words}
    return "Decisions: " + ", ".join(f"{number} {word}" for word, number in numbers.items())


def _short(name: str, most: int = NAME) -> str:
    return cut(one_line(name), most)


def _about(analysis: MatchStatistics) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in analysis.settings.items())
    first, second = map(one_line, analysis.names)
    return f"{first} - {second}: {_stage(analysis.match)} ({settings})"


def _stage(match: Match) -> str:
    """Return what is played, and how it stands."""
    length = "money games" if match.length is None else f"match to {match.length}"
    state = "" if match.length is None or match.winner is not None else ", not finished"
    return f"{length}, score {match.score[0]}-{match.score[1]}{state}{_games_read(match)}"


def _games_read(match: Match) -> str:
    """Return how many games of the record were read, unless that is all of them."""
    unread = len(unread_games(match))
    games = max([match.state.number, *unread_games(match)])
    return f", {games - unread} of {games} games read" if unread else ""


def _summary(analysis: MatchStatistics) -> list[str]:
    first, second = analysis.rates
    width = (WIDTH - LABEL) // 2

    def row(head: str, one: str, other: str) -> str:
        return f"{head:<{LABEL}}{one:>{width}}{other:>{width}}"

    def line(head: str, of: Callable[[Rates], str]) -> str:
        return row(head, of(first), of(second))

    def pair(head: str, values: Sequence[float], form: str) -> str:
        return row(head, format(values[0], form), format(values[1], form))

    one, other = (_short(name, width - 1) for name in analysis.names)
    lines = [
        row("", one, other),
        line("PR", lambda each: _rate(each.pr, each.pr_se)),
        line("error rate (GNU)", lambda each: _rate(each.gnubg_error_rate, each.gnubg_error_rate_se)),
        line("error rate (Snowie)", lambda each: _rate(each.snowie_error_rate, each.snowie_error_rate_se)),
        line("plays, unforced", lambda each: f"{each.plays}, {each.unforced_plays}"),
        line("cube, close", lambda each: f"{each.cube_decisions}, {each.close_cube_decisions}"),
        line("error, points (EMG)", lambda each: f"{each.error:.3f}{_half(each.error_se, 3)}"),
    ]
    for kind in ERROR_KINDS:
        lines.append(pair(f"  {kind}", (first.errors[kind], second.errors[kind]), ".3f"))
    for phase, both in analysis.phases.items():
        lines.append(pair(f"  in the {phase}", [each.error for each in both], ".3f"))
    for mark in MARKS:
        lines.append(pair(f"  {mark}", (first.marks[mark], second.marks[mark]), "d"))
    lines.append(pair("luck, points (EMG)", analysis.luck, "+.3f"))
    luck_mwc, adjusted = analysis.luck_mwc, analysis.luck_adjusted_result
    if luck_mwc is not None:
        lines.append(pair("luck, match (MWC)", luck_mwc, "+.2%"))
    if adjusted is not None and analysis.match.length is None:
        lines.append(pair("points without luck", (adjusted, -adjusted), "+.3f"))
    elif adjusted is not None:
        lines.append(pair("result without luck", (adjusted, 1 - adjusted), ".2%"))
    return lines


def _rate(rate: float | None, error: float | None = None) -> str:
    return "-" if rate is None else f"{rate:.2f}{_half(error, 2)}"


def _half(error: float | None, digits: int) -> str:
    """Return half of the 95 % interval, if there is one."""
    return f" ± {NORMAL_95 * error:.{digits}f}" if error else ""


def _games(analysis: MatchStatistics) -> list[str]:
    """Return what each player did in each game: PR, both error rates, and luck."""
    prs = [[_rate(each.pr, each.pr_se) for each in game.rates] for game in analysis.games]
    wide = max([RATE, *(len(pr) for both in prs for pr in both)])
    names = [_short(name, WIDTH - 1 - wide - 3 * (1 + RATE)) for name in analysis.names]
    width = max(map(len, names))
    head = f"{'':<{width}} {'PR':>{wide}} {'GNU':>{RATE}} {'Snowie':>{RATE}} {'luck':>{RATE}}"
    lines = [head]
    for game, both in zip(analysis.games, prs, strict=True):
        lines.append(_game(game, names))
        for name, pr, found, luck in zip(names, both, game.rates, game.luck, strict=True):
            gnubg, snowie = _rate(found.gnubg_error_rate), _rate(found.snowie_error_rate)
            lines.append(f"{name:<{width}} {pr:>{wide}} {gnubg:>{RATE}} {snowie:>{RATE}} {luck:>+{RATE}.3f}")
    return lines


def _game(game: GameStatistics, names: Sequence[str]) -> str:
    result = "not finished" if game.result is None else f"{names[game.result.winner]} wins {game.result}"
    return f"game {game.number}, {game.score[0]}-{game.score[1]}: {result}"


def decision_line(each: AnalysedDecision, names: Sequence[str]) -> str:
    """Return a decision that cost something as one line."""
    recorded = each.recorded
    dice = recorded.decision.dice
    roll = "" if dice is None else f"{max(dice)}{min(dice)}: "
    mwc = "" if each.error_mwc is None else f" ({each.error_mwc:.2%})"
    said = [marked(each.error), None if each.status == "not rolled out" else each.status]
    words = ", ".join(word for word in said if word is not None)
    cost = f"{each.error:6.3f}{_half(each.error_se, 3)}{mwc}"
    return (
        f"{f'{cost} {words}'.rstrip()}: game {recorded.game}, move {recorded.move}, "
        f"{one_line(names[recorded.player])}: {roll}{recorded.chosen}; better {each.best.text}"
    )


def match_line(analysis: MatchStatistics, file: str) -> str:
    """Return a match as one line: file, length, score, and the PR of both."""
    first, second = (
        f"{one_line(name)} {_rate(found.pr, found.pr_se)}"
        for name, found in zip(analysis.names, analysis.rates, strict=True)
    )
    left_out = ", left out below" if unread_games(analysis.match) else ""
    return f"{one_line(file)}: {_stage(analysis.match)}{left_out}: PR {first}, {second}"


def totals_text(totals: PlayerTotals) -> str:
    """Return a table of what each player did in all matches, the one who gave away least first."""
    head = ("matches", "PR", "GNU", "Snowie", "error", "plays")
    players = totals.players
    numbers = [
        (
            str(matches),
            _rate(found.pr, found.pr_se),
            _rate(found.gnubg_error_rate),
            _rate(found.snowie_error_rate),
            f"{found.error:.3f}",
            str(found.plays),
        )
        for _, matches, found in players
    ]
    widths = [max(map(len, column)) for column in zip(head, *numbers, strict=True)]
    most = min(NAME, max(LEAST_NAME, WIDTH - sum(widths) - len(widths)))
    names = ["player", *(_short(name, most) for name, _, _ in players)]
    wide = max(map(len, names))
    return "\n".join(
        " ".join([f"{name:<{wide}}", *map(str.rjust, row, widths)])
        for name, row in zip(names, [head, *numbers], strict=True)
    )
