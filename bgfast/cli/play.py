"""`bgfast play`: a person (X) against a simple opponent (O), in the terminal."""

from __future__ import annotations

import argparse

from bgfast.analysis.simple_player import accepts_resignation, best_play, offers_double, takes_double
from bgfast.cli.game_options import read_options
from bgfast.errors import BgfastError, IllegalActionError, InvalidGameError, shown
from bgfast.formats.score_sheet import sheet_text
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.players import PLAYER_NAMES
from bgfast.games.scoring import LEVELS
from bgfast.position.objects import Position

__all__ = ["Dialogue", "run_play"]

PERSON = 0
MOST_LISTED = 30  # plays that are listed without being asked for
HELP = """\
  roll            throw the dice
  8/5 6/5, or 3   play, in notation or by its number in the list
  plays           list the legal plays
  double          offer to double the stake; take, drop or beaver answers a double
  resign          offer to lose the game; resign gammon and resign backgammon offer more
  undo            go back to your last decision
  sheet           the game so far
  quit            stop"""


class Quit(Exception):  # noqa: N818 - no error
    """The person has had enough."""


def run_play(arguments: argparse.Namespace) -> None:
    """Play until the game, the match or the session is over, or the person quits.

    Raises
    ------
    BgfastError
        If an option cannot be read, before anything is printed.
    """
    typed = read_options(arguments, "play")
    print(f"{typed.title}\nYou are X. Type help for what can be typed.")
    try:
        Dialogue(typed.table, typed.games).run()
    except (Quit, EOFError):
        print("\nbye")


class Dialogue:
    """What is asked and answered during a game, a match or a session of so many games."""

    def __init__(self, table: Game | Match, games: int | None = None) -> None:
        self.table = table
        self.games = games

    def run(self) -> None:
        """Go on until it is over."""
        while True:
            legal = self.table.legal_actions()
            if "next_game" in legal:
                self.tell_result()
                assert isinstance(self.table, Match)
                if len(self.table.results) == self.games:
                    return
                self.table.next_game()
            elif not legal:
                self.tell_result()
                return
            elif self.table.to_act is None:
                self.open_game(legal)
            elif self.table.to_act != PERSON:
                self.opponent_acts(legal)
            elif "pass_turn" in legal:
                print(f"You rolled {self.dice()} and cannot move.")
                self.table.pass_turn()
            else:
                self.person_acts(legal)

    def dice(self) -> str:
        """Return the roll as text."""
        return "{}-{}".format(*self.table.dice or ())

    def tell_result(self) -> None:
        """Say who has won."""
        result = self.table.result
        assert result is not None
        winner = "You win" if result.winner == PERSON else "O wins"
        print(f"\n{winner} {result}.")
        if isinstance(self.table, Match):
            print(f"Score: X {self.table.score[0]}, O {self.table.score[1]}.")

    def open_game(self, legal: tuple[str, ...]) -> None:
        """Draw the colours, or make the opening roll."""
        if "draw_lot" in legal:
            print(f"\nThe lot makes {PLAYER_NAMES[self.table.draw_lot()]} White, who rolls first.")
            return
        dice = self.table.roll()
        first = self.table.on_turn
        outcome = "a tie" if first is None else f"{PLAYER_NAMES[first]} begins"
        print(f"\nOpening: X rolls {dice[0]}, O rolls {dice[1]}: {outcome}.")

    # ------------------------------------------------------------ the opponent

    def opponent_acts(self, legal: tuple[str, ...]) -> None:
        """Let the opponent do something, and say what."""
        table = self.table
        if "play" in legal:
            play = best_play(table.plays())
            print(f"O rolled {self.dice()} and plays {play}.")
            table.play(play)
        elif "pass_turn" in legal:
            print(f"O rolled {self.dice()} and cannot move.")
            table.pass_turn()
        elif "take" in legal:
            # A beaver of the person's is answered like a double.
            person_on_roll = table.position if table.on_turn == PERSON else table.position.flip()
            takes = takes_double(person_on_roll)
            print("O takes." if takes else "O drops.")
            (table.take if takes else table.drop)()
        elif "accept_resignation" in legal:
            accepts = accepts_resignation(table.position, table.history[-1].level, table.rules)
            print("O accepts." if accepts else "O refuses, since more can be won.")
            (table.accept_resignation if accepts else table.refuse_resignation)()
        elif "double" in legal and offers_double(table.position):
            print(f"O doubles to {2 * table.cube.value}.")
            table.double()
        else:
            table.roll()

    # ------------------------------------------------------------ the person

    def person_acts(self, legal: tuple[str, ...]) -> None:
        """Show the board and do what is typed."""
        print(f"\n{self.board()}\n{self.standing()}")
        if "play" in legal:
            self.list_plays(MOST_LISTED)
        while True:
            try:
                words = input(f"{self.question(legal)} > ").strip()
                if self.obey(words):
                    return
            except UnicodeDecodeError:
                print("what was typed is no text")
            except BgfastError as error:
                print(error)

    def board(self) -> str:
        """Return the board from the person's side."""
        table = self.table
        seen: Position = table.position if table.on_turn == PERSON else table.position.flip()
        # The printed board takes X for the player on roll, who may as well wait for an answer to his double.
        return str(seen).replace("   X on roll", "")

    def standing(self) -> str:
        """Return the cube and the score in one line."""
        cube = self.table.cube
        owner = "centred" if cube.owner is None else f"{PLAYER_NAMES[cube.owner]}'s"
        line = f"Cube {cube.value}, {owner}."
        if isinstance(self.table, Match):
            line += f" Score X {self.table.score[0]}, O {self.table.score[1]}, {self.stage(self.table)}."
        return line

    def stage(self, table: Match) -> str:
        """Return how much is played, and how far it is."""
        match = table.state.game.match
        if match is None:
            return f"game {len(table.results) + 1} of {self.games}"
        return f"match to {match.length}" + (" (Crawford game)" if match.crawford else "")

    def question(self, legal: tuple[str, ...]) -> str:
        """Return what can be answered."""
        if "play" in legal:
            return f"your play of {self.dice()}"
        return " or ".join(name for name in ("roll", "double", "take", "drop", "beaver") if name in legal)

    def list_plays(self, most: int) -> None:
        """List the legal plays, if they are not too many."""
        plays = self.table.plays()
        if len(plays) > most:
            print(f"{len(plays)} legal plays; plays lists them")
            return
        for number, play in enumerate(plays, 1):
            print(f"{number:4}  {play}")

    def obey(self, words: str) -> bool:
        """Do what was typed; say whether something has changed."""
        word = words.lower()
        if word in ("quit", "q"):
            raise Quit
        if word == "undo":
            self.undo()
            return True
        if word in ("roll", "double", "take", "drop", "beaver"):
            getattr(self.table, word)()
            return True
        if word.split()[:1] == ["resign"]:
            self.table.resign(_level(word))
            return True
        if word in ("", "help", "sheet", "plays"):
            self.explain(word)
            return False
        plays = self.table.plays()
        if word.isascii() and word.isdecimal():
            if not 1 <= int(word) <= len(plays):
                raise IllegalActionError(f"there is no play {word}; expected 1 to {len(plays)}")
            self.table.play(plays[int(word) - 1])
        else:
            self.table.play(words)
        return True

    def explain(self, word: str) -> None:
        """Print what was asked for."""
        if word == "plays":
            self.list_plays(len(self.table.plays()))
        else:
            print(sheet_text(self.table) if word == "sheet" else HELP)

    def undo(self) -> None:
        """Go back to the person's last decision; nothing changes if there was none."""
        steps = 0
        while self.table.history:
            self.table.undo()
            steps += 1
            legal = self.table.legal_actions()
            if self.table.to_act == PERSON and "pass_turn" not in legal:
                return
        for _ in range(steps):
            self.table.redo()
        raise IllegalActionError("there is no decision of yours to go back to")


def _level(words: str) -> int:
    """Return what a resignation offers."""
    level = words.removeprefix("resign").strip() or LEVELS[0]
    if level not in LEVELS:
        raise InvalidGameError(f"{shown(words)}; expected resign, resign gammon or resign backgammon")
    return LEVELS.index(level) + 1
