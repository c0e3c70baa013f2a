"""How to break the analysis of recorded matches: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["MATCH_MUTATIONS", "MATCH_TESTS"]

_RECORDED = "bgfast/analysis/matches/recorded_decisions.py"
_JUDGE = "bgfast/analysis/matches/judging/judge.py"
_JUDGEMENT = "bgfast/analysis/matches/judging/match_judgement.py"
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
    _JUDGEMENT: [_TESTS],
    _JUDGE: [_TESTS],
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
        "matches: the spread is one of plays looked at",
        "**self._options) if self._player.ply else plays",
        "**self._options) if False else plays",
        _JUDGE,
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
        "analyse_match: what is for rollouts is ignored without them",
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
        "matches: equities alone are found out looking ahead",
        "if at_sight.evaluation(Position.start()).probabilities is None:",
        "if False:",
        _JUDGEMENT,
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
        "(_short(name, width - 1) for name",
        "(one_line(name) for name",
        _TEXT,
    ),
    (
        "matches: a long name makes the games wide",
        "_short(name, WIDTH - 1 - wide - 3 * (1 + RATE))",
        "one_line(name)",
        _TEXT,
    ),
    (
        "matches: a double has the luck of the roll behind it",
        'if recorded.kind != "play":',
        "if False:",
        _STATISTICS,
    ),
    (
        "match page: luck is that in chances",
        'f"{roll.luck:+.3f}"',
        'f"{roll.luck_mwc:+.3f}"',
        _PAGE,
    ),
    (
        "match rollouts: nobody says what a checkpoint of another run needs",
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
        "match rollout: beavers below a limit",
        "if stakes_of(each.recorded.decision).may_beaver_below_limit:",
        "if False:",
        _CONTESTED,
    ),
    ("match page: boards on white paper", ", colours=_ON_THE_PAGE)", ")", _PAGE),
    ("match SGF: the first play was made", "A[{each.choices.index(each.chosen)}]", "A[0]", _SGF),
    ("match SGF: the cube of both is the double's", "answer.best.ply > ply:", "answer.best.ply > 9:", _SGF),
    ("match SGF: who is lucky", "if each.luck > 0 else", "if each.luck < 0 else", _SGF),
    ("match SGF: a missed double is a bad play", "_CUBE_MARKS[marked(", "_MARKS[marked(", _SGF),
    ("match SGF: errors of a rollout are equities", "choice.equity_se * unit", "choice.equity_se", _SGF),
    (
        "match rollouts: an answer that looks clear is left at sight",
        "        places[key] = (*places.get(key, ()), place)\n"
        '        plays = _candidates(each) if each.recorded.kind == "play" else ()\n'
        "        if len(plays) > 1 or _is_contested_cube(each):\n",
        '        plays = _candidates(each) if each.recorded.kind == "play" else ()\n'
        "        if len(plays) > 1 or _is_contested_cube(each):\n"
        "            places[key] = (*places.get(key, ()), place)\n",
        _CONTESTED,
    ),
    (
        "match rollouts: what was wrong is not rolled out",
        "if marked(each.error) is not None and each.chosen.text not in near:",
        "if False:",
        _CONTESTED,
    ),
    (
        "match rollouts: a double and its answer are two",
        "places[key] = (*places.get(key, ()), place)",
        "places[key] = (place,)",
        _CONTESTED,
    ),
    (
        "match rollouts: in the order of play",
        "key=lambda one: -max(decisions[place].error for place in one.places)",
        "key=lambda one: one.places",
        _CONTESTED,
    ),
    (
        "match rollouts: what is settled to be right may cost something",
        "error_se=0.0 if settled and mean > 0 else error,",
        "error_se=error,",
        _CONTESTED,
    ),
    (
        "match rollouts: an answer is the doubler's",
        "sign * value, mwc, choice.ply",
        "value, mwc, choice.ply",
        _CONTESTED,
    ),
    (
        "match rollouts: a double is always taken",
        '"double": min(_answers(verdict).values()),',
        '"double": _answers(verdict)["take"],',
        _CONTESTED,
    ),
    (
        "match rollouts: any interval settles a decision",
        "return abs(_standard_errors(*_difference(each, result))) >= errors",
        "return True",
        _CONTESTED,
    ),
    (
        "match rollouts: exact bear-offs are rolled out",
        "if not self._is_exact(one)]",
        "]",
        _ROLLOUT,
    ),
    (
        "match rollouts: nothing is left out",
        "if (len(plays) - len(left)) * (most - look) > len(left) * look:",
        "if False:",
        _ROLLOUT,
    ),
    (
        "match rollouts: nothing is settled before the end",
        "if self._is_settled(one, found) or look == most:",
        "if look == most:",
        _ROLLOUT,
    ),
    (
        "match rollouts: what was kept is played again",
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
        "match rollouts: the time has no end",
        "limit = Limit(time_limit)",
        "limit = Limit()",
        _ROLLOUT,
    ),
    (
        "match rollouts: rates know nothing of errors",
        "variance = sum(each.error_se**2 for each in found)",
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
        "matches: a forced play is looked at further",
        "player = self._at_sight if forced else self._player",
        "player = self._player",
        _JUDGE,
    ),
    (
        "matches: plays that stand are looked at further",
        "**self._options, alone=forced",
        "**self._options",
        _JUDGE,
    ),
    (
        "matches: plays that stand are told by the usual filters",
        "match.rules, THRESHOLDS)",
        "match.rules)",
        _JUDGEMENT,
    ),
    ("matches: half a match passes for all of it", "whole=whole)", "whole=True)", _JUDGEMENT),
    (
        "matches: what was judged is judged again",
        "self._recorded[len(self._judged) :]",
        "self._recorded",
        _JUDGEMENT,
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
        "matches: names are HTML",
        "first, second = map(escape, analysis.names)",
        "first, second = analysis.names",
        _PAGE,
    ),
    (
        "matches: what cost nothing is among the worst",
        "if each.error >= NOTHING]",
        "if each.error > 0]",
        _STATISTICS,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: a game's PR has no interval",
        "[_rate(each.pr, each.pr_se) for each in game.rates] for",
        "[_rate(each.pr) for each in game.rates] for",
        _TEXT,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: a player's PR has no interval",
        "            _rate(found.pr, found.pr_se),",
        "            _rate(found.pr),",
        _TEXT,
        _ROLLOUT_TESTS,
    ),
    (
        "match page: a game's PR has no interval",
        "PR {_number(each.pr)}{_half(each.pr_se)}",
        "PR {_number(each.pr)}",
        _PAGE,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: what is not marked leaves a gap",
        "{f'{cost} {words}'.rstrip()}: game",
        "{f'{cost} {words}'}: game",
        _TEXT,
        _ROLLOUT_TESTS,
    ),
    (
        "matches: names may move the cursor",
        "return cut(one_line(name), most)",
        "return cut(name, most)",
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
