"""Recorded matches analysed at 2 plies: bgfast beside GNU Backgammon.

``python -m benchmarks.peers.matches.analysis FOLDER``, from a clone, where gnubg is installed. GNU Backgammon
plays matches against a beginner's player and analyses them, unless the folder has them already; bgfast
analyses the same ones, and the tables go to standard output. Both by one thread; times are those of the
processor.

Errors are compared decision by decision, in EMG: unforced plays, and turns and answers where GNU Backgammon
judges the cube. PR is computed of the equities of both by the definition of docs/MATCH_ANALYSIS.md. With
``--judge N`` rollouts by bgfast and by GNU Backgammon say what each of the N decisions that differ most has
cost; one's own judge is biased. With ``--rollout`` bgfast rolls out what is contested in each match, on
two threads, and it is said whose PR is nearer to the one that this comes to.
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

from benchmarks.peers.matches.gnubg_matches import gnubg_analysis, played_match
from benchmarks.peers.matches.gnubg_rollouts import gnubg_rollout, position_after
from bgfast import analyse_match, load_match, rollout
from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll
from bgfast.analysis.matches.counting import answer_counts, is_counted, no_double_counts, play_counts
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.phases import PHASES, phase_of
from bgfast.analysis.matches.rates import error_mark
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.cube.stakes import stakes_of
from bgfast.games.match import Match

MATCHES = 20
FAR = 0.1
MANY_BACK = 5
"""Checkers of one side in the opponent's home, from which on a game counts as a back game."""


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
    def counts_here(self) -> bool:
        """Whether it counts for PR, by bgfast's equities."""
        return is_counted(self.mine)

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
    counts = play_counts(sorted(scores, reverse=True), len(scores))
    return Judged(number, mine, error, counts, said["moves"][best]["move"])


def _about_the_cube(number: int, mine: AnalysedDecision, said: dict[str, Any]) -> Judged:
    stakes = stakes_of(mine.recorded.decision, MatchEquityTable.builtin())
    no_double, taken = (float(stakes.normalized(said[f"{name}-cubeful-eq"])) for name in ("nd", "dt"))
    doubled, chosen = min(taken, 1.0), mine.recorded.chosen
    if chosen in ("take", "drop"):
        cost = taken - 1 if chosen == "take" else 1 - taken
        return Judged(number, mine, max(0.0, cost), answer_counts(taken))
    cost = doubled - no_double if chosen == "no double" else no_double - doubled
    counts = chosen == "double" or no_double_counts(no_double, taken)
    return Judged(number, mine, max(0.0, cost), counts)


def pr_of(given: Sequence[Judged], player: int, *, counted_here: bool = False) -> float:
    """Return a player's PR by GNU Backgammon's equities, if asked for over the decisions that count here."""
    mine = [each for each in given if each.mine.recorded.player == player]
    counted = sum(each.counts_here if counted_here else each.counts for each in mine)
    return 500 * sum(each.error for each in mine) / counted


def agreement(name: str, given: Sequence[Judged]) -> str:
    """Return the line of a kind of decisions."""
    own = np.array([each.mine.error for each in given])
    other = np.array([each.error for each in given])
    marks = [(error_mark(each.mine.error), error_mark(each.error)) for each in given]
    either = [pair for pair in marks if pair != (None, None)]
    return _line(
        name,
        f"{len(given):,}",
        f"{np.corrcoef(own, other)[0, 1]:.4f}",
        f"{own.sum():.2f}, {other.sum():.2f}",
        f"{sum(a == b for a, b in marks) / len(marks):.1%}",
        f"{sum(a == b for a, b in either) / max(1, len(either)):.1%} of {len(either)}",
        f"{(np.abs(own - other) >= FAR).sum()}",
        f"{((own - other) ** 2).sum():.3f}",
    )


def candidates(given: Judged) -> list[str]:
    """Return the plays that are rolled out: what was made, and what either thinks best; none of the cube."""
    decision = given.mine.recorded.decision
    if given.best is None:
        return []
    assert decision.dice is not None
    theirs = " ".join(f"{start or 'off'}/{end or 'off'}" for start, end in given.best)
    texts = (given.mine.recorded.chosen, given.mine.best.text, theirs)
    ends = {position_after(given.mine, text) for text in texts}
    return [str(each) for each in decision.position.plays(decision.dice) if each.position in ends]


def rolled_out(given: Judged, trials: int) -> dict[str, float]:
    """Return what rollouts by bgfast say of candidates, or of the branches of a double."""
    evaluator = named_evaluator("builtin")
    decision = replace(given.mine.recorded.decision, offer=None)
    plays = candidates(given)
    if not plays:
        found = rollout(decision, evaluator, trials=trials)
    else:
        assert decision.dice is not None
        legal = [each for each in decision.position.plays(decision.dice) if str(each) in plays]
        found = rollout(legal, evaluator, trials=trials, context=decision)
    return {each.name: each.equity for each in found.estimates}


def rolled_out_by_gnubg(given: Judged, analysis: MatchAnalysis, trials: int) -> dict[str, float]:
    """Return what rollouts by GNU Backgammon say of them."""
    recorded = given.mine.recorded
    found = gnubg_rollout(analysis, recorded.action, candidates(given), trials)
    if recorded.kind == "play":
        return found
    stakes = stakes_of(replace(recorded.decision, offer=None), MatchEquityTable.builtin())
    return {name: float(stakes.normalized(value)) for name, value in found.items()}


def cost(given: Judged, values: dict[str, float]) -> float:
    """Return what a decision has cost by these equities."""
    recorded = given.mine.recorded
    if recorded.kind == "play":
        return max(values.values()) - values[recorded.chosen]
    taken, no_double = values["double, take"], values["no double"]
    if recorded.kind == "take":
        return max(0.0, taken - 1 if recorded.chosen == "take" else 1 - taken)
    doubled = min(taken, 1.0)
    return max(0.0, doubled - no_double if recorded.chosen == "no double" else no_double - doubled)


def judgement(
    given: Sequence[Judged], analyses: dict[int, MatchAnalysis], number: int, trials: tuple[int, int]
) -> None:
    """Print what rollouts by both say of the decisions that differ most."""
    far = sorted(given, key=lambda each: -abs(each.mine.error - each.error))
    far = [each for each in far if abs(each.mine.error - each.error) >= FAR][:number]
    names = ("bgfast", "GNU Backgammon")
    head = ["match, game, move", "chosen", *names, *(f"rollout by {name}" for name in names)]
    print(f"\n{_line(*head)}")
    print("|---|---|---|---|---|---|")
    nearer = [Counter[str](), Counter[str]()]
    off, same = np.zeros((2, 2)), 0
    for each in far:
        recorded = each.mine.recorded
        costs = (
            cost(each, rolled_out(each, trials[0])),
            cost(each, rolled_out_by_gnubg(each, analyses[each.match], trials[1])),
        )
        found = []
        for judge, value in enumerate(costs):
            distances = abs(each.mine.error - value), abs(each.error - value)
            found.append(names[int(distances[0] >= distances[1])])
            nearer[judge][found[-1]] += 1
            off[judge] += distances
        same += found[0] == found[1]
        cells = [f"{value:.3f}" for value in (each.mine.error, each.error)]
        cells += [f"{value:.3f}, {name}" for value, name in zip(costs, found, strict=True)]
        place = f"{each.match}, {recorded.game}, {recorded.move}"
        print(_line(place, recorded.chosen, *cells), flush=True)
    for judge, name in enumerate(names):
        distances = f"off by {off[judge, 0]:.2f} (bgfast) and {off[judge, 1]:.2f} in all"
        print(f"\nRollouts by {name}, nearer: {dict(nearer[judge])}; {distances}.")
    print(f"\nBoth find the same one nearer in {same} of {len(far)}.")


def parts(given: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    """Give the decisions by kind, by phase, and by how many checkers are back."""
    yield "all", list(given)
    for kind in ("play", "cube"):
        yield kind, [each for each in given if each.kind == kind]
    for phase in PHASES:
        yield phase, [each for each in given if phase_of(each.mine.recorded) == phase]
    many = [each for each in given if checkers_back(each) >= MANY_BACK]
    yield f"{MANY_BACK} or more checkers back", many
    yield "fewer", [each for each in given if checkers_back(each) < MANY_BACK]


def checkers_back(given: Judged) -> int:
    """Return how many checkers stand in the opponent's home or on the bar, of the side that has more."""
    board = given.mine.recorded.decision.position.to_array().astype(int)
    return int(max(board[19:].clip(0).sum(), (-board[:7]).clip(0).sum()))


def nearer_to_rollouts(given: Sequence[tuple[float, float, float]]) -> str:
    """Return whose PR is nearer to that of rollouts, of tuples: bgfast's, GNU Backgammon's, rollouts'."""
    ratings = np.array(given)
    own, other = (np.abs(ratings[:, column] - ratings[:, 2]) for column in (0, 1))
    means = ", ".join(f"{each:.2f}" for each in ratings.mean(axis=0))
    return (
        f"PR by rollouts, of {len(given)}: bgfast nearer in {(own < other).sum()}, "
        f"off by {own.mean():.3f} on average, by 0.5 or less in {(own <= 0.5).sum()};\n"
        f"GNU Backgammon off by {other.mean():.3f}, by 0.5 or less in {(other <= 0.5).sum()}; means {means}."
    )


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where GNU Backgammon's matches and analyses are kept")
    parser.add_argument("--matches", type=int, default=MATCHES, metavar="N")
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="roll out the N that differ most")
    parser.add_argument("--trials", type=int, default=1296, metavar="N", help="of rollouts by bgfast (1296)")
    parser.add_argument(
        "--gnubg-trials", type=int, default=144, metavar="N", help="of rollouts by GNU Backgammon (144)"
    )
    parser.add_argument("--rollout", action="store_true", help="roll out what is contested, too")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    found: list[Judged] = []
    print(
        "| match | plays, cube decisions | GNU Backgammon | bgfast | PR | PR by GNU Backgammon's equities |"
        + (" PR by rollouts |" if chosen.rollout else "")
    )
    print("|---|---|---|---|---|---|" + ("---|" if chosen.rollout else ""))
    rolled: list[tuple[float, float, float]] = []
    off, counting, spent = [], [], np.zeros(2)
    analyses: dict[int, MatchAnalysis] = {}
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
        counting += [abs(pr_of(here, player, counted_here=True) - ratings[player][1]) for player in (0, 1)]
        analyses[number] = analysis
        spent += theirs["cpu"], seconds
        kinds = [each.kind for each in here]
        by_rollouts = []
        if chosen.rollout:
            found_out = analyse_match(match, rollout=True, threads=2)
            by_rollouts = [each.pr or 0.0 for each in found_out.rates]
            rolled += [
                (own or 0.0, other, last) for (own, other), last in zip(ratings, by_rollouts, strict=True)
            ]
        print(
            _line(
                number,
                f"{kinds.count('play')}, {kinds.count('cube')}",
                f"{theirs['cpu']:.1f} s",
                f"{seconds:.2f} s",
                ", ".join(f"{own:.2f}" for own, _ in ratings),
                ", ".join(f"{other:.2f}" for _, other in ratings),
                *([", ".join(f"{each:.2f}" for each in by_rollouts)] if by_rollouts else []),
            ),
            flush=True,
        )
        found += here
    print(f"\n{spent[0]:.0f} s and {spent[1]:.1f} s, {spent[0] / spent[1]:.1f} times as long;")
    print(
        f"PR differs by {np.mean(off):.3f} on average, {np.max(off):.2f} at most, by 0.2 or less in "
        f"{np.mean(np.array(off) <= 0.2):.0%}, by 0.5 or less in {np.mean(np.array(off) <= 0.5):.0%};\n"
        f"by which decisions count {np.mean(counting):.3f} and {np.max(counting):.2f}.\n"
    )
    if rolled:
        print(f"{nearer_to_rollouts(rolled)}\n")
    head = ("decisions", "correlation", "error in all", "same mark", "of those marked by either")
    print(_line("", *head, "differ by 0.1", "squared differences"))
    print("|---|---|---|---|---|---|---|---|")
    for name, some in parts(found):
        if len(some) > 1:
            print(agreement(name, some))
    if chosen.judge:
        judgement(found, analyses, chosen.judge, (chosen.trials, chosen.gnubg_trials))


if __name__ == "__main__":
    main()
