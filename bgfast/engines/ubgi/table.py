"""State of a UBGI session: position, dice, cube, score."""

from __future__ import annotations

from dataclasses import dataclass

from bgfast.common.vocabulary import Roll
from bgfast.engines.ubgi.lines import Refusal
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.position.text.xgid_text import Context, Offer

PLAYERS = ("p0", "p1")
CENTRE = ("center", "centre")
MAX_CUBE = Context().max_cube


@dataclass
class Table:
    """State of a session, from the side of p0 and p1; p0 is on roll until ``setturn`` says otherwise.

    Only IDs state `beaver`, `max_cube` and `offer`.
    """

    position: Position | None = None  # from the side of the player on roll
    dice: Roll | None = None
    turn: int = 0  # 0 if p0 is on roll, 1 if p1 is
    cube: int = 1
    cube_owner: int | None = None  # 0 or 1; None for the centre
    score: tuple[int, int] = (0, 0)
    match_length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    max_cube: int = MAX_CUBE
    offer: Offer | None = None

    def new_game(self) -> None:
        """Forget position, dice and cube; the session and its score stay."""
        self.position = self.dice = self.cube_owner = self.offer = None
        self.cube, self.max_cube, self.turn = 1, MAX_CUBE, 0

    def new_session(self, words: list[str]) -> None:
        """Obey ``newsession type money|match [length N] [jacoby on|off] [crawford on|off]``."""
        values = _named(words, ("type", "length", "jacoby", "crawford"))
        kind = values.get("type")
        if kind not in ("money", "match"):
            raise Refusal("bad_value", "expected: newsession type <money|match>")
        length = _whole_number(values["length"]) if "length" in values else 1
        if kind == "match" and length < 1:
            raise Refusal("bad_value", "length must be 1 or more")
        fresh = Table(
            match_length=length if kind == "match" else 0,
            jacoby=_switch(values.get("jacoby", "off")),
            crawford=_switch(values.get("crawford", "off")),
        )
        if kind == "match" and fresh.jacoby:
            raise Refusal("bad_value", "the Jacoby rule is for money play")
        if kind == "money" and fresh.crawford:
            raise Refusal("bad_value", "the Crawford rule is for matches")
        vars(self).update(vars(fresh))

    def set_score(self, words: list[str]) -> None:
        """Obey ``setscore P0 P1``."""
        if len(words) != 2:
            raise Refusal("bad_command", "expected: setscore <p0> <p1>")
        first, second = map(_whole_number, words)
        self.score = (first, second)

    def set_cube(self, words: list[str]) -> None:
        """Obey ``setcube value N owner center|p0|p1``."""
        values = _named(words, ("value", "owner"))
        if len(values) != 2:
            raise Refusal("bad_command", "expected: setcube value <N> owner <center|p0|p1>")
        cube, owner = _whole_number(values["value"]), values["owner"]
        if cube < 1 or cube & (cube - 1):
            raise Refusal("bad_value", "the cube must be a power of two")
        if owner not in (*PLAYERS, *CENTRE):
            raise Refusal("bad_value", "owner must be center, p0 or p1")
        self.cube = cube
        self.cube_owner = None if owner in CENTRE else PLAYERS.index(owner)

    def set_turn(self, words: list[str]) -> None:
        """Obey ``setturn p0|p1``."""
        if len(words) != 1 or words[0] not in PLAYERS:
            raise Refusal("bad_value", "expected: setturn <p0|p1>")
        self.turn = PLAYERS.index(words[0])

    def set_dice(self, words: list[str]) -> None:
        """Obey ``dice D1 D2``; invalid dice delete the old ones."""
        self.dice = self.offer = None
        if len(words) != 2 or not all(len(word) == 1 and word in "123456" for word in words):
            raise Refusal("bad_value", "expected: dice <1..6> <1..6>")
        self.dice = (int(words[0]), int(words[1]))

    def set_position(self, words: list[str]) -> None:
        """Obey ``position gnubgid ID`` or ``position xgid ID``; delete the old dice.

        An invalid position deletes the old position as well, so that no answer refers to it.
        """
        self.position = self.dice = self.offer = None
        if len(words) != 2 or words[0] not in ("gnubgid", "xgid"):
            raise Refusal("bad_command", "expected: position <gnubgid|xgid> <ID>")
        kind, text = words
        decision = Decision.read(text)
        if kind == "gnubgid" and ":" not in text:
            self.position = decision.position
            return
        self.set_decision(decision)

    def set_decision(self, decision: Decision) -> None:
        """Replace the state by a decision; X is p0."""
        turn = 0 if decision.turn == 1 else 1
        owner = decision.cube_owner
        first, second = decision.score[:: decision.turn]
        self.position, self.dice, self.turn = decision.position, decision.dice, turn
        self.cube, self.cube_owner = decision.cube, None if owner == 0 else turn if owner == 1 else 1 - turn
        self.score, self.match_length = (first, second), decision.match_length
        self.crawford, self.jacoby, self.beaver = decision.crawford, decision.jacoby, decision.beaver
        self.max_cube, self.offer = decision.max_cube, decision.offer

    def decision(self, *, with_dice: bool) -> Decision:
        """Return the decision; `with_dice` for a play, without for the cube.

        Raises `Refusal` if position or dice are missing, and `BgfastError` if score, cube and session
        contradict each other.
        """
        if self.position is None:
            raise Refusal("bad_state", "missing position")
        if with_dice and self.dice is None:
            raise Refusal("bad_state", "missing dice")
        owner = 0 if self.cube_owner is None else 1 if self.cube_owner == self.turn else -1
        first, second = self.score if self.turn == 0 else self.score[::-1]
        return Decision(
            position=self.position,
            dice=self.dice if with_dice else None,
            turn=1 if self.turn == 0 else -1,
            cube=self.cube,
            cube_owner=owner,
            score=(first, second),
            match_length=self.match_length,
            crawford=self.crawford,
            jacoby=self.jacoby,
            beaver=self.beaver,
            max_cube=max(self.max_cube, self.cube),
            offer=None if with_dice else self.offer,
        )


def _named(words: list[str], names: tuple[str, ...]) -> dict[str, str]:
    """Return ``name value`` pairs by name."""
    if len(words) % 2 or not set(words[::2]) <= set(names) or len(set(words[::2])) < len(words) // 2:
        raise Refusal("bad_command", f"expected pairs of name and value: {', '.join(names)}")
    return dict(zip(words[::2], words[1::2], strict=True))


def _whole_number(word: str) -> int:
    if not word.isascii() or not word.isdigit() or len(word) > 6:
        raise Refusal("bad_value", f"{word} must be a whole number")
    return int(word)


def _switch(word: str) -> bool:
    if word not in ("on", "off"):
        raise Refusal("bad_value", f"{word} must be on or off")
    return word == "on"
