"""Recorded matches analysed at 2 plies: bgfast beside GNU Backgammon.

``python -m benchmarks.peers.match_analysis FOLDER``, from a clone, where gnubg is installed. GNU Backgammon
plays matches against a beginner's player and analyses them, unless the folder has them already; bgfast
analyses the same ones, and the tables go to standard output. Both by one thread; times are those of the
processor.

Errors are compared decision by decision, in EMG: unforced plays, and turns and answers where GNU Backgammon
judges the cube. PR is computed of the equities of both by the definition of docs/MATCH_ANALYSIS.md. With
``--judge N`` rollouts by bgfast say what each of the N decisions that differ most has cost; one's own judge
is biased.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers.gnubg_matches import gnubg_analysis, played_match
from bgfast import MatchEquityTable, analyse_match, load_match, rollout
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.matches.analysed import SAME, AnalysedDecision, AnalysedRoll
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.rates import COUNTED, marked
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.games.match import Match

MATCHES = 20
FAR = 0.1


class Judged(NamedTuple):
    """A decision that both have judged.

    Attributes
    ----------
    match : int
    mine : AnalysedDecision
    error : float
        What it has cost as GNU Backgammon sees it, in EMG.
    counts : bool
        Whether it counts for PR, by GNU Backgammon's equities.
    best : list of (int, int), or None
        GNU Backgammon's best play, as points.
    """

    match: int
    mine: AnalysedDecision
    error: float
    counts: bool
    best: list[list[int]] | None = None

    @property
    def kind(self) -> str:
        """A play, or a decision about the cube."""
        return "play" if self.mine.recorded.kind == "play" else "cube"


def judged(number: int, found: MatchAnalysis, theirs: dict[str, Any]) -> Iterator[Judged]:
    """Yield the decisions of a match that both have judged."""
    events = sorted(
        [*found.decisions, *found.rolls],
        key=lambda each: (each.recorded.action, isinstance(each, AnalysedRoll)),
    )
    for game, records in enumerate(theirs["games"], 1):
        here = [each for each in events if each.recorded.game == game]
        doubled: dict[str, Any] = {}
        for record in records["game"]:
            if record["action"] == "resign":
                break
            said, mine = record.get("analysis", {}), here.pop(0)
            assert mine.recorded.player == "XO".index(record["player"]), (number, record)
            if record["action"] == "double":
                doubled = said
            if record["action"] != "move":
                yield _about_the_cube(number, _decision(mine), doubled)
                continue
            if not isinstance(mine, AnalysedRoll):
                if "nd-cubeful-eq" in said:
                    yield _about_the_cube(number, mine, said)
                mine = here.pop(0)
            assert isinstance(mine, AnalysedRoll), (number, record)
            assert sorted(mine.recorded.roll) == sorted(record["dice"]), (number, record)
            if here and _is_play(here[0]):
                play = _decision(here.pop(0))
                if not play.forced:
                    yield _play(number, play, said)


def _is_play(given: AnalysedDecision | AnalysedRoll) -> bool:
    return isinstance(given, AnalysedDecision) and given.recorded.kind == "play"


def _decision(given: AnalysedDecision | AnalysedRoll) -> AnalysedDecision:
    assert isinstance(given, AnalysedDecision), given
    return given


def _play(number: int, mine: AnalysedDecision, said: dict[str, Any]) -> Judged:
    scores = [each["score"] for each in said["moves"]]
    best = int(np.argmax(scores))
    error = scores[best] - scores[said["imove"]]
    return Judged(number, mine, error, max(scores) - min(scores) > SAME, said["moves"][best]["move"])


def _about_the_cube(number: int, mine: AnalysedDecision, said: dict[str, Any]) -> Judged:
    stakes = stakes_of(mine.recorded.decision, MatchEquityTable.builtin())
    no_double, taken = (float(stakes.normalized(said[f"{name}-cubeful-eq"])) for name in ("nd", "dt"))
    doubled, chosen = min(taken, 1.0), mine.recorded.chosen
    if chosen in ("take", "pass"):
        cost = taken - 1 if chosen == "take" else 1 - taken
        return Judged(number, mine, max(0.0, cost), True)
    cost = doubled - no_double if chosen == "no double" else no_double - doubled
    counts = chosen == "double" or (no_double > 0 and no_double - doubled < COUNTED)
    return Judged(number, mine, max(0.0, cost), counts)


def pr_of(given: Sequence[Judged], player: int) -> float:
    """Return a player's PR by GNU Backgammon's equities."""
    mine = [each for each in given if each.mine.recorded.player == player]
    return 500 * sum(each.error for each in mine) / sum(each.counts for each in mine)


def agreement(name: str, given: Sequence[Judged]) -> str:
    """Return the line of a kind of decisions."""
    own = np.array([each.mine.error for each in given])
    other = np.array([each.error for each in given])
    marks = [(marked(each.mine.error), marked(each.error)) for each in given]
    either = [pair for pair in marks if pair != (None, None)]
    return _line(
        name,
        f"{len(given):,}",
        f"{np.corrcoef(own, other)[0, 1]:.4f}",
        f"{own.sum():.2f}, {other.sum():.2f}",
        f"{sum(a == b for a, b in marks) / len(marks):.1%}",
        f"{sum(a == b for a, b in either) / len(either):.1%} of {len(either)}",
        f"{(np.abs(own - other) >= FAR).sum()}",
    )


def rolled_out(given: Judged, trials: int) -> float:
    """Return what a decision has cost as rollouts by bgfast see it."""
    recorded = given.mine.recorded
    evaluator = named_evaluator("builtin")
    decision = replace(recorded.decision, offer=None)
    if recorded.kind != "play":
        found = {each.name: each.equity for each in rollout(decision, evaluator, trials=trials).estimates}
        taken, no_double = found["double, take"], found["no double"]
        if recorded.kind == "take":
            return max(0.0, taken - 1 if recorded.chosen == "take" else 1 - taken)
        doubled = min(taken, 1.0)
        return max(0.0, doubled - no_double if recorded.chosen == "no double" else no_double - doubled)
    assert given.best is not None
    assert decision.dice is not None
    theirs = " ".join(f"{start or 'off'}/{end or 'off'}" for start, end in given.best)
    texts = (recorded.chosen, given.mine.best.text, theirs)
    ends = dict.fromkeys(decision.position.play(text, decision.dice) for text in texts)
    plays = [each for each in decision.position.plays(decision.dice) if each.position in ends]
    found_plays = rollout(plays, evaluator, trials=trials, context=decision).estimates  # best first
    assert recorded.after is not None
    chosen = next(each.equity for each in found_plays if each.gnubg_id == recorded.after.gnubg_id)
    return max(each.equity for each in found_plays) - chosen


def judgement(given: Sequence[Judged], number: int, trials: int) -> None:
    """Print what rollouts say of the decisions that differ most."""
    far = sorted(given, key=lambda each: -abs(each.mine.error - each.error))
    far = [each for each in far if abs(each.mine.error - each.error) >= FAR][:number]
    print("\n| match, game, move | chosen | bgfast | GNU Backgammon | rollout | nearer |")
    print("|---|---|---|---|---|---|")
    nearer: Counter[str] = Counter()
    off = np.zeros(2)
    for each in far:
        recorded, cost = each.mine.recorded, rolled_out(each, trials)
        distances = abs(each.mine.error - cost), abs(each.error - cost)
        name = "bgfast" if distances[0] < distances[1] else "GNU Backgammon"
        nearer[name] += 1
        off += distances
        cells = [f"{value:.3f}" for value in (each.mine.error, each.error, cost)]
        place = f"{each.match}, {recorded.game}, {recorded.move}"
        print(_line(place, recorded.chosen, *cells, name), flush=True)
    print(f"\nNearer: {dict(nearer)}; off by {off[0]:.2f} (bgfast) and {off[1]:.2f} in all.")


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where GNU Backgammon's matches and analyses are kept")
    parser.add_argument("--matches", type=int, default=MATCHES, metavar="N")
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="roll out the N that differ most")
    parser.add_argument("--trials", type=int, default=1296, metavar="N", help="of these rollouts (1296)")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    found: list[Judged] = []
    print(
        "| match | plays, cube decisions | GNU Backgammon | bgfast | PR | PR by GNU Backgammon's equities |"
    )
    print("|---|---|---|---|---|---|")
    off, spent = [], np.zeros(2)
    for number in range(1, chosen.matches + 1):
        file = played_match(chosen.folder, number)
        theirs = gnubg_analysis(file)
        match: Match = load_match(file)
        began = time.process_time()
        analysis = analyse_match(match)
        seconds = time.process_time() - began
        here = list(judged(number, analysis, theirs["match"]))
        ratings = [(analysis.rates[player].pr, pr_of(here, player)) for player in (0, 1)]
        off += [abs(own - other) for own, other in ratings]
        spent += theirs["cpu"], seconds
        kinds = [each.kind for each in here]
        print(
            _line(
                number,
                f"{kinds.count('play')}, {kinds.count('cube')}",
                f"{theirs['cpu']:.1f} s",
                f"{seconds:.2f} s",
                ", ".join(f"{own:.2f}" for own, _ in ratings),
                ", ".join(f"{other:.2f}" for _, other in ratings),
            ),
            flush=True,
        )
        found += here
    print(f"\n{spent[0]:.0f} s and {spent[1]:.1f} s, {spent[0] / spent[1]:.1f} times as long;")
    print(
        f"PR differs by {np.mean(off):.3f} on average, {np.max(off):.2f} at most, by 0.2 or less in "
        f"{np.mean(np.array(off) <= 0.2):.0%}, by 0.5 or less in {np.mean(np.array(off) <= 0.5):.0%}.\n"
    )
    print(
        "| | decisions | correlation | error in all | same mark | of those marked by either | differ by 0.1 |"
    )
    print("|---|---|---|---|---|---|---|")
    print(agreement("all", found))
    for kind in ("play", "cube"):
        print(agreement(kind, [each for each in found if each.kind == kind]))
    if chosen.judge:
        judgement(found, chosen.judge, chosen.trials)


if __name__ == "__main__":
    main()
