"""``bgfast bearoff``: rolls, effective pips and winning chances in bear-offs."""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import zip_longest
from math import isnan
from typing import Any

from bgfast.cli.options import check_end, parse_position
from bgfast.cli.parser import print_result
from bgfast.cli.progress import Progress
from bgfast.common.text import pluralize
from bgfast.errors import BgfastError, InvalidPositionError, short_repr
from bgfast.evaluation.actions import CubeActions
from bgfast.evaluation.bearoff.bearoff import Bearoff, not_covered_reason
from bgfast.evaluation.cubeful import CUBELESS, EXACT, cubeful_conditions, cubeless_conditions
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.position.decision import Decision, context_of
from bgfast.position.objects import Position
from bgfast.position.position_text import refuse_offer

MIN_CHANCE = 0.0005  # the smallest chance that is printed as 0.1 %
ACTION_LABELS = {"no_double": "no double", "double_take": "double, take", "double_drop": "double, drop"}

HELP = """
usage: [POSITION]

Both sides have all checkers at home or off. The databases are made at first use, or by --make.

--json --checkers --quiet
--make  build the databases, print their files and exit

example: bgfast bearoff 0 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 -1 -2 -1 -2 0
"""
SUGGESTIONS = dict.fromkeys(
    ("--points", "-o", "--output"), ("a position, or --make, which prints its files",)
)


def run(arguments: argparse.Namespace) -> None:
    """Build the databases, or print the entries of a position."""
    if arguments.make:
        if arguments.operands:
            raise BgfastError(
                f"{short_repr(' '.join(arguments.operands))} after --make; expected nothing more"
            )
        _make_databases(arguments)
        return
    text = parse_position(arguments)
    check_end(text)
    refuse_offer(text.context)
    _print_position(text.position, context_of(text), arguments)


def _databases(quiet: bool) -> Bearoff:
    with Progress("bear-off databases", quiet=quiet) as progress:
        return Bearoff(progress=progress)


def _make_databases(arguments: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    lines = []
    databases = _databases(arguments.quiet).databases
    for name, database in zip(("one-sided", "two-sided"), databases, strict=True):
        if database.path is None:
            raise BgfastError(
                "the databases cannot be stored; expected a writable folder, as in BGFAST_CACHE"
            )
        size = database.path.stat().st_size
        file = {"database": name, "file": str(database.path), "bytes": size}
        rows.append({**file, "built": database.built, "seconds": database.seconds})
        action = "built" if database.built else "already there, checked"
        lines.append(f"{name}: {database.path}, {size / 1e6:.1f} MB, {action} in {database.seconds:.3f} s")
    print_result(arguments, {"databases": rows}, *lines)


def _print_position(position: Position, context: Decision | None, arguments: argparse.Namespace) -> None:
    if position.phase != "bearoff":
        raise InvalidPositionError(not_covered_reason(position))
    bearoff = _databases(arguments.quiet)
    board = position.to_array()[None]
    probabilities = bearoff.probabilities(board, checkers=position.checkers)[0].tolist()
    is_exact = bool(bearoff.covers_exactly(board, checkers=position.checkers)[0])
    sides = [_side_content(bearoff, side) for side in (position, position.flip())]
    cube = None if context is None else _cube_content(bearoff, context)
    conditions = cubeless_conditions(context if cube is None else None)
    content: dict[str, Any] = {"position": position.gnubg_id, "probabilities": probabilities}
    content |= {"exact": is_exact, "conditions": conditions}
    content |= ({} if cube is None else {"cube": cube}) | {"mover": sides[0], "opponent": sides[1]}
    lines = [str(position), "", f"{'':13}{'X':>10}{'O':>10}"]
    for name, key in (("pips", "pips"), ("mean rolls", "mean_rolls"), ("EPC", "epc"), ("wastage", "wastage")):
        lines.append(
            f"{name:<13}" + "".join(f"{side[key]:10.{0 if key == 'pips' else 3}f}" for side in sides)
        )
    for rolls, chances in enumerate(zip_longest(*(side["rolls"] for side in sides), fillvalue=0.0)):
        if max(chances) >= MIN_CHANCE:
            lines.append(f"{pluralize(rolls, 'roll'):<13}" + "".join(f"{chance:10.1%}" for chance in chances))
    win, gammon, _, lose_gammon, _ = probabilities
    strategy = "both play to win" if is_exact else "each side minimizes its number of rolls"
    chance = f"X wins {win:.2%}, {gammon:.2%} with a gammon, O {1 - win:.2%}, {lose_gammon:.2%}; {strategy}"
    lines += ["", chance, conditions]
    if cube is not None:
        lines += _cube_lines(cube)
    elif conditions != CUBELESS:
        lines.append("bgfast analyse takes cube and score into account")
    print_result(arguments, content, *lines)


def _cube_content(bearoff: Bearoff, decision: Decision) -> dict[str, Any] | None:
    """Return the exact equities of the cube actions; None if the tables do not cover the position."""
    board, checkers = decision.position.to_array()[None], decision.position.checkers
    met = MatchEquityTable.builtin()
    mwc = None
    try:
        equities = bearoff.cube_actions(board, decision, met=met, checkers=checkers)
    except BgfastError:
        return None
    if decision.match_length:
        mwc = bearoff.cube_actions(board, decision, met=met, mwc=True, checkers=checkers)
    return {
        "proper_action": str(equities.words[0]),
        "equities": _values_by_action(equities),
        "mwc": None if mwc is None else _values_by_action(mwc),
        # The printed board shows the player on roll as X.
        "conditions": cubeful_conditions(replace(decision, turn=1), met.name, "", EXACT),
    }


def _values_by_action(actions: CubeActions) -> dict[str, float | None]:
    values = {name: float(getattr(actions, name)[0]) for name in ACTION_LABELS}
    return {name: None if isnan(value) else value for name, value in values.items()}


def _cube_lines(cube: dict[str, Any]) -> list[str]:
    lines = [f"before the roll: {cube['proper_action']}"]
    mwc = cube["mwc"]
    for name, label in ACTION_LABELS.items():
        equity = cube["equities"][name]
        if equity is not None:
            lines.append(f"{label:<13}{equity:+10.4f}" + ("" if mwc is None else f"{mwc[name]:10.2%}"))
    return ["", *lines, cube["conditions"]]


def _side_content(bearoff: Bearoff, position: Position) -> dict[str, Any]:
    return {
        "pips": position.pip_counts[0],
        "mean_rolls": bearoff.mean_rolls(position),
        "epc": bearoff.epc(position),
        "wastage": bearoff.wastage(position),
        "rolls": bearoff.distribution(position).tolist(),
        "first_checker": bearoff.gammon_distribution(position).tolist(),
    }
