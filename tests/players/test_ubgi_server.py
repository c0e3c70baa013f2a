"""bgfast as a UBGI engine: transcripts of all drafts, refusals, and the end of a session."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import bgfast
from bgfast import Decision, Position
from bgfast.cli.players import EVALUATORS
from bgfast.cli.ubgi import CHOICES
from bgfast.conformance.ubgi_client import board_after, join_pairs, moves_text
from bgfast.evaluators import Lookahead, PipCount
from bgfast.players import ubgi_server
from bgfast.players.ubgi_server import Dialect, Server
from tests.support.pages import blocks, output_matches
from tests.support.patience import patient
from tests.support.ubgi_engines import answers

START = "position gnubgid 4HPwATDgc/ABMA\n"
XGID = "XGID=-b----E-C---eE---c-e----B-:{cube}:{owner}:{turn}:{dice}:{score}:0:{length}:10"
LOOKAHEAD = Lookahead(bgfast.Network.builtin_fast(), ply=0)


def xgid(
    dice: str = "00", cube: int = 0, owner: int = 0, score: str = "0:0", length: int = 0, turn: int = 1
) -> str:
    return XGID.format(dice=dice, cube=cube, owner=owner, score=score, length=length, turn=turn)


def parse_values(line: str) -> dict[str, float]:
    """Return the decimal values of a line by key."""
    return {name: float(value) for name, value in re.findall(r"([a-z]+) (-?\d+\.\d+)", line)}


# ---------------------------------------------------------------- draft 0.01


def test_session_of_draft_0_01() -> None:
    race = "XGID=-BBCCCB------------bcccbb-:0:0:1:{}:0:0:0:0:10"
    output = answers(
        "\n".join(
            [
                "ubgi",
                xgid("31"),
                xgid(),
                xgid("D"),
                "XGID=-------------------------b:0:0:1:31:0:0:0:0:10",
                "what",
                race.format("D"),
                Decision.read(xgid("65")).fibs_board(),
                xgid("31", turn=-1),
            ]
        ),
        dialect="positions",
    )
    assert output[:4] == [
        "id name bgfast",
        "id author the bgfast developers",
        f"id version {bgfast.__version__}",
        "readyok",
    ]
    assert output[4:] == ["8/5 6/5", "roll", "take", "sorry", "sorry", "take", output[-2], "8/5 6/5"]
    assert output[-2] == moves_text(LOOKAHEAD.best_plays(Decision.read(xgid("65")))[0].play)


def test_an_engine_passes_without_a_legal_play() -> None:
    position = Position.from_array([0] * 6 + [14] + [0] * 12 + [-2] * 6 + [1], checkers=15)
    decision = Decision(position=position, dice=(6, 5))
    assert not len(position.plays((6, 5)))
    assert answers(decision.xgid) == [""]
    commands = f"position gnubgid {position.gnubg_id}\ndice 6 5\ngo"
    assert answers(commands) == ["bestmove pass"]
    assert answers(f"{commands} turn")[-1].endswith("move=pass")


def test_a_lost_position_is_dropped_and_a_won_position_doubled() -> None:
    position = Position.from_array([0, 4, *[0] * 18, -5, *[0] * 5])
    for field, action in (("D", "drop"), ("00", "double")):
        decision = Decision(position=position, offer="double" if field == "D" else None)
        assert answers(decision.xgid) == [action]
        output = answers(f"position xgid {decision.xgid}\ngo cube")
        assert output[-1] == f"bestcube {action}"
        assert output[0].startswith("info role cube depth 1 nodouble ")


# ---------------------------------------------------------------- drafts 0.1 and 0.2


def test_session_of_draft_0_1() -> None:
    output = answers(
        "ubgi\nsetoption name EvalMode value cubeless\nsetoption name Threads value 2\nisready\nnewgame\n"
        "newsession type match length 7 crawford off\nsetscore 3 2\nsetcube value 2 owner p1\nsetturn p0\n"
        f"{START}dice 3 1\ngo role chequer movetime 1000 depth 1\nquit\nisready\n"
    )
    end = output.index("ubgiok")
    assert [line.split()[0] for line in output[:end]] == ["id"] * 3 + ["proto"] + ["option"] * 6
    assert "option name EvalPlies type spin default 0 min 0 max 2" in output
    assert output[end + 1] == "readyok"
    best_play = LOOKAHEAD.best_plays(Position.start(), (3, 1))[0]
    assert parse_values(output[end + 2])["eq"] == pytest.approx(best_play.equity, abs=1e-6)
    assert f"moveid {best_play.play.position.gnubg_id} pv 8/5 6/5" in output[end + 2]
    assert output[end + 3 :] == ["bestmove 8/5 6/5"]


def test_session_of_draft_0_2() -> None:
    output = answers(
        "keys\nset engine.ply 2\nget engine.ply\nset engine.multipv 3\nset engine.evaluator pip-count\n"
        f"newgame\n{START}dice 6 5\ngo chequer\ngo\nget nothing\nset engine.ply 4\n"
    )
    assert output[:6] == [
        "key engine.evaluator enum network|pip-count|pubeval network evaluator of the positions",
        "key engine.ply int 1..3 1 root-inclusive decision depth",
        "key engine.eval_mode enum cubeful|cubeless cubeful whether cube and score count",
        "key engine.threads int 1..999 1 ! worker threads",
        "key engine.multipv int 1..5000 1 ! plays to list",
        "key game.variant enum backgammon backgammon game",
    ]
    plays = Lookahead(PipCount(), ply=1).best_plays(Position.start(), (6, 5))
    expected = [f"pv {moves_text(play.play)}" for play in plays[:3]]
    assert output[6] == "value engine.ply 2"
    assert [line[line.index(" pv ") + 1 :] for line in output[7:10]] == expected
    assert [line.split()[:6] for line in output[7:10]] == [
        ["info", "role", "chequer", "multipv", str(rank), "depth"] for rank in (1, 2, 3)
    ]
    assert output[10] == output[14] == f"bestmove {moves_text(plays[0].play)}"
    assert output[15:] == ["error unsupported key nothing", "error bad_value 4 must be 1..3"]


def test_score_and_cube_are_read_from_either_side() -> None:
    session = "newsession type match length 7\nsetscore 3 5\nsetcube value 2 owner p1\n"
    for turn, score, owner in (("p0", (3, 5), -1), ("p1", (5, 3), 1)):
        decision = Decision(position=Position.start(), match_length=7, score=score, cube=2, cube_owner=owner)
        line = answers(f"{session}setturn {turn}\n{START}eval")[0]
        evaluation = LOOKAHEAD.evaluation(decision)
        assert parse_values(line)["eq"] == pytest.approx(evaluation.equity, abs=1e-6)
        assert parse_values(line)["mwc"] == pytest.approx(evaluation.mwc, abs=1e-6)
        assert parse_values(line)["plbg"] == pytest.approx(evaluation.probabilities[-1], abs=1e-6)
        assert answers(f"{session}setturn {turn}\n{START}go cube")[-1] == "bestcube nodouble"
        assert answers(f"position xgid {decision.xgid}\neval") == [line]
        assert answers(f"position gnubgid {decision.gnubg_id}\neval") == [line]


def test_a_new_game_forgets_the_position_and_keeps_the_session() -> None:
    session = f"newsession type match length 7\nsetscore 3 5\nsetcube value 2 owner p1\n{START}newgame\n"
    assert answers(f"{session}eval\ndice 3 1\ngo") == ["error bad_state missing position"] * 2
    decision = Decision(position=Position.start(), match_length=7, score=(3, 5))
    expected = LOOKAHEAD.evaluation(decision).equity
    assert parse_values(answers(f"{session}{START}eval")[0])["eq"] == pytest.approx(expected, abs=1e-6)


def test_new_positions_and_refused_lines_clear_old_values() -> None:
    output = answers(f"{START}dice 3 1\nposition xgid x\ngo chequer\n{START}dice 3 1\ndice 3 7\ngo chequer\n")
    assert [output[1], output[3]] == ["error bad_state missing position", "error bad_state missing dice"]

    assert answers(f"{START}dice 3 1\n{START}go chequer") == ["error bad_state missing dice"]
    assert answers(f"{START}dice 3 1\n{START}go")[-1] == "bestcube nodouble"


# ---------------------------------------------------------------- bad lines

BAD_LINES = {
    "nonsense": "bad_command unknown command nonsense",
    "go faster": "bad_command",
    "go sideways 3": "bad_command go sideways",
    "go role dice": "bad_value",
    "go chequer depth x": "bad_value depth must be",
    "go chequer depth 0": "bad_value depth must be",
    "go chequer nodes 100": "unsupported go nodes",
    "go chequer": "bad_state missing position",
    "go cube": "bad_state missing position",
    "go turn": "bad_state missing position",
    "eval": "bad_state missing position",
    "eval now": "bad_command",
    "dice 3": "bad_value",
    "dice 0 7": "bad_value",
    "dice ³ 1": "bad_value",
    "position": "bad_command",
    "position gnubgid": "bad_command",
    "position gnubgid 4HPwATDgc": "bad_value",
    "position gnubgid " + 14 * "/": "bad_value",
    "position xgid x": "bad_value",
    "position fen 8/8": "bad_command",
    "newsession": "bad_value",
    "newsession type chess": "bad_value",
    "newsession type match length": "bad_command",
    "newsession type match length 0": "bad_value",
    "newsession type match length 9999999": "bad_value",
    "newsession type match jacoby on": "bad_value",
    "newsession type money crawford on": "bad_value",
    "setscore 1": "bad_command",
    "setscore -1 0": "bad_value",
    "setcube value 3 owner p0": "bad_value",
    "setcube value 2 owner me": "bad_value",
    "setcube value 2": "bad_command",
    "setturn p2": "bad_value",
    "set engine.ply": "bad_command",
    "set engine.ply two": "bad_value",
    "set engine.ply ²": "bad_value",
    "set engine.evaluator os:system": "bad_value",
    "set engine.power 9000": "unsupported",
    "get": "bad_command",
    "setoption Threads 2": "bad_command",
    "setoption name Threads value 0": "bad_value 0 must be 1..999",
    "setoption name EvalPlies value 3": "bad_value 3 must be 0..2",
    "setoption name Contempt value 3": "unsupported",
    "x" * 5000: "bad_command a line is too long",
    "\udcff\udcfe": "bad_command unknown command",
    "go\0": "bad_command unknown command",
}


def test_bad_lines_are_refused_and_the_session_continues() -> None:
    for line, expected in BAD_LINES.items():
        error_line, *rest = answers(f"{line}\nisready\n")
        assert error_line.startswith(f"error {expected}"), line
        assert error_line.isascii()
        assert error_line.isprintable()
        assert rest == ["readyok"]
    for line in ("nonsense", "go faster", "x" * 5000):
        assert answers(f"{line}\nubgi\n", dialect="positions")[0] == "sorry"


def test_contradictory_states_are_refused_by_go() -> None:
    output = answers(f"newsession type match length 5\nsetscore 5 0\n{START}dice 3 1\ngo\nisready")
    assert output[0].startswith("error bad_state ")
    assert output[1:] == ["readyok"]
    finished_position = Position.from_array([0, *[-3] * 5, *[0] * 20])
    output = answers(f"position gnubgid {finished_position.gnubg_id}\ndice 3 1\ngo\ngo cube\n")
    assert [line.split()[:2] for line in output] == [["error", "bad_state"]] * 2


def test_a_refused_option_changes_nothing() -> None:
    output = answers("set engine.ply 2\nset engine.evaluator pubeval\nget engine.evaluator\nget engine.ply\n")
    assert output[0].startswith("error bad_value Pubeval's values are not points")
    assert output[1:] == ["value engine.evaluator network", "value engine.ply 2"]


def test_failures_of_evaluators_are_reported_as_error_lines() -> None:
    def failing_evaluator(boards: object) -> object:
        raise KeyError("weights")

    chunks = iter([f"{START}dice 3 1\ngo\nisready\n".encode()])
    output: list[str] = []
    Server({"failing": lambda: failing_evaluator}, lambda: next(chunks, b""), output.append, ply=0).run()
    assert output == ["error bad_state KeyError: 'weights'", "readyok"]


# ---------------------------------------------------------------- time, stop and the end


class SlowEvaluator:
    """Pip-count evaluator that signals its first call and sleeps in every call."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.called = threading.Event()

    def __call__(self, boards: bgfast.Boards) -> object:
        self.called.set()
        time.sleep(self.seconds)
        return PipCount()(boards)


def test_stop_ends_a_search_with_the_best_play_so_far() -> None:
    evaluator = SlowEvaluator(0.05)
    read_end, write_end = os.pipe()
    output: list[str] = []
    server = Server({"slow": lambda: evaluator}, lambda: os.read(read_end, 1000), output.append, ply=2)
    thread = threading.Thread(target=server.run)
    thread.start()
    os.write(write_end, f"{START}dice 6 5\ngo chequer\n".encode())
    assert evaluator.called.wait(patient(10))
    os.write(write_end, b"stop\nisready\n")
    os.close(write_end)
    thread.join(patient(60))
    os.close(read_end)
    assert output[0].split()[:7] == "info role chequer multipv 1 depth 1".split()
    assert output[1].startswith("bestmove ")
    assert output[2:] == ["readyok"]


def test_a_stop_before_a_search_does_not_end_it() -> None:
    output = answers(f"stop\nset engine.ply 2\n{START}dice 6 5\nstop\ngo\n")
    assert " depth 2 " in output[0]


def test_a_time_limit_ends_a_search() -> None:
    output: list[str] = []
    chunks = iter([f"{START}dice 6 5\ngo chequer movetime 1\n".encode()])
    Server({"slow": lambda: SlowEvaluator(0.01)}, lambda: next(chunks, b""), output.append, ply=2).run()
    assert " depth 1 " in output[0]
    for depth in (1, 2, 3):
        commands = f"{START}dice 6 5\ngo chequer depth {depth} movetime 99999999\nquit\n"
        assert f" depth {depth} " in answers(commands, ply=1)[0]
    assert " depth 2 " in answers(f"{START}dice 6 5\ngo\nquit\n", ply=1)[0]


def test_lines_do_not_depend_on_the_chunks_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ubgi_server, "MAX_LINE", 8)
    chunks = iter([b"ab", b"c\r\n\n  d  e \n", b"123456789", b"0123\nx\n", b"123456789\n", b"last"])
    lines = list(ubgi_server.Lines(lambda: next(chunks, b"")))
    assert lines == [
        (1, "abc"), (2, ""), (3, "d e"), (4, ubgi_server.LONG_LINE),
        (5, "x"), (6, ubgi_server.LONG_LINE), (7, "last")
    ]  # fmt: skip


def test_endless_lines_are_refused_before_their_end() -> None:
    refusal_written = threading.Event()
    chunks = iter([b"x" * (ubgi_server.MAX_LINE + 1), b"x", b"y\nisready"])

    def read() -> bytes:
        chunk = next(chunks, b"")
        if chunk == b"x":
            refused_before_end.append(refusal_written.wait(patient(10)))
        return chunk

    def write(line: str) -> None:
        output.append(line)
        refusal_written.set()

    output: list[str] = []
    refused_before_end: list[bool] = []
    Server({"pip-count": PipCount}, read, write, ply=0).run()
    assert refused_before_end == [True]
    assert output == ["error bad_command a line is too long", "readyok"]


def test_a_closed_output_ends_the_session() -> None:
    def write(line: str) -> None:
        raise BrokenPipeError

    Server({"pip-count": PipCount}, lambda: b"isready\n", write, ply=0).run()


def test_the_command_serves_until_quit(tmp_path: Path) -> None:
    log = tmp_path / "session"
    command = [sys.executable, "-m", "bgfast", "ubgi", "--evaluator", "pip-count", "--ply", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "--log", str(log)], stdin=pipe, stdout=pipe, text=True) as process:
        process.stdin.write(f"{START}dice 3 1\ngo\nquit\n")
        process.stdin.flush()  # the input stays open
        assert process.wait(patient(60)) == 0
        assert process.stdout.read().splitlines()[-1].startswith("bestmove ")
    transcript = log.read_text()
    assert transcript.count("bgfast > dice 3 1\n") == transcript.count("bgfast < bestmove ") == 1
    assert transcript.count("bgfast > quit\n") == 1


# ---------------------------------------------------------------- notation of plays


def test_written_plays_are_read_back() -> None:
    for index, board in enumerate(bgfast.random_positions(30, 0).tolist()):
        position = Position.from_array(board)
        roll = (1 + index % 6, 1 + sum(map(abs, board)) % 6)
        for play in position.plays(roll):
            text = moves_text(play)
            assert position.play(text, roll) == play.position, (board, roll, text)
            assert position.play(join_pairs(text.replace("/", " ")), roll) == play.position
            end_board = board_after(tuple(board), text)
            assert tuple(-count for count in end_board[::-1]) == tuple(play.position)


def test_moves_may_be_in_any_order() -> None:
    board = (0, 0, 0, 0, -1, 0, 0, 0, 1, *[0] * 17)
    for text in ("8/6 6/4*", "6/4* 8/6", "8/6/4", "8/4*", "8/4"):
        assert board_after(board, text) == (-1, 0, 0, 0, 1, *[0] * 21)


# ---------------------------------------------------------------- docs/UBGI.md


@pytest.mark.parametrize("index", [0, 1])
def test_the_documented_transcripts_are_correct(index: int) -> None:
    page = Path(__file__).parents[2] / "docs" / "UBGI.md"
    if not page.exists():
        pytest.skip("the pages are not part of a wheel")
    block = [text for text in blocks(page, "text") if text.startswith("> ubgi\n")][index]
    commands = "".join(line[2:] + "\n" for line in block.splitlines() if line.startswith("> "))
    expected = "".join(line[2:] + "\n" for line in block.splitlines() if line.startswith("< "))
    assert len(block.splitlines()) == commands.count("\n") + expected.count("\n")
    output: list[str] = []
    chunks = iter([commands.encode("ascii")])
    evaluators = {name: EVALUATORS[name] for name in CHOICES}
    dialect: Dialect = "positions" if index else "commands"
    Server(evaluators, lambda: next(chunks, b""), output.append, ply=0, dialect=dialect).run()
    assert output_matches("\n".join(output) + "\n", expected), output
