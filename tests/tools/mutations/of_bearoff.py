"""How to break the bear-off databases: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["BEAROFF_MUTATIONS", "BEAROFF_TESTS"]

_CORE = "bgfast/analysis/bearoff/_bearoff.pyx"
_DATABASES = "bgfast/analysis/bearoff/databases.py"
_BEAROFF = "bgfast/analysis/bearoff/bearoff.py"
_CACHE = "bgfast/common/cache.py"
_COMMAND = "bgfast/cli/bearoff.py"
_WITH_CORE = "bgfast/analysis/evaluators/_with_bearoff.pyx"
_WITH = "bgfast/analysis/evaluators/with_bearoff.py"
_LOOKAHEAD = "bgfast/analysis/evaluators/_lookahead.pyx"
_RANKED = "bgfast/analysis/evaluators/lookahead.py"
_EVALUATOR = "bgfast/analysis/evaluators/evaluators.py"
_ROLLOUTS = "bgfast/analysis/rollouts/rollout.py"
_NAMES = "bgfast/cli/evaluator_names.py"
_VALUES = "tests/analysis/bearoff/test_bearoff.py"
_FILES = "tests/analysis/bearoff/test_database_files.py"
_WITH_TESTS = "tests/analysis/evaluators/test_with_bearoff.py"

BEAROFF_TESTS = {
    _CORE: [_VALUES],
    _DATABASES: [_FILES, _VALUES],
    _BEAROFF: [_VALUES, _FILES],
    _CACHE: ["tests/common/test_cache.py"],
    _COMMAND: ["tests/cli/test_bearoff.py"],
    _WITH_CORE: [_WITH_TESTS],
    _WITH: [_WITH_TESTS],
}

# name, what stands there, what comes in its place, source
BEAROFF_MUTATIONS = [
    ("bear off any checker with a greater die", "elif p == die or p == rear:", "elif p <= die:", _CORE),
    ("bear off with the exact die only", "elif p == die or p == rear:", "elif p == die:", _CORE),
    ("three moves for doubles", "best.after[die][MOST_DICE - 1]", "best.after[die][MOST_DICE - 2]", _CORE),
    (
        "play the greater die first",
        "for other in range(DIE):\n                _take",
        "for other in range(die + 1):\n                _take",
        _CORE,
    ),
    ("the most expected rolls", "mean[after] < mean[best[0]]:", "mean[after] > mean[best[0]]:", _CORE),
    ("all rolls weigh the same", "weight = 1 if die == other else 2", "weight = 1", _CORE),
    ("cut off the last rolls", "ROLLS_ROOM = 32 ", "ROLLS_ROOM = 30 ", _CORE),
    ("cut off the last rolls for the first checker", "FIRST_ROOM = 12 ", "FIRST_ROOM = 10 ", _CORE),
    ("a gammon is saved by bearing off all", "after = 0 if first_only else", "after =", _CORE),
    (
        "two-sided: only one order of the dice",
        "return _spread(moves, before, many, die, out, n)",
        "return n",
        _CORE,
    ),
    (
        "two-sided: the mover's best is the opponent's",
        "low = min(low, min(min(own[play[0]], own[play[1]]), min(own[play[2]], own[play[3]])))",
        "low = min(low, own[play[0]])",
        _CORE,
    ),
    (
        "two-sided: the first play of each roll",
        "least[i] = column[i] if column[i] < least[i] else least[i]",
        "pass",
        _CORE,
    ),
    (
        "who waits is on roll",
        "sides.number[1] * databases.sides + sides.number[0]",
        "sides.number[0] * databases.sides + sides.number[1]",
        _CORE,
    ),
    (
        "the opponent wins a tie of rolls",
        "            tail += other[t]\n            win += own[t] * tail\n",
        "            win += own[t] * tail\n            tail += other[t]\n",
        _CORE,
    ),
    (
        "one roll too many to save a gammon",
        "sides.number[0] * FIRST_ROOM, 1)",
        "sides.number[0] * FIRST_ROOM, 0)",
        _CORE,
    ),
    (
        "one roll too few to save a gammon",
        "sides.number[1] * FIRST_ROOM, 0)",
        "sides.number[1] * FIRST_ROOM, 1)",
        _CORE,
    ),
    ("a gammon after a checker is off", "if sides.count[1] == checkers:", "if sides.count[1]:", _CORE),
    (
        "a checker on point 18 is home",
        "for q in range(POINTS + 1, BOARD_SIZE - 1 - POINTS):",
        "for q in range(POINTS + 1, BOARD_SIZE - 2 - POINTS):",
        _CORE,
    ),
    ("evaluate finished games", " and sides.count[0] and sides.count[1]\n", "\n", _CORE),
    ("the bar is home", "return not board[0] and not board[BOARD_SIZE - 1]", "return True", _CORE),
    ("files: a damaged one is believed", "if actual != checksum:", "if False:", _DATABASES),
    ("files: the end may be missing", "if length != kind.size:", "if False:", _DATABASES),
    (
        "files: mapped",
        "tuple(np.asarray(array, np.float64) for array in arrays)",
        'tuple(np.memmap(path, "<f8", "r", HEADER.size + at * arrays[0].nbytes, array.shape) '
        "for at, array in enumerate(arrays))",
        _DATABASES,
    ),
    (
        "files: an end cut off while it is read",
        "if file.readinto(array.data) != array.nbytes:",
        "if not file.readinto(array.data):",
        _DATABASES,
    ),
    ("files: other versions are read", "if version != VERSION:", "if False:", _DATABASES),
    ("files: for other checkers", "if tuple(described) != expected:", "if False:", _DATABASES),
    (
        "files: written over the old one",
        "with replacing(path) as file:",
        'with open(path, "wb") as file:',
        _DATABASES,
    ),
    (
        "files: an unwritable folder is an error",
        "except OSError as error:\n                if not quiet",
        "except KeyError as error:\n                if not quiet",
        _DATABASES,
    ),
    ("files: it is said each time", "_said_of.add(where)", "pass", _DATABASES),
    (
        "files: damage is not said",
        'warnings.warn(f"{path}: {reason(error)}; it is built again", stacklevel=stacklevel)',
        "pass",
        _DATABASES,
    ),
    ("arrays in memory can be written", "array.flags.writeable = False", "pass", _DATABASES),
    (
        "a pickle forgets the folder",
        "return _reopened, (self._checkers, self._folder)",
        "return _reopened, (self._checkers, None)",
        _BEAROFF,
    ),
    ("contact is no matter", "    if behind:\n", "    if behind and not behind:\n", _BEAROFF),
    ("effective pips of 8 a roll", "49 / 6", "48 / 6", _BEAROFF),
    ("a side with a checker off may need rolls for the first", "if checked.off[0]:", "if False:", _BEAROFF),
    (
        "the seven-checker database decides from six on",
        "self._covered(boards, checkers, self._checkers)",
        "self._covered(boards, checkers, 6)",
        _BEAROFF,
    ),
    (
        "cache: relative paths in XDG_CACHE_HOME",
        "given if given.is_absolute() else",
        "given if given.parts else",
        _CACHE,
    ),
    ("cache: BGFAST_CACHE is ignored", 'os.environ.get("BGFAST_CACHE")', 'os.environ.get("BGFAST")', _CACHE),
    (
        "bearoff: fifteen checkers a side for all",
        ", checkers=position.checkers)[0].tolist()",
        ")[0].tolist()",
        _COMMAND,
    ),
    (
        "bearoff: one side twice",
        "for side in (position, position.flip())",
        "for side in (position, position)",
        _COMMAND,
    ),
    ("bearoff: make without keeping", "if opened.path is None:", "if False:", _COMMAND),
    (
        "bearoff: nothing is said of files",
        '    for warning in caught:\n        complain(f"bgfast: {warning.message}")\n',
        "",
        _COMMAND,
    ),
    (
        "with bear-offs: plays by the network alone",
        "    if _may_come_home(before):\n",
        "    if False:\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: only where all are at home before",
        "return outside == 0 or bg_popcount(outside) <= MOST_DICE",
        "return outside == 0",
        _WITH_CORE,
    ),
    (
        "with bear-offs: finished games are not looked for",
        "            found = board_result(&board, scheme, checkers)\n",
        "            found = 0\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: races outside are compared in plays",
        "        elif phase == PHASE_CONTACT:\n",
        "        elif phase < PHASE_BEAROFF:\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: nothing is left out of what is ranked",
        "    if home and outside:\n",
        "    if False:\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: gammons are exact",
        "two_sided_has(bearoff, &sides) and sides.count[0] < checkers and sides.count[1] < checkers",
        "two_sided_has(bearoff, &sides)",
        _WITH_CORE,
    ),
    (
        "with bear-offs: gammons are not counted",
        "out.equity = probabilities_equity(&out.probabilities)",
        "out.equity = 2 * out.probabilities.win - 1",
        _WITH_CORE,
    ),
    (
        "with bear-offs: other rules, too",
        "return self if switches is None else self.network",
        "return self",
        _WITH_CORE,
    ),
    (
        "with bear-offs: 15 checkers a side for all",
        "before, rows, n, scheme, checkers, &equity)\n\n",
        "before, rows, n, scheme, CHECKERS, &equity)\n\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: opened each time",
        "@cache\ndef unasked_bearoff",
        "def unasked_bearoff",
        _BEAROFF,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: who has not asked is told of folders",
        "                if not quiet:\n                    say_in_memory",
        "                if True:\n                    say_in_memory",
        _DATABASES,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: who has not asked is told of damage",
        "            if not quiet:\n                warnings",
        "            if True:\n                warnings",
        _DATABASES,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: a pickle forgets its databases",
        "self._network, self._given)",
        "self._network, None)",
        _WITH,
    ),
    (
        "with bear-offs: six checkers and seven are the same",
        "return self._network, self._bearoff.checkers",
        "return self._network, 0",
        _WITH,
    ),
    (
        "with bear-offs: exact positions are looked ahead from",
        "if known == EXACT or (known and ply == 0):",
        "if known and ply == 0:",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: nothing is looked ahead from that is known",
        "if known == EXACT or (known and ply == 0):",
        "if known:",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: replies by the network alone",
        "    if search.bearoff != NULL:\n        return best_with",
        "    if False:\n        return best_with",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: races outside are looked ahead from",
        "bint some = search.bearoff != NULL and mark_left_out(rows, n, left_out)",
        "bint some = False",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: races outside are ranked with the others",
        "if ply == 0 and left_out is not None:",
        "if False:",
        _RANKED,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: contests under other rules",
        "self.timed = TimedEvaluator(under_rules(evaluator, rules), limit)",
        "self.timed = TimedEvaluator(evaluator, limit)",
        _EVALUATOR,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: chains under other rules",
        "    if type(evaluator) is Chain:\n",
        "    if False:\n",
        _EVALUATOR,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: rollouts under other rules",
        "under_rules(evaluator if policy is None else policy, rules)",
        "evaluator if policy is None else policy",
        _ROLLOUTS,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: nobody has to be made before who is asked",
        "    if bearoff.rolls == NULL:",
        "    if False:",
        _WITH_CORE,
    ),
    ("with bear-offs: made twice", "        if self.held is not None:", "        if False:", _WITH_CORE),
    ("looking ahead: made twice", "        if self.made:", "        if False:", _LOOKAHEAD, _WITH_TESTS),
    (
        "plays that look best by databases of other rules",
        "Lookahead(policy, ply=0, rules=rules)",
        "Lookahead(policy, ply=0)",
        "bgfast/cli/rollout.py",
        "tests/cli/test_rollout.py",
    ),
    (
        "builtin is the network alone",
        '"builtin": lambda: WithBearoff(Network.builtin()),',
        '"builtin": Network.builtin,',
        _NAMES,
        "tests/cli/test_evaluator_names.py",
    ),
]
