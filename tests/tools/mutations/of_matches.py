"""How to break the analysis of recorded matches: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["MATCH_MUTATIONS", "MATCH_TESTS"]

_RECORDED = "bgfast/analysis/matches/recorded_decisions.py"
_DECISION_ANALYSER = "bgfast/analysis/matches/judging/judge.py"
_MATCH_ANALYSER = "bgfast/analysis/matches/judging/match_judgement.py"
_CONTESTED = "bgfast/analysis/matches/judging/contested.py"
_ROLLOUT = "bgfast/analysis/matches/judging/match_rollout.py"
_COMMAND = "bgfast/cli/analyse_match.py"
_ANALYSED = "bgfast/analysis/matches/analysed.py"
_RATES = "bgfast/analysis/matches/rates.py"
_STATISTICS = "bgfast/analysis/matches/match_statistics.py"
_CLI = "bgfast/cli/analyse_match.py"
_PASTED = "bgfast/cli/pasted.py"
_PHASES = "bgfast/analysis/matches/phases.py"
_PAGE = "bgfast/analysis/matches/html_report.py"
_TEXT = "bgfast/analysis/matches/text_report.py"
_SGF = "bgfast/analysis/matches/sgf_report.py"
_ROLLOUT_TESTS = "tests/analysis/matches/judging/test_match_rollout.py"
_BRANCHES = "bgfast/analysis/decisions/branches.py"
_BEST = "bgfast/analysis/decisions/best_plays.py"
_EXACT = "tests/analysis/matches/test_hand_made_matches.py"
_TESTS = "tests/analysis/matches/test_analyse_match.py"

MATCH_TESTS = {
    _RECORDED: ["tests/analysis/matches/test_recorded_decisions.py"],
    _MATCH_ANALYSER: [_TESTS],
    _DECISION_ANALYSER: [_TESTS],
    _CONTESTED: [_ROLLOUT_TESTS],
    _ROLLOUT: [_ROLLOUT_TESTS],
    _ANALYSED: [_TESTS],
    _RATES: [_TESTS],
    _STATISTICS: [_TESTS],
    _PHASES: [_TESTS],
    _CLI: ["tests/cli/test_pasted.py", "tests/cli/test_analyse_match.py"],
    _PASTED: ["tests/cli/test_pasted.py"],
    _PAGE: [_TESTS],
    _TEXT: [_TESTS],
    _SGF: ["tests/analysis/matches/test_sgf_report.py"],
    _BRANCHES: [_TESTS],
    _BEST: [_EXACT, _TESTS],
}

MATCH_MUTATIONS = [
    (
        "matches: the spread is not static",
        "**self._options) if self._search.ply else candidates",
        "**self._options) if False else candidates",
        _DECISION_ANALYSER,
    ),
    (
        "matches: who doubles next is forgotten at sight",
        "next_stakes.let_double(evaluations, boards)",
        "pass",
        _BEST,
    ),
    ("match command: Ctrl-C shows nothing", "printed.add_unfinished(name, judgement.result())", "pass", _CLI),
    (
        "commands: reports are written over the old ones",
        'write_atomically(path, text.encode("utf-8", "replace"))',
        'open(path, "wb").write(text.encode("utf-8", "replace"))',
        "bgfast/cli/options.py",
        "tests/cli/test_analyse_match.py",
    ),
    (
        "commands: what cannot be written has no name",
        '{shown(path)}: {reason(error)}")',
        'x")',
        "bgfast/cli/options.py",
        "tests/cli/test_show.py",
    ),
    (
        "match command: other rules are passed over",
        '(None, False, "standard")',
        '(None, False, "standard", "exact")',
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: a missing file makes a position of the others",
        "if is_record and is_missing_file(missing[0])",
        "if False",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: a roll is a missing file",
        "if is_record and is_missing_file(missing[0])",
        "if is_record",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: a match that is missing is a position",
        " or missing[0].lower().endswith(SUFFIXES)",
        "",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "analyse_match: rollout options are ignored without rollouts",
        "if value != default:",
        "if False:",
        "bgfast/analysis/matches/judging/analyse_match.py",
        "tests/analysis/matches/judging/test_match_rollout.py",
    ),
    (
        "match command: the head of the table is that of the first match",
        "head=not self._headed",
        "head=self._number == 1",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "matches: evaluators without probabilities are accepted",
        "if static.evaluation(Position.start()).probabilities is None:",
        "if False:",
        _MATCH_ANALYSER,
        _TESTS,
    ),
    (
        "match command: a report may replace its match",
        "check_target(path, [*files, *written[:at]])",
        "check_target(path, written[:at])",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: two reports may be one file",
        "check_target(path, [*files, *written[:at]])",
        "check_target(path, files)",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "commands: no folder is seen once all is done",
        "if not os.path.isdir(os.path.dirname(path) or os.curdir):",
        "if False:",
        "bgfast/cli/options.py",
        "tests/cli/test_analyse_match.py",
    ),
    (
        "matches: a game has the luck of the match",
        "game.rates, game.luck, strict=True",
        "game.rates, analysis.luck, strict=True",
        _TEXT,
    ),
    (
        "matches: a long name makes the summary wide",
        "(_short_name(name, width - 1) for name",
        "(one_line(name) for name",
        _TEXT,
    ),
    (
        "matches: a long name makes the games wide",
        "_short_name(name, REPORT_WIDTH - 1 - pr_width - 3 * (1 + RATE_WIDTH))",
        "one_line(name)",
        _TEXT,
    ),
    (
        "matches: a double has the luck of the next roll",
        'if recorded.kind != "play":',
        "if False:",
        _STATISTICS,
    ),
    (
        "match page: luck is in match winning chance",
        'f"{roll.luck:+.3f}"',
        'f"{roll.luck_mwc:+.3f}"',
        _PAGE,
    ),
    (
        "match rollouts: the error of another run's checkpoint has no advice",
        'f"{error}; {expected}"',
        "str(error)",
        _ROLLOUT,
    ),
    (
        "match command: several are seen to be so once one is analysed",
        '_refuse_several(self._arguments, f"{shown(name)} has several")',
        "pass",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: matches of one file have one name",
        'f"{name} ({number})" if number else name',
        "name",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: files with findings are not counted",
        "if worst >= 0:",
        "if False:",
        _CLI,
        "tests/cli/test_pasted.py",
    ),
    (
        "match command: folders within folders are passed over",
        'rglob("*")',
        'glob("*")',
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: a folder that is named as a match is one",
        "path for path in inside if not path.is_dir()",
        "inside",
        _CLI,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match command: a mistyped file is a mistyped position alone",
        'if str(error).startswith(f"{shown(word)} is no position;"):',
        "if False:",
        "bgfast/cli/options.py",
        "tests/cli/test_analyse_match.py",
    ),
    (
        "match rollouts: beavers below a cube limit are rolled out",
        "if stakes_of(analysed.recorded.decision).may_beaver_below_limit:",
        "if False:",
        _CONTESTED,
    ),
    ("match page: boards on white paper", ", colours=_BOARD_COLOURS)", ")", _PAGE),
    (
        "match SGF: the recorded play is always the first",
        "A[{analysed.choices.index(analysed.chosen)}]",
        "A[0]",
        _SGF,
    ),
    ("match SGF: a searched answer is ignored", "answer.best.ply > ply:", "answer.best.ply > 9:", _SGF),
    ("match SGF: the wrong player is lucky", "if roll.luck > 0 else", "if roll.luck < 0 else", _SGF),
    (
        "match SGF: a missed double has the mark of a play",
        "_NO_DOUBLE_MARKS[error_mark(",
        "_MARKS[error_mark(",
        _SGF,
    ),
    (
        "match SGF: standard errors are in EMG instead of MWC",
        "choice.equity_se * unit",
        "choice.equity_se",
        _SGF,
    ),
    (
        "match rollouts: the obvious half of a double and its answer is left out",
        "        indices[key] = (*indices.get(key, ()), index)\n"
        '        plays = _candidates(analysed) if recorded.kind == "play" else ()\n'
        "        if len(plays) > 1 or _is_contested_cube(analysed):\n",
        '        plays = _candidates(analysed) if recorded.kind == "play" else ()\n'
        "        if len(plays) > 1 or _is_contested_cube(analysed):\n"
        "            indices[key] = (*indices.get(key, ()), index)\n",
        _CONTESTED,
    ),
    (
        "match rollouts: a wrong play is no candidate",
        "if error_mark(analysed.error) is not None and analysed.chosen.text not in candidates:",
        "if False:",
        _CONTESTED,
    ),
    (
        "match rollouts: a double is separate from its answer",
        "indices[key] = (*indices.get(key, ()), index)",
        "indices[key] = (index,)",
        _CONTESTED,
    ),
    (
        "match rollouts: decisions are in the order of play",
        "key=lambda item: -max(decisions[index].error for index in item.indices)",
        "key=lambda item: item.indices",
        _CONTESTED,
    ),
    (
        "match rollouts: a settled right choice has a standard error",
        "error_se=0.0 if settled and lead.equity > 0 else lead.standard_error,",
        "error_se=lead.standard_error,",
        _CONTESTED,
    ),
    (
        "match rollouts: an answer has the doubler's equity",
        "                sign * equity,\n",
        "                equity,\n",
        _CONTESTED,
    ),
    (
        "match rollouts: a double is always taken",
        '"double": min(_doubler_equities(verdict).values()),',
        '"double": _doubler_equities(verdict)["take"],',
        _CONTESTED,
    ),
    (
        "match rollouts: any interval settles a decision",
        "return abs(_standard_errors(*_lead(analysed, result))) >= min_standard_errors",
        "return True",
        _CONTESTED,
    ),
    (
        "match rollouts: exact bear-offs are rolled out",
        "            if not self._is_exact(contested)\n",
        "",
        _ROLLOUT,
    ),
    (
        "match rollouts: no candidate is eliminated",
        "if (len(plays) - len(remaining)) * (max_trials - trials) > len(remaining) * trials:",
        "if False:",
        _ROLLOUT,
    ),
    (
        "match rollouts: interim analyses settle nothing",
        "if self._is_settled(contested, result) or trials == max_trials:",
        "if trials == max_trials:",
        _ROLLOUT,
    ),
    (
        "match rollouts: finished rollouts are played again",
        "                if number in self._results:\n                    continue\n",
        "",
        _ROLLOUT,
    ),
    (
        "match rollouts: a checkpoint fits any match",
        '"decisions": hashlib.sha256(content).hexdigest(),',
        '"decisions": "",',
        _ROLLOUT,
    ),
    (
        "match rollouts: the time limit is ignored",
        "limit = Limit(time_limit)",
        "limit = Limit()",
        _ROLLOUT,
    ),
    (
        "match rollouts: rates have no standard error",
        "variance = sum(decision.error_se**2 for decision in decisions)",
        "variance = 0.0",
        _RATES,
        _ROLLOUT_TESTS,
    ),
    (
        "match rollouts: Ctrl-C shows nothing",
        "    except KeyboardInterrupt:\n        printed.add(name, rollout.result())\n",
        "    except KeyboardInterrupt:\n",
        _COMMAND,
        "tests/cli/test_analyse_match.py",
    ),
    (
        "matches: a roll without the right to double is a decision",
        ' and objection(before, "double") is None',
        "",
        _RECORDED,
    ),
    (
        "matches: illegal plays are analysed",
        'action.name == "play" and not action.unchecked',
        'action.name == "play"',
        _RECORDED,
    ),
    (
        "matches: undone plays are analysed",
        "        if _replaces_last(action, before):\n            records.pop()\n",
        "",
        _RECORDED,
    ),
    (
        "matches: every cell of the score sheet is a line",
        "return self._line if (self._last_player, player) == (0, 1) else self._line + 1",
        "return self._line + 1",
        _RECORDED,
    ),
    (
        "matches: the recorded play is not searched",
        "if candidate.ply == ply or",
        "if True or",
        _DECISION_ANALYSER,
    ),
    (
        "matches: the recorded play has the opponent's equity",
        "            equity=-opponent.equity,\n",
        "            equity=opponent.equity,\n",
        _DECISION_ANALYSER,
    ),
    (
        "matches: a forced play is searched",
        "evaluator = self._static if is_forced else self._search",
        "evaluator = self._search",
        _DECISION_ANALYSER,
    ),
    (
        "matches: plays without a rival are searched",
        "**self._options, alone=is_forced",
        "**self._options",
        _DECISION_ANALYSER,
    ),
    (
        "matches: the search filter is the default",
        "match.rules, THRESHOLDS)",
        "match.rules)",
        _MATCH_ANALYSER,
    ),
    ("matches: a partial analysis is complete", "whole=is_complete)", "whole=True)", _MATCH_ANALYSER),
    (
        "matches: analysed decisions are analysed again",
        "self._records[len(self._analysed) :]",
        "self._records",
        _MATCH_ANALYSER,
    ),
    (
        "matches: obvious cube actions are searched",
        "if self._search.ply and not _is_obvious(record.chosen, choices):",
        "if self._search.ply:",
        _DECISION_ANALYSER,
    ),
    (
        "matches: a wrong choice is obvious",
        "return best.text == chosen and all(",
        "return all(",
        _DECISION_ANALYSER,
    ),
    (
        "matches: static equities rank with searched ones",
        "key=lambda candidate: -candidate.equity if candidate.ply == self._search.ply else inf,",
        "key=lambda candidate: -candidate.equity,",
        _DECISION_ANALYSER,
    ),
    (
        "matches: answers have the doubler's equity",
        "Choice(name, -equity,",
        "Choice(name, equity,",
        _DECISION_ANALYSER,
    ),
    (
        "matches: the resigner is always on roll",
        "of_points(-record.level if resigner == on_roll else record.level)",
        "of_points(-record.level)",
        _DECISION_ANALYSER,
    ),
    (
        "matches: an opening roll may be a double",
        "return float((equities[_NON_DOUBLES].mean() - opponent[_NON_DOUBLES].mean()) / 2)",
        "return float(_WEIGHTS @ equities / _WEIGHTS.sum())",
        _DECISION_ANALYSER,
    ),
    (
        "matches: all rolls are equally likely",
        "float(_WEIGHTS @ equities / _WEIGHTS.sum())",
        "float(equities.mean())",
        _DECISION_ANALYSER,
    ),
    (
        "matches: two choices are forced",
        "return self.legal < 2",
        "return self.legal < 3",
        _ANALYSED,
    ),
    (
        "matches: every cube decision is close",
        "return decision.cost_of_doubling < CLOSE_CUBE_MARGIN",
        "return True",
        _RATES,
    ),
    (
        "matches: a match to one point has no extra weight",
        "ONE_POINT_WEIGHT = 1.5",
        "ONE_POINT_WEIGHT = 1",
        _RATES,
    ),
    (
        "matches: turns are those of one player",
        "turns = sum(1 for roll in self.rolls if game in (None, roll.recorded.game))",
        "turns = sum(1 for roll in self.rolls if not roll.recorded.player)",
        _STATISTICS,
    ),
    ("matches: the result is not adjusted for luck", "- luck[0] + luck[1]", "", _STATISTICS),
    (
        "matches: the opening never ends",
        "record.move <= OPENING_MOVES",
        "True",
        _PHASES,
    ),
    (
        "matches: races have contact",
        "phase = _NO_CONTACT_PHASES.get(record.decision.position.phase)",
        "phase = None",
        _PHASES,
    ),
    (
        "matches: a phase has the turns of the whole match",
        "turns[phase])",
        "len(self.rolls))",
        _STATISTICS,
    ),
    (
        "matches: money games have errors in MWC",
        "            if any(part.errors_mwc for part in parts)\n",
        "",
        _RATES,
    ),
    (
        "analyse: the rest of several files is lost behind a damaged one",
        "if len(self._files) == 1:\n                    raise",
        "if True:\n                    raise",
        _CLI,
    ),
    (
        "analyse: what is pasted is positions",
        "    if holds_matches(io.BytesIO(content)):\n        return content\n",
        "",
        _PASTED,
    ),
    (
        "analyse: files of positions are matches",
        "        if content is not None:\n            _take_positions(arguments, words[0], content)\n",
        "",
        _PASTED,
    ),
    (
        "analyse: one position of a text is a list",
        "if len(lines) == 1:",
        "if False:",
        _PASTED,
    ),
    (
        "analyse: nothing typed is never what is pasted",
        "return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)",
        "return False",
        _PASTED,
    ),
    (
        "match page: names are not escaped",
        "first, second = map(escape, analysis.names)",
        "first, second = analysis.names",
        _PAGE,
    ),
    (
        "matches: negligible errors are listed",
        "if decision.error >= MIN_LISTED_ERROR]",
        "if decision.error > 0]",
        _STATISTICS,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: a game's PR has no interval",
        "[_rate(rates.pr, rates.pr_se) for rates in game.rates] for",
        "[_rate(rates.pr) for rates in game.rates] for",
        _TEXT,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: a player's PR has no interval",
        "            _rate(rates.pr, rates.pr_se),",
        "            _rate(rates.pr),",
        _TEXT,
        _ROLLOUT_TESTS,
    ),
    (
        "match page: a game's PR has no interval",
        "PR {_number(rates.pr)}{_half_width(rates.pr_se)}",
        "PR {_number(rates.pr)}",
        _PAGE,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: errors without a mark leave a gap",
        "{f'{error} {label}'.rstrip()}: game",
        "{f'{error} {label}'}: game",
        _TEXT,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: names keep control characters",
        "return cut(one_line(name), max_width)",
        "return cut(name, max_width)",
        _TEXT,
    ),
    (
        "decisions: plays of known bear-offs follow the formula",
        "    if not positions or not",
        "    if positions or not",
        _BEST,
    ),
    (
        "decisions: exact plays stand in the order of the formula",
        "    plays.sort(key=lambda candidate: (-candidate.ply, -candidate.equity))\n",
        "",
        _BEST,
    ),
    (
        "decisions: nobody doubles after a play",
        "_reranked(ranked, with_doubles(ranked, decision, met, efficiency))",
        "ranked",
        _BEST,
    ),
    (
        "decisions: exact plays are seen by the opponent",
        "_replace(equity=-opponent_equity, mwc=mwc)",
        "_replace(equity=opponent_equity, mwc=mwc)",
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
        "    return evaluator.with_exact_values(decisions, results)",
        "    return results",
        _BRANCHES,
    ),
]
