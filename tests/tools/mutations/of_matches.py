"""How to break the analysis of recorded matches: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["MATCH_MUTATIONS", "MATCH_TESTS"]

_RECORDED = "bgfast/analysis/matches/recorded_decisions.py"
_JUDGE = "bgfast/analysis/matches/judging/judge.py"
_ANALYSED = "bgfast/analysis/matches/analysed.py"
_RATES = "bgfast/analysis/matches/rates.py"
_STATISTICS = "bgfast/analysis/matches/match_statistics.py"
_CLI = "bgfast/cli/analyse_match.py"
_PASTED = "bgfast/cli/pasted.py"
_PHASES = "bgfast/analysis/matches/phases.py"
_PAGE = "bgfast/analysis/matches/html_report.py"
_TEXT = "bgfast/analysis/matches/text_report.py"
_BRANCHES = "bgfast/analysis/decisions/branches.py"
_BEST = "bgfast/analysis/decisions/best_plays.py"
_EXACT = "tests/analysis/matches/test_hand_made_matches.py"
_TESTS = "tests/analysis/matches/test_analyse_match.py"

MATCH_TESTS = {
    _RECORDED: ["tests/analysis/matches/test_recorded_decisions.py"],
    _JUDGE: [_TESTS],
    _ANALYSED: [_TESTS],
    _RATES: [_TESTS],
    _STATISTICS: [_TESTS],
    _PHASES: [_TESTS],
    _CLI: ["tests/cli/test_pasted.py"],
    _PASTED: ["tests/cli/test_pasted.py"],
    _PAGE: [_TESTS],
    _TEXT: [_TESTS],
    _BRANCHES: [_TESTS],
    _BEST: [_EXACT],
}

MATCH_MUTATIONS = [
    (
        "matches: who may not double decides about it",
        ' and objection(before, "double") is None',
        "",
        _RECORDED,
    ),
    (
        "matches: illegal plays are judged",
        'action.name == "play" and not action.unchecked',
        'action.name == "play"',
        _RECORDED,
    ),
    (
        "matches: what was taken back stands",
        "        if _takes_back(action, before):\n            found.pop()\n",
        "",
        _RECORDED,
    ),
    (
        "matches: a line for each cell",
        "return self._line if (self._writer, player) == (0, 1) else self._line + 1",
        "return self._line + 1",
        _RECORDED,
    ),
    (
        "matches: what was played is judged at sight",
        "if play.ply == ply or",
        "if True or",
        _JUDGE,
    ),
    (
        "matches: what was played is seen by the opponent",
        "            equity=-found.equity,\n",
        "            equity=found.equity,\n",
        _JUDGE,
    ),
    (
        "matches: plays that stand are looked at further",
        "**self._options, alone=False",
        "**self._options",
        _JUDGE,
    ),
    (
        "matches: what stands about the cube is looked at further",
        "if self._player.ply and not _stands(given.chosen, choices):",
        "if self._player.ply:",
        _JUDGE,
    ),
    (
        "matches: a wrong choice stands",
        "return best.text == chosen and all(",
        "return all(",
        _JUDGE,
    ),
    (
        "matches: what sight says counts as what looking ahead does",
        "key=lambda each: -each.equity if each.ply == self._player.ply else inf,",
        "key=lambda each: -each.equity,",
        _JUDGE,
    ),
    ("matches: answers are those of the doubler", "Choice(name, -equity,", "Choice(name, equity,", _JUDGE),
    (
        "matches: the resigner is on roll",
        "of_points(-given.level if resigns == on_roll else given.level)",
        "of_points(-given.level)",
        _JUDGE,
    ),
    (
        "matches: doubles may begin a game",
        "return float((equities[_NO_DOUBLES].mean() - other[_NO_DOUBLES].mean()) / 2)",
        "return float(_WEIGHTS @ equities / _WEIGHTS.sum())",
        _JUDGE,
    ),
    (
        "matches: all rolls are as likely",
        "float(_WEIGHTS @ equities / _WEIGHTS.sum())",
        "float(equities.mean())",
        _JUDGE,
    ),
    (
        "matches: one choice is one too many",
        "return self.legal < 2",
        "return self.legal < 3",
        _ANALYSED,
    ),
    (
        "matches: any turn about the cube is close",
        "return decision.cost_of_doubling < CLOSE",
        "return True",
        _RATES,
    ),
    ("matches: a match to one point is like others", "ONE_POINT = 1.5", "ONE_POINT = 1", _RATES),
    (
        "matches: the turns of one player",
        "turns = sum(1 for each in self.rolls if game in (None, each.recorded.game))",
        "turns = sum(1 for each in self.rolls if not each.recorded.player)",
        _STATISTICS,
    ),
    ("matches: luck counts for nothing", "- luck[0] + luck[1]", "", _STATISTICS),
    (
        "matches: the opening never ends",
        "recorded.move <= OPENING",
        "True",
        _PHASES,
    ),
    (
        "matches: races have contact",
        "found = _WITHOUT_CONTACT.get(recorded.decision.position.phase)",
        "found = None",
        _PHASES,
    ),
    (
        "matches: a phase has the turns of the whole match",
        "turns[phase])",
        "len(self.rolls))",
        _STATISTICS,
    ),
    (
        "matches: chances of money games",
        "            if any(each.errors_mwc for each in given)\n",
        "",
        _RATES,
    ),
    (
        "analyse: the rest of several files is lost behind a damaged one",
        "len(self._files) < 2 and not (self._partial and before is not None):",
        "not (self._partial and before is not None):",
        _CLI,
    ),
    (
        "analyse: what is pasted is positions",
        "    if holds_matches(io.BytesIO(content)):\n        return content\n",
        "",
        _PASTED,
    ),
    (
        "analyse: nothing typed is never what is pasted",
        "return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)",
        "return False",
        _PASTED,
    ),
    (
        "matches: names are HTML",
        "first, second = map(escape, analysis.names)",
        "first, second = analysis.names",
        _PAGE,
    ),
    ("matches: names may move the cursor", "    found = one_line(name)\n", "    found = name\n", _TEXT),
    (
        "decisions: plays of known bear-offs follow the formula",
        "    if not unfinished or not",
        "    if unfinished or not",
        _BEST,
    ),
    (
        "decisions: exact plays stand in the order of the formula",
        "    found.sort(key=lambda each: -each.equity)\n",
        "",
        _BEST,
    ),
    (
        "decisions: exact plays are seen by the opponent",
        "_replace(equity=-opponent, mwc=mwc)",
        "_replace(equity=opponent, mwc=mwc)",
        _BEST,
    ),
    (
        "decisions: an opponent's chances for a player's",
        "mwc = 1 - float(stakes",
        "mwc = float(stakes",
        _BEST,
    ),
    (
        "decisions: formulas where bear-offs are exact",
        "    return look.exact_where_known(decisions, found)",
        "    return found",
        _BRANCHES,
    ),
]
