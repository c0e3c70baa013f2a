"""SGF records with and without match information."""

from __future__ import annotations

from tests.support.site_records.cases import Case

SGF_HEAD = "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]"
SGF_NAMES = "PW[Ida]PB[Jon]"
SGF_START = f"{SGF_HEAD}MI[length:5]{SGF_NAMES}"
SGF_PLAYS = ";W[42hdfd];B[63aggj];W[51mhxw];B[31qtst]"
CASES = {
    "no cube": Case(f"{SGF_HEAD}MI[length:0][game:0][ws:0][bs:0]{SGF_NAMES}RU[NoCube]{SGF_PLAYS})", 4),
    "no cube in a match": Case(
        f"{SGF_HEAD}MI[length:3][game:0][ws:0][bs:1]{SGF_NAMES}RU[NoCube]{SGF_PLAYS})", 4
    ),
    "an identifier as the number": Case(
        f"{SGF_HEAD}MI[length:5][game:table-17][ws:1][bs:0]{SGF_NAMES}{SGF_PLAYS})", 4, (), (1, 0)
    ),
    "no number": Case(f"{SGF_HEAD}MI[length:5][game:][ws:1][bs:0]{SGF_NAMES}{SGF_PLAYS})", 4, (), (1, 0)),
    "two games with identifiers": Case(
        f"{SGF_HEAD}MI[length:5][game:a1][ws:0][bs:0]{SGF_NAMES};W[42hdfd];B[double];W[drop])\n"
        f"{SGF_HEAD}MI[length:5][game:a2][ws:0][bs:1]{SGF_NAMES}{SGF_PLAYS})",
        5, ((1, 1, "drop"),), (0, 1), worst="note",
    ),
    "no MI": Case(f"{SGF_HEAD}{SGF_NAMES}{SGF_PLAYS})", 4, worst="note"),
    "no MI, a drop": Case(
        f"{SGF_HEAD}{SGF_NAMES};W[42hdfd];B[double];W[drop])", 1, ((1, 1, "drop"),), (0, 1), worst="note"
    ),
    "a double after the Crawford game": Case(
        f"{SGF_HEAD}MI[length:5][game:6][ws:4][bs:2]{SGF_NAMES};W[42hdfd];B[double];W[take];B[63aggj])",
        2, (), (4, 2), worst="note",
    ),
    "a double after the Crawford game, with its rule": Case(
        f"{SGF_HEAD}MI[length:7][game:9][ws:3][bs:6]{SGF_NAMES}RU[Crawford];W[42hdfd];B[63aggj];W[double];B[take];"
        "W[51mhxw])", 3, (), (3, 6), worst="note",
    ),
}  # fmt: skip
