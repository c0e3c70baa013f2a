"""Position texts as programs copy them to the clipboard, in several languages, with invented names."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bgfast import Decision

_BOARD = """ +13-14-15-16-17-18------19-20-21-22-23-24-+
 | X           O    |   | O              X |
 | X           O    |   | O              X |
 |                  |BAR|                  |
 | O           X    |   | X              O |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+"""
# Columns: score, pip count, cube, player on roll with dice {0}{1}, and the word for a player.
_PHRASES = """
English: Score is X:0 O:0 7 pt.(s) match. | Pip count | Cube: 1 | X to play {0}{1} | Player
German: Der Stand ist X:0 O:0 7-Punkte-Match. | Pipzähler | Würfel: 1 | X am Zug {0}{1} | Spieler
French: Le score est X:0 O:0 match en 7 pts | Course | Videau\u00a0: 1 | X à jouer {0}{1} | Joueur
Spanish: El marcador es X:0 O:0 partida a 7 | Cuenta de pips | Cubo: 1 | X juega {0}{1} | Jugador
Finnish: Tilanne X:0 O:0 7 pisteen ottelu | Pipit | Kuutio: 1 | X pelaa {0}{1} | Pelaaja
Japanese: スコア X:0 O:0 7ポイント | ピップ | キューブ: 1 | X の番 {0}{1} | プレイヤー
"""
LANGUAGES = {
    language: fields.strip().split(" | ")
    for language, _, fields in (line.partition(":") for line in _PHRASES.strip().splitlines())
}


def xg_text(decision: Decision, language: str = "English") -> str:
    """Return eXtreme Gammon's text: an XGID, a board and an analysis."""
    score, pips, cube, play, player = LANGUAGES[language]
    to_play = play.format(*(decision.dice or ("", "")))
    return f"""{decision.xgid}

X:\u00c5nn   O:B\u00e9a
{score}
{_BOARD}
{pips}  X: 167  O: 167 X-O: 0-0/7
{cube}
{to_play}

    1. 3-ply       8/5 6/5                      eq:+0,160
      {player}:   55,00% (G:17,00% B:1,00%)

    2. 3-ply       24/20 13/11                  eq:-0,010 (-0,170)
      {player}:   49,00% (G:12,00% B:0,50%)

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
"""


def blitz_text(decision: Decision) -> str:
    """Return BGBlitz's text: a board, GNU Backgammon's IDs and an XGID."""
    return f"""{_BOARD}   X: Rouge  167

 Position-ID: {decision.position.gnubg_id}    Match-ID: {decision.match_id}
 {decision.xgid}

 Rouge to move.
"""


def gnubg_text(decision: Decision) -> str:
    """Return GNU Backgammon's text: its two IDs and a board."""
    return f""" GNU Backgammon  Position ID: {decision.position.gnubg_id}
                 Match ID   : {decision.match_id}
{_BOARD}     X: Bea
"""


def wrap_id(identifier: str, rng: random.Random) -> str:
    """Return a line with an ID inside prose, a URL, a table, quotes or tabs."""
    prefix, suffix = rng.choice(
        [
            ("What would you play here? ", " I like 8/5 6/5."),
            ("(", ")"),
            ('"', '",31,0.25'),
            ("17;", ";\u00c5nn;55,0"),
            ("\t", "\t+0.160\t31"),
            ('<a href="https://example.org/board?size=9&id=', '&x=1">look</a>'),
            ("https://example.org/show/?", "#top"),
            ("- **", "**, money"),
            ("\u201e", "\u201c."),
            ("", "   55.0% 17.0%"),
            ("Position 12: ", ", cube action?"),
        ]
    )
    if "example" in prefix and rng.random() < 0.5:
        identifier = identifier.replace("=", "%3D").replace(":", "%3a")
    return f"{prefix}{identifier}{suffix}"


def noise_lines(rng: random.Random) -> Sequence[str]:
    """Return lines without a position, some with words that resemble an ID."""
    lines = [
        "",
        "Administrating is a word of 14 letters, Understandings is not an ID",
        "Administrating",
        "Position ID: unknown; XGID: see below",
        "1. 3-ply  8/5 6/5  eq:+0.160 12:30:15",
        "20%3A is not a time, 55.00% (G:17.00% B:1.00%)",
        "| X   O |   | O   X |",
        "Match ID: 123456",
        "start of the game",
        "31",
        *_BOARD.splitlines(),
    ]
    return rng.choices(lines, k=rng.randrange(6))
