"""Descriptions of equity conditions: cube, score, and ignored parts of the decision."""

from __future__ import annotations

from bgfast import Decision
from bgfast.evaluation.cubeful import cubeful_conditions, cubeful_fields, cubeless_conditions

START = Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
IGNORED_PARTS = {
    "0:0:1:31:0:0:0:0:10": "",
    "0:0:-1:00:0:0:0:0:6": "",
    "0:1:1:31:0:0:0:0:10": "; cube and score ignored",
    "1:0:1:31:0:0:0:0:10": "; cube and score ignored",
    "0:0:1:31:2:0:0:0:10": "; cube and score ignored",
    "0:0:1:31:0:0:0:7:10": "; cube and score ignored",
    "0:0:1:31:6:0:1:7:10": "; cube and score ignored",
    "0:0:1:31:0:0:1:0:10": "; Jacoby rule ignored",
    "0:0:1:31:0:0:2:0:10": "; beavers ignored",
    "0:0:1:31:0:0:3:0:10": "; Jacoby rule and beavers ignored",
    "1:1:1:31:0:0:3:0:10": "; Jacoby rule, beavers, cube and score ignored",
}


def test_cubeless_conditions_name_the_ignored_parts() -> None:
    for fields, suffix in IGNORED_PARTS.items():
        decision = Decision.read(f"XGID=-b----E-C---eE---c-e----B-:{fields}")
        assert cubeless_conditions(decision) == f"cubeless, money{suffix}"
        assert cubeless_conditions(None, START, decision) == f"cubeless, money{suffix}"
    for decisions in ((), (None,), (START,)):
        assert cubeless_conditions(*decisions) == "cubeless, money"


def test_cubeful_conditions_and_fields() -> None:
    money = Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10")
    assert (
        cubeful_conditions(money, "Kazaross", "bgfast")
        == "cubeful, money, Jacoby rule; cube 1, centred; efficiency: bgfast"
    )
    fields = cubeful_fields(money, "Kazaross", "bgfast")
    assert (fields["jacoby"], fields["match_equity_table"], fields["efficiency"]) == (True, None, "bgfast")
    match = Decision.read("XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10")
    for method in ("exact", "race recursion"):
        assert cubeful_conditions(match, "Kazaross", "bgfast", method) == (
            f"cubeful, match to 7, X 5 away, O 4 away; cube 2, X's; match equities: Kazaross; {method}"
        )
        assert cubeful_fields(match, "Kazaross", "bgfast", method)["efficiency"] is None
