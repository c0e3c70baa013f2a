"""Mutations of the n-ply search."""

from __future__ import annotations

__all__ = ["MUTATIONS", "TESTS"]

_CORE = "bgfast/evaluation/evaluators/_lookahead.pyx"
_PROBABILITIES = "bgfast/core/board/probabilities.pxd"
_WITH_CORE = "bgfast/evaluation/evaluators/_with_bearoff.pyx"
_TESTS = "tests/evaluation/evaluators/test_lookahead.py"
_PLAYER_TESTS = "tests/evaluation/evaluators/test_lookahead_as_player.py"
_SCORE_TESTS = "tests/evaluation/evaluators/test_plays_at_a_score.py"

TESTS = {
    _CORE: [_TESTS, _PLAYER_TESTS],
}

# name, old text, new text, source
MUTATIONS = [
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
        "with bear-offs: the policy of the network is forgotten",
        "        return self.network._default_policy()",
        "        return None",
        _WITH_CORE,
        _TESTS,
    ),
    ("threads share one memory", "self.rows + slot * ROWS_BYTES", "self.rows", _CORE),
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
    ("one candidate too many", "if size == max_rows:", "if size == max_rows + 1:", _CORE),
    ("the threshold is none", "equities[order[size - 1]] > equities[order[0]] + threshold", "False", _CORE),
    (
        "the last of equal plays looks ahead",
        "while j and equities[order[j - 1]] > equities[row]:",
        "while j and equities[order[j - 1]] >= equities[row]:",
        _CORE,
    ),
    (
        "the rules are not looked at in the core",
        "rules.get(), lookahead.scheme",
        "NULL, lookahead.scheme",
        _CORE,
    ),
    (
        "other ends count as standard ones",
        "NULL, self.scheme, CHECKERS",
        "NULL, <WinScheme> 0, CHECKERS",
        _CORE,
    ),
    (
        "the policy chooses from its shortlist",
        "if size == 1:",
        "if True:",
        _CORE,
    ),
    (
        "the last play of a shortlist is the best",
        "if i == 0 or score < lowest:",
        "if True:",
        _CORE,
    ),
    ("nobody else chooses", "self.network if policy is None else policy", "self.network", _CORE),
    (
        "all shortlists are those of the last roll",
        "[ply - 1], _shortlist_losses[ply - 1]",
        "[0], _shortlist_losses[0]",
        _CORE,
    ),
    ("shortlists ignore the loss", "_shortlist_losses[ply - 1])", "9)", _CORE),
    (
        "at a score: both sides play for the same",
        "search.stakes[1] = other_side",
        "search.stakes[1] = stakes",
        _CORE,
        _SCORE_TESTS,
    ),
    (
        "at a score: replies are chosen without it",
        "        search.stakes[side], search.model, search.nets, accumulators, search.rows, n, search.scheme,\n",
        "        NULL, search.model, search.nets, accumulators, search.rows, n, search.scheme,\n",
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
]
