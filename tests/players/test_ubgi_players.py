"""UBGI engines as players: commands sent, answers read, and failures."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Game, Match, Network, Position
from bgfast.cli.main import main
from bgfast.conformance import ubgi_client
from bgfast.conformance.crosscheck.cases import CaseList
from bgfast.conformance.crosscheck.disagreements import compare_case
from bgfast.conformance.protocol import (
    Case,
    CrashedError,
    EngineError,
    HungError,
    MissingEngineError,
    RubbishError,
)
from bgfast.conformance.registry import open_engine
from bgfast.conformance.suite.suite_building import named_turns
from bgfast.conformance.ubgi_client import LOG_VARIABLE, UbgiProcess
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.evaluators import Policy
from bgfast.evaluators import Lookahead, WithBearoff
from bgfast.learning.contest import contest
from bgfast.players.opponents import NetworkOpponent
from bgfast.players.ubgi_players import UbgiOpponent, UbgiPlayer
from tests.support.command_line import get_error, run, run_json
from tests.support.patience import patient
from tests.support.ubgi_engines import DRAFT_0_01, DRAFT_0_1, DRAFT_0_2, engine

COMMAND = [sys.executable, "-m", "bgfast", "ubgi", "--evaluator", "builtin-fast", "--ply", "0"]
POSITIONS_COMMAND = [*COMMAND, "--dialect", "positions"]
TIME_LIMIT = patient(60.0)
OPENING = Decision(position=Position.start(), dice=(3, 1))
MATCH_DECISION = Decision(
    position=Position.start(), dice=(3, 1), match_length=7, score=(3, 5), cube=2, cube_owner=-1, turn=-1
)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Log all UBGI traffic; return the path of the transcript."""
    monkeypatch.setenv(LOG_VARIABLE, str(tmp_path / "log"))
    return tmp_path / "log"


def play_of(command: list[str], decision: Decision = OPENING, *, cubeless: bool = False) -> str:
    """Return the best play of a new engine."""
    process = UbgiProcess(command, time_limit=TIME_LIMIT, cubeless=cubeless)
    try:
        return str(process.best_play(decision, cubeless=cubeless))
    finally:
        process.close()


def sent_lines(log: Path) -> list[str]:
    return [line[len("ubgi > ") :] for line in log.read_text().splitlines() if line.startswith("ubgi > ")]


# ---------------------------------------------------------------- transcripts


def test_positions_are_sent_to_an_engine_of_draft_0_01(log: Path) -> None:
    command = engine({**DRAFT_0_01, OPENING.xgid: "8 5 6 5", MATCH_DECISION.xgid: "24-23 13-10"})
    assert play_of(command) == "8/5 6/5"
    assert log.read_text(encoding="utf-8").splitlines() == [
        "ubgi > ubgi",
        "ubgi < id name Old",
        "ubgi < id author Ø",
        "ubgi < id version 7",
        "ubgi < readyok",
        f"ubgi > {OPENING.xgid}",
        "ubgi < 8 5 6 5",
        "ubgi > quit",
    ]
    assert play_of(command, MATCH_DECISION) == "24/23 13/10"
    with pytest.raises(CrashedError, match="it answered 'sorry'"):
        play_of(engine({**DRAFT_0_01, "XGID=*": "sorry"}))


def test_commands_are_sent_to_an_engine_of_draft_0_1(log: Path) -> None:
    command = engine({**DRAFT_0_1, "go role chequer": "info role chequer\nbestmove 8/5 6/5"})
    assert play_of(command, MATCH_DECISION) == "8/5 6/5"
    assert sent_lines(log) == [
        "ubgi",
        "isready",
        f"position xgid {Decision(position=Position.start()).xgid}",
        "isready",
        "newgame",
        "isready",
        "newsession type match length 7 crawford off",
        "setscore 3 5",
        "setcube value 2 owner p1",
        "setturn p0",
        "isready",
        "position gnubgid 4HPwATDgc/ABMA",
        "isready",
        "dice 3 1",
        "go role chequer",
        "quit",
    ]
    log.unlink()
    assert play_of(command, cubeless=True) == "8/5 6/5"
    assert "setoption name EvalMode value cubeless" in sent_lines(log)
    assert not any(line.startswith(("newsession", "setscore")) for line in sent_lines(log))
    log.unlink()
    money = Decision(position=Position.start(), dice=(3, 1), jacoby=True, cube_owner=1, cube=4)
    play_of(command, money)
    assert sent_lines(log)[6:10] == ["newsession type money jacoby on", "setscore 0 0",
                                     "setcube value 4 owner p0", "setturn p0"]  # fmt: skip


def test_commands_are_sent_to_an_engine_of_draft_0_2(log: Path) -> None:
    command = engine({**DRAFT_0_2, "go chequer": "bestmove 8/5 6/5", "go cube": "bestcube double"})
    process = UbgiProcess(command, time_limit=TIME_LIMIT)
    assert (process.name, process.version, process.draft) == ("New", "unknown", "0.2")
    assert str(process.best_play(MATCH_DECISION)) == "8/5 6/5"
    start = Decision(position=Position.start())
    assert process.doubles(start) is True
    assert process.takes(Decision(position=Position.start(), offer="double")) is None
    process.close()
    assert sent_lines(log) == [
        "ubgi",
        "keys",
        "isready",
        f"position xgid {start.xgid}",
        "isready",
        "set engine.multipv 300",
        "newgame",
        "isready",
        f"position xgid {MATCH_DECISION.xgid}",
        "isready",
        "dice 3 1",
        "go chequer",
        f"position xgid {start.xgid}",
        "isready",
        "go cube",
        f"position xgid {Decision(position=Position.start(), offer='double').xgid}",
        "isready",
        "go cube",
        "quit",
    ]


def test_a_move_id_is_the_position_from_the_next_players_side() -> None:
    move_id = Position.start().plays((3, 1)).play("8/5 6/5").gnubg_id
    assert play_of(engine({**DRAFT_0_1, "go role chequer": f"bestmoveid {move_id}"})) == "8/5 6/5"
    with pytest.raises(RubbishError, match="no legal play leads to it"):
        play_of(engine({**DRAFT_0_1, "go role chequer": "bestmoveid 4HPwATDgc/ABMA"}))


def test_spellings_of_a_play_are_read() -> None:
    entry = Decision(position=Position.from_array([0, 1, *[0] * 20, -1, 0, 0, 1]), dice=(6, 5))
    bearoff = Decision(position=Position.from_array([0, 2, 2, *[0] * 20, -1, 0, 0]), dice=(2, 1))
    for decision, play, *texts in (
        (OPENING, "8/5 6/5", "8/5 6/5", "8-5 6-5", "8 5 6 5", "6/5 8/5", " 8/5  6/5 "),
        (entry, "bar/14", "bar/20 20/14", "25/20 20/14", "25 20 20 14", "bar-20 20-14"),
        (bearoff, "2/off 1/off", "2/off 1/off", "2/0 1/0", "2 0 1 0", "2-off 1-off"),
    ):
        answers = [f"bestmove {text}" for text in texts]
        process = UbgiProcess(engine({**DRAFT_0_2, "go chequer": answers}), time_limit=TIME_LIMIT)
        assert [str(process.best_play(decision)) for _ in texts] == [play] * len(texts)
        process.close()


# ---------------------------------------------------------------- failures

FAILURES = {
    "hang": (HungError, "no answer to 'go chequer' within 0.3 s"),
    "die": (CrashedError, "it ended before it answered, exit status 3; last on its standard error: out of"),
    "flood": (RubbishError, "it wrote more than 200 lines without an answer to 'go chequer'"),
    "error unsupported go": (CrashedError, "it answered 'error unsupported go'"),
    "bestmove 8/5 6/4": (RubbishError, "'8/5 6/4' is not a legal play of 3-1 in 4HPwATDgc/ABMA: "),
    "bestmove": (RubbishError, "'' is not a legal play"),
    "bestmove pass": (RubbishError, "'pass' is not a legal play of 3-1 in 4HPwATDgc/ABMA: passing is not"),
    "bestmove 8/5 6/5 \x1b[2J": (RubbishError, "is not a legal play"),
}


@pytest.mark.parametrize("answer", FAILURES)
def test_failures_are_reported_and_the_engine_is_restarted(
    answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ubgi_client, "MAX_LINES", 200)
    monkeypatch.setattr(ubgi_client, "STOP_SECONDS", 0.1)
    error_type, message = FAILURES[answer]
    limit = 0.3 if answer == "hang" else TIME_LIMIT
    process = UbgiProcess(engine({**DRAFT_0_2, "go chequer": answer}), time_limit=limit)
    for _ in range(2 if answer == "die" else 1):
        with pytest.raises(error_type) as caught:
            process.best_play(OPENING)
        assert message in str(caught.value)
        assert str(caught.value).isprintable()
    if answer == "flood":
        monkeypatch.setattr(ubgi_client, "MAX_ANSWER", 1000)
        with pytest.raises(RubbishError, match="it wrote more than 1,000 characters without an answer to"):
            process.best_play(OPENING)
    process.close()


def test_digits_of_other_scripts_are_not_numbers() -> None:
    def start_engine(answers: dict[str, str]) -> UbgiProcess:
        return UbgiProcess(engine({**DRAFT_0_2, **answers}), time_limit=TIME_LIMIT)

    case = Case(tuple(Position.start()), (3, 1))
    key_engine = start_engine({"keys": "key engine.multipv int 1..\u0663"})
    rank_engine = start_engine({"go chequer": "info multipv \u0661 pv 8/5 6/5\nbestmove 8/5 6/5"})
    play_engine = start_engine({"go chequer": "info multipv 1 pv \u0668/5 6/5\nbestmove 8/5 6/5"})
    assert (key_engine.listing_command, rank_engine.successors(case)) == (None, [])
    with pytest.raises(RubbishError, match="it listed a play that cannot be read"):
        play_engine.successors(case)
    for engine_process in (key_engine, rank_engine, play_engine):
        engine_process.close()


def test_offers_are_not_sent_if_no_command_expresses_them(log: Path) -> None:
    process = UbgiProcess(engine({**DRAFT_0_1, "go role cube": "bestcube take"}), time_limit=TIME_LIMIT)
    assert process.takes(Decision(position=Position.start(), offer="double")) is None
    assert process.doubles(Decision(position=Position.start())) is None
    process.close()
    assert sent_lines(log).count("go role cube") == 1


@pytest.mark.parametrize("draft", ["0.1", "0.2"])
def test_no_command_follows_a_refused_position(draft: str, log: Path) -> None:
    drafts = {"0.1": DRAFT_0_1, "0.2": {**DRAFT_0_2, f"position xgid {OPENING.xgid}": "error bad_value no"}}
    answers = {"position gnubgid *": "error bad_value no", "go role chequer": "bestmove 8/5 6/5"}
    with pytest.raises(CrashedError, match="it refused 4HPwATDgc/ABMA: 'error bad_value no'"):
        play_of(engine({**drafts[draft], **answers, "go chequer": "bestmove 8/5 6/5"}))
    assert not any(line.startswith(("dice", "go")) for line in sent_lines(log))


def test_stop_is_sent_at_the_time_limit(log: Path) -> None:
    command = engine({**DRAFT_0_2, "go chequer": "info nodes 1", "stop": "bestmove 8/5 6/5"})
    process = UbgiProcess(command, time_limit=0.3)
    assert str(process.best_play(OPENING)) == "8/5 6/5"
    process.close()
    assert sent_lines(log)[-3:] == ["go chequer", "stop", "quit"]


def test_cube_answers_of_draft_0_01_are_read() -> None:
    start, offer = Decision(position=Position.start()), Decision(position=Position.start(), offer="double")
    doubles = {"double": True, "roll": False, "take": None, "drop": None, "sorry": None, "": None}
    takes = {"double": None, "roll": None, "take": True, "drop": False, "sorry": None, "": None}
    answers = {start.xgid: list(doubles), offer.xgid: list(takes)}
    process = UbgiProcess(engine({**DRAFT_0_01, **answers}, blank_lines=True), time_limit=TIME_LIMIT)
    assert [process.doubles(start) for _ in doubles] == list(doubles.values())
    assert [process.takes(offer) for _ in takes] == list(takes.values())
    process.close()


def test_failed_handshakes_are_reported() -> None:
    for greeting, message in (
        ("hang", "no answer to 'ubgi' within 0.3 s"),
        ("die", "it ended before it answered, exit status 3"),
        ("sorry", "it answered 'ubgi' with 'sorry'"),
        ("error unknown_command", "it answered 'ubgi' with 'error unknown_command'"),
    ):
        with pytest.raises(EngineError, match=f"^in the handshake: {message}"):
            UbgiProcess(engine({"ubgi": greeting}), start_limit=0.3 if greeting == "hang" else TIME_LIMIT)


def test_a_failure_in_a_contest_names_engine_and_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ubgi_client, "STOP_SECONDS", 0.1)
    command = engine({**DRAFT_0_2, "go chequer": "bestmove 1/off"})
    player = UbgiPlayer(command, time_limit=TIME_LIMIT)
    with pytest.raises(
        BgfastError, match=r"^ubgi engine .* answers rubbish: '1/off' is not a legal play"
    ) as caught:
        contest(player, bgfast.evaluators.PipCount(), games=4)
    assert "; decision: XGID=" in str(caught.value)
    player.close()
    hanging_player = UbgiPlayer(engine({**DRAFT_0_2, "go chequer": "hang"}), time_limit=0.1)
    with pytest.raises(BgfastError, match="hangs: no answer"):
        contest(hanging_player, bgfast.evaluators.PipCount(), games=4)


# ---------------------------------------------------------------- bgfast through UBGI and in process


DIALECTS = [
    pytest.param(COMMAND, id="commands"),
    pytest.param(POSITIONS_COMMAND, id="positions", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=DIALECTS)
def player(request: pytest.FixtureRequest) -> Iterator[UbgiPlayer]:
    player = UbgiPlayer(request.param, time_limit=TIME_LIMIT)
    yield player
    player.close()


def test_contests_agree_through_ubgi_and_in_process(player: UbgiPlayer) -> None:
    network = WithBearoff(Network.builtin_fast())
    result = contest(player, bgfast.evaluators.Pubeval(), games=8, seed=1, threads=2)
    assert result == contest(Lookahead(network, ply=0), bgfast.evaluators.Pubeval(), games=8, seed=1)


def test_plays_agree_through_ubgi_and_in_process(player: UbgiPlayer) -> None:
    boards = bgfast.random_positions(60, 5)
    dice = bgfast.random_dice(60, 6)
    plays = bgfast.successors(boards, dice, flip=True, passes="keep")
    lookahead = Lookahead(WithBearoff(Network.builtin_fast()), ply=0)
    rows, expected = player.choices(boards, dice, plays), lookahead._choose_rows(plays, 15)
    # With a dead cube, rounding differs, which can decide between plays of equal equity.
    equities = lookahead.equities(plays.boards)
    assert equities[rows] == pytest.approx(equities[expected], abs=1e-6)
    assert (rows != expected).sum() <= 1


def test_ubgi_players_cannot_evaluate_positions(player: UbgiPlayer) -> None:
    boards = bgfast.random_positions(3, 5)
    with pytest.raises(BgfastError, match="bgfast chooses plays only; expected an evaluator of positions"):
        player(boards)
    policy = Policy(player, bgfast.STANDARD)
    plays = bgfast.successors(boards, "all", flip=True, passes="keep")
    zeros = np.zeros(63, np.int64)
    with pytest.raises(BgfastError, match="chooses plays only"):
        policy.rows(np.repeat(boards, 21, axis=0), plays, zeros, zeros)


@pytest.mark.parametrize("command", DIALECTS)
def test_cube_matches_agree_through_ubgi_and_in_process(command: list[str]) -> None:
    engine_opponent = UbgiOpponent(command, time_limit=TIME_LIMIT)
    network_opponent = NetworkOpponent(Network.builtin_fast())
    actions = set()
    match = Match(3, dice=3)
    while match.winner is None:
        legal_actions, expected = match.legal_actions(), None
        if "play" in legal_actions:
            expected = str(network_opponent.best_play(match))
        elif "take" in legal_actions:
            expected = network_opponent.answer(match)
        elif "double" in legal_actions:
            expected = "double" if network_opponent.offers_double(match) else "roll"
        action, play = engine_opponent.act(match)
        assert expected in (None, action, str(play)), match.decision
        actions.add(action)
    assert {"double", "take", "drop", "play"} <= actions
    game = Game.from_decision(Decision(position=Position.start(), offer="double", beaver=True, jacoby=True))
    assert (network_opponent.answer(game), engine_opponent.answer(game)) == ("beaver", "take")
    engine_opponent.close()


def test_pip_counts_replace_missing_cube_decisions() -> None:
    command = engine({**DRAFT_0_1, "go role cube": "error unsupported_feature role_cube"})
    opponent = UbgiOpponent(command, time_limit=TIME_LIMIT)
    race = Position.from_array([0, 0, 3, 3, 3, 3, 3, *[0] * 12, -3, -3, -3, -3, -3, 0, 0])
    long_race = Position.from_array([0, *[0] * 6, 5, 5, 5, *[0] * 9, -3, -3, -3, -3, -3, 0, 0])
    assert not opponent.offers_double(Game.from_decision(Decision(position=race)))
    assert opponent.answer(Game.from_decision(Decision(position=race, offer="double"))) == "take"
    assert opponent.answer(Game.from_decision(Decision(position=long_race.flip(), offer="double"))) == "drop"
    opponent.close()


# ---------------------------------------------------------------- cross-check


def test_listed_plays_agree_with_bgfast() -> None:
    cases = CaseList(named=named_turns()[::9], random=10, bearoff=10, seed=2)
    with open_engine(f"ubgi:{sys.executable} -m bgfast ubgi --evaluator pip-count --ply 0") as list_engine:
        assert (list_engine.name, list_engine.version) == ("bgfast", bgfast.__version__)
        comparisons = [compare_case(list_engine, *item) for item in enumerate(cases)]
    assert len(comparisons) == len(cases) > 30
    assert not [comparison for comparison in comparisons if comparison.disagreements]


def test_repeated_and_illegal_plays_of_a_list_are_kept() -> None:
    def list_plays(*plays: str) -> list[tuple[int, ...]]:
        lines = [f"info multipv {rank} pv {play}" for rank, play in enumerate(plays, 1)]
        answers = {**DRAFT_0_2, "go chequer": "\n".join([*lines, "bestmove 8/5 6/5"])}
        process = UbgiProcess(engine(answers), time_limit=TIME_LIMIT)
        try:
            return process.successors(Case(tuple(Position.start()), (3, 1)))
        finally:
            process.close()

    legal_board = tuple(Position.start().plays((3, 1)).boards[0].tolist())
    first_play = str(Position.start().plays((3, 1))[0])
    assert list_plays(first_play, first_play) == [legal_board, legal_board]
    depth_lines = "\n".join(f"info depth {depth} multipv 1 pv {first_play}" for depth in (1, 2))
    assert list_plays(f"8/5 6/5\n{depth_lines}") == [legal_board]
    illegal_board = list_plays("24/20 6/1")[0]
    assert (illegal_board[24], illegal_board[20], illegal_board[6], illegal_board[1]) == (1, 1, 4, -1)
    with pytest.raises(RubbishError, match="it listed a play that cannot be read"):
        list_plays("8/5 6")


def test_engines_without_lists_are_refused_and_crashes_are_reported() -> None:
    with pytest.raises(MissingEngineError, match="Middle lists no plays"):
        open_engine("ubgi:" + shlex.join(engine(DRAFT_0_1)))
    with (
        open_engine("ubgi:" + shlex.join(engine({**DRAFT_0_2, "go chequer": "die"}))) as list_engine,
        pytest.raises(CrashedError, match=r"^it ended before"),
    ):
        list_engine.successors(Case(tuple(Position.start()), (3, 1)))


# ---------------------------------------------------------------- commands


def test_only_commands_that_need_no_equities_accept_ubgi_engines(capsys: pytest.CaptureFixture[str]) -> None:
    name = "ubgi:" + " ".join(COMMAND)
    result = run_json(capsys, "contest", name, "pip-count", "--games", "4", "--seed", "1")
    assert result["a"] == name
    for command in (["analyse", "31"], ["rollout", "31", "--trials", "36"]):
        assert "is an engine that chooses plays" in get_error(capsys, *command, "--evaluator", name)
    assert "the rules of a UBGI engine are" in get_error(
        capsys, "game", "--rules", "exact", "--seed", "4", "--level", name
    )


@pytest.mark.slow
def test_the_errors_and_game_commands_run_a_ubgi_engine(capsys: pytest.CaptureFixture[str]) -> None:
    builtin_result, ubgi_result = (
        run_json(capsys, "errors", name)["players"][0]["overall"]
        for name in ("builtin-fast", "ubgi:" + " ".join(COMMAND))
    )
    assert ubgi_result["millipoints"] == pytest.approx(builtin_result["millipoints"], abs=0.3)
    assert ubgi_result["agreed"] == pytest.approx(builtin_result["agreed"], abs=0.01)
    name = "ubgi:" + " ".join(COMMAND)
    assert run(capsys, "game", "--seed", "4", "--level", name).startswith("rules standard, seed 4, ubgi:")


@pytest.mark.slow
def test_a_person_plays_a_ubgi_engine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = iter(["1", "roll", "1", "quit"])
    monkeypatch.setattr("builtins.input", lambda question: next(inputs))
    assert main(["play", "--seed", "2", "--level", "ubgi:" + " ".join(COMMAND)]) == 0
    assert "O rolled" in capsys.readouterr().out
