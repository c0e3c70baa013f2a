"""A recorded match analysed: each decision judged, each roll's luck found."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.evaluators.evaluators import Evaluator
from bgfast.analysis.matches.judging.match_judgement import JudgingSettings, MatchJudgement
from bgfast.analysis.matches.judging.match_rollout import TRIALS, TRUNCATE
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.common.validation import checked_progress
from bgfast.errors import BgfastError, shown
from bgfast.games.match import Match

__all__ = ["analyse_match"]


def analyse_match(
    match: Match,
    evaluator: Evaluator | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    rollout: bool = False,
    trials: int = TRIALS,
    truncate: int | None = TRUNCATE,
    seed: int = 0,
    time_limit: float | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> MatchAnalysis:
    """Return what each decision of a match cost, how lucky each roll was, and the rates of both players.

    Parameters
    ----------
    match : Match
        Finished or not; `bgfast.load_match` reads one.
    evaluator : evaluator, optional
        One that tells five probabilities; the built-in network with bear-off databases by default. A
        `Lookahead` looks as far ahead as it does.
    ply : {2, 0, 1}, optional
        How far to look ahead.
    met : MatchEquityTable, optional
        The one that comes with bgfast by default.
    efficiency : {"bgfast", "gnubg"}
        The model of how efficiently the cube will be used.
    threads : int
        How many share the decisions; the result is the same for any number.
    progress : callable, optional
        Called with the fraction that is done; with `rollout` once more from 0 to 1, for that.
    rollout : bool
        Roll out each contested decision, candidates on the same dice, until it is settled or all trials are
        spent: plays within 0.08 of the best, up to five, doubles and answers within 0.16, and what was marked
        as an error.
    trials, truncate, seed : int
        Of rollouts: games for each candidate, at most; after how many plies the evaluator judges, None for
        never; of the dice.
    time_limit : float, optional
        Seconds for rollouts; what is left is not rolled out.
    checkpoint : path, optional
        A file to keep finished rollouts in, and to go on from. What is for rollouts is refused without them.

    Returns
    -------
    MatchAnalysis

    Raises
    ------
    BgfastError
        If an argument is wrong, the evaluator tells equities alone, or the checkpoint cannot be used.

    Notes
    -----
    docs/MATCH_ANALYSIS.md says what is judged, and how errors, rates and luck are counted.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1), (6, 5)])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> found = bgfast.analyse_match(match, ply=0)
    >>> [(each.recorded.chosen, each.best.text) for each in found.decisions]
    [('13/9', '8/5 6/5')]
    >>> found.rates[0].pr > 20, found.rates[1].pr
    (True, None)
    """
    tell = checked_progress(progress)
    if not rollout:
        _refuse_without_rollouts(
            trials=(trials, TRIALS),
            truncate=(truncate, TRUNCATE),
            seed=(seed, 0),
            time_limit=(time_limit, None),
            checkpoint=(checkpoint, None),
        )
    judgement = MatchJudgement(match, JudgingSettings(evaluator, ply, met, efficiency, threads))
    for share in judgement.judge():
        tell(share)
    if not rollout:
        return judgement.result()
    run = judgement.rollout(trials=trials, truncate=truncate, seed=seed)
    for share in run.play(threads=threads, time_limit=time_limit, checkpoint=checkpoint):
        tell(share)
    return run.result()


def _refuse_without_rollouts(**options: tuple[Any, Any]) -> None:
    """Raise `BgfastError` if an option, a value and its default, is given that only rollouts heed."""
    for name, (value, default) in options.items():
        if value != default:
            raise BgfastError(f"{name} is {shown(value)}; expected rollout=True with it")
