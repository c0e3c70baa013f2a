"""The analysis of a match as a table for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bgfast.analysis.matches.analysed import NORMAL_95, AnalysedDecision, Status
from bgfast.analysis.matches.match_statistics import GameStatistics, MatchStatistics
from bgfast.analysis.matches.players import PlayerTotals
from bgfast.analysis.matches.rates import ERROR_KINDS, MARKS, Rates, marked
from bgfast.errors import one_line
from bgfast.games.match import Match

__all__ = ["decision_line", "match_line", "rolled_out_line", "text_report", "totals_text"]

NAME = 18  # columns of a name, at most


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
    names = [_short(name) for name in analysis.names]
    lines = [_about(analysis), "", *_summary(analysis, names), "", *_games(analysis, names)]
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


def _short(name: str) -> str:
    found = one_line(name)
    return found if len(found) <= NAME else found[: NAME - 1] + "…"


def _about(analysis: MatchStatistics) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in analysis.settings.items())
    first, second = map(one_line, analysis.names)
    return f"{first} - {second}: {_stage(analysis.match)} ({settings})"


def _stage(match: Match) -> str:
    """Return what is played, and how it stands."""
    length = "money games" if match.length is None else f"match to {match.length}"
    state = "" if match.length is None or match.winner is not None else ", not finished"
    return f"{length}, score {match.score[0]}-{match.score[1]}{state}"


def _summary(analysis: MatchStatistics, names: Sequence[str]) -> list[str]:
    first, second = analysis.rates
    width = max(15 if analysis.is_rolled_out else 9, *map(len, names))

    def line(head: str, of: Callable[[Rates], str]) -> str:
        return f"{head:<32}{of(first):>{width}}  {of(second):>{width}}"

    def pair(head: str, values: Sequence[float], form: str) -> str:
        return f"{head:<32}{format(values[0], form):>{width}}  {format(values[1], form):>{width}}"

    lines = [
        f"{'':<32}{names[0]:>{width}}  {names[1]:>{width}}",
        line("PR", lambda each: _rate(each.pr, each.pr_se)),
        line(
            "error rate (GNU Backgammon)", lambda each: _rate(each.gnubg_error_rate, each.gnubg_error_rate_se)
        ),
        line("error rate (Snowie)", lambda each: _rate(each.snowie_error_rate, each.snowie_error_rate_se)),
        line("plays, unforced", lambda each: f"{each.plays}, {each.unforced_plays}"),
        line("cube decisions, close", lambda each: f"{each.cube_decisions}, {each.close_cube_decisions}"),
        line("error, points (EMG)", lambda each: f"{each.error:.3f}{_half(each.error_se, 3)}"),
    ]
    for kind in ERROR_KINDS:
        lines.append(pair(f"  {kind}", (first.errors[kind], second.errors[kind]), ".3f"))
    for phase, (one, other) in analysis.phases.items():
        lines.append(pair(f"  in the {phase}", (one.error, other.error), ".3f"))
    for mark in MARKS:
        lines.append(pair(f"  {mark}", (first.marks[mark], second.marks[mark]), "d"))
    lines.append(pair("luck, points (EMG)", analysis.luck, "+.3f"))
    luck_mwc, adjusted = analysis.luck_mwc, analysis.luck_adjusted_result
    if luck_mwc is not None:
        lines.append(pair("luck, chance to win the match", luck_mwc, "+.2%"))
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


def _games(analysis: MatchStatistics, names: Sequence[str]) -> list[str]:
    rated = [[_rate(each.pr, each.pr_se) for each in game.rates] for game in analysis.games]
    width = max(12, *(3 + len(name) for name in names), *(len(rate) for both in rated for rate in both))
    head = f"{'game':>4}  {'score':<9}{'PR ' + names[0]:>{width}}  {'PR ' + names[1]:>{width}}  result"
    lines = [_game(game, names, rates, width) for game, rates in zip(analysis.games, rated, strict=True)]
    return [head, *lines]


def _game(game: GameStatistics, names: Sequence[str], rates: Sequence[str], width: int) -> str:
    result = "not finished" if game.result is None else f"{names[game.result.winner]} wins {game.result}"
    score = "{}-{}".format(*game.score)
    return f"{game.number:>4}  {score:<9}{rates[0]:>{width}}  {rates[1]:>{width}}  {result}"


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
    return f"{one_line(file)}: {_stage(analysis.match)}: PR {first}, {second}"


def totals_text(totals: PlayerTotals) -> str:
    """Return a table of what each player did in all matches, the one who gave away least first."""
    rows = [
        (
            _short(name),
            str(matches),
            _rate(found.pr, found.pr_se),
            _rate(found.gnubg_error_rate, found.gnubg_error_rate_se),
            _rate(found.snowie_error_rate, found.snowie_error_rate_se),
            f"{found.error:.3f}{_half(found.error_se, 3)}",
            str(found.plays),
        )
        for name, matches, found in totals.players
    ]
    table = [("player", "matches", "PR", "GNU", "Snowie", "error", "plays"), *rows]
    least = (NAME, 7, 7, 7, 7, 9, 7)
    columns = zip(*table, strict=True)
    widths = [max(wide, *map(len, column)) for wide, column in zip(least, columns, strict=True)]
    return "\n".join(
        " ".join([f"{name:<{widths[0]}}", *map(str.rjust, numbers, widths[1:])]) for name, *numbers in table
    )
