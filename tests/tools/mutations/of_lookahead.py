"""Mutations of the n-ply search."""

from __future__ import annotations

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
        "doubles weigh as much as other rolls",
        "weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "weight = 2",
        _CORE,
    ),
    ("a roll is left out", "for roll in range(ROLL_COUNT):", "for roll in range(ROLL_COUNT - 1):", _CORE),
    (
        "a pass keeps the player on roll",
        "board_flip(board, &after)   # a pass",
        "after = board[0]   # a pass",
        _CORE,
    ),
    (
        "with bear-offs: no default policy",
        "        return self.network._default_policy()",
        "        return None",
        _WITH_CORE,
        _TESTS,
    ),
    ("threads share their rows", "self.rows + slot * ROWS_BYTES", "self.rows", _CORE),
    ("the opponent's gain is a gain", "total -= weight * equity", "total += weight * equity", _CORE),
    (
        "gammons stay with their side",
        "flipped = probabilities_flipped(&later)",
        "flipped = later",
        _CORE,
    ),
    ("finished games are not recognised", "    if points:\n", "    if False:\n", _CORE),
    (
        "a lost gammon is a single game",
        "points < -1, points < -2)",
        "points < -2, points < -2)",
        _PROBABILITIES,
        _TESTS,
    ),
    (
        "two plies are searched as one",
        "_equity(search, other, &after, ply - 1, NULL, wanted)",
        "_equity(search, other, &after, 0, NULL, wanted)",
        _CORE,
    ),
    (
        "at 0 plies: the rows of a batch move up behind finished games",
        "rows[n] = first",
        "rows[n] = n",
        _CORE,
    ),
    ("at 0 plies: the last positions are forgotten", "(n and first == last)", "False", _CORE),
    (
        "ranked plays: differences to another play",
        "        if i == 0:\n            best",
        "        if True:\n            best",
        _CORE,
    ),
    ("ranked plays: depths are not in order", "depths[play],", "depths[i],", _CORE),
    ("one candidate too many", "if size == max_rows:", "if size == max_rows + 1:", _CORE),
    (
        "the filter has no threshold",
        "equities[order[size - 1]] > equities[order[0]] + threshold",
        "False",
        _CORE,
    ),
    (
        "the last of equal plays is searched",
        "while j and equities[order[j - 1]] > equities[row]:",
        "while j and equities[order[j - 1]] >= equities[row]:",
        _CORE,
    ),
    (
        "the rules are ignored in the core",
        "rules.get(), &self.game",
        "NULL, &self.game",
        _CORE,
    ),
    (
        "other win schemes count as standard ones",
        "self.game = GameRules(scheme, CHECKERS",
        "self.game = GameRules(<WinScheme> 0, CHECKERS",
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
    ("the policy is ignored", "self.network if policy is None else policy", "self.network", _CORE),
    (
        "all shortlists are those of the last roll",
        "[ply - 1], _shortlist_losses[ply - 1]",
        "[0], _shortlist_losses[0]",
        _CORE,
    ),
    ("shortlists ignore the loss", "_shortlist_losses[ply - 1])", "9)", _CORE),
    (
        "at a score: both sides have the same stakes",
        "search.stakes[1] = other_side",
        "search.stakes[1] = stakes",
        _CORE,
        _SCORE_TESTS,
    ),
    (
        "at a score: replies ignore the score",
        "        search.stakes[side], search.model, search.nets, accumulators, search.rows, n,",
        "        NULL, search.model, search.nets, accumulators, search.rows, n,",
        _CORE,
        _SCORE_TESTS,
    ),
    (
        "at a score: databases ignore the score",
        "    if search.stakes[side] != NULL:\n        out.equity",
        "    if False:\n        out.equity",
        _CORE,
        _SCORE_TESTS,
    ),
]
