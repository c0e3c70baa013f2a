"""``bgfast play``: a person (X) against an opponent (O), in the terminal."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

from bgfast.cli.game import GAME_OPTIONS, new_session, resume_session, save_record, write_game
from bgfast.cli.parser import colour_board
from bgfast.cli.players import UBGI_HELP, load_evaluator, load_opponent
from bgfast.common.text import clean_line, clean_lines, fold_text
from bgfast.errors import BgfastError, IllegalActionError, InvalidGameError, short_repr
from bgfast.evaluation.cubeful import cubeful_conditions, cubeless_conditions
from bgfast.evaluation.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.scoring import LEVELS, PLAYER_NAMES
from bgfast.games.state import ActionName
from bgfast.players.opponents import OPPONENTS, Opponent, opponent
from bgfast.position.objects import Position
from bgfast.position.play_text import is_pass

PERSON = 0
LEVEL = "intermediate"
MAX_LISTED = 30  # plays listed without the command `plays`
MAX_HINTS = 5  # plays in a hint
ACTIONS: Mapping[str, ActionName] = {
    "roll": "roll",
    "double": "double",
    "take": "take",
    "drop": "drop",
    "beaver": "beaver",
    "raccoon": "raccoon",
    "accept": "accept_resignation",
    "refuse": "refuse_resignation",
}
"""Actions by command word."""
DIALOGUE_HELP = """\
  roll            throw the dice
  8/5 6/5, or 3   play, in notation or by its number in the list
  plays, list     list the legal plays
  double          offer to double the stake; take, drop or beaver answers a double, and take, drop or
                  raccoon a beaver
  resign          offer to lose the game; resign gammon and resign backgammon offer more;
                  accept or refuse answers such an offer
  hint            the choice of the built-in evaluator
  undo            go back to your last decision
  board           print the board
  sheet           print the game so far
  save FILE       save the game with its future dice: bgfast play --resume FILE resumes it
  help, ?         this list
  quit            stop"""

HELP = f"""
LEVEL: beginner, a few rules of thumb; casual, pubeval; intermediate, the built-in network; advanced, the
network at 1 ply. The network uses cube and score; the other levels double by the pip count.

Without --seed a random seed is used, and printed.

{GAME_OPTIONS}
--resume FILE  resume the game that `save` wrote to FILE; --games includes the money games already played
--level LEVEL={LEVEL}  level of O: {", ".join(OPPONENTS)}, or {UBGI_HELP} ({LEVEL})

example: bgfast play --match 5 --level advanced
"""
DEFAULTS = {"rules": None}  # a resumed game has its own rules


def run(arguments: argparse.Namespace) -> None:
    """Play until the game, the match or the session is over, or the person quits."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            import readline  # enables line editing and history

            # Bracketed paste would add control characters to transcripts of a terminal.
            readline.parse_and_bind("set enable-bracketed-paste off")
    session = new_session(arguments) if arguments.resume is None else resume_session(arguments)
    opponent = load_opponent(arguments.level, session.game.rules)
    print(f"{clean_line(session.title)}, {arguments.level}\nYou are X. Type help for the commands.")
    if opponent.notice is not None:
        print(clean_lines(opponent.notice))
    try:
        Dialogue(session.game, opponent, session.games).run()
    except EOFError:  # end of the input, or the command quit
        print("\nbye")
    save_record(arguments, session.game)


class Dialogue:
    """Dialogue in which a person plays a game, a match, or a session of `games` games (None: unlimited)."""

    def __init__(self, game: Game | Match, opponent: Opponent, games: int | None = None) -> None:
        self.game, self.opponent, self.games = game, opponent, games

    def run(self) -> None:
        """Play to the end."""
        while True:
            actions = self.game.legal_actions()
            if "next_game" in actions or not actions:
                if self._print_result(bool(actions)):
                    return
                assert isinstance(self.game, Match)
                self.game.next_game()
            elif self.game.to_act is None:
                self._open_game(actions)
            elif self.game.to_act != PERSON:
                self.opponent_acts()
            elif "pass_turn" in actions:
                print(f"You rolled {self._roll_text()} and cannot move.")
                self.game.pass_turn()
            else:
                self._person_acts(actions)

    def _roll_text(self) -> str:
        """Return the roll as text, the higher die first."""
        return "{}-{}".format(*sorted(self.game.dice or (), reverse=True))

    def _print_result(self, has_next: bool) -> bool:
        """Print the result of a game; return whether no further game is due."""
        result = self.game.result
        assert result is not None
        print(f"\n{'You win' if result.winner == PERSON else 'O wins'} {result}.")
        if not isinstance(self.game, Match):
            return True
        x_points, o_points = self.game.score
        print(f"Score: X {x_points}, O {o_points}.")
        if has_next and (self.games is None or len(self.game.state.ended) < self.games):
            return False
        title = f"after {self.games} games" if has_next else f"the match to {self.game.length}"
        winner = "Nobody has" if x_points == o_points else "You have" if x_points > o_points else "O has"
        print(f"{winner} won {title}: {max(self.game.score)}-{min(self.game.score)}.")
        return True

    def _open_game(self, actions: tuple[str, ...]) -> None:
        if "draw_lot" in actions:
            print(f"\nThe lot makes {PLAYER_NAMES[self.game.draw_lot()]} White, who rolls first.")
            return
        dice = self.game.roll()
        starter = self.game.on_turn
        outcome = "a tie" if starter is None else f"{PLAYER_NAMES[starter]} begins"
        print(f"\nOpening: X rolls {dice[0]}, O rolls {dice[1]}: {outcome}.")

    # ------------------------------------------------------------ the opponent

    def opponent_acts(self) -> None:
        """Let the opponent act, and print the action."""
        dice, stake = self.game.dice and self._roll_text(), 2 * self.game.cube.value
        action, play = self.opponent.act(self.game)
        sentences = {
            "play": f"O rolled {dice} and plays {play}.",
            "pass_turn": f"O rolled {dice} and cannot move.",
            "take": "O takes.",
            "drop": "O drops.",
            "beaver": f"O beavers, to {2 * stake}.",
            "raccoon": f"O raccoons, to {4 * stake}.",
            "accept_resignation": "O accepts.",
            "refuse_resignation": "O refuses, since more can be won.",
            "double": f"O doubles to {stake}.",
        }
        if action in sentences:  # a roll is printed with its play
            print(sentences[action])

    # ------------------------------------------------------------ the person

    def _person_acts(self, actions: tuple[str, ...]) -> None:
        """Show the board and read commands until the game changes."""
        self._print_board()
        if "play" in actions:
            self._list_plays(MAX_LISTED)
        while True:
            try:
                line = input(f"{self.prompt(actions)} > ").strip()
                if self.run_command(line):
                    return
            except UnicodeDecodeError:
                print("the input is not text")
            except BgfastError as error:
                print(clean_line(str(error)))

    def _print_board(self) -> None:
        """Print the board from the person's side, the cube, and the score if there is one."""
        game = self.game
        position: Position = game.position if game.on_turn == PERSON else game.position.flip()
        # X is not on roll when answering a double.
        board = str(position).replace("   X on roll", "")
        owner = "centred" if game.cube.owner is None else f"{PLAYER_NAMES[game.cube.owner]}'s"
        status = f"Cube {game.cube.value}, {owner}."
        if isinstance(game, Match):
            status += f" Score X {game.score[0]}, O {game.score[1]}, {self._stage(game)}."
        print(colour_board(fold_text(f"\n{board}\n{status}", sys.stdout), sys.stdout))

    def _stage(self, game: Match) -> str:
        """Return the length of a match, or the number of the game in a session."""
        match = game.state.game.match
        if match is not None:
            return f"match to {match.length}" + (" (Crawford game)" if match.crawford else "")
        title = f"game {len(game.state.ended) + 1}"
        return title if self.games is None else f"{title} of {self.games}"

    def prompt(self, actions: tuple[str, ...]) -> str:
        """Return the text that asks the person for an action."""
        if "play" in actions:
            return f"your play of {self._roll_text()}"
        return " or ".join(command for command, action in ACTIONS.items() if action in actions)

    def _list_plays(self, maximum: int) -> None:
        """List the legal plays, unless there are more than `maximum`."""
        plays = self.game.plays()
        if len(plays) > maximum:
            print(f"{len(plays)} legal plays; plays lists them")
            return
        for index, play in enumerate(plays, 1):
            print(f"{index:4}  {play}")

    def run_command(self, text: str) -> bool:
        """Run a command; return whether the game has changed."""
        line = text.lower()
        command, *arguments = line.split() or [""]
        queries: dict[str, Callable[[], object]] = {
            "": lambda: print(fold_text(DIALOGUE_HELP, sys.stdout)),
            "sheet": lambda: print(fold_text(self.game.score_sheet(), sys.stdout)),
            "plays": lambda: self._list_plays(len(self.game.plays())),
            "board": self._print_board,
            "hint": self._hint,
        }
        queries |= {"help": queries[""], "?": queries[""], "list": queries["plays"]}
        if line in ("quit", "q"):
            raise EOFError
        if command == "save":
            self._save(os.path.expanduser(text.strip()[len(command) :].strip()))
        elif line in queries:
            queries[line]()
        else:
            if line == "undo":
                self.undo()
            elif line in ACTIONS:
                getattr(self.game, ACTIONS[line])()
            elif command == "roll":
                self.game.roll(" ".join(arguments))
            elif command == "resign":
                level = line.removeprefix("resign").strip() or LEVELS[0]
                if level not in LEVELS:
                    problem = f"{short_repr(line)}; expected resign, resign gammon or resign backgammon"
                    raise InvalidGameError(problem)
                self.game.resign(LEVELS.index(level) + 1)
            else:
                self._play(text)
            return True
        return False

    def _play(self, text: str) -> None:
        """Make a play given by its number in the list or in notation."""
        if not re.search(r"[0-9/]", text) and not is_pass(text.lower()):
            raise IllegalActionError(f"unknown command {short_repr(text)}; type help for the commands")
        plays = self.game.plays()
        if not (text.isascii() and text.isdecimal()):
            self.game.play(text)
        elif 1 <= int(text) <= len(plays):
            self.game.play(plays[int(text) - 1])
        else:
            raise IllegalActionError(f"there is no play {text}; expected 1 to {len(plays)}")

    def _hint(self) -> None:
        """Print the choice of the built-in evaluator at 1 ply."""
        game, actions = self.game, self.game.legal_actions()
        adviser = opponent("advanced", game.rules)
        if game.dice is not None:
            player = Lookahead(load_evaluator("builtin"), rules=game.rules)
            best = player.best_plays(game.decision)[:MAX_HINTS]
            width = max(len(str(candidate.play)) for candidate in best)
            for candidate in best:
                difference = f"  {candidate.difference:+.3f}" if candidate is not best[0] else ""
                print(f"  {candidate.play!s:{width}}  equity {candidate.equity:+.3f}{difference}")
        elif "take" in actions:
            print(f"  {adviser.answer(game)}")
        elif "double" in actions:
            print("  double" if adviser.offers_double(game) else "  roll")
        elif "accept_resignation" in actions:
            accepts = adviser.accepts_resignation(game, game.history[-1].level)
            print("  accept" if accepts else "  refuse", f"({cubeless_conditions(game.decision)})", sep="\n")
            return
        else:
            print("  roll")
            return
        conditions = cubeful_conditions(game.decision, MatchEquityTable.builtin().name, EFFICIENCY_MODELS[0])
        print(f"({conditions})")

    def _save(self, path: str) -> None:
        if not path:
            raise BgfastError("save: expected the name of a file, as in save game.json")
        write_game(path, self.game)
        print(f"saved in {short_repr(path)}")

    def undo(self) -> None:
        """Go back to the person's last decision; raise `IllegalActionError` if there is none."""
        steps = 0
        while self.game.history:
            self.game.undo()
            steps += 1
            actions = self.game.legal_actions()
            if self.game.to_act == PERSON and "pass_turn" not in actions:
                return
        for _ in range(steps):
            self.game.redo()
        raise IllegalActionError("there is no decision of yours to go back to")
