"""Texts of the legal actions, and a lenient parser of answers in words, such as a language model's.

The parser never guesses: an answer that fits several actions or none is an error that states the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from bgfast.common.text import Pattern
from bgfast.errors import BgfastError, IllegalActionError, IllegalPlayError, NotationError, short_repr
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.state import ActionName
from bgfast.games.transitions import objection
from bgfast.position.objects import Play, PlayList


class Answer(NamedTuple):
    """Action parsed from text.

    Attributes
    ----------
    name : str
        Name of a method of `Game` and `Match`.
    play : Play or None
        The play if `name` is ``"play"``.

    See Also
    --------
    read_answer : Parse text.

    Examples
    --------
    >>> from bgfast.games import Answer
    >>> Answer("roll")
    Answer(name='roll', play=None)
    """

    name: ActionName
    play: Play | None = None


_PHRASES: Mapping[ActionName, tuple[str, ...]] = {
    "roll": ("roll", "no double", "do not double", "don't double"),
    "double": ("double", "redouble"),
    "take": ("take", "accept"),
    "pass_turn": ("pass", "no play", "no move", "no legal play", "no legal move", "cannot move", "dance"),
    "drop": ("drop", "pass", "refuse", "reject"),
    "beaver": ("beaver",),
    "raccoon": ("raccoon",),
    "resign": ("resign",),
    "accept_resignation": ("accept", "accept resignation"),
    "refuse_resignation": ("refuse", "reject", "refuse resignation"),
}
"""Canonical phrase of each action, followed by its synonyms."""

MAX_LENGTH = 100_000
_JOINT = r"\s*(?:/|->|[-\u2013\u2014\u2192]|\bto\b)\s*"
_POINT = r"(?:bar|off|2[0-5]|1[0-9]|[0-9])"
# Bounded, so that a long chain is not scanned again from each of its points.
_CHAIN = rf"{_POINT}\*?(?:{_JOINT}{_POINT}\*?){{1,9}}(?![\d/])"
_PART = rf"(?:{_CHAIN}(?:\s*\([1-4]\)\*?)?|F[1-6](?:\([1-4]\))?)(?!\s*:)"
_PLAY = Pattern(
    rf"(?<![\w/]){_PART}(?:(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s+){_PART})*(?:[\s,]+pass\b)?", re.IGNORECASE
)
_LABELLED = Pattern(r"^\W*(?:final\s+)?(?:answer|move|play|action)\W*:\W*(.*)$", re.IGNORECASE)
_DECORATION = Pattern(r"\*\*|[`_\"\u201c\u201d]|\$")
_PRONOUN = Pattern(r"^(?:i|we)(?:'ll| will| must)?\s+")
_NOBODY_ACTS = "no player is to act before the opening roll or after a game"
_ROLL = Pattern(r"([1-6])\s*-\s*([1-6])")


def legal_answers(game: Game | Match) -> list[str]:
    """Return the canonical texts of the actions of the player to act.

    Returns
    -------
    list of str
        The legal plays in the order of ``game.plays()``, in the notation of ``str(play)``, or ``"pass"``
        if there is none; then the names of other actions: ``"roll"``, ``"double"``, ``"take"``,
        ``"drop"``, ``"resign"``, ... Empty before the opening roll and after a game.

    See Also
    --------
    read_answer : Parse such a text.
    bgfast.Game.legal_actions : Names of the legal actions, without the plays.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(on_turn=0, dice=["66"])
    >>> bgfast.games.legal_answers(game)
    ['roll', 'double', 'resign']
    >>> _ = game.roll()
    >>> bgfast.games.legal_answers(game)[:2]
    ['13/7 8/2(3)', '13/7(2) 8/2(2)']
    """
    _check_game(game)
    plays = [str(play) for play in game.plays()] if game.phase == "to_play" else []
    return plays + [_PHRASES[name][0] for name in _legal_names(game)]


def read_answer(game: Game | Match, text: str) -> Answer:
    r"""Parse an answer in words.

    Parameters
    ----------
    game : Game or Match
    text : str
        A play in any notation of `Position.play`, or the name of an action, alone or within sentences. The
        last line with the label "Answer:" or "Move:" counts, else the last line with an action. Markdown is
        ignored, and "8 to 5" is 8/5.

    Returns
    -------
    Answer

    Raises
    ------
    IllegalPlayError
        If the play is not legal; the message says which rule it breaks.
    IllegalActionError
        If the action is not legal now; the message names the rule.
    NotationError
        If the text names no action, or several actions.

    See Also
    --------
    legal_answers : Texts of all legal actions.
    bgfast.Position.play : Parse a play alone.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(on_turn=0, dice=["31"])
    >>> bgfast.games.read_answer(game, "It is too early for a double.\n\n**Answer: roll**")
    Answer(name='roll', play=None)
    >>> _ = game.roll()
    >>> str(bgfast.games.read_answer(game, "With 3-1 I make my five-point: 8 to 5 and 6 to 5.").play)
    '8/5 6/5'
    >>> bgfast.games.read_answer(game, "8/5 6/4")
    Traceback (most recent call last):
        ...
    bgfast.errors.IllegalPlayError: illegal play '8/5 6/4' for 3-1: ...
    """
    _check_game(game)
    if not isinstance(text, str) or len(text) > MAX_LENGTH:
        raise NotationError(
            f"an answer is {short_repr(text)}; expected a str of at most {MAX_LENGTH} characters"
        )
    plays = game.plays() if game.phase == "to_play" else None
    if plays is not None:
        try:
            return Answer("play", plays[text])
        except NotationError:
            pass  # the text is more than a play
        except IllegalPlayError:
            if len(plays):
                raise
    lines = [_DECORATION.sub("", line).strip() for line in text.splitlines()]
    labelled = [match[1] for line in lines if (match := _LABELLED.match(line))]
    for line in labelled[-1:] or lines[::-1]:
        answer = _read_action_name(game, line)
        if answer is not None:
            return answer
        if plays is not None and (texts := _play_texts(line, plays)):
            return Answer("play", _only_play(texts, plays))
    answers = ", ".join(legal_answers(game)[:3])
    expected = f"expected one such as {answers}" if answers else _NOBODY_ACTS
    raise NotationError(f"no action found in the answer {short_repr(text)}; {expected}")


def _check_game(game: Any) -> None:
    if not isinstance(game, (Game, Match)):
        raise BgfastError(f"game is {short_repr(game)}; expected a Game or a Match")


def _legal_names(game: Game | Match) -> list[ActionName]:
    """Return the legal actions that a player chooses, other than plays."""
    legal = game.legal_actions() if game.to_act is not None else ()
    return [name for name in _PHRASES if name in legal]


def _read_action_name(game: Game | Match, line: str) -> Answer | None:
    """Return the action that a whole line names, or None; raise `IllegalActionError` if it is illegal."""
    phrase = _PRONOUN.sub("", line.lower().replace("\u2019", "'").strip(" .!:()[]"))
    names: list[ActionName] = [
        name for name, phrases in _PHRASES.items() if phrase in phrases or phrase.removesuffix("s") in phrases
    ]
    if not names:
        return None
    legal = _legal_names(game)
    for name in names:
        if name in legal:
            return Answer(name)
    raise IllegalActionError(f"{names[0]}: {objection(game._game, names[0]) or _NOBODY_ACTS}")


def _play_texts(line: str, plays: PlayList) -> list[str]:
    """Return texts in a line that look like plays, without the roll itself unless nothing else remains."""
    texts = [match[0] for match in _PLAY.finditer(line)]
    dice = {plays.roll, plays.roll[::-1]}
    rolls = {
        text for text in texts if (roll := _ROLL.fullmatch(text)) and (int(roll[1]), int(roll[2])) in dice
    }
    return [text for text in texts if text not in rolls] or texts


def _only_play(texts: list[str], plays: PlayList) -> Play:
    """Return the only legal play among play texts; raise the error of the last text if none is legal."""
    legal: dict[str, Play] = {}
    refusal: BgfastError | None = None
    for text in texts:
        notation = re.sub(r"(?i)\band\b", ",", text)
        try:
            play = plays[re.sub(f"(?i){_JOINT}", "/", notation)]
            legal[str(play)] = play
        except (IllegalPlayError, NotationError) as error:
            refusal = error
    if len(legal) > 1:
        raise NotationError(f"the answer names several plays: {', '.join(legal)}; expected one")
    if not legal:
        assert refusal is not None
        raise refusal
    return next(iter(legal.values()))
