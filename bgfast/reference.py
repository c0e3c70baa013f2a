"""Reference generator: a literal implementation of the rules, for tests of the compiled core.

It follows the pseudo-code of RULES.md branch by branch and quotes the sentence that each branch
implements. It shares no code and no algorithm with the core.

A board is 26 whole numbers from the mover's side: index 25 the mover's bar, 24 to 1 the points
(own checkers > 0, the opponent's < 0), index 0 the opponent's bar (<= 0). The public functions are
pure and therefore safe to call from several threads. They raise `InvalidPositionError` if a board is
not 26 whole numbers or a bar has the wrong sign, `InvalidDiceError` if a die is not a whole number
from 1 to 6, and `InvalidRulesError` if `rules` is neither a `RuleSet` nor the name of a preset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import index

from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, short_repr
from bgfast.rules import STANDARD, RuleSet, RuleSetLike, rule_set

__all__ = ["flip", "legal_positions", "legal_sequences", "perft"]

Board = tuple[int, ...]
Dice = tuple[int, ...]
Move = tuple[int, int]  # from (25 = bar), to (0 = off)
Step = tuple[int, int, int, bool]  # die, from, to, hit

BAR = 25
OFF = 0
MAX_DEPTH = 100


# ---------------------------------------------------------------- input


def _validate_board(board: Iterable[int]) -> Board:
    try:
        numbers = tuple(map(index, islice(board, 27)))
    except TypeError:
        raise InvalidPositionError(f"board is {short_repr(board)}; expected 26 whole numbers") from None
    if len(numbers) != 26:
        suffix = " or more" if len(numbers) > 26 else ""
        raise InvalidPositionError(f"board has {len(numbers)} entries{suffix}; expected 26 whole numbers")
    if numbers[25] < 0:
        raise InvalidPositionError(f"board[25], the mover's bar, is {numbers[25]}; expected 0 or more")
    if numbers[0] > 0:
        raise InvalidPositionError(f"board[0], the opponent's bar, is {numbers[0]}; expected 0 or less")
    return numbers


def _validate_dice(d1: int, d2: int) -> Dice:
    for name, die in (("d1", d1), ("d2", d2)):
        try:
            is_valid = 1 <= index(die) <= 6
        except TypeError:
            is_valid = False
        if not is_valid:
            raise InvalidDiceError(f"{name} is {short_repr(die)}; expected a whole number from 1 to 6")
    # "doubles give four dice, other rolls two, in either order"
    return (index(d1),) * 4 if d1 == d2 else (index(d1), index(d2))


# ---------------------------------------------------------------- one move


def _can_land(board: Board, point: int, rules: RuleSet) -> bool:
    # "landable(q): opponent has at most one checker on q, and (stack_max == 0 or own[q] < stack_max)"
    return board[point] >= -1 and (rules.stack_max == 0 or board[point] < rules.stack_max)


def _is_all_home(board: Board) -> bool:
    # "no own checker is on 7..24 or on the bar"
    return max(board[7:]) <= 0


def _bear_offs(board: Board, die: int, rules: RuleSet) -> list[Move]:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    occupied = [point for point in range(1, 7) if board[point] > 0]
    if not occupied or not _is_all_home(board):
        return []
    rearmost = occupied[-1]
    if rules.bearoff_die == "exact":
        # "from point d only"
        return [(die, OFF)] if board[die] > 0 else []
    if rules.bearoff_die == "rearmost":
        # "only from r, if d >= r; no other checker ever bears off"
        return [(rearmost, OFF)] if die >= rearmost else []
    # standard: "from point d, or from the highest occupied point r if r < d"
    if board[die] > 0:
        return [(die, OFF)]
    return [(rearmost, OFF)] if rearmost < die else []


def _ordinary_moves(board: Board, die: int, rules: RuleSet) -> list[Move]:
    if board[BAR] > 0:
        # "bar occupied: only bar -> 25-d, if landable"
        return [(BAR, BAR - die)] if _can_land(board, BAR - die, rules) else []
    bear_offs = _bear_offs(board, die, rules)
    if rules.bearoff_compulsory and bear_offs:
        # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
        return bear_offs
    # "else: every p -> p-d with p-d >= 1 and landable, and every bear-off that bearoff_die allows"
    board_moves = [
        (point, point - die)
        for point in range(die + 1, 25)
        if board[point] > 0 and _can_land(board, point - die, rules)
    ]
    return board_moves + bear_offs


def _is_hit(board: Board, move: Move) -> bool:
    # "opponent has exactly one checker on q"; OFF is not a point: board[0] is the opponent's bar
    end = move[1]
    return end != OFF and board[end] == -1


def _after(board: Board, move: Move) -> Board:
    after = list(board)
    start, end = move
    after[start] -= 1
    if _is_hit(board, move):
        # "hit: opponent has exactly one checker on q -> it goes to the opponent's bar"
        after[end] = 0
        after[0] -= 1
    if end != OFF:
        after[end] += 1
    return tuple(after)


def _may_forfeit(board: Board, die: int, rules: RuleSet) -> bool:
    # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board,
    # and own[d] == 0"
    return rules.forfeit == "empty_point" and _is_all_home(board) and max(board[1:7]) > 0 and board[die] <= 0


def _has_ordinary_move(board: Board, dice: Dice, rules: RuleSet) -> bool:
    return any(_ordinary_moves(board, die, rules) for die in set(dice))


def _remove_die(dice: Dice, die: int) -> Dice:
    place = dice.index(die)
    return dice[:place] + dice[place + 1 :]


def _is_finished(board: Board) -> bool:
    return max(board[1:]) <= 0 or min(board[:25]) >= 0


def _compulsory_single_die(board: Board, dice: Dice, rules: RuleSet) -> int:
    # "(3) ... that die is the higher of those that had an ordinary move at the start of the turn"
    return max(die for die in dice if _ordinary_moves(board, die, rules))


# ---------------------------------------------------------------- whole plays


def _reachable(board: Board, dice: Dice, rules: RuleSet, forfeits: bool) -> dict[Dice, set[Board]]:
    """Return the reachable boards, including the start, by unused dice."""
    boards_by_dice: dict[Dice, set[Board]] = {dice: {board}}
    pending = [dice]
    for unused in pending:  # grows during iteration: boards are complete once all larger sets are processed
        for die in set(unused):
            unused_after = _remove_die(unused, die)
            if unused_after not in boards_by_dice:
                boards_by_dice[unused_after] = set()
                pending.append(unused_after)
            next_boards = boards_by_dice[unused_after]
            for state in boards_by_dice[unused]:
                next_boards.update([_after(state, move) for move in _ordinary_moves(state, die, rules)])
                if forfeits and _may_forfeit(state, die, rules):
                    # "a lawful but never compulsory use of d that changes nothing"
                    next_boards.add(state)
    return boards_by_dice


def legal_positions(board: Iterable[int], d1: int, d2: int, rules: RuleSetLike = STANDARD) -> set[Board]:
    """Return the distinct successors of a position with a roll.

    Parameters
    ----------
    board : sequence of 26 int
        The position from the mover's side.
    d1, d2 : int
        The roll, in either order.
    rules : RuleSet
        All combinations of `bearoff_die`, `bearoff_compulsory`, `forfeit` and `stack_max` are
        implemented.

    Returns
    -------
    set of tuple of 26 int
        The successors, from the mover's side (not flipped). Empty for a pass or a finished position
        (one side has no checker on the board).

    Notes
    -----
    RULES.md defines legality over *sequences* of moves and forfeits. `legal_sequences` lists them; tests
    compare the two functions. A double can have tens of thousands of sequences, so this function searches
    *states*, pairs (board, unused dice). Both return the same set: continuations depend only on the state,
    and clauses (1) to (3) only on the start, on the final state and on L, the largest number of dice used
    in a state reached by ordinary moves. A second search includes forfeits, which count as uses but not
    for L.

    Examples
    --------
    One checker is left, on the 4 point: under `EXACT`, the 4 may be forfeited after playing the 1.

    >>> from bgfast.reference import legal_positions
    >>> from bgfast.rules import EXACT
    >>> board = [0] * 26
    >>> board[4], board[24] = 1, -2
    >>> [position[:5] for position in legal_positions(board, 4, 1)]
    [(0, 0, 0, 0, 0)]
    >>> sorted(position[:5] for position in legal_positions(board, 4, 1, EXACT))
    [(0, 0, 0, 0, 0), (0, 0, 0, 1, 0)]
    """
    start, dice, rules = _validate_board(board), _validate_dice(d1, d2), rule_set(rules)
    if _is_finished(start):
        return set()
    by_ordinary_moves = _reachable(start, dice, rules, forfeits=False)
    # "L = the greatest number of dice used by any sequence made of ordinary moves only"
    fewest_left = min(len(unused) for unused, boards in by_ordinary_moves.items() if boards)
    longest = len(dice) - fewest_left
    if longest == 0:
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        return set()
    if rules.forfeit == "never":
        reachable = by_ordinary_moves
    else:
        reachable = _reachable(start, dice, rules, forfeits=True)

    legal: set[Board] = set()
    for unused, boards in reachable.items():
        # "(2) it used at least L dice (a forfeit counts as a use)"
        if len(dice) - len(unused) < longest:
            continue
        # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that
        # had an ordinary move at the start of the turn"
        if longest == 1 and len(dice) == 2 and len(unused) == 1:
            (die,) = _remove_die(dice, unused[0])
            if die != _compulsory_single_die(start, dice, rules):
                continue
        # "(1) none of its unused dice has an ordinary move in its final state"
        legal.update(state for state in boards if not _has_ordinary_move(state, unused, rules))
    return legal


def _sequences(board: Board, dice: Dice, rules: RuleSet) -> Iterator[tuple[tuple[Step, ...], Board, Dice]]:
    """Yield every sequence of moves and forfeits, complete or not: (steps, final board, unused dice)."""
    yield (), board, dice
    for die in set(dice):  # a set, because equal dice give equal sequences
        first_steps: list[tuple[Step, Board]] = [
            ((die, *move, _is_hit(board, move)), _after(board, move))
            for move in _ordinary_moves(board, die, rules)
        ]
        if _may_forfeit(board, die, rules):
            first_steps.append(((die, die, die, False), board))
        for step, after in first_steps:
            for steps, final, unused in _sequences(after, _remove_die(dice, die), rules):
                yield (step, *steps), final, unused


def legal_sequences(
    board: Iterable[int], d1: int, d2: int, rules: RuleSetLike = STANDARD
) -> list[tuple[tuple[Step, ...], Board]]:
    """Return every legal sequence of a roll: the literal definition of RULES.md.

    Parameters are as for `legal_positions`, which is faster.

    Returns
    -------
    list of (steps, final board)
        Distinct sequences in no particular order. `steps` is a tuple of (die, from, to, hit) in the
        order played: from the bar is 25, off is 0, a forfeited die d is (d, d, d, False).

    Examples
    --------
    Either number can be played with the only checker, but not both: the higher must be played.

    >>> from bgfast.reference import legal_sequences
    >>> board = [0] * 26
    >>> board[24], board[14] = 1, -2
    >>> [steps for steps, final in legal_sequences(board, 6, 4)]
    [((6, 24, 18, False),)]
    """
    start, dice, rules = _validate_board(board), _validate_dice(d1, d2), rule_set(rules)
    if _is_finished(start):
        return []
    # "enumerate every sequence of ordinary moves and forfeits"
    sequences = list(_sequences(start, dice, rules))
    # "L = the greatest number of dice used by any sequence made of ordinary moves only"
    longest = max(len(steps) for steps, _, _ in sequences if all(start != end for _, start, end, _ in steps))
    if longest == 0:
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        return []

    legal = []
    for steps, final, unused in sequences:
        # "a sequence is legal iff (1) none of its unused dice has an ordinary move in its final state"
        if _has_ordinary_move(final, unused, rules):
            continue
        # "(2) it used at least L dice (a forfeit counts as a use)"
        if len(steps) < longest:
            continue
        # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that
        # had an ordinary move at the start of the turn"
        if longest == 1 and d1 != d2 and len(steps) == 1:
            die = steps[0][0]
            if die != _compulsory_single_die(start, dice, rules):
                continue
        legal.append((steps, final))
    return legal


# ---------------------------------------------------------------- flipping, counting


def flip(board: Iterable[int]) -> Board:
    """Return the position from the other side: 26 numbers, ``out[i] == -board[25 - i]``.

    Examples
    --------
    >>> from bgfast.reference import flip
    >>> flip([-1] + [0] * 23 + [2, 0])
    (0, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    """
    return tuple(-checkers for checkers in reversed(_validate_board(board)))


def perft(board: Iterable[int], depth: int, rules: RuleSetLike = STANDARD) -> tuple[int, int]:
    """Count the leaves of the game tree at a depth, over all rolls.

    The children of a position are its distinct successors, flipped; a pass is one child; a finished
    game is one leaf, whatever depth remains.

    `board` and `rules` are as for `legal_positions`; `depth` is a number of plays up to 100, otherwise
    `BgfastError` is raised.

    Returns
    -------
    tuple of (int, int)
        The sum over the 21 different rolls, and the sum over the 36 ordered rolls (each non-double
        counts twice), at every play.

    Examples
    --------
    >>> from bgfast.reference import perft
    >>> start = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
    >>> perft(start, 1)
    (447, 637)
    """
    if not isinstance(depth, int) or depth < 0:
        raise BgfastError(f"depth is {short_repr(depth)}; expected a whole number, 0 or more")
    if depth > MAX_DEPTH:
        raise BgfastError(f"depth is {short_repr(depth)}; expected at most {MAX_DEPTH}")
    start = _validate_board(board)
    if depth == 0 or _is_finished(start):
        return 1, 1
    count_21 = count_36 = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            weight = 1 if high == low else 2
            for successor in legal_positions(start, high, low, rules) or {start}:
                unweighted, weighted = perft(flip(successor), depth - 1, rules)
                count_21 += unweighted
                count_36 += weight * weighted
    return count_21, count_36
