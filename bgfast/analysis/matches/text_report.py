"""Text report of a match for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bgfast.analysis.matches.analysed import AnalysedDecision, Status
from bgfast.analysis.matches.error_details import (
    ErrorDetails,
    ShownChoice,
    error_details,
    half_width_text,
    largest_errors,
)
from bgfast.analysis.matches.match_statistics import (
    ERROR_KINDS,
    MARKS,
    MatchStatistics,
    PlayerTotals,
    Rates,
    error_mark,
)
from bgfast.common.clean_text import clean_line
from bgfast.common.terminal import cut
from bgfast.errors import one_line
from bgfast.records.replay import unread_games

# Widths in columns; longer names are cut.
REPORT_WIDTH = 50  # of the summary and the games: a narrow terminal
MAX_NAME_WIDTH = 18
MIN_NAME_WIDTH = 8
LABEL_WIDTH = 20
RATE_WIDTH = 7


def text_report(analysis: MatchStatistics, worst: int, *, cut_names: bool = True) -> str:
    """Return the summary of a match, its games, and up to `worst` decisions with the largest errors.

    Control characters in recorded names are replaced. Long names are cut to fit a narrow terminal, unless
    `cut_names` is false.
    """
    lines = [_description(analysis), "", *_summary(analysis, cut_names), "", *_games(analysis, cut_names)]
    if analysis.is_rolled_out:
        lines += ["", rollout_line(analysis)]
    decisions = analysis.worst(worst)
    if decisions:
        lines += ["", "Largest errors:"]
        lines += [decision_line(decision, analysis.names) for decision in decisions]
    return "\n".join(lines)


def rollout_line(analysis: MatchStatistics) -> str:
    """Return the numbers of decisions that rollouts have settled, left open, and not covered."""
    statuses: tuple[Status, ...] = ("settled", "too close to call", "not rolled out")
    counts = {status: sum(item.status == status for item in analysis.decisions) for status in statuses}
    return "Decisions: " + ", ".join(f"{count} {status}" for status, count in counts.items())


def _shown_names(names: Iterable[str], max_width: int, cut_names: bool) -> list[str]:
    """Return names without line breaks, cut to the maximum width if `cut_names` is true."""
    lines = map(one_line, names)
    return [cut(line, max_width) for line in lines] if cut_names else list(lines)


def _description(analysis: MatchStatistics) -> str:
    settings = clean_line(", ".join(f"{name} {value}" for name, value in analysis.settings.items()))
    first, second = map(one_line, analysis.names)
    return f"{first} - {second}: {_match_state(analysis)} ({settings})"


def _match_state(analysis: MatchStatistics) -> str:
    """Return length and score of a match, and the numbers of games not read and with unknown boards."""
    match = analysis.match
    length = "money games" if match.length is None else f"match to {match.length}"
    state = "" if match.length is None or match.winner is not None else ", not finished"
    unread = unread_games(match)
    games = max([match.state.number, *unread])
    games_read = f", {games - len(unread)} of {games} games read" if unread else ""
    return f"{length}, score {match.score[0]}-{match.score[1]}{state}{games_read}{unknown_boards(analysis)}"


def unknown_boards(analysis: MatchStatistics) -> str:
    """Return the number of games with an unknown board, after a comma; empty if there is none."""
    games = len(analysis.unknown_moves)
    return f", board unknown in {games} game{'' if games == 1 else 's'}" if games else ""


def _summary(analysis: MatchStatistics, cut_names: bool) -> list[str]:
    rates = analysis.rates
    width = (REPORT_WIDTH - LABEL_WIDTH) // 2
    names = _shown_names(analysis.names, width - 1, cut_names)
    width = max(width, 1 + max(map(len, names)))

    def text_row(label: str, cells: Iterable[str]) -> str:
        first, second = cells
        return f"{label:<{LABEL_WIDTH}}{first:>{width}}{second:>{width}}"

    def rate_row(label: str, cell: Callable[[Rates], str]) -> str:
        return text_row(label, map(cell, rates))

    def number_row(label: str, values: Iterable[float], form: str) -> str:
        return text_row(label, (format(value, form) for value in values))

    lines = [
        text_row("", names),
        rate_row("PR", lambda side: _rate(side.pr, side.pr_se)),
        rate_row("error rate (GNU)", lambda side: _rate(side.gnubg_error_rate, side.gnubg_error_rate_se)),
        rate_row(
            "error rate (Snowie)", lambda side: _rate(side.snowie_error_rate, side.snowie_error_rate_se)
        ),
        rate_row("plays, unforced", lambda side: f"{side.plays}, {side.unforced_plays}"),
        rate_row("cube, close", lambda side: f"{side.cube_decisions}, {side.close_cube_decisions}"),
        rate_row("error, points (EMG)", lambda side: f"{side.error:.3f}{half_width_text(side.error_se, 3)}"),
    ]
    if any(analysis.recorded_judgements):
        lines.insert(2, text_row("PR by the file", map(_rate, analysis.recorded_prs)))
    for kind in ERROR_KINDS:
        if kind != "resignation" or analysis.count_resignations:
            lines.append(number_row(f"  {kind}", [side.errors[kind] for side in rates], ".3f"))
    for phase, phase_rates in analysis.phases.items():
        lines.append(number_row(f"  in the {phase}", [side.error for side in phase_rates], ".3f"))
    for mark in MARKS:
        lines.append(number_row(f"  {mark}", [side.marks[mark] for side in rates], "d"))
    if not analysis.count_resignations and any(side.resignations for side in rates):
        lines.append(number_row("resigned, uncounted", [side.errors["resignation"] for side in rates], ".3f"))
    lines.append(number_row("luck, points (EMG)", analysis.luck, "+.3f"))
    luck_mwc, adjusted = analysis.luck_mwc, analysis.luck_adjusted_result
    if luck_mwc is not None:
        lines.append(number_row("luck, match (MWC)", luck_mwc, "+.2%"))
    if adjusted is not None and analysis.match.length is None:
        lines.append(number_row("luck-adjusted points", (adjusted, -adjusted), "+.3f"))
    elif adjusted is not None:
        lines.append(number_row("luck-adjusted result", (adjusted, 1 - adjusted), ".2%"))
    return lines


def _rate(rate: float | None, error: float | None = None) -> str:
    return "-" if rate is None else f"{rate:.2f}{half_width_text(error)}"


def _games(analysis: MatchStatistics, cut_names: bool) -> list[str]:
    """Return lines with PR, both error rates and luck of both players in each game."""
    game_prs = [[_rate(rates.pr, rates.pr_se) for rates in game.rates] for game in analysis.games]
    pr_width = max([RATE_WIDTH, *(len(pr) for prs in game_prs for pr in prs)])
    names = _shown_names(analysis.names, REPORT_WIDTH - 1 - pr_width - 3 * (1 + RATE_WIDTH), cut_names)
    name_width = max(map(len, names))
    head = (
        f"{'':<{name_width}} {'PR':>{pr_width}} {'GNU':>{RATE_WIDTH}} {'Snowie':>{RATE_WIDTH}} "
        f"{'luck':>{RATE_WIDTH}}"
    )
    lines = [head]
    for game, prs in zip(analysis.games, game_prs, strict=True):
        lines.append(f"game {game.number}, {game.score[0]}-{game.score[1]}: {game.outcome(names)}")
        lines += [f"  {span}" for span in game.unknown]
        for name, pr, rates, luck in zip(names, prs, game.rates, game.luck, strict=True):
            gnubg, snowie = _rate(rates.gnubg_error_rate), _rate(rates.snowie_error_rate)
            lines.append(
                f"{name:<{name_width}} {pr:>{pr_width}} {gnubg:>{RATE_WIDTH}} {snowie:>{RATE_WIDTH}} "
                f"{luck:>+{RATE_WIDTH}.3f}"
            )
    return lines


def decision_line(decision: AnalysedDecision, names: Sequence[str]) -> str:
    """Return an error as one line."""
    recorded = decision.recorded
    dice = recorded.decision.dice
    roll = "" if dice is None else f"{max(dice)}{min(dice)}: "
    mwc = "" if decision.error_mwc is None else f" ({decision.error_mwc:.2%})"
    labels = [error_mark(decision.error), None if decision.status == "not rolled out" else decision.status]
    label = ", ".join(text for text in labels if text is not None)
    error = f"{decision.error:6.3f}{half_width_text(decision.error_se, 3)}{mwc}"
    return (
        f"{f'{error} {label}'.rstrip()}: game {recorded.game}, move {recorded.move}, "
        f"{one_line(names[recorded.player])}: {roll}{recorded.chosen}; best {decision.best.text}"
    )


def boards_text(analysis: MatchStatistics, worst: int) -> str:
    """Return up to `worst` of the largest errors as printed boards, with candidates and reasons.

    Resignations are excluded; control characters in recorded names are replaced.
    """
    errors = largest_errors(analysis, worst)
    return "\n\n".join(
        _error_board(number, error_details(decision, analysis)) for number, decision in enumerate(errors, 1)
    )


def _error_board(number: int, details: ErrorDetails) -> str:
    mark = f"{details.mark}, " if details.mark else ""
    status = f" ({details.status})" if details.status else ""
    width = max(len(candidate.text) + 2 * candidate.is_answer for candidate in details.candidates)
    lines = [
        f"{number}. {one_line(details.name)} ({details.side}) {details.situation}: "
        f"{mark}costs {details.cost}{status}",
        f"Game {details.game}, move {details.move}. {one_line(details.context)}",
        *details.board_text.splitlines(),
        f"played {details.chosen}, best {details.best}",
        *([details.why] if details.why else []),
        *(_candidate_line(candidate, width) for candidate in details.candidates),
    ]
    return "\n".join(lines)


def _candidate_line(candidate: ShownChoice, width: int) -> str:
    note = "best" if candidate.is_best else "played" if candidate.is_chosen else ""
    loss = "" if candidate.difference is None else f"{candidate.difference:+.3f}"
    equity = f"{candidate.equity:+.3f}{half_width_text(candidate.equity_se, 3)}"
    text = f"  {candidate.text}" if candidate.is_answer else candidate.text
    return f"  {text:<{width}}  {equity}  {loss:>6}  {candidate.level}  {note}".rstrip()


def match_line(analysis: MatchStatistics, file: str) -> str:
    """Return a match as one line: file, length, score, and the PR of both players."""
    first, second = (
        f"{one_line(name)} {_rate(rates.pr, rates.pr_se)}"
        for name, rates in zip(analysis.names, analysis.rates, strict=True)
    )
    excluded = "" if analysis.is_complete else ", not in the totals"
    return f"{one_line(file)}: {_match_state(analysis)}{excluded}: PR {first}, {second}"


def totals_text(totals: PlayerTotals, *, cut_names: bool = True) -> str:
    """Return a table of the rates of all players over all complete matches, lowest PR first."""
    head = ("matches", "PR", "GNU", "Snowie", "error", "plays")
    players = totals.players
    if not players:
        return "No match is complete: no totals."
    rows = [
        (
            str(matches),
            _rate(rates.pr, rates.pr_se),
            _rate(rates.gnubg_error_rate),
            _rate(rates.snowie_error_rate),
            f"{rates.error:.3f}",
            str(rates.plays),
        )
        for _, matches, rates in players
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    max_name_width = min(MAX_NAME_WIDTH, max(MIN_NAME_WIDTH, REPORT_WIDTH - sum(widths) - len(widths)))
    names = ["player", *_shown_names([name for name, _, _ in players], max_name_width, cut_names)]
    name_width = max(map(len, names))
    return "\n".join(
        " ".join([f"{name:<{name_width}}", *map(str.rjust, row, widths)])
        for name, row in zip(names, [head, *rows], strict=True)
    )
