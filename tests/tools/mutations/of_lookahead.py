"""How to break looking ahead: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["LOOKAHEAD_MUTATIONS", "LOOKAHEAD_TESTS"]

_CORE = "bgfast/evaluation/evaluators/_lookahead.pyx"
_PROBABILITIES = "bgfast/core/board/probabilities.pxd"
_BATCHES = "bgfast/evaluation/evaluators/lookahead.py"
_NETWORK = "bgfast/evaluation/evaluators/network.py"
_WITH_CORE = "bgfast/evaluation/evaluators/_with_bearoff.pyx"
_EVALUATOR = "bgfast/evaluation/evaluators/evaluators.py"
_COMMAND = "bgfast/cli/analyse.py"
_PRINTED = "bgfast/cli/analysed.py"
_AT_STAKES = "bgfast/evaluation/evaluators/at_stakes.py"
_TESTS = "tests/evaluation/evaluators/test_lookahead.py"
_PLAYER_TESTS = "tests/evaluation/evaluators/test_lookahead_as_player.py"
_SCORE_TESTS = "tests/evaluation/evaluators/test_plays_at_a_score.py"

LOOKAHEAD_TESTS = {
    _CORE: [_TESTS, _PLAYER_TESTS],
    _BATCHES: [_TESTS, _PLAYER_TESTS],
    _COMMAND: ["tests/cli/test_analyse.py"],
    _PRINTED: ["tests/cli/test_analyse.py"],
}

# name, what stands there, what comes in its place, source
LOOKAHEAD_MUTATIONS = [
    (
        "doubles weigh as much in the core",
        "weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "weight = 2",
        _CORE,
    ),
    ("a roll is left out", "for roll in range(ROLL_COUNT):", "for roll in range(ROLL_COUNT - 1):", _CORE),
    (
        "who passes is on roll again",
        "board_flip(board, &after)   # a pass",
        "after = board[0]   # a pass",
        _CORE,
    ),
    (
        "nothing may be done where no play is legal",
        "legal if len(legal) else (legal._pass(),)",
        "legal",
        _BATCHES,
    ),
    (
        "the strong network chooses all plays itself",
        "policy = evaluator._usual_policy()",
        "policy = None",
        _BATCHES,
    ),
    (
        "every network has the fast one as its policy",
        "return fast if self != fast and self._digest == _digest_of_builtin() else None",
        "return fast",
        _NETWORK,
        _TESTS,
    ),
    (
        "with bear-offs: the policy of the network is forgotten",
        "        return self.network._usual_policy()",
        "        return None",
        _WITH_CORE,
        _TESTS,
    ),
    ("a pass counts as a legal play", "if each.play.moves)", "if True)", _PRINTED),
    ("threads share one memory", "self.rows + slot * ROWS_BYTES", "self.rows", _CORE),
    (
        "threads are not asked",
        "[asked], ply, checkers, threads, at)",
        "[asked], ply, checkers, 1, at)",
        _BATCHES,
    ),
    ("the opponent's gain is a gain", "total -= weight * equity", "total += weight * equity", _CORE),
    (
        "gammons stay with their side",
        "flipped = probabilities_flipped(&later)",
        "flipped = later",
        _CORE,
    ),
    ("finished games are not looked for", "    if points:\n", "    if False:\n", _CORE),
    (
        "a lost gammon is a single game",
        "points < -1, points < -2)",
        "points < -2, points < -2)",
        _PROBABILITIES,
        _TESTS,
    ),
    (
        "two plies are one",
        "_equity(search, other, &after, ply - 1, NULL, wanted)",
        "_equity(search, other, &after, 0, NULL, wanted)",
        _CORE,
    ),
    ("one candidate too many", "if size == most:", "if size == most + 1:", _CORE),
    ("the threshold is none", "equities[order[size - 1]] > equities[order[0]] + threshold", "False", _CORE),
    (
        "the last of equal plays looks ahead",
        "while at and equities[order[at - 1]] > equities[row]:",
        "while at and equities[order[at - 1]] >= equities[row]:",
        _CORE,
    ),
    (
        "the rules are not looked at in the core",
        "rules.get(), player.scheme",
        "NULL, player.scheme",
        _CORE,
    ),
    (
        "other ends count as standard ones",
        "NULL, self.scheme, CHECKERS",
        "NULL, <WinScheme> 0, CHECKERS",
        _CORE,
    ),
    (
        "doubles weigh as much in batches",
        "total += weight * by_roll[:, roll]",
        "total += by_roll[:, roll] * 36 / 21",
        _BATCHES,
    ),
    ("replies are the worst ones", 'found.offsets, best="min")', 'found.offsets, best="max")', _BATCHES),
    ("replies stay with the opponent", "by_roll = flipped_evaluations(after)", "by_roll = after", _BATCHES),
    ("the policy judges, too", "elif n and chooses and wanted == NULL:", "elif n and wanted == NULL:", _CORE),
    ("nobody else chooses", "self.network if policy is None else policy", "self.network", _CORE),
    ("the policy judges in batches", "if ply == 1 and self.policy is None:", "if ply == 1:", _BATCHES),
    (
        "nobody else chooses in batches",
        "self._timed_policy if ply == 1 else self._timed",
        "self._timed",
        _BATCHES,
    ),
    (
        "the policy chooses all plays in batches",
        "self._timed_policy if ply == 1 else self._timed",
        "self._timed_policy",
        _BATCHES,
    ),
    ("the policy chooses all plays", "search.policy if ply == 1 else search.nets", "search.policy", _CORE),
    (
        "another policy is the same player",
        "return self.evaluator, self.policy, ",
        "return self.evaluator, ",
        _BATCHES,
    ),
    (
        "two plies are one in batches",
        "if ply == 1 and self.policy is None:",
        "if self.policy is None:",
        _BATCHES,
    ),
    (
        "finished boards are asked for",
        "evaluations = evaluations_of_points(result)",
        "evaluations = np.zeros((len(boards), 6))",
        _BATCHES,
    ),
    (
        "candidates are not counted",
        "near & (np.arange(len(owners)) - first < most)",
        "near",
        _BATCHES,
    ),
    (
        "the threshold is none in batches",
        "equities <= equities[first] + threshold",
        "equities < np.inf",
        _BATCHES,
    ),
    (
        "ranked for the opponent",
        "own = flipped_evaluations(evaluations[order])",
        "own = evaluations[order]",
        _BATCHES,
    ),
    (
        "what is left over alone stays unjudged",
        "alone: bool = True",
        "alone: bool = False",
        _BATCHES,
    ),
    (
        "an empty segment has a first row",
        "rows[filled] = order[found.offsets[:-1][filled]]",
        "rows[:] = order[found.offsets[:-1]]",
        _BATCHES,
    ),
    (
        "fewer checkers a side count as 15",
        "found, start.checkers, alone",
        "found, CHECKERS, alone",
        _BATCHES,
    ),
    (
        "networks are asked in batches",
        "if cls is Lookahead and plain and isinstance(evaluator, IN_CORE):",
        "if False:",
        _BATCHES,
    ),
    (
        "other rules are played in the core",
        'plain = generated_switches(options.get("rules", STANDARD)) is None',
        "plain = True",
        _BATCHES,
    ),
    ("pubeval looks ahead", "if (number and not tells_points(evaluator)) or", "if", _BATCHES),
    (
        "the other rules of a rollout",
        "    if not isinstance(evaluator, Player):\n        return\n",
        "    return\n",
        _EVALUATOR,
        _PLAYER_TESTS,
    ),
    (
        "all successors are judged at full depth",
        "if isinstance(evaluator, Player):\n            began",
        "if False:\n            began",
        _EVALUATOR,
        _PLAYER_TESTS,
    ),
    (
        "analyse rolls out all plays",
        "_ranking(best, word), rows, [each.play for each in best])",
        "_ranking(best, word), rows, [each.play for each in plays])",
        _PRINTED,
    ),
    ("analyse forgets how far it looks", "evaluator, ply=ply, ", "evaluator, ", _COMMAND),
    ("analyse forgets the candidates", "candidates=arguments.candidates, ", "", _COMMAND),
    (
        "analyse forgets the rules",
        "candidates=arguments.candidates, rules=arguments.rules)",
        "candidates=arguments.candidates)",
        _COMMAND,
    ),
    ("analyse forgets the seed", "seed=arguments.seed or 0", "seed=0", _COMMAND),
    (
        "at a score: both sides play for the same",
        "search.stakes[1] = other_side",
        "search.stakes[1] = stakes",
        _CORE,
        _SCORE_TESTS,
    ),
    (
        "at a score: replies are chosen without it",
        "        search.stakes[side], search.model, nets, accumulators, rows,",
        "        NULL, search.model, nets, accumulators, rows,",
        _CORE,
        _SCORE_TESTS,
    ),
    (
        "at a score: what databases know is worth what it is without",
        "            if search.stakes[side] != NULL:",
        "            if False:",
        _CORE,
        _SCORE_TESTS,
    ),
    (
        "at a score: batches let the opponent play for the mover's stakes",
        "other_side = None if at is None else at.flipped()",
        "other_side = at",
        _BATCHES,
        _SCORE_TESTS,
    ),
    (
        "at a score: the next player's stakes are the mover's",
        "next_at = None if at is None else at.flipped()\n        if",
        "next_at = at\n        if",
        _BATCHES,
        _SCORE_TESTS,
    ),
    (
        "at a score: batches ask the usual model of efficiency",
        "Efficiencies(None, self.model, boards)",
        "Efficiencies(None, 0, boards)",
        _AT_STAKES,
        _SCORE_TESTS,
    ),
    (
        "at a score: chances in money play",
        "if not self.stakes.is_match:",
        "if False:",
        _AT_STAKES,
        _SCORE_TESTS,
    ),
    (
        "at a score: equities alone have a cube",
        "if decision is None or cubeless or not self._tells_probabilities():",
        "if decision is None or cubeless:",
        _BATCHES,
        _SCORE_TESTS,
    ),
]
