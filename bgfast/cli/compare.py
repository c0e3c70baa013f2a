"""``bgfast compare``: bgfast's analysis compared with the analysis in match files."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from bgfast.analysis.matches.match_analysis import analyse_match
from bgfast.analysis.matches.match_rollout import TRIALS, TRUNCATE, fast_policy
from bgfast.analysis.reports.comparison import WORST, AnalysisComparison, ComparedDecision
from bgfast.analysis.reports.recorded_files import match_files
from bgfast.analysis.rollouts.rollout import rollout
from bgfast.cli.parser import print_result
from bgfast.cli.players import load_evaluator, match_equity_table
from bgfast.cli.progress import Progress
from bgfast.cli.recorded_matches import RecordedMatches, complain_of_findings
from bgfast.cli.streams import complain
from bgfast.errors import BgfastError, one_line
from bgfast.evaluation.evaluators.names import EVALUATORS

HELP = f"""
usage: FILE...

FILE: a recorded match with its own analysis (.xg), or a folder of such matches.

--ply N[0..2]=2           search depth in plies (2)
--evaluator NAME=builtin  evaluator (builtin)
--worst N[0..1000000]={WORST}  list the N decisions whose errors differ most ({WORST})
--rollout                 roll out the decisions that are listed
--trials N[2..1000000000]={TRIALS}  trials of a rollout ({TRIALS})
--met --threads --json --csv --force --quiet

example: bgfast compare matches --worst 5 --rollout
"""
SUGGESTIONS = {"--games": ("bgfast contest A B, in which players play games",)}


def run(arguments: argparse.Namespace) -> None:
    """Compare the analyses and print the report."""
    if len(players := arguments.operands) == 2 and {*players} <= {*EVALUATORS}:
        raise BgfastError(f"two players to compare; did you mean bgfast contest {' '.join(players)}?")
    if arguments.csv and arguments.rollout:
        raise BgfastError("--csv and --rollout cannot be combined; --json has the results of rollouts")
    files = match_files(arguments.operands)
    evaluator, met = load_evaluator(arguments.evaluator), match_equity_table(arguments)
    matches = RecordedMatches(files)
    names, analyses = [], []
    for name, match in matches:
        if not arguments.quiet:
            complain_of_findings(name, match.findings, 1)
        if not match.recorded_analysis:
            complain(f"bgfast: {one_line(name)}: contains no analysis; left out")
            continue
        try:
            options = {"ply": arguments.ply, "met": met, "threads": arguments.threads}
            with Progress(one_line(name), quiet=arguments.quiet) as progress:
                analysis = analyse_match(match, evaluator, progress=progress, **options)
            AnalysisComparison([analysis])  # raises here, where the match can be skipped
        except Exception as error:
            matches.skip(name, error)
            continue
        names.append(name)
        analyses.append(analysis)
    if len(files) > 1 and not arguments.quiet:
        complain(f"bgfast: {matches.summary()}")
    if not analyses:
        raise BgfastError("no match with its own analysis; expected one, as in .xg")
    comparison = AnalysisComparison(analyses, names)
    worst = comparison.worst(arguments.worst) if arguments.rollout else ()
    rollouts = [(item, _roll_out(comparison, item, evaluator, arguments)) for item in worst]
    if arguments.csv:
        print(comparison.to_csv(), end="")
        return
    content, lines = comparison.to_dict(), [comparison.to_text(arguments.worst)]
    if arguments.rollout:
        content["rollouts"] = [
            {"match": item.match, "action": item.analysed.recorded.action, **result.to_dict()}
            for item, result in rollouts
        ]
    if rollouts:
        lines += ["", f"Rollouts, {arguments.trials:,} trials, with standard errors:"]
        lines += [_rollout_line(item, result) for item, result in rollouts]
    print_result(arguments, content, *lines)


def _roll_out(
    comparison: AnalysisComparison, item: ComparedDecision, evaluator: Any, arguments: argparse.Namespace
) -> Any:
    """Roll out the recorded choice and the best choices of both analyses, or both branches of a double."""
    analysis, decision = comparison.analysis_of(item), item.analysed.recorded.decision
    subject: Any = replace(decision, offer=None)
    context = None
    if item.analysed.recorded.kind == "play":
        assert decision.dice is not None
        plays = decision.position.plays(decision.dice, analysis.match.rules)
        texts = (item.analysed.best.text, item.recorded.best.text, item.analysed.chosen.text)
        subject, context = [plays[text] for text in dict.fromkeys(texts)], decision
    policy = fast_policy(evaluator)
    options: dict[str, Any] = {"trials": arguments.trials, "truncate": TRUNCATE, "threads": arguments.threads}
    options |= {"policy": policy, "luck_evaluator": policy, "variance_reduction": True}
    rules, met = analysis.match.rules, analysis.met
    return rollout(subject, evaluator=evaluator, context=context, rules=rules, met=met, **options)


def _rollout_line(item: ComparedDecision, result: Any) -> str:
    """Return the equities of a rollout as one line, for the player on roll."""
    estimates = [(estimate.name, estimate.equity, estimate.equity_se) for estimate in result.estimates]
    if (cube := result.cube) is not None:
        estimates = [
            ("no double", cube.no_double, cube.no_double_se),
            ("double/take", cube.double_take, cube.double_take_se),
            ("double/drop", cube.double_drop, 0.0),
        ]
    equities = ", ".join(f"{name} {equity:+.3f} ± {error:.3f}" for name, equity, error in estimates)
    return f"{item.place}: {equities}"
