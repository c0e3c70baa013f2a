"""`bgfast play`, with a dialogue in a pseudo-terminal, and `bgfast game`."""

from __future__ import annotations

import io
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bgfast import EXACT, REAR_FIRST, STANDARD, BgfastError, Decision, Game, Match, Network, Position
from bgfast.cli.game import act_at_random
from bgfast.cli.main import main
from bgfast.cli.play import Dialogue
from bgfast.cli.players import load_evaluator
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.games import GameResult
from bgfast.players.opponents import opponent
from tests.support.command_line import Capture, get_error, run
from tests.support.patience import patient

X_OPENS, O_OPENS = "--seed 7", "--seed 1"
Play = Callable[..., list[str]]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Play:
    """Return a function that types lines in `bgfast play` and returns the output around each line."""

    def run_dialogue(options: str, *lines: str) -> list[str]:
        line_iterator, outputs = iter(lines), []

        def answer(question: str) -> str:
            outputs.append(capsys.readouterr().out + question)
            line = next(line_iterator, None)
            if line is None:
                raise EOFError
            return line

        monkeypatch.setattr("builtins.input", answer)
        assert main(["play", *options.split()]) == 0
        return [*outputs, capsys.readouterr().out]

    return run_dialogue


def test_a_play_by_number_and_by_notation_is_the_same(play: Play) -> None:
    rank = [str(move) for move in Position.start().plays((6, 4))].index("24/14") + 1
    outputs = [play(X_OPENS, line)[1] for line in (str(rank), "24/14", "24-20, 20-14", "64: 24/14")]
    assert outputs[0] == outputs[1] == outputs[2] == outputs[3]
    assert re.match(r"O rolled [1-6]-[1-6] and plays ", outputs[0])
    assert outputs[0].endswith("roll or double > ")


def test_questions_are_repeated_after_invalid_answers(play: Play) -> None:
    play_errors = {
        "24/23": "illegal play '24/23' for 6-4",
        "0": "there is no play 0; expected 1 to 14",
        "99": "there is no play 99; expected 1 to 14",
        "hello": "unknown command 'hello'; type help for the commands",
        "8/x": "cannot read part 1 of the play",
        "double": "double: only the player on turn may double, and only before rolling",
        "take": "take: no double is pending",
        "pass": "passing is not allowed",
        "no play": "passing is not allowed",
        "31: 8/5 6/5": "'31: 8/5 6/5' is a play of 3-1; expected a play of 6-4",
        "roll 3 1": "roll: the dice have been rolled",
        "undo": "there is no decision of yours to go back to",
        "\u0663": "unknown command '\u0663'; type help",
    }
    dice_error = "3-1 given, but this game has dice of its own; expected none\nroll or double > "
    roll_errors = {
        "1": "plays: there is no roll to be played",
        "list": "plays: there is no roll to be played",
        "drop": "drop: no double is pending",
        "roll 3 1": dice_error,
        "Roll 31": dice_error,
        "roll 3-1": dice_error,
        "roll 7 1": "the first die is 7; expected a whole number from 1 to 6",
        "roll dice": "the roll is 'dice'; expected two dice like 31",
    }
    outputs = play(X_OPENS, *play_errors, "24/14", *roll_errors)
    answers = [*outputs[1 : len(play_errors) + 1], *outputs[len(play_errors) + 2 : -1]]
    expected = [(text, "\nyour play of 6-4 > ") for text in play_errors.values()]
    expected += [(text, "\nroll or double > ") for text in roll_errors.values()]
    for answer, (begin, end) in zip(answers, expected, strict=True):
        assert answer.startswith(begin)
        assert answer.endswith(end), begin


def test_commands_of_the_dialogue(play: Play) -> None:
    commands = ["board", "help", "", "HELP", "?", "plays", "List", "hint", "24/14", "Hint", "sheet", "undo"]
    start_text, *replies = play(X_OPENS, *commands, "24/14", "roll", "undo", "roll", "Q")
    board, *helps, plays, play_list, hint, play_reply, cube_hint, sheet, undo = replies[: len(commands)]
    second_play_reply, roll, second_undo, second_roll, end = replies[len(commands) :]
    board = board.removesuffix("your play of 6-4 > ")
    assert board in start_text
    assert board.endswith("Cube 1, centred.\n")
    assert "go back to your last decision" in helps[0]
    assert helps[0] == helps[1] == helps[2] == helps[3]
    assert plays.count("\n") == 14
    assert plays == play_list
    start = Decision(position=Position.start(), dice=(6, 4))
    best = Lookahead(load_evaluator("builtin")).best_plays(start)[:5]
    hints = re.findall(r"^  (\S.*?) +equity ([+-]\S+)", hint, re.MULTILINE)
    assert hints == [(str(candidate.play), f"{candidate.equity:+.3f}") for candidate in best]
    assert cube_hint.startswith("  roll\n(cubeful, money; cube 1, centred")
    assert re.search(r"  1\) 64: 24/14 +[1-6]{2}: \S", sheet)
    assert start_text.endswith(undo.lstrip("\n"))
    assert second_play_reply == play_reply
    assert second_undo.endswith("roll or double > ")
    assert second_roll == roll
    assert end == "\nbye\n"


def test_hints_recommend_cube_actions(capsys: Capture) -> None:
    for board, hints in (
        ({6: 3, 5: 3, 4: 3, 3: 2, 19: -3, 20: -3, 21: -3, 22: -3}, ["double", "take"]),
        ({6: 3, 5: 3, 4: 3, 19: -4, 20: -4, 21: -3, 22: -3}, ["double", "drop"]),
        ({6: 5, 5: 5, 4: 3, 3: 2, 19: -5, 20: -5, 21: -3, 22: -2}, ["roll"]),
    ):
        position = Position.from_array([board.get(point, 0) for point in range(26)])
        dialogue = Dialogue(Game(position=position, on_turn=0), opponent("beginner"))
        for hint in hints:
            assert not dialogue.run_command("hint")
            if "double" in dialogue.game.legal_actions():
                dialogue.game.double()
            assert capsys.readouterr().out.startswith(f"  {hint}\n(")
    dialogue.game = Game.from_decision(Decision(position=Position.start(), match_length=5, score=(0, 4)))
    assert not dialogue.run_command("hint")
    output = capsys.readouterr().out
    assert output.startswith("  double\n(cubeful, match to 5, X 5 away, O 1 away, after the Crawford game")


def test_a_game_is_saved_with_its_dice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    game, other_file = Game(dice=7), Path("other.txt")
    game.roll()
    dialogue = Dialogue(game, opponent("beginner"))
    for _ in range(2):  # the second time replaces the file
        assert not dialogue.run_command("Save My game.json")
        assert capsys.readouterr().out == "saved in 'My game.json'\n"
        assert Game.from_json(Path("My game.json").read_text()) == game
        game.roll_again()
    other_file.write_text("mine")
    for name, message in (
        ("", "save: expected the name of a file"),
        ("other.txt", "'other.txt': it is not a saved game; expected a new file or a saved game"),
        (".", "'.': Is a directory"),
        ("no/game", "'no/game': the folder 'no' does not exist"),
        ("a\0b", "null byte"),
    ):
        with pytest.raises(BgfastError, match=message):
            dialogue.run_command(f"save {name}")
    assert other_file.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["My game.json", "other.txt"]


def test_a_saved_game_is_resumed(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "My match.json"
    options = "--match 3 --rules rear_first"
    _, question, _, roll, *_ = play(f"{X_OPENS} {options}", "24/14", f"save {file}", "roll", "quit")
    file = file.rename(tmp_path / "saved")
    start, second_roll, sheet, reply, *_ = play(f"--resume {file} {options}", "roll", "sheet", f"save {file}")
    assert start.startswith("match to 3 from ")
    assert "saved', rules rear_first, intermediate\nYou are X." in start
    assert question.endswith(start[start.index("\n+") :])
    assert second_roll == roll
    assert "1) 64: 24/14" in sheet
    assert reply.startswith("saved in ")


def test_money_games_are_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    match = Match(None, dice=1)
    while match.result is None:
        act_at_random(match, np.random.default_rng(1))
    Path("over").write_text(match.to_json(complete=True))
    monkeypatch.setattr("builtins.input", lambda question: "quit")
    assert main(["play", "--resume", "over", "--games", "1"]) == 0
    assert " has won after 1 games: " in capsys.readouterr().out.replace("You have", "X has")
    for options, title in (([], "game 2."), (["--games", "3"], "game 2 of 3.")):
        assert main(["play", "--resume", "over", *options]) == 0
        assert title in capsys.readouterr().out
    match.next_game()
    Path("begun").write_text(match.to_json(complete=True))
    assert "--games 1: 2 have begun in 'begun'; expected 2 or more in all" in get_error(
        capsys, "play", "--resume", "begun", "--games", "1"
    )


def test_an_offer_to_resign_is_answered(capsys: Capture) -> None:
    game = Game(on_turn=1, dice=[(3, 1)])
    game.resign()
    dialogue = Dialogue(game, opponent("beginner"))
    assert dialogue.prompt(game.legal_actions()) == "accept or refuse"
    dialogue.run_command("hint")
    assert capsys.readouterr().out.startswith("  accept\n")
    assert dialogue.run_command("refuse")
    assert game.phase == "to_roll"


def test_arrow_keys_recall_lines_and_ctrl_c_ends_the_dialogue() -> None:
    """readline edits lines, and Ctrl-C interrupts a question, only in a pseudo-terminal."""
    pytest.importorskip("readline")
    master, slave = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "bgfast", "play", *X_OPENS.split()]
    environment = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)

        def answer(pattern: str, line: str = "") -> str:
            os.write(master, line.encode())
            text, end = "", time.monotonic() + patient(30)
            while not re.search(pattern, text):
                assert select.select([master], [], [], max(0, end - time.monotonic()))[0], text
                text += os.read(master, 65536).decode("utf-8", "replace").replace("\r\n", "\n")
            return text

        try:
            assert "\x1b" not in answer(" > $")
            answer(" > $", "24/1\n")
            answer("O rolled(.|\n)* > $", "\x1b[A4\n")  # the previous line, with a 4 appended
            assert "\n  1) 64: 24/14 " in answer(" > $", "sheet\n")
            time.sleep(0.3)  # the question appears shortly before Python waits for the answer
            process.send_signal(signal.SIGINT)
            answer("bgfast: interrupted\n")
            assert process.wait(patient(30)) == 130
        finally:
            process.kill()
            os.close(master)


def test_a_double_by_the_user_is_answered(play: Play) -> None:
    *_, text, refusal, _ = play(X_OPENS, "24/14", "double", "double")
    assert "O takes." in text
    assert "Cube 2, O's." in text
    assert refusal.startswith("double: O owns the cube and alone may double")


@pytest.mark.parametrize(
    ("answer", "outcome"), [("take", "Cube 2, X's."), ("drop", "O wins 1 point (single, drop).")]
)
def test_a_double_by_the_opponent_may_be_answered(
    answer: str, outcome: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = ""

    def answer_question(question: str) -> str:
        nonlocal output
        if output:
            raise EOFError
        if not question.endswith("take or drop > "):  # the user chooses bad plays
            return "roll" if "roll" in question else "1"
        output = capsys.readouterr().out
        return answer

    monkeypatch.setattr("builtins.input", answer_question)
    assert main(["play", *X_OPENS.split()]) == 0
    assert "O doubles to 2." in output
    assert " on roll" not in output[output.index("O doubles") :]
    assert outcome in capsys.readouterr().out


def test_a_match_is_played_to_its_end(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer_question(question: str) -> str:
        assert "double >" not in question
        return "roll" if question.endswith("roll > ") else "1"

    monkeypatch.setattr("builtins.input", answer_question)
    assert main(["play", *O_OPENS.split(), "--match", "1"]) == 0
    text = capsys.readouterr().out
    assert "O begins" in text
    assert "Score X 0, O 0, match to 1." in text
    assert re.search(r"(You win|O wins) [0-9]+ points? .*\nScore: X [0-9]+, O [0-9]+\.\n", text)
    assert re.search(r"(You have|O has) won the match to 1: [1-9]-0\.\n$", text)


def test_the_level_selects_the_opponent(play: Play, capsys: Capture) -> None:
    text, _ = play(f"{O_OPENS} --level advanced")
    assert text.startswith("rules standard, seed 1, advanced\nYou are X.")
    roll = re.search(r"O rolled (\d)-(\d) and plays (.*)\.\n", text)
    best, *choices = Network.builtin().best_plays(Position.start(), (int(roll[1]), int(roll[2])))
    # With rounded weights the choice may be up to a few thousandths of a point below the best play.
    candidates = [best, *(choice for choice in choices if choice.difference > -0.003)]
    assert roll[3] in [str(choice.play) for choice in candidates]
    text, _ = play(f"{X_OPENS} --rules exact --level casual")
    assert "\nO was trained on the rules `standard` only; " in text


def test_undo_does_not_stop_at_a_pass() -> None:
    closed_out = Position.from_array([0] * 19 + [-2] * 6 + [1])
    game = Game(position=closed_out, on_turn=0, dice=[(6, 5), (2, 1)])
    game.roll()
    game.pass_turn()
    game.roll()
    game.play(game.plays()[0])
    Dialogue(game, opponent("beginner")).undo()
    assert (game.history, game.phase) == ((), "to_roll")


def test_undo_reaches_the_previous_game() -> None:
    match = Match(None)
    match.roll((3, 1))
    match.play("8/5 6/5")
    match.resign()
    match.accept_resignation()
    match.next_game()
    Dialogue(match, opponent("beginner"), 2).undo()
    assert (match.phase, match.score) == ("resigned", (0, 0))  # X has to answer the resignation


def test_games_of_a_session_may_be_resigned(play: Play) -> None:
    commands = ["resign more", "resign gammon now", "resign 2"]
    start, help, *replies, end = play(f"{X_OPENS} --games 2", "help", *commands, "resign", " Resign  Gammon ")
    assert "2 money games, rules standard, seed 7" in start
    assert "Cube 1, centred. Score X 0, O 0, game 1 of 2." in start
    assert "resign gammon and resign backgammon" in help
    for command, reply in zip(commands, replies, strict=False):
        assert reply.startswith(f"'{command}'; expected resign, resign gammon or resign backgammon\n")
    result = "O accepts.\n\nO wins 1 point (single, resignation).\nScore: X 0, O 1.\n"
    assert replies[-1].startswith(result)
    assert "Cube 1, centred. Score X 0, O 1, game 2 of 2." in replies[-1]
    assert end == (
        "O accepts.\n\nO wins 2 points (gammon, resignation).\nScore: X 0, O 3.\n"
        "O has won after 2 games: 3-0.\n"
    )


LOST_RACE = {13: 15}  # X bears off no checker before O has won


def test_opponent_accepts_resignations_in_a_race(capsys: Capture) -> None:
    nine_pips = {24: -1, 21: -2}
    for board, rules, levels in (
        (LOST_RACE, STANDARD, [2, 3]),
        ({**LOST_RACE, 13: 14}, STANDARD, [1, 2, 3]),  # one checker is off
        ({**LOST_RACE, 13: 14}, REAR_FIRST, [3]),  # some checkers stay outside home
        ({6: 14, 7: 1}, STANDARD, [1, 2, 3]),  # one checker comes home, and one is borne off
        ({6: 14, 9: 1}, STANDARD, [1, 2, 3]),
        ({6: 14, 10: 1}, STANDARD, [2, 3]),
        ({6: 13, 25: 2}, STANDARD, [3]),
        ({6: 14, 19: 1}, EXACT, [2, 3]),
        ({5: 12, 25: 2}, EXACT, [3]),  # one checker is off
        ({1: 1}, STANDARD, [1, 2, 3]),
    ):
        numbers = [{**nine_pips, **board}.get(point, 0) for point in range(26)]
        for level, word in enumerate(("", "gammon", "backgammon"), 1):
            game = Game(rules, position=Position.from_array(numbers), on_turn=0)
            old_state = game.state
            dialogue = Dialogue(game, opponent("beginner", rules))
            assert dialogue.run_command(f"resign {word}")
            dialogue.opponent_acts()
            is_accepted = capsys.readouterr().out == "O accepts.\n"
            assert is_accepted == (level in levels)
            assert (game.result == GameResult(1, level, level, "resignation")) == is_accepted
            assert (game.state == old_state) != is_accepted


def test_undecodable_input_ends_the_dialogue(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nplays\n"), "utf-8"))
    assert main(["play", *X_OPENS.split()]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "the input is not text\n" in out
    assert out.endswith("\nbye\n")


def test_the_user_may_enter_the_dice() -> None:
    game = Game(on_turn=0)
    assert Dialogue(game, opponent("beginner")).run_command("roll 3 1")
    assert game.dice == (3, 1)


# ---- `bgfast game`: games and matches between computer players ----


def test_random_seed_is_printed(capsys: Capture) -> None:
    out = run(capsys, "game")
    seed = re.match(r"rules standard, seed (\d+)\n", out)
    assert run(capsys, "game", "--seed", seed[1]) == out


def test_both_players_of_a_game_have_the_requested_level(capsys: Capture) -> None:
    game = Game.from_json(run(capsys, "game", "--seed", "7", "--level", "beginner", "--json"))
    assert game.result is not None
    player = opponent("beginner")
    second_game = Game(dice=7)
    while second_game.result is None:
        player.act(second_game)
    assert second_game.score_sheet() == game.score_sheet()
    head, *_ = run(capsys, "game", "--seed", "7", "--level", "beginner").splitlines()
    assert head == "rules standard, seed 7, beginner"


def test_json_of_games_and_matches_agrees_with_the_text(capsys: Capture) -> None:
    game = Game.from_json(run(capsys, "game", "--seed", "7", "--json"))
    assert game.score_sheet() in run(capsys, "game", "--seed", "7")
    match = Match.from_json(run(capsys, "game", "--seed", "7", "--match", "3", "--json"))
    assert match.winner is not None
    out = run(capsys, "game", "--seed", "7", "--match", "3")
    assert match.score_sheet() in out
    assert out.startswith("match to 3, rules standard, seed 7\n\nGame 1: X 0, O 0\n")
    assert out.endswith(f"\nfinal score: X {match.score[0]}, O {match.score[1]}\n")


def test_a_session_has_the_requested_number_of_games(capsys: Capture) -> None:
    out = run(capsys, "game", "--seed", "7", "--games", "3")
    assert out.startswith("3 money games, rules standard, seed 7\n\nGame 1: X 0, O 0\n")
    assert re.findall(r"^Game (\d):", out, re.MULTILINE) == ["1", "2", "3"]
    session = Match.from_json(run(capsys, "game", "--seed", "7", "--games", "3", "--json"))
    assert (session.length, len(session.results), session.legal_actions()) == (None, 3, ("next_game",))
    assert out.endswith(f"\nfinal score: X {session.score[0]}, O {session.score[1]}\n")
