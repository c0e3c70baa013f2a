"""`bgfast play`: a person (X) against an opponent (O) of some level, in the terminal."""

from __future__ import annotations

import argparse
import sys

from bgfast.analysis.opponents import OPPONENTS, Opponent, opponent
from bgfast.cli.colours import coloured_board
from bgfast.cli.game_options import add_game_options, new_session
from bgfast.cli.parser import Parser
from bgfast.errors import BgfastError, IllegalActionError, InvalidGameError, shown
from bgfast.formats.position_text import typed_roll
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.scoring import LEVELS, PLAYER_NAMES
from bgfast.position.objects import Position

__all__ = ["Dialogue", "add_options", "run"]

PERSON = 0
LEVEL = "intermediate"
MOST_LISTED = 30  # plays that are listed without being asked for
HELP = """\
  roll            throw the dice
  8/5 6/5, or 3   play, in notation or by its number in the list
  plays, list     list the legal plays
  double          offer to double the stake; take, drop or beaver answers a double
  resign          offer to lose the game; resign gammon and resign backgammon offer more
  undo            go back to your last decision
  sheet           the game so far
  help, ?         this list
  quit            stop"""


class Quit(Exception):  # noqa: N818 - no error
    """The person has had enough."""


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast play``."""
    parser.describe(
        "",
        "LEVEL: beginner, a few rules of thumb; casual, pubeval; intermediate, the built-in network; "
        "advanced, the same looking 1 ply ahead. The network doubles by its equities, the others by the pip "
        "count.",
        "Without --seed a seed is chosen, and shown.",
        example="bgfast play --match 5 --level advanced",
    )
    add_game_options(parser)
    parser.add_argument(
        "--level", default=LEVEL, metavar="LEVEL", help=f"of O: {', '.join(OPPONENTS)} ({LEVEL})"
    )


def run(arguments: argparse.Namespace) -> None:
    """Play until the game, the match or the session is over, or the person quits."""
    session = new_session(arguments)
    other = opponent(arguments.level, session.game.rules)
    print(f"{session.title}, {arguments.level}\nYou are X. Type help for what can be typed.")
    if other.notice is not None:
        print(other.notice)
    try:
        Dialogue(session.game, other, session.games).run()
    except (Quit, EOFError):
        print("\nbye")


class Dialogue:
    """The questions and answers of a game, a match or a session of so many games."""

    def __init__(self, game: Game | Match, other: Opponent, games: int | None = None) -> None:
        self.game = game
        self.other = other
        self.games = games

    def run(self) -> None:
        """Go on until it is over."""
        while True:
            legal = self.game.legal_actions()
            if "next_game" in legal:
                self.tell_result()
                assert isinstance(self.game, Match)
                if len(self.game.state.ended) == self.games:
                    return
                self.game.next_game()
            elif not legal:
                self.tell_result()
                return
            elif self.game.to_act is None:
                self.open_game(legal)
            elif self.game.to_act != PERSON:
                self.opponent_acts()
            elif "pass_turn" in legal:
                print(f"You rolled {self.dice()} and cannot move.")
                self.game.pass_turn()
            else:
                self.person_acts(legal)

    def dice(self) -> str:
        """Return the roll as text."""
        return "{}-{}".format(*self.game.dice or ())

    def tell_result(self) -> None:
        """Say who has won."""
        result = self.game.result
        assert result is not None
        winner = "You win" if result.winner == PERSON else "O wins"
        print(f"\n{winner} {result}.")
        if isinstance(self.game, Match):
            print(f"Score: X {self.game.score[0]}, O {self.game.score[1]}.")

    def open_game(self, legal: tuple[str, ...]) -> None:
        """Draw the colours, or make the opening roll."""
        if "draw_lot" in legal:
            print(f"\nThe lot makes {PLAYER_NAMES[self.game.draw_lot()]} White, who rolls first.")
            return
        dice = self.game.roll()
        first = self.game.on_turn
        outcome = "a tie" if first is None else f"{PLAYER_NAMES[first]} begins"
        print(f"\nOpening: X rolls {dice[0]}, O rolls {dice[1]}: {outcome}.")

    # ------------------------------------------------------------ the opponent

    def opponent_acts(self) -> None:
        """Let the opponent do something, and say what."""
        rolled, doubled = self.game.dice and self.dice(), 2 * self.game.cube.value
        action, play = self.other.act(self.game)
        said = {
            "play": f"O rolled {rolled} and plays {play}.",
            "pass_turn": f"O rolled {rolled} and cannot move.",
            "take": "O takes.",
            "drop": "O drops.",
            "accept_resignation": "O accepts.",
            "refuse_resignation": "O refuses, since more can be won.",
            "double": f"O doubles to {doubled}.",
        }
        if action in said:  # its roll is told with its play
            print(said[action])

    # ------------------------------------------------------------ the person

    def person_acts(self, legal: tuple[str, ...]) -> None:
        """Show the board and do what is typed."""
        print(coloured_board(f"\n{self.board()}\n{self.standing()}", sys.stdout))
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
        game = self.game
        seen: Position = game.position if game.on_turn == PERSON else game.position.flip()
        # The printed board takes X for the player on roll, who may as well wait for an answer to a double.
        return str(seen).replace("   X on roll", "")

    def standing(self) -> str:
        """Return the cube and the score in one line."""
        cube = self.game.cube
        owner = "centred" if cube.owner is None else f"{PLAYER_NAMES[cube.owner]}'s"
        line = f"Cube {cube.value}, {owner}."
        if isinstance(self.game, Match):
            line += f" Score X {self.game.score[0]}, O {self.game.score[1]}, {self.stage(self.game)}."
        return line

    def stage(self, game: Match) -> str:
        """Return how much is played, and how far it is."""
        match = game.state.game.match
        if match is None:
            return f"game {len(game.state.ended) + 1} of {self.games}"
        return f"match to {match.length}" + (" (Crawford game)" if match.crawford else "")

    def question(self, legal: tuple[str, ...]) -> str:
        """Return what can be answered."""
        if "play" in legal:
            return f"your play of {self.dice()}"
        return " or ".join(name for name in ("roll", "double", "take", "drop", "beaver") if name in legal)

    def list_plays(self, most: int) -> None:
        """List the legal plays, if they are not too many."""
        plays = self.game.plays()
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
            getattr(self.game, word)()
            return True
        if word.split()[:1] == ["roll"]:
            self.game.roll(typed_roll(" ".join(word.split()[1:])))
            return True
        if word.split()[:1] == ["resign"]:
            self.game.resign(_level(word))
            return True
        if word in ("", "help", "?", "sheet", "plays", "list"):
            self.explain(word)
            return False
        plays = self.game.plays()
        if word.isascii() and word.isdecimal():
            if not 1 <= int(word) <= len(plays):
                raise IllegalActionError(f"there is no play {word}; expected 1 to {len(plays)}")
            self.game.play(plays[int(word) - 1])
        else:
            self.game.play(words)
        return True

    def explain(self, word: str) -> None:
        """Print what was asked for."""
        if word in ("plays", "list"):
            self.list_plays(len(self.game.plays()))
        else:
            print(self.game.score_sheet() if word == "sheet" else HELP)

    def undo(self) -> None:
        """Go back to the person's last decision; nothing changes if there was none."""
        steps = 0
        while self.game.history:
            self.game.undo()
            steps += 1
            legal = self.game.legal_actions()
            if self.game.to_act == PERSON and "pass_turn" not in legal:
                return
        for _ in range(steps):
            self.game.redo()
        raise IllegalActionError("there is no decision of yours to go back to")


def _level(words: str) -> int:
    """Return what a resignation offers."""
    level = words.removeprefix("resign").strip() or LEVELS[0]
    if level not in LEVELS:
        raise InvalidGameError(f"{shown(words)}; expected resign, resign gammon or resign backgammon")
    return LEVELS.index(level) + 1
