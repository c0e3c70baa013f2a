"""Evaluation of recorded decisions and rolls: at 0 plies, then by a search unless the choice is obvious."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from bgfast.analysis.branches import as_search, no_probabilities
from bgfast.analysis.cube_decision import CubeDecision, cube_decision
from bgfast.analysis.matches.analysed import RANKED_PLAYS, AnalysedDecision, AnalysedRoll, Choice
from bgfast.analysis.matches.match_rollout import fast_policy
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll
from bgfast.batch.successors import flip
from bgfast.common.probabilities import EQUITY
from bgfast.common.validation import ROLL_WEIGHTS, ROLLS
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.cubeful import CubeModel
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.exact_tables import exact_tables
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import stakes_of
from bgfast.position.decision import Decision, after_turn
from bgfast.rules import RuleSetLike

MAX_CANDIDATES = 5
"""Maximum number of candidates stored for a play decision, including the recorded play."""
OBVIOUS_MARGIN = 0.25
"""A recorded cube action or resignation is not searched if it is best by this much (EMG, at 0 plies)."""
_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64)
_NON_DOUBLES = np.array([high != low for high, low in ROLLS])


class DecisionAnalyser:
    """Evaluates recorded decisions and rolls independently of each other. Thread-safe.

    Obvious decisions keep their static evaluation: plays without a rival inside the search filter, and
    recorded cube actions and resignations that lead by `OBVIOUS_MARGIN`. Otherwise the recorded choice is
    searched to the same depth as the best choice.
    """

    def __init__(
        self, search: Lookahead, met: MatchEquityTable, efficiency: str, preset: Preset | None = None
    ) -> None:
        self.met = met
        self.efficiency = efficiency
        self._options: dict[str, Any] = {"met": met, "efficiency": efficiency}
        self._search = search
        self._preset = preset
        self._deeper_search = None if preset is None else preset.deeper_search(search)
        self._static = Lookahead(search.evaluator, ply=0, rules=search.rules)
        if not self._static.returns_probabilities:
            raise no_probabilities(search)

    def analyse(self, record: RecordedDecision | RecordedRoll) -> AnalysedDecision | AnalysedRoll:
        """Evaluate a recorded decision or roll."""
        if isinstance(record, RecordedRoll):
            return self._analyse_roll(record)
        if record.kind == "play":
            return self._analyse_play(record)
        choices, after_take = self._evaluate_choices(record, self._static)
        best, second, *_ = choices
        is_obvious = best.text == record.chosen and best.equity - second.equity >= OBVIOUS_MARGIN
        if self._search.ply and not is_obvious:
            choices, after_take = self._evaluate_choices(record, self._search)
        rank = 1 + [choice.text for choice in choices].index(record.chosen)
        spread = choices[0].equity - choices[-1].equity
        return AnalysedDecision(record, tuple(choices), rank, len(choices), spread, taken=after_take)

    # ---------------------------------------------------------------- plays

    def _analyse_play(self, record: RecordedDecision) -> AnalysedDecision:
        assert record.decision.dice is not None
        is_forced = len(record.decision.position.plays(record.decision.dice, self._search.rules)) == 1
        evaluator = self._static if is_forced else self._search
        candidates: Sequence[RankedPlay] = evaluator._best_plays(
            record.decision, None, False, self.met, self.efficiency, 1, search_lone=is_forced
        )
        spread = self._static_spread(record.decision, candidates)
        played = next(candidate for candidate in candidates if candidate.play.position == record.after)
        if played is not candidates[0]:
            # Errors compare equal depths: search the best and the recorded play to the full depth.
            searched_best = self._at_full_depth(record.decision, candidates[0])
            searched_played = self._at_full_depth(record.decision, played)
            searched_plays = {id(candidates[0]): searched_best, id(played): searched_played}
            played = searched_played
            # Only equities of full depth are comparable; shallower candidates stay last, in unchanged order.
            candidates = sorted(
                (searched_plays.get(id(candidate), candidate) for candidate in candidates),
                key=lambda candidate: -candidate.equity if candidate.ply == self._search.ply else inf,
            )
        best_ten = candidates[:RANKED_PLAYS]
        equities = [candidate.equity for candidate in best_ten if candidate.ply == self._search.ply]
        if equities:
            spread = max(spread, max(equities) - min(equities))
        if self._preset is not None and self._deeper_search is not None:
            candidates, played = self._average(
                record.decision, candidates, played, self._preset, self._deeper_search
            )
        rank = 1 + candidates.index(played)
        stored = candidates[:MAX_CANDIDATES]
        if rank > MAX_CANDIDATES:
            stored = [*candidates[: MAX_CANDIDATES - 1], played]
        choices = tuple(
            Choice(str(item.play), item.equity, item.mwc, item.ply, item.probabilities) for item in stored
        )
        return AnalysedDecision(
            replace(record, chosen=str(played.play)), choices, rank, len(candidates), spread
        )

    def _static_spread(self, decision: Decision, candidates: Sequence[RankedPlay]) -> float:
        """Return the equity difference between the best and the tenth or last play at 0 plies."""
        if all(candidate.ply >= self._search.ply for candidate in candidates):
            # All plays have the same depth, or exact equities from the bear-off databases.
            ranked = self._static.best_plays(decision, **self._options) if self._search.ply else candidates
            return ranked[0].equity - ranked[:RANKED_PLAYS][-1].equity
        # Like `best_plays`, but faster: without databases and unsorted.
        assert decision.dice is not None
        boards = flip(decision.position.plays(decision.dice, self._static.rules).boards)
        next_stakes = CubeModel.of(after_turn(decision, decision.position), self.met, self.efficiency)
        evaluations = self._static._evaluations(boards, 0, decision.position.checkers, cube_model=next_stakes)
        next_stakes.let_double(evaluations, boards)
        best_ten = np.sort(-evaluations[:, EQUITY])[-RANKED_PLAYS:]
        return float(best_ten[-1] - best_ten[0])

    def _at_full_depth(self, decision: Decision, candidate: RankedPlay) -> RankedPlay:
        """Return the candidate evaluated at the search depth; `difference` is undefined."""
        if candidate.ply != self._search.ply and candidate.play.position.winner is None:
            candidate = self._search._search_play(decision, candidate.play, self.met, self.efficiency)
        return candidate._replace(ply=self._search.ply)

    def _average(
        self,
        decision: Decision,
        candidates: Sequence[RankedPlay],
        played: RankedPlay,
        preset: Preset,
        deeper_search: Lookahead,
    ) -> tuple[Sequence[RankedPlay], RankedPlay]:
        """Return the candidates and the recorded play; contested plays have the means of two searches."""
        best = candidates[0]
        contested_plays = [
            candidate
            for candidate in candidates
            if candidate.ply == self._search.ply and best.equity - candidate.equity <= preset.mean_margin
        ][: preset.mean_candidates]
        if not any(candidate is played for candidate in contested_plays):
            contested_plays.append(played)
        positions = [candidate.play.position for candidate in contested_plays]
        evaluator, rules = self._search.evaluator, self._search.rules
        if (
            len(positions) < 2
            or any(position.winner is not None for position in positions)
            or exact_tables(evaluator, decision, positions, self.met, rules) is not None
        ):
            return candidates, played
        means = {}
        for candidate in contested_plays:
            deeper_play = deeper_search._search_play(decision, candidate.play, self.met, self.efficiency)
            means[id(candidate)] = _mean_of(candidate, deeper_play)
        ranked_plays = sorted(
            (means.get(id(candidate), candidate) for candidate in candidates),
            key=lambda candidate: -candidate.equity if candidate.ply > self._search.ply else inf,
        )
        return ranked_plays, means[id(played)]

    # ---------------------------------------------------------------- cube actions and resignations

    def _evaluate_choices(
        self, record: RecordedDecision, evaluator: Lookahead
    ) -> tuple[list[Choice], Choice | None]:
        """Return the choices, best first, and double/take as a choice (for doubling decisions, else None)."""
        after_take = None
        if record.kind == "resignation":
            choices = self._resignation_choices(record, evaluator)
        else:
            cube = cube_decision(record.decision, evaluator, **self._options)
            if record.kind == "double":
                choices = list(_cube_choices(cube, {"no double": "no_double", "double": "double"}))
                (after_take,) = _cube_choices(cube, {"take": "double_take"})
            else:
                answers = {name: f"double_{name}" for name in ("take", "drop", "beaver")}
                choices = list(_cube_choices(cube, answers, is_answer=True))
        return sorted(choices, key=lambda choice: -choice.equity), after_take

    def _resignation_choices(self, record: RecordedDecision, evaluator: Lookahead) -> list[Choice]:
        """Return two choices: to end the game with the resignation, and to play on."""
        decision = replace(record.decision, offer=None)
        stakes = stakes_of(decision, self.met)
        if decision.dice is not None:
            best = evaluator.best_plays(decision, **self._options)[0]
            equity, mwc = best.equity, best.mwc
        else:
            cube = cube_decision(decision, evaluator, **self._options)
            equity = float(cube.equities.best)
            mwc = None if cube.mwc is None else float(cube.mwc.best)
        on_roll = 0 if decision.turn == 1 else 1
        resigner = record.player if record.chosen == "resign" else 1 - record.player
        value = stakes.of_points(-record.level if resigner == on_roll else record.level)
        end, play_on = ("resign", "play on") if record.chosen == "resign" else ("accept", "refuse")
        choices = [
            Choice(end, float(stakes.normalize(value)), value if stakes.is_match else None, 0),
            Choice(play_on, equity, mwc, evaluator.ply),
        ]
        return choices if record.player == on_roll else [choice.of_opponent() for choice in choices]

    # ---------------------------------------------------------------- luck

    def _analyse_roll(self, record: RecordedRoll) -> AnalysedRoll:
        decision = replace(record.decision, dice=None)
        equities = self._static.roll_equities(decision, **self._options)
        mean = float(_WEIGHTS @ equities / _WEIGHTS.sum())
        if record.opening:
            # Each player throws one die: there are no doubles, and either player may start.
            opponent = self._static.roll_equities(after_turn(decision, decision.position), **self._options)
            mean = float((equities[_NON_DOUBLES].mean() - opponent[_NON_DOUBLES].mean()) / 2)
        luck = float(equities[ROLLS.index((max(record.roll), min(record.roll)))] - mean)
        if not decision.match_length:
            return AnalysedRoll(record, luck, None)
        stakes = stakes_of(decision, self.met)
        return AnalysedRoll(record, luck, float(stakes.denormalize(luck) - stakes.denormalize(0.0)))


def _mean_of(candidate: RankedPlay, deeper_play: RankedPlay) -> RankedPlay:
    """Return the candidate with the means of its values and the values of a deeper search."""
    assert candidate.probabilities is not None
    assert deeper_play.probabilities is not None
    probabilities = np.mean([candidate.probabilities, deeper_play.probabilities], axis=0)
    mwc = None
    if candidate.mwc is not None and deeper_play.mwc is not None:
        mwc = (candidate.mwc + deeper_play.mwc) / 2
    return candidate._replace(
        equity=(candidate.equity + deeper_play.equity) / 2,
        probabilities=tuple(probabilities.tolist()),
        ply=candidate.ply + 1,
        mwc=mwc,
    )


def _cube_choices(cube: CubeDecision, names: Mapping[str, str], is_answer: bool = False) -> Iterator[Choice]:
    """Yield the legal choices for the player who decides; `names` maps texts to fields of the equities."""
    for text, name in names.items():
        equity = float(getattr(cube.equities, name))
        mwc = None if cube.mwc is None else float(getattr(cube.mwc, name))
        if not np.isnan(equity):
            probabilities = None if text == "drop" else cube.probabilities
            choice = Choice(text, equity, mwc, cube.ply, probabilities, method=cube.method)
            yield choice.of_opponent() if is_answer else choice


# ---- presets ----


PresetName = Literal["quick", "normal", "deep", "rollout"]
"""Names of the presets of `analyse_match`."""
THRESHOLDS = (0.12, 0.06)
"""Search filter by ply, narrower than `Lookahead`'s default; effect: docs/notes/match_analysis.md."""


class Preset(NamedTuple):
    """Scheme of a match analysis. Any change in its results requires a new version."""

    name: PresetName
    version: int
    ply: int  # search depth in plies
    thresholds: tuple[float, ...] = THRESHOLDS  # maximum equity loss of plays searched at 1 ply, then at 2
    candidates: tuple[int, ...] | None = None  # maximum number of these plays; None: `Lookahead`'s default
    mean_margin: float = 0.0  # maximum equity loss of a play searched twice (EMG); 0: no second search
    mean_candidates: int = 2  # maximum number of these plays; the recorded play is always included
    rolls_out: bool = False  # True: contested decisions are rolled out

    def __str__(self) -> str:
        """Return name and version, such as ``normal@3``."""
        return f"{self.name}@{self.version}"

    def search(self, evaluator: Evaluator | None, rules: RuleSetLike) -> Lookahead:
        """Return the search with an evaluator; the default is as for `analyse_match`."""
        return as_search(evaluator, self.ply, self.ply, rules, self.thresholds, self.candidates)

    def deeper_search(self, search: Lookahead) -> Lookahead | None:
        """Return the second search of contested plays, one ply deeper; None if the preset has none.

        Equities of both searches are averaged: even and odd numbers of plies err in opposite directions,
        since the last evaluation is for the other player. The evaluator of the second search is itself a
        search, which chooses the plays of the last two plies without the cube.
        """
        if not self.mean_margin:
            return None
        inner = Lookahead(search.evaluator, ply=self.ply, rules=search.rules)
        return Lookahead(inner, ply=1, policy=fast_policy(search.evaluator), rules=search.rules)


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("quick", 3, ply=1, thresholds=THRESHOLDS[:1]),
        Preset("normal", 3, ply=2),
        Preset("deep", 3, ply=2, thresholds=(0.16, 0.08), candidates=(16, 8), mean_margin=0.02),
        Preset("rollout", 6, ply=2, rolls_out=True),
    )
}
"""Presets by name; docs/MATCH_ANALYSIS.md reports their accuracy and time."""
DEFAULT_PRESET = "normal"


def choose_preset(preset: Any, evaluator: Any, ply: Any, rollout: bool) -> Preset | None:
    """Return the preset of an analysis, validated; None if `ply`, `rollout` or a `Lookahead` replaces it."""
    if preset is None:
        is_default = ply is None and not rollout and not isinstance(evaluator, Lookahead)
        return PRESETS[DEFAULT_PRESET] if is_default else None
    if not isinstance(preset, str) or preset not in PRESETS:
        raise BgfastError(f"preset is {short_repr(preset)}; expected {', '.join(get_args(PresetName))}")
    conflicts = {"ply": ply is not None, "rollout": rollout, "a Lookahead": isinstance(evaluator, Lookahead)}
    if conflict := next((name for name, is_set in conflicts.items() if is_set), None):
        raise BgfastError(f"preset {preset!r} and {conflict}; expected one of them")
    return PRESETS[preset]
