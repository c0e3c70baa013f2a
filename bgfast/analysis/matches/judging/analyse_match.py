"""Analysis of a recorded match."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np

from bgfast.analysis.matches.judging.match_judgement import AnalysisSettings, MatchAnalyser
from bgfast.analysis.matches.judging.match_rollout import TRIALS, TRUNCATE
from bgfast.analysis.matches.judging.presets import PresetName, chosen_preset
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.common.validation import checked_progress, flag, time_limit_seconds
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games.match import Match


def analyse_match(
    match: Match,
    evaluator: Evaluator | None = None,
    *,
    preset: PresetName | None = None,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    count_resignations: bool = False,
    rollout: bool = False,
    trials: int = TRIALS,
    truncate: int | None = TRUNCATE,
    seed: int = 0,
    time_limit: float | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> MatchAnalysis:
    """Analyse a match: the error of every decision, the luck of every roll, and both players' rates.

    Parameters
    ----------
    match : Match
        Finished or not, for instance from `bgfast.load_match`.
    evaluator : evaluator, optional
        Evaluator that returns five probabilities; by default the built-in network with bear-off databases. A
        `Lookahead` keeps its own search depth.
    preset : {"normal", "quick", "deep", "rollout"}, optional
        Scheme of the analysis, with its version in `MatchAnalysis.settings`. "normal" is the default, unless
        `ply`, `rollout` or a `Lookahead` determines the analysis; they are not allowed with a preset.
    ply : {2, 0, 1}, optional
        Search depth in plies; 0 is static.
    met : MatchEquityTable, optional
        The built-in table by default.
    efficiency : {"bgfast", "gnubg"}
        Cube efficiency model.
    threads : int
        Number of threads; results do not depend on it.
    progress : callable, optional
        Called with the fraction done, from 0 to 1; with `rollout` again from 0 to 1 for the rollouts.
    count_resignations : bool
        Count resignations and the answers to them as decisions, in all rates, marks and the largest errors.
    rollout : bool
        Roll out contested decisions, with the same dice for all candidates, until they are settled or reach
        `trials`: plays with others within 0.08 of the best (up to five), doubles and answers within 0.16,
        and every error with a mark. The parameters below require ``rollout=True``; of them `seed`,
        `time_limit` and `checkpoint` go with ``preset="rollout"``, too.
    trials : int
        Maximum number of trials of a candidate.
    truncate : int or None
        Plies after which games are truncated and evaluated; None plays games to the end.
    seed : int
        Seed of the dice.
    time_limit : float, optional
        Maximum seconds for all rollouts; the remaining decisions are not rolled out.
    checkpoint : path, optional
        File that stores finished rollouts, from which an interrupted run is resumed.

    Returns
    -------
    MatchAnalysis

    Raises
    ------
    BgfastError
        If an argument is invalid, the evaluator returns only equities, or the checkpoint cannot be used.

    Notes
    -----
    docs/MATCH_ANALYSIS.md defines the analysed decisions, errors, rates and luck.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1), (6, 5)])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> analysis = bgfast.analyse_match(match, ply=0)
    >>> [(decision.recorded.chosen, decision.best.text) for decision in analysis.decisions]
    [('13/9', '8/5 6/5')]
    >>> analysis.rates[0].pr > 20, analysis.rates[1].pr
    (True, None)
    """
    report_progress = checked_progress(progress)
    seconds = time_limit_seconds(time_limit)
    rolls_out = flag("rollout", rollout)
    scheme = chosen_preset(preset, evaluator, ply, rolls_out)
    if not rolls_out:
        _check_rollout_options_unset(trials=(trials, TRIALS), truncate=(truncate, TRUNCATE))
    if scheme is not None:
        rolls_out = scheme.rolls_out
    if not rolls_out:
        _check_rollout_options_unset(
            seed=(seed, 0),
            time_limit=(seconds, None),
            checkpoint=(checkpoint, None),
        )
    analyser = MatchAnalyser(
        match,
        AnalysisSettings(
            evaluator, ply, met, efficiency, threads, flag("count_resignations", count_resignations), scheme
        ),
    )
    for fraction in analyser.analyse():
        report_progress(fraction)
    if not rolls_out:
        return analyser.result()
    match_rollout = analyser.rollout(trials=trials, truncate=truncate, seed=seed)
    for fraction in match_rollout.play(threads=threads, time_limit=seconds, checkpoint=checkpoint):
        report_progress(fraction)
    return match_rollout.result()


def _check_rollout_options_unset(**options: tuple[Any, Any]) -> None:
    """Raise `BgfastError` if an option, given as value and default, differs from its default."""
    for name, (value, default) in options.items():
        if isinstance(value, np.ndarray) or value != default:
            raise BgfastError(f"{name} is {shown(value)}; expected rollout=True with it")
