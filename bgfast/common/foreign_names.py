"""Names of other libraries and what they are called here, for the errors of attributes and arguments."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection
from functools import cache, wraps
from inspect import getattr_static, signature
from itertools import pairwise
from typing import Any, TypeVar, cast

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

_PLAYS = "legal_plays legal_moves get_legal_moves get_legal_plays generate_moves possible_moves moves_for"
_EVALUATION = "evaluate evaluation eval equity best_play best_move best_plays get_best_move analyse analyze"
_OVER = "is_over is_game_over game_over is_terminal is_finished finished over done ended"
_TURN = "turn to_move side_to_move current_player player player_on_roll on_roll to_play"

# For each class or module, what is expected, a colon, and the names that people type for it; and the next.
_TABLE = {
    "module 'bgfast'": f"""
        Position(...): Board board position new_position Nackgammon; evaluators.*: WithBearoff
        evaluators.*: Bearoff Bgsage Chain GnubgNN Hypergammon Lookahead Onnx PipCount Pubeval Random
        training.*: Training Settings; matches.*: AnalysisComparison MatchAnalysis write_anki write_report
        cube.*: CubeActions MatchEquityTable cube_actions cube_efficiencies cube_points roll_map score_map
        environments.*: BackgammonAEC BackgammonEnv BackgammonMatchEnv BackgammonVectorEnv MAX_PLAYS
        games.*: Cube GameState MatchInfo MatchState legal_answers read_answer; __version__: version VERSION
        records.*: load_games load_matches read_match; Match.save(path): save write convert export save_match
        Position(...).xgid or Position(...).gnubg_id: xgid to_xgid gnubg_id to_gnubg_id position_id
        cube.MatchEquityTable: match_equity met MET; cube_decision(...): cube_action double should_double
        Position(...): from_board read_position parse start starting_position
        Position(...) or Decision.read(...): from_xgid from_xg from_gnubg parse_xgid read_xgid
        Position(...) or Decision.read(...): from_gnubg_id from_id from_fen from_string from_text
        Position(...).plays(roll): {_PLAYS} plays moves generate get_plays movegen legal_actions
        analyse(position, roll): best_play best_move best_plays get_best_move
        analyse(position, roll): rank rank_plays analyze analysis hint search explain
        analyse(position): evaluate evaluation eval equity score estimate probabilities win_probability
        cube.cube_points(...): take_point take_points; load_match(path): load open read read_match parse_match
        analyse_match(...): analyze_match analyse_file error_rate; Network.load(path): load_network
        load_match(path): from_file load_file open_match from_mat load_mat; evaluators.GnubgNN(): gnubg Gnubg
        Game(dice=SEED): new_game play_game play play_games simulate self_play Simulation
        Network.builtin(): NeuralNetwork Net Model Evaluator network default_network builtin
        evaluators: evaluator players bots engines; environments: env Env make gym environment
        training.Training(...): train Trainer learn fit; pip_counts(boards): pip_count pips pipcount
        encode_tdgammon(boards): encode encode_board features tesauro; BgfastError: Error BackgammonError
        random_positions(n, seed=SEED): random_position random_board random_boards
        random_dice(n, seed=SEED): roll roll_dice dice Dice random_roll
        rollout(position, roll): roll_out Rollout rollouts_of monte_carlo
        svg(position): draw plot show render diagram image picture display to_svg html
        RuleSet or its name: Rules rules ruleset variants
    """,
    "Position": f"""
        plays(roll): {_PLAYS} moves get_plays; bgfast.analyse(position, roll): analyse analyze; off: borne_off
        play(play, roll): apply apply_move apply_play push make_move make_play do_move move
        bgfast.analyse(position, roll): evaluate evaluation equity best_play best_move best_plays
        bgfast.rollout(position): rollout; bgfast.cube_decision(position): cube_decision
        bgfast.successors(position, roll): successors children; position[25] and position[0]: bar
        to_array(): board points array numpy to_numpy to_list tolist; pip_counts: pip_count pips pipcount
        phase: is_race is_contact is_over is_game_over game_over is_terminal is_finished
        flip(): mirror swap reverse; gnubg_id or xgid: fen id position_id to_dict to_json to_xgid
        svg(): draw plot render show; Position(): new create default initial
        Position(text): from_string from_fen from_id from_text from_ogid parse read load
        bgfast.Decision, which has dice, cube and turn: turn player dice cube score
        the position itself, which never changes: copy
    """,
    "PlayList": """
        bgfast.analyse(position, roll): best best_play rank sort evaluate; position: start before; roll: dice
        list(plays): to_list tolist all plays moves_list; boards: positions results successors afterstates
        [str(play) for play in plays]: texts notations strings names
        bgfast.svg(play): svg draw plot render show
    """,
    "Play": """
        text or str(play): notation san name string move move_text label; start: before start_position source
        position: result after resulting_position board next_position afterstate successor to_position
        roll: dice; hits: is_hit hit is_blot_hit; bgfast.analyse(play.start, play.roll): equity evaluate score
    """,
    "Decision": f"""
        position.plays(dice): plays {_PLAYS} moves; position: board to_array points; dice: roll; xgid: to_xgid
        bgfast.analyse(decision): {_EVALUATION} best; bgfast.rollout(decision): rollout; cube: cube_value
        bgfast.cube_decision(decision): cube_decision cube_action should_double; xgid: to_dict to_json
        match_length: length match_to points; turn: player on_roll to_move current_player
        Decision.read(text): from_xgid from_gnubg_id from_ogid from_text from_string parse load __init__
    """,
    "Game": f"""
        on_turn or to_act: turn player current_player to_move side_to_move player_on_roll on_roll to_play
        plays(): {_PLAYS} moves; play(text): move push make_move apply do_move step
        position: get_position current_position; legal_actions(): actions available_actions possible_actions
        phase or result: winner {_OVER}; history: log moves_played record move_history
        bgfast.analyse(game.decision): {_EVALUATION}; undo(): back pop take_back
        bgfast.svg(game): svg draw render plot show display; score_sheet(): print to_text text
        to_json(): to_dict save dumps; from_json(text): from_dict load loads from_file
        from_decision(...): from_position from_xgid from_gnubg_id start new
        bgfast.Match, which has a score: score length
        bgfast.Match, whose info names the players: players names
    """,
    "Match": """
        games or state: game current_game; results: result_list; to_mat() or to_sgf(): to_text text
        bgfast.load_match(path): load from_file open read from_mat from_sgf from_xg
        bgfast.records.read_match(text): parse from_text from_string; state.game.match: crawford is_crawford
        save(path): export write to_xg to_file to_mat_file; info: players names name player_names event
        bgfast.analyse_match(match): analyse analyze analysis evaluate; score_sheet(): print moves_text
        winner: is_over is_game_over game_over is_finished finished over done
    """,
    "Network": """
        evaluate(boards): predict forward probabilities eval infer evaluation
        equities(boards): equity value values; bgfast.rollout(position, evaluator=network): rollout
        best_plays(position, roll): best_play best_move rank rank_plays analyse analyze plays choose
        Network.builtin(): default pretrained; Network.load(path): from_file open read
        save_onnx(path): to_onnx export export_onnx onnx; weights: parameters state_dict layers
        bgfast.training.Training(...): train fit
    """,
    "Lookahead": """
        evaluation(position) or equities(boards): evaluate predict probabilities equity value
        best_plays(position, roll): best_play best_move rank rank_plays analyse analyze plays choose
    """,
    "evaluator": """
        evaluator(boards): evaluate equities equity predict forward probabilities eval infer value values
        bgfast.evaluators.Lookahead(evaluator).best_plays(position, roll): best_plays best_play best_move
        bgfast.evaluators.Lookahead(evaluator).best_plays(position, roll): rank choose plays
    """,
    "MatchAnalysis": """
        worst(n): errors blunders mistakes worst_errors largest_errors; to_html(): html report
        rates: error_rate error_rates performance summary stats statistics
    """,
    "RankedPlays": """
        analysis[0].play: play move best_play best_move; analysis[0].equity: equity
        analysis[0].probabilities: probabilities win
    """,
    "Evaluation": """
        equity: value; probabilities: win win_probability gammon
        bgfast.analyse(position, roll): best play plays
    """,
    "CubeDecision": """
        proper_action: action best best_action decision_text verdict; equities: equity no_double double_take
        probabilities: win
    """,
    "RolloutResult": """
        estimates or best: results plays candidates; equity_se: se std standard_error stderr error
        trials: games n
    """,
    "module 'bgfast.training'": """
        training.Training(...): train fit learn run Trainer TrainingRun train_network
        training.Settings(...): TrainingSettings settings Config config
    """,
    "module 'bgfast.evaluators'": """
        bgfast.Network.builtin(): builtin Builtin default network
        bgfast.Network.load(path): load load_network; evaluators.GnubgNN(): Gnubg gnubg GNUBG gnubg_nn
        evaluators.PipCount(): pip_count pipcount Pips
        evaluators.Random(): random RandomPlayer RandomEvaluator
        evaluators.Lookahead(evaluator, ply=1): lookahead Search search NPly
    """,
    "module 'bgfast.records'": """
        bgfast.load_match(path): load read open from_file load_mat
        records.read_match(text): parse parse_match read_mat parse_mat
    """,
    "module 'bgfast.environments'": """
        environments.BackgammonEnv(): make env_single Backgammon Env BackgammonEnvironment
        environments.BackgammonVectorEnv(n): VectorEnv make_vec vector
    """,
    "module 'bgfast.cube'": """
        cube.cube_decision(position): decision decide action analyse analyze should_double evaluate
        cube.cube_points(...): take_point take_points; cube.MatchEquityTable: met MET match_equity_table
    """,
}
# Names of the same argument, with semicolons between arguments, in their order of preference.
_SYNONYMS = """
    ply depth plies level lookahead n_ply; trials games n n_games n_trials num_trials num_games iterations;
    seed random_state rng random_seed; dice roll rolls die seed random_state rng;
    evaluator network model net player engine bot agent; path file filename name; match path file filename;
    threads workers jobs n_jobs n_threads num_threads processes; truncate truncation horizon depth plies;
    stop time_limit timeout seconds time; candidates top n_best max_plays n; size width height scale;
    colours colors palette; theme style; rules ruleset variant; position board start state fen xgid;
    subject position board decision state match text fen xgid; decision position board state text xgid;
    boards board position positions; length points match_length n_points; met match_equity;
    cubeless cubeful cube use_cube; progress callback verbose
"""
_MIN_SHORTENED = 3  # characters of a shortened name
_MAX_COMPARED = 200  # characters of a name
_EVALUATORS = "Bearoff Chain ForeignEvaluator Hypergammon NativeEvaluator WithBearoff".split()


def _parsed(table: str) -> dict[str, str]:
    hints = (hint.rpartition(": ") for hint in re.split("[;\n]", table))
    return {name: expected.strip() for expected, _, names in hints for name in names.split()}


@cache
def names_of(owner: str) -> dict[str, str]:
    """Return what is expected for each foreign name of a class or module."""
    table = _TABLE.get("evaluator" if owner in _EVALUATORS else owner, "")
    return (names_of("Game") if owner == "Match" else {}) | _parsed(table)


# ---- attributes of classes ----


class ForeignName:
    """Attribute of a class that only raises the error of its name, for the class and for its instances.

    A subclass or an instance may have one of this name. `__getattr__` would also raise the error, but
    makes every other attribute slow, and does nothing for the class itself.
    """

    def __init__(self, name: str, expected: str, metaclass: type) -> None:
        self._name, self._expected = name, expected
        self.__doc__ = f"No attribute; expected {expected}."  # for help(), which lists it
        self.__objclass__ = metaclass  # for tools that compare a class with its stub

    def __get__(self, instance: Any, owner: type) -> Any:
        """Raise `AttributeError`."""
        raise _no_attribute(owner.__name__, self._name, self._expected)


def _no_attribute(owner: str, name: str, expected: str) -> AttributeError:
    # With these arguments Python suggests no similar name.
    return AttributeError(f"{owner} has no attribute {name!r}; expected {expected}", name=name, obj=None)


def _dir(self: Any) -> list[str]:
    """Return the names of attributes, without foreign ones."""
    names = object.__dir__(self)
    return [name for name in names if not isinstance(getattr_static(self, name, None), ForeignName)]


def foreign_names(cls: type) -> dict[str, Any]:
    """Return the attributes that `names_missing` adds to a class; a compiled class adds them itself."""
    names = {name: expected for name, expected in names_of(cls.__name__).items() if not hasattr(cls, name)}
    hints = {name: ForeignName(name, expected, type(cls)) for name, expected in names.items()}
    return {**hints, "__dir__": _dir}


def names_missing(cls: Class) -> Class:
    """Let the errors of a class name what is meant by attributes and arguments that it does not have."""
    attributes = foreign_names(cls)
    if "__init__" in vars(cls):
        attributes["__init__"] = names_arguments(vars(cls)["__init__"])
    for name, value in attributes.items():
        setattr(cls, name, value)
    return cls


# ---- arguments ----


def names_arguments(function: Function) -> Function:
    """Let the `TypeError` of a call with wrong arguments name the right ones."""

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        try:
            return function(*values, **options)
        except TypeError as error:
            is_of_call = error.__traceback__ is not None and error.__traceback__.tb_next is None
            expected = _expected_argument(function, values, options) if is_of_call else None
            if expected is None:
                raise
            raise TypeError(f"{error}; expected {expected}") from None

    return cast("Function", call)


def _expected_argument(function: Any, values: Any, options: Any) -> str | None:
    """Return what is meant by arguments that a function does not take; None if nothing is like them."""
    parameters = signature(function).parameters
    for name in options:
        if name not in parameters:
            groups = [synonyms.split() for synonyms in _SYNONYMS.split(";") if name in synonyms.split()]
            known = [synonym for synonyms in groups for synonym in synonyms if synonym in parameters]
            right = known[0] if known else nearest(name, parameters)
            return right and f"{right}="
    dice = [pair for pair in pairwise(values) if {*map(type, pair)} == {int}]
    if dice:
        return f"the two dice as one argument, {dice[0]}"
    owner, _, name = function.__qualname__.rpartition(".")
    return names_of(owner).get(name)


def nearest(word: str, names: Collection[str]) -> str | None:
    """Return the name that a mistyped or shortened word resembles; None without one."""
    from difflib import get_close_matches

    longer = [name for name in names if len(word) > _MIN_SHORTENED and name.startswith(word)]
    close = get_close_matches(word[:_MAX_COMPARED], list(names), 1, 0.7)
    return longer[0] if len(longer) == 1 else next(iter(close), None)


# ---- attributes of modules ----


def no_attribute(module: str, name: str) -> AttributeError | ImportError:
    """Return the error for an attribute that a module does not have; it names what is meant."""
    owner, package = f"module {module!r}", __name__.partition(".")[0]
    expected = names_of(owner).get(name)
    if expected is None and name in sys.modules[package].__all__:
        expected = f"{package}.{name}"
    if expected is None:
        return AttributeError(f"{owner} has no attribute {name!r}")
    error = _no_attribute(owner, name, expected.replace("*", name))
    return ImportError(str(error), name=name) if _is_import() else error


def _is_import() -> bool:
    """Return whether a module's attribute is looked up by ``from``, which replaces an AttributeError."""
    from opcode import opmap

    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_name in ("__getattr__", "module_getattr"):
        frame = frame.f_back
    return frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
