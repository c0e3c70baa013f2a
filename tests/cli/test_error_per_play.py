"""``bgfast errors``: tables, JSON, the largest errors, Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bgfast import Position
from bgfast.cli.main import main
from bgfast.learning.contested_decisions import SecondJudgement
from tests.support.command_line import Capture, run, run_json
from tests.support.contested import blot_equity, contested_decision, decisions_text

START = Position.start()
DECISIONS = [contested_decision(START, roll, blot_equity) for roll in ((3, 1), (6, 2), (5, 4))]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    best, second = DECISIONS[0].candidates[:2]
    decision = DECISIONS[0]._replace(
        second=(
            SecondJudgement(best.position_id, 36, 0, 0.001),
            SecondJudgement(second.position_id, 36, 0.5, 0.001),
        )
    )
    path = tmp_path / "contested"
    path.write_text(decisions_text(["by hand"], [decision, *DECISIONS[1:]]), encoding="ascii")
    return path


def test_the_table_of_one_player_agrees_with_json(file: Path, capsys: Capture) -> None:
    content = run_json(capsys, "errors", "pip-count", "--positions", str(file), "--worst", "2")
    assert content["notes"] == ["by hand"]
    assert content["judges"] == {"one-judge": 2, "judges-agree": 0, "judges-differ": 1}
    assert content["difference"] is None
    (player,) = content["players"]
    assert player["player"] == "pip-count"
    assert player["overall"] == player["families"]["opening"]
    assert player["overall"]["decisions"] == 3
    assert (player["judges_differ"]["decisions"], player["judges_differ"]["standard_error"]) == (1, None)
    assert len(player["worst"]) == 2
    overall, error = player["overall"], player["worst"][0]
    assert error["millipoints"] >= player["worst"][1]["millipoints"] > 0
    lines = run(capsys, "errors", "pip-count", "--positions", str(file), "--worst", "2").splitlines()
    assert lines[0] == "pip-count: average error per play"
    assert lines[1].split() == ["decisions", "millipoints", "95", "%", "rollouts", "best", "play"]
    assert [line.split("  ")[0] for line in lines[2:5]] == ["opening", "all", "judges differ"]
    intervals = f"± {1.96 * overall['standard_error']:.2f} ± {1.96 * overall['rollout_error']:.2f}"
    expected = f"3 {overall['millipoints']:.2f} {intervals} {overall['agreed']:.1%}"
    assert " ".join(lines[2].split()[1:]) == expected
    assert lines[5].strip() == (
        f"{error['millipoints']:.1f}  {error['position']} {error['roll'][0]}{error['roll'][1]}  "
        f"opening: {error['played']} instead of {error['best']}"
    )
    assert lines[-1] == "both judges: 1 of 3 decisions; they differ on 1"


def test_the_difference_between_two_players_is_shown(file: Path, capsys: Capture) -> None:
    content = run_json(capsys, "errors", "pip-count", "pubeval", "--positions", str(file))
    first, second = (player["overall"]["millipoints"] for player in content["players"])
    assert content["difference"]["overall"]["millipoints"] == pytest.approx(first - second)
    assert list(content["difference"]["families"]) == ["opening"]
    out = run(capsys, "errors", "pip-count", "pubeval", "--positions", str(file))
    first_table, second_table, difference, _ = out.split("\n\n")
    assert first_table.startswith("pip-count: average")
    assert second_table.startswith("pubeval: average")
    assert difference.startswith("pip-count minus pubeval, paired\n")
    assert f"{content['difference']['overall']['millipoints']:+.2f} ± " in difference.replace("  ", " ")
    assert "same play" in difference


@pytest.mark.parametrize(("limit", "player"), [(0, ""), (1, "pip-count"), (3, "pip-count"), (5, "pubeval")])
def test_ctrl_c_prints_intermediate_results(
    limit: int, player: str, file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes after `limit` decisions; each player has three."""
    decision_count = 0
    portions = "bgfast.learning.error_per_play.Pace.portions"

    def single_portions(_: object, count: int) -> Iterator[slice]:
        nonlocal decision_count
        for index in range(count):
            if decision_count == limit:
                raise KeyboardInterrupt
            decision_count += 1
            yield slice(index, index + 1)

    monkeypatch.setattr(portions, single_portions)
    assert main(["errors", "pip-count", "pubeval", "--positions", str(file)]) == 130
    out, err = capsys.readouterr()
    if not limit:
        assert out == ""
        assert err.startswith("bgfast: no result yet: no play has been chosen\n")
        return
    assert f"{player}: average error per play\n" in out
    assert ("paired" in out) is (player == "pubeval")
    assert ("pubeval" in out) is (player == "pubeval")
