"""Generate the contested decisions: select decisions and roll out their candidates.

``python -m benchmarks.make_contested_decisions FILE`` runs from a clone with gnubg-nn installed;
``--gnubg-trials N`` also needs GNU Backgammon. bgfast ships ``bgfast/learning/contested_decisions.txt``. A
run resumes from FILE, adds missing decisions and trials, and stops after ``--seconds N`` if given. Only the
seed determines the decisions and their order, and a rollout depends only on its decision and number of
trials, however the work is divided.

Decisions come from games between randomly drawn players: `builtin`, `builtin-fast` and gnubg-nn at 0 plies,
and pubeval. One random decision of each family in a game is examined. It is contested if 2 to 4 plays are
within 0.1 points of the best at 1 ply (cubeless, money) and the worst of them loses 0.01 or more. These
candidates are rolled out to the end; the other plays keep their loss at 1 ply.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.families import family_of
from benchmarks.peers.gnubg_cubeless_rollouts import gnubg_rollouts, gnubg_version
from bgfast import Network, Position, random_dice, results, rollout, successors
from bgfast.common.files import write_atomically
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.validation import Roll
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.engines import GnubgNN
from bgfast.evaluation.evaluators.evaluators import Policy, Pubeval, evaluator_name
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.learning.contested_decisions import (
    FAMILIES,
    ContestedDecision,
    Family,
    RolledOutPlay,
    SecondJudgement,
    read_decisions,
)
from bgfast.position.objects import Play
from bgfast.rules import STANDARD
from tests.support.contested import decisions_text

MAX_PLIES = 1000
MAX_CANDIDATES = 4
MAX_CANDIDATE_LOSS = 0.1
"""Maximum loss of a candidate at 1 ply, in points."""
MIN_SPREAD = 0.01
"""Minimum loss of the worst candidate at 1 ply, in points."""
TRIAL_GROWTH = 4
"""Factor by which the trials of an unsettled decision grow."""
SAVE_SECONDS = 10.0

Key = tuple[str, Roll]
"""Position ID and roll."""


class SelectedDecision(NamedTuple):
    """A contested decision before its rollout."""

    position: Position
    roll: Roll
    family: Family
    candidates: tuple[Play, ...]
    estimates: tuple[tuple[str, float], ...]

    @property
    def key(self) -> Key:
        """Position ID and roll."""
        return self.position.gnubg_id, self.roll

    @classmethod
    def from_stored(cls, decision: ContestedDecision) -> SelectedDecision:
        """Return the selection from which a stored decision was rolled out."""
        position = Position.from_gnubg_id(decision.position_id)
        plays = {play.position.gnubg_id: play for play in position.plays(decision.roll)}
        candidates = tuple(plays[candidate.position_id] for candidate in decision.candidates)
        return cls(position, decision.roll, decision.family, candidates, decision.estimates)


class Selector:
    """Selects contested decisions from games between several players."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._evaluator = WithBearoff(Network.builtin())
        evaluators = (self._evaluator, WithBearoff(Network.builtin_fast()), GnubgNN(), Pubeval())
        self._players = [Policy(evaluator, STANDARD) for evaluator in evaluators]
        self._search = Lookahead(self._evaluator, ply=1, candidates=9999, threshold=100.0)

    def select(
        self, quotas: dict[Family, int], stored: Sequence[SelectedDecision] = ()
    ) -> list[SelectedDecision]:
        """Return the stored decisions and the missing ones, interleaved in proportion to the quotas."""
        selected: dict[Family, list[SelectedDecision]] = {family: [] for family in FAMILIES}
        for decision in stored:
            selected[decision.family].append(decision)
        keys = {decision.key for decision in stored}
        game = 0
        while missing := {family for family in FAMILIES if len(selected[family]) < quotas[family]}:
            game += 1
            for family, (position, roll) in self._sample_game(game).items():
                if family not in missing or (position.gnubg_id, roll) in keys:
                    continue
                new_decision = self._find_candidates(position, roll, family)
                if new_decision is not None:
                    keys.add(new_decision.key)
                    selected[family].append(new_decision)
        ranks = [
            (index / quotas[family], decision)
            for family, decisions in selected.items()
            for index, decision in enumerate(decisions)
        ]
        return [decision for _, decision in sorted(ranks, key=lambda rank: rank[0])]

    def _sample_game(self, game: int) -> dict[Family, tuple[Position, Roll]]:
        """Play a game; return a random position and roll of each family in it."""
        rng = random.Random(f"contested decisions {self._seed} {game}")
        players = [rng.choice(self._players) for _ in range(2)]
        decisions: dict[Family, list[tuple[Position, Roll]]] = {}
        for position, roll in self._play(players, self._seed * 1_000_000 + game):
            decisions.setdefault(family_of(position), []).append((position, roll))
        return {family: rng.choice(pairs) for family, pairs in decisions.items()}

    def _play(self, players: list[Policy], seed: int) -> Iterator[tuple[Position, Roll]]:
        """Play a game; yield the positions and rolls that allow at least two plays."""
        dice = random_dice(MAX_PLIES, seed)
        dice[0] = random_dice(1, seed, opening=True)[0]
        board = Position.start().to_array()[None]
        for ply in range(MAX_PLIES):
            plays = successors(board, dice[ply], flip=True, passes="keep")
            row = 0
            if len(plays.boards) > 1:
                yield Position.from_array(board[0]), (int(dice[ply].max()), int(dice[ply].min()))
                row = int(players[ply % 2].rows(board, plays)[0])
            board = plays.boards[row : row + 1]
            if results(board)[0]:
                return
        raise AssertionError(f"the game with seed {seed} did not end in {MAX_PLIES} plies")

    def _find_candidates(self, position: Position, roll: Roll, family: Family) -> SelectedDecision | None:
        """Return the decision with its candidates; None if it is uncontested."""
        plays = sorted(self._search.best_plays(position, roll), key=lambda ranked: -ranked.equity)
        losses = [plays[0].equity - ranked.equity for ranked in plays]
        count = sum(loss <= MAX_CANDIDATE_LOSS for loss in losses)
        if not 2 <= count <= MAX_CANDIDATES or losses[count - 1] < MIN_SPREAD:
            return None
        candidates = tuple(ranked.play for ranked in plays[:count])
        other_plays = zip(plays[count:], losses[count:], strict=True)
        estimates = tuple((ranked.play.position.gnubg_id, loss) for ranked, loss in other_plays)
        return SelectedDecision(position, roll, family, candidates, estimates)


class CandidateRollouts:
    """Rollouts of candidates to the end, with variance reduction."""

    def __init__(self) -> None:
        self.policy = WithBearoff(Network.builtin())
        self.luck_evaluator = WithBearoff(Network.builtin_fast())

    def roll_out(self, selected: SelectedDecision, trials: int) -> ContestedDecision:
        """Roll out the candidates; return the decision with the results."""
        position_id = selected.position.gnubg_id
        seed = zlib.crc32(f"{position_id} {selected.roll}".encode("ascii"))
        result = rollout(
            selected.candidates,
            evaluator=self.luck_evaluator,
            policy=self.policy,
            trials=trials,
            seed=seed,
            variance_reduction=True,
            cubeless=True,
        )
        candidates = tuple(
            RolledOutPlay(
                estimate.gnubg_id,
                estimate.equity,
                estimate.equity_se,
                -estimate.difference,
                estimate.difference_se,
                estimate.name,
            )
            for estimate in result.estimates
        )
        return ContestedDecision(
            position_id, selected.roll, selected.family, trials, seed, candidates, selected.estimates
        )


def is_settled(decision: ContestedDecision) -> bool:
    """Return whether the best candidate's lead exceeds its 95 % interval."""
    runner_up = decision.candidates[1]
    return runner_up.loss > NORMAL_95 * runner_up.loss_se


class DecisionFile:
    """File of contested decisions, to which runs add decisions and trials."""

    def __init__(self, file: Path, seed: int) -> None:
        self._file = file
        self._seed = seed
        self._rollouts = CandidateRollouts()
        policy = evaluator_name(self._rollouts.policy)
        luck_evaluator = evaluator_name(self._rollouts.luck_evaluator)
        self._notes = [
            f"made by python -m benchmarks.make_contested_decisions FILE --seed {seed}",
            f"rollouts: policy {policy}, luck {luck_evaluator}, 0 plies, cubeless, money, to the end, "
            "luck subtracted, quasi-random dice, common to the candidates",
        ]
        self._decisions: dict[Key, ContestedDecision] = {}
        if file.exists():
            content = read_decisions(file)
            if list(content.notes[: len(self._notes)]) != self._notes:
                raise BgfastError(f"{file} was begun with other options; expected {self._notes}")
            self._notes = list(content.notes)
            self._decisions = {
                (decision.position_id, decision.roll): decision for decision in content.decisions
            }
        self._order = list(self._decisions)
        self._save_time = time.monotonic()

    def roll_out(self, quotas: dict[Family, int], trials: int, max_trials: int) -> Iterator[str]:
        """Roll out decisions, fewest trials first; yield the progress after each rollout."""
        stored = [SelectedDecision.from_stored(decision) for decision in self._decisions.values()]
        selected = {decision.key: decision for decision in Selector(self._seed).select(quotas, stored)}
        self._order = list(selected)
        while steps := [
            (self._trials(key), order, key)
            for order, key in enumerate(selected)
            if self._next_trials(key, trials, max_trials) > self._trials(key)
        ]:
            _, _, key = min(steps)
            decision = self._rollouts.roll_out(selected[key], self._next_trials(key, trials, max_trials))
            if key in self._decisions:
                decision = decision._replace(second=self._decisions[key].second)
            self._store(decision)
            yield f"{len(steps) - 1} decisions left"

    def roll_out_by_gnubg(self, trials: int) -> Iterator[str]:
        """Roll out the two best candidates with GNU Backgammon; yield the progress after each decision."""
        note = (
            f"second judge: {gnubg_version()}, rollouts at 0 plies, cubeless, money, luck subtracted, to the "
            "end or the one-sided bear-off database"
        )
        if note not in self._notes:
            self._notes.append(note)
        missing = [
            decision
            for decision in self._decisions.values()
            if not decision.second
            and all(
                Position.from_gnubg_id(candidate.position_id).winner is None
                for candidate in decision.candidates[:2]
            )
        ]
        for count, decision in enumerate(missing, 1):
            ids = [candidate.position_id for candidate in decision.candidates[:2]]
            second = tuple(
                SecondJudgement(position_id, trials, -equity, error)
                for position_id, (equity, error) in zip(ids, gnubg_rollouts(ids, trials), strict=True)
            )
            self._store(decision._replace(second=second))
            yield f"{len(missing) - count} decisions left"

    def save(self) -> None:
        """Write the file atomically."""
        decisions = [self._decisions[key] for key in self._order if key in self._decisions]
        if decisions:
            write_atomically(self._file, decisions_text(self._notes, decisions).encode("ascii"))
        self._save_time = time.monotonic()

    def _store(self, decision: ContestedDecision) -> None:
        self._decisions[decision.position_id, decision.roll] = decision
        if time.monotonic() - self._save_time > SAVE_SECONDS:
            self.save()

    def _trials(self, key: Key) -> int:
        return self._decisions[key].trials if key in self._decisions else 0

    def _next_trials(self, key: Key, trials: int, max_trials: int) -> int:
        """Return the decision's number of trials after the next step."""
        current_trials = self._trials(key)
        if current_trials < trials or is_settled(self._decisions[key]):
            return max(current_trials, trials)
        return max(current_trials, min(current_trials * TRIAL_GROWTH, max_trials))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--decisions",
        type=int,
        default=100,
        metavar="N",
        help="decisions per family, 1.5 times N for contact (100)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=1296, metavar="N", help="trials per candidate (1296)")
    parser.add_argument(
        "--max-trials", type=int, default=5184, metavar="N", help="trials of unsettled decisions (5184)"
    )
    parser.add_argument(
        "--gnubg-trials",
        type=int,
        default=0,
        metavar="N",
        help="roll out with GNU Backgammon instead, N trials per play",
    )
    parser.add_argument("--seconds", type=float, default=math.inf, metavar="N", help="stop after N seconds")
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    quotas = {family: arguments.decisions * (3 if family == "contact" else 2) // 2 for family in FAMILIES}
    try:
        decision_file = DecisionFile(arguments.file, arguments.seed)
    except BgfastError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.gnubg_trials:
        steps = decision_file.roll_out_by_gnubg(arguments.gnubg_trials)
    else:
        steps = decision_file.roll_out(quotas, arguments.trials, arguments.max_trials)
    try:
        for progress in steps:
            print(progress, flush=True)
            if time.monotonic() > end:
                break
    finally:
        decision_file.save()
    return 0


if __name__ == "__main__":
    sys.exit(main())
