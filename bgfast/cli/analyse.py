"""``bgfast analyse``: rank the plays of a roll, or evaluate a position or a cube decision."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bgfast.analysis.analyse import conditions_without_cube, cubeful_source
from bgfast.analysis.cube_decision import PLY as CUBE_PLY
from bgfast.analysis.cube_decision import cube_decision
from bgfast.analysis.maps import AWAY, MAX_AWAY, roll_map, score_map
from bgfast.analysis.reports.recorded_files import RecordFile, list_files
from bgfast.cli import printed_results
from bgfast.cli.options import InputPosition, check_plot_target, describe, input_positions, option_value
from bgfast.cli.parser import Parser, print_result
from bgfast.cli.players import CUBE_OPTIONS, cube_settings, load_evaluator
from bgfast.cli.printed_results import Output, answer_lines
from bgfast.cli.progress import follow
from bgfast.cli.recorded_matches import read_standard_input
from bgfast.cli.streams import complain, explain_interrupt
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError
from bgfast.evaluation import cubeful
from bgfast.evaluation.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.evaluators.evaluators import returns_points
from bgfast.evaluation.evaluators.lookahead import CANDIDATES, MAX_PLY, Lookahead
from bgfast.evaluation.stakes import stakes_of
from bgfast.evaluation.tables import csv_text
from bgfast.games.game import Game
from bgfast.position.decision import Decision, after_turn
from bgfast.position.objects import Play, Position
from bgfast.position.position_text import refuse_offer
from bgfast.rules import RuleSet

if TYPE_CHECKING:
    from bgfast.analysis.rollouts.result import RolloutResult

PLY = 1
TOP = 5
TRIALS = 1296
NO_RESULT = "no result yet: it is printed after the whole analysis"

HELP = f"""
usage: [POSITION] [ROLL]

With a ROLL (31, 3-1 or 3 1), its plays are ranked. Without one, an XGID or match ID is a cube decision, and
other positions are evaluated. Positions without a cube are money play.

--ply N[0..{MAX_PLY}]  search depth in plies, 0 to {MAX_PLY} ({PLY}; {CUBE_PLY} for cube decisions)
--top K[1..999]    show K plays ({TOP})
--evaluator NAME=builtin  builtin (default), builtin-fast, pip-count, random,
                   gnubg-nn, bgsage, a file, or MODULE:NAME
--threads
{CUBE_OPTIONS}
--rollout          roll out the listed plays or the position
--trials N[2..1000000000]  with --rollout: trials ({TRIALS})
--seed N           with --rollout: seed of the dice (0)
--scores           proper action at every score up to {AWAY}-away
--away N[2..{MAX_AWAY}]  with --scores: maximum points that a player needs ({AWAY})
--rolls            equity after each of the 21 rolls
--replies          with --rolls: after each reply, with the market losers
--plot FILE        draw the map, .svg or .png (pip install bgfast[plot])
--candidates K[1..999]  plays searched at 1 ply, and at 2 ({", ".join(map(str, CANDIDATES))})
--positions --checkers --rules
--json --csv --force --quiet

example: bgfast analyse 31 --ply 2
"""
TYPES = {"efficiency": EFFICIENCY_MODELS}
REPORT_OPTIONS = (
    "--html --open --player --worst --boards --preset --anki --sgf --truncate --time-limit --resume"
)
SUGGESTIONS = {
    **dict.fromkeys(REPORT_OPTIONS.split(), ("bgfast report FILE, the command for matches",)),
    **dict.fromkeys(("-o", "--output"), ("--csv FILE, or bgfast report FILE --html FILE for a match",)),
}
POSITION_OPTIONS = "--rolls --scores --away --replies --plot --cubeless --candidates --checkers --rules --top"


def run(arguments: argparse.Namespace) -> int:
    """Print the analysis of positions, or the report of recorded matches; return the exit status."""
    _refuse_combinations(arguments)
    settings = cube_settings(arguments)
    record = read_standard_input(arguments)
    files = [] if record is None else [record]
    if arguments.positions is None:
        files += list_files(arguments.operands)
    if files:
        return _report(arguments, files)
    if arguments.csv and arguments.rollout:
        raise BgfastError("--csv and --rollout cannot be combined")
    rules = RuleSet.named(arguments.rules)
    evaluator = load_evaluator(arguments.evaluator)
    with explain_interrupt(NO_RESULT):
        # Cubeful equities need probabilities.
        is_cubeful = (
            not arguments.cubeless
            and returns_points(evaluator)
            and Lookahead(evaluator, ply=0, rules=rules).returns_probabilities
        )
    # All input is checked before anything is printed.
    prepare = partial(_decision, is_cubeful=is_cubeful, arguments=arguments, rules=rules)
    positions = input_positions(arguments, prepare, "--plot")
    check_plot_target(arguments, [arguments.evaluator, arguments.met])
    for index, (position, decision) in enumerate(positions):
        with explain_interrupt(NO_RESULT):
            analysis = _analysis(position, decision, evaluator, settings, arguments)
        if arguments.csv:
            print(csv_text(analysis.rows, header=index == 0), end="", flush=True)
            continue
        content, lines, is_interrupted = analysis.content, ([""] if index else []) + analysis.lines, False
        if arguments.rollout:
            context = position.context if decision is None else decision
            cube = None if decision is None else settings
            rollout, is_interrupted = _roll_out(analysis.candidates, evaluator, context, arguments, cube)
            if rollout is not None:
                content = content | {"rollout": rollout.to_dict()}
                lines += ["", str(rollout), *answer_lines(rollout, position.context)]
        print_result(arguments, content, *lines, coloured=True)
        if is_interrupted:
            raise KeyboardInterrupt
    return 0


def _report(arguments: argparse.Namespace, files: Sequence[RecordFile]) -> int:
    """Run `bgfast report` with its defaults."""
    for option in POSITION_OPTIONS.split():
        if option_value(arguments, option) not in (None, False, "standard"):
            raise BgfastError(f"{option} is not for recorded matches")
    from bgfast.cli import report

    parser = Parser()
    describe(parser, report.HELP, **report.TYPES)
    options = vars(parser.parse_args([])) | vars(arguments)
    status = report.run_matches(argparse.Namespace(**options), files)
    if not arguments.quiet:
        complain("bgfast: bgfast report FILE has more options: --html, --player, --worst, --anki, --sgf")
    return status


def _refuse_combinations(arguments: argparse.Namespace) -> None:
    scores, rolls, rollout = arguments.scores, arguments.rolls, arguments.rollout
    has_rollout_options = arguments.trials is not None or arguments.seed is not None
    is_mapped, is_plotted = scores or rolls, arguments.plot is not None
    for is_refused, problem in (
        (has_rollout_options and not rollout, "--trials and --seed need --rollout"),
        (scores and rolls, "--scores and --rolls cannot be combined"),
        (arguments.replies and not rolls, "--replies needs --rolls"),
        (arguments.away is not None and not scores, "--away needs --scores"),
        (is_mapped and rollout, "--rollout cannot be combined with --scores and --rolls"),
        (is_mapped and arguments.cubeless, "--cubeless cannot be combined with --scores and --rolls"),
        (is_plotted and not is_mapped, "--plot needs --scores or --rolls"),
    ):
        if is_refused:
            raise BgfastError(problem)


def _decision(
    entry: InputPosition, is_cubeful: bool, arguments: argparse.Namespace, rules: RuleSet
) -> Decision | None:
    """Check the options; return the decision of a position, or None if cube and score are ignored."""
    is_mapped = arguments.scores or arguments.rolls
    has_offer = entry.context is not None and entry.context.offer is not None
    if entry.roll is not None:
        if arguments.rolls:
            raise InvalidDiceError(f"--rolls and the roll {entry.roll_text} cannot be combined")
        entry.position.plays(entry.roll, rules)
    elif is_mapped and entry.position.winner is not None:
        raise InvalidPositionError("the game is over; expected a position before the roll")
    if arguments.rolls or arguments.cubeless:
        refuse_offer(entry.context)
    if not is_cubeful:
        if is_mapped or has_offer:
            problem = f"{arguments.evaluator} returns no probabilities"
            raise BgfastError(f"{problem}; expected an evaluator that returns them, for the cube")
        return None
    context = entry.context or Decision(position=entry.position)
    if has_offer:
        Game.from_decision(context)  # raises if the rules forbid the offer
    if arguments.rollout and entry.roll is None:
        from bgfast.analysis.rollouts.candidates import check_beavers

        check_beavers(context, stakes_of(context))
    return context if entry.roll is None else replace(context, dice=entry.roll)


def _is_cube_decision(entry: InputPosition, decision: Decision) -> bool:
    """Return whether a position has a stated cube and is before the roll in an unfinished game."""
    return entry.context is not None and entry.position.winner is None and decision.dice is None


def _analysis(
    entry: InputPosition,
    decision: Decision | None,
    evaluator: Any,
    settings: dict[str, Any],
    arguments: argparse.Namespace,
) -> Output:
    """Return the analysis of a position, with its place in a file and its conditions."""
    is_cube_decision = decision is not None and _is_cube_decision(entry, decision) and not arguments.rolls
    ply = arguments.ply if arguments.ply is not None else CUBE_PLY if is_cube_decision else PLY
    player = Lookahead(evaluator, ply=ply, candidates=arguments.candidates, rules=arguments.rules)
    method = cubeful.FORMULA
    if decision is not None and not arguments.scores:
        match_equity = None if arguments.met is None else settings["met"]
        context = decision if is_cube_decision else after_turn(decision, decision.position)
        plays = None if decision.dice is None else decision.position.plays(decision.dice, player.rules)
        positions = [entry.position] if plays is None else [play.position for play in plays]
        met, method = cubeful_source(player, context, positions, match_equity)
        settings = settings | {"met": met}
    value_name = "equity" if returns_points(evaluator) else "value"
    output = _evaluate(entry, decision, player, settings, arguments, value_name)
    method = output.content.get("cube_decision", {}).get("method", method)
    cube_fields: dict[str, Any] = {}
    if decision is not None:
        cube_arguments = (decision, settings["met"].name, settings["efficiency"], method)
        conditions = cubeful.cubeful_conditions(*cube_arguments, at_scores=arguments.scores)
        cube_fields["played_for"] = cubeful.cubeful_fields(*cube_arguments, at_scores=arguments.scores)
    else:
        conditions = conditions_without_cube(player, arguments.evaluator, entry.context, arguments.cubeless)
    content: dict[str, Any] = {
        **entry.origin,
        "position": entry.position.gnubg_id,
        "rules": arguments.rules,
        "evaluator": arguments.evaluator,
        "ply": ply,
        "conditions": conditions,
        **cube_fields,
        **({} if entry.roll is None else {"roll": entry.roll}),
        **output.content,
    }
    board = [str(entry.context), ""] if entry.context is not None and entry.line is None else []
    rows = []
    for row in output.rows:
        values = {value_name if name == "equity" else name: value for name, value in row.items()}
        rows.append(entry.columns | values | {"conditions": conditions})
    return Output(content, [*entry.heading, *board, *output.lines, conditions], rows, output.candidates)


def _evaluate(
    entry: InputPosition,
    decision: Decision | None,
    player: Lookahead,
    settings: dict[str, Any],
    arguments: argparse.Namespace,
    value_name: str,
) -> Output:
    """Return a map, a cube decision, plays or an evaluation."""
    options = settings | {"threads": arguments.threads}
    if decision is not None and (arguments.scores or arguments.rolls):
        pips = "{} against {} pips".format(*decision.position.pip_counts)
        score_text = "each score" if arguments.scores else cubeful.match_stage(decision)
        title = f"{decision.status}, {pips}\n{score_text}; {arguments.evaluator}, {player.ply}-ply"
        if arguments.scores:
            scores = score_map(decision, player, away=arguments.away or AWAY, **options)
            if arguments.plot is not None:
                from bgfast.analysis.map_pictures import plot_scores

                plot_scores(arguments.plot, scores, title)
            return printed_results.format_scores(scores)
        rolls = roll_map(decision, player, replies=arguments.replies, **options)
        if arguments.plot is not None:
            from bgfast.analysis.map_pictures import plot_rolls

            plot_rolls(arguments.plot, rolls, title)
        return printed_results.format_rolls(rolls)
    if decision is not None and _is_cube_decision(entry, decision):
        return printed_results.format_cube(cube_decision(decision, player, **options))
    subject = entry.position if decision is None else decision
    if entry.roll is not None:
        plays = player.best_plays(subject, entry.roll, **options)
        return printed_results.format_plays(plays, arguments.top or TOP, value_name)
    evaluation = player.evaluation(subject, **settings)
    return printed_results.format_position(entry.position, evaluation, player.ply, value_name)


def _roll_out(
    subject: Position | list[Play],
    evaluator: Any,
    context: Decision | None,
    arguments: argparse.Namespace,
    settings: dict[str, Any] | None,
) -> tuple[RolloutResult | None, bool]:
    """Return the rollout's result (None with too few trials) and whether the rollout was interrupted."""
    from bgfast.analysis.rollouts.candidates import MIN_TRIALS, RolloutOptions
    from bgfast.analysis.rollouts.rollout import Rollout

    options = RolloutOptions(
        trials=arguments.trials or TRIALS,
        seed=arguments.seed or 0,
        rules=arguments.rules,
        context=context,
        cubeless=settings is None,
        **(settings or {}),
    )
    rollout = Rollout(subject, evaluator, options)
    is_interrupted = follow(rollout.play(threads=arguments.threads), "rollout", quiet=arguments.quiet)
    return (rollout.result() if rollout.done >= MIN_TRIALS else None), is_interrupted
