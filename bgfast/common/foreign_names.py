"""Names of other libraries and what they are called here, for the errors of attributes that do not exist."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from inspect import getattr_static
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_PLAYS = "legal_plays legal_moves get_legal_moves get_legal_plays generate_moves possible_moves moves_for"
_EVALUATION = "evaluate evaluation eval equity best_play best_move best_plays get_best_move analyse analyze"
_OVER = "is_over is_game_over game_over is_terminal is_finished finished over done ended"
_TURN = "turn to_move side_to_move current_player player player_on_roll on_roll to_play"

# For each class or module, lines of what is expected, a colon, and the names that people type for it.
_TABLE = {
    "module 'bgfast'": f"""
        Position(...): Board board position new_position Nackgammon
        evaluators.*: Bearoff Bgsage Chain GnubgNN Hypergammon Lookahead Onnx PipCount Pubeval Random
        evaluators.*: WithBearoff
        training.*: Training Settings
        cube.*: CubeActions MatchEquityTable cube_actions cube_efficiencies cube_points roll_map score_map
        matches.*: AnalysisComparison MatchAnalysis write_anki write_report
        environments.*: BackgammonAEC BackgammonEnv BackgammonMatchEnv BackgammonVectorEnv MAX_PLAYS
        games.*: Cube GameState MatchInfo MatchState legal_answers read_answer
        records.*: load_games load_matches read_match
        __version__: version VERSION
        Position(...).xgid or Position(...).gnubg_id: xgid to_xgid gnubg_id to_gnubg_id position_id
        Match.save(path): save write convert export save_match
        cube.MatchEquityTable: match_equity met MET
        Position(...): from_board read_position parse start starting_position
        Position(...) or Decision.read(...): from_xgid from_xg from_gnubg parse_xgid read_xgid
        Position(...) or Decision.read(...): from_gnubg_id from_id from_fen from_string from_text
        Position(...).plays(roll): {_PLAYS} plays moves generate get_plays movegen legal_actions
        analyse(position, roll): best_play best_move best_plays get_best_move
        analyse(position, roll): rank rank_plays analyze analysis hint search explain
        analyse(position): evaluate evaluation eval equity score estimate probabilities win_probability
        cube_decision(...): cube_action double should_double
        cube.cube_points(...): take_point take_points
        analyse_match(...): analyze_match analyse_file error_rate
        load_match(path): load open read read_match parse_match
        load_match(path): from_file load_file open_match from_mat load_mat
        Game(dice=SEED): new_game play_game play play_games simulate self_play Simulation
        Network.builtin(): NeuralNetwork Net Model Evaluator network default_network builtin
        Network.load(path): load_network
        evaluators.GnubgNN(): gnubg Gnubg
        evaluators: evaluator players bots engines
        environments: env Env make gym environment
        training.Training(...): train Trainer learn fit
        pip_counts(boards): pip_count pips pipcount
        encode_tdgammon(boards): encode encode_board features tesauro
        random_positions(n, seed=SEED): random_position random_board random_boards
        random_dice(n, seed=SEED): roll roll_dice dice Dice random_roll
        rollout(position, roll): roll_out Rollout rollouts_of monte_carlo
        svg(position): draw plot show render diagram image picture display to_svg html
        RuleSet or its name: Rules rules ruleset variants
        BgfastError: Error BackgammonError
    """,
    "Position": f"""
        plays(roll): {_PLAYS} moves get_plays
        play(play, roll): apply apply_move apply_play push make_move make_play do_move move
        bgfast.analyse(position, roll): evaluate evaluation equity best_play best_move best_plays
        bgfast.analyse(position, roll): analyse analyze
        bgfast.rollout(position): rollout
        bgfast.cube_decision(position): cube_decision
        bgfast.successors(position, roll): successors children
        to_array(): board points array numpy to_numpy to_list tolist
        position[25] and position[0]: bar
        pip_counts: pip_count pips pipcount
        phase: is_race is_contact is_over is_game_over game_over is_terminal is_finished
        off: borne_off
        flip(): mirror swap reverse
        gnubg_id or xgid: fen id position_id to_dict to_json to_xgid
        svg(): draw plot render show
        Position(text): from_string from_fen from_id from_text parse
        bgfast.Decision, which has dice, cube and turn: turn player dice cube score
        the position itself, which never changes: copy
    """,
    "PlayList": """
        bgfast.analyse(position, roll): best best_play rank sort evaluate
        list(plays): to_list tolist all plays moves_list
        [str(play) for play in plays]: texts notations strings names
        boards: positions results successors afterstates
        position: start before
        roll: dice
        bgfast.svg(play): svg draw plot render show
    """,
    "Play": """
        text or str(play): notation san name string move move_text label
        position: result after resulting_position board next_position afterstate successor to_position
        start: before start_position source
        roll: dice
        hits: is_hit hit is_blot_hit
        bgfast.analyse(play.start, play.roll): equity evaluate score
    """,
    "Decision": f"""
        position.plays(dice): plays {_PLAYS} moves
        position: board to_array points
        bgfast.analyse(decision): {_EVALUATION} best
        bgfast.rollout(decision): rollout
        bgfast.cube_decision(decision): cube_decision cube_action should_double
        dice: roll
        cube: cube_value
        match_length: length match_to points
        Decision.read(text): from_xgid from_gnubg_id parse
        xgid: to_dict to_json
        xgid: to_xgid
        turn: player on_roll to_move current_player
    """,
    "Game": f"""
        on_turn or to_act: turn player current_player to_move side_to_move player_on_roll on_roll to_play
        plays(): {_PLAYS} moves
        play(text): move push make_move apply do_move step
        position: get_position current_position
        legal_actions(): actions available_actions possible_actions
        phase or result: winner {_OVER}
        history: log moves_played record move_history
        bgfast.analyse(game.decision): {_EVALUATION}
        undo(): back pop take_back
        bgfast.svg(game): svg draw render plot show display
        score_sheet(): print to_text text
        to_json(): to_dict save dumps
        from_json(text): from_dict load loads from_file
        from_decision(...): from_position from_xgid from_gnubg_id start new
        bgfast.Match, which has a score: score length
        bgfast.Match, whose info names the players: players names
    """,
    "Match": """
        games or state: game current_game
        results: result_list
        bgfast.load_match(path): load from_file open read from_mat from_sgf from_xg
        bgfast.records.read_match(text): parse from_text from_string
        to_mat() or to_sgf(): to_text text
        save(path): export write to_xg to_file to_mat_file
        info: players names name player_names event
        bgfast.analyse_match(match): analyse analyze analysis evaluate
        winner: is_over is_game_over game_over is_finished finished over done
        state.game.match: crawford is_crawford
        score_sheet(): print moves_text
    """,
    "Network": """
        evaluate(boards): predict forward probabilities eval infer evaluation
        equities(boards): equity value values
        best_plays(position, roll): best_play best_move rank rank_plays analyse analyze plays choose
        bgfast.rollout(position, evaluator=network): rollout
        Network.builtin(): default pretrained
        Network.load(path): from_file open read
        save_onnx(path): to_onnx export export_onnx onnx
        weights: parameters state_dict layers
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
        worst(n): errors blunders mistakes worst_errors largest_errors
        rates: error_rate error_rates performance summary stats statistics
        to_html(): html report
    """,
    "RankedPlays": """
        analysis[0].play: play move best_play best_move
        analysis[0].equity: equity
        analysis[0].probabilities: probabilities win
    """,
    "Evaluation": """
        equity: value
        probabilities: win win_probability gammon
        bgfast.analyse(position, roll): best play plays
    """,
    "CubeDecision": """
        proper_action: action best best_action decision_text verdict
        equities: equity no_double double_take
        probabilities: win
    """,
    "RolloutResult": """
        estimates or best: results plays candidates
        equity_se: se std standard_error stderr error
        trials: games n
    """,
    "module 'bgfast.training'": """
        training.Training(...): train fit learn run Trainer TrainingRun train_network
        training.Settings(...): TrainingSettings settings Config config
    """,
    "module 'bgfast.evaluators'": """
        bgfast.Network.builtin(): builtin Builtin default network
        bgfast.Network.load(path): load load_network
        evaluators.GnubgNN(): Gnubg gnubg GNUBG gnubg_nn
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
        cube.cube_points(...): take_point take_points
        cube.MatchEquityTable: met MET match_equity_table
    """,
}
_EVALUATORS = "Bearoff Chain ForeignEvaluator Hypergammon PipCount Pubeval Random WithBearoff".split()


def _parsed(table: str) -> dict[str, str]:
    lines = (line.rpartition(": ") for line in table.strip().splitlines())
    return {name: expected.strip() for expected, _, names in lines for name in names.split()}


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
    """Let the errors of a class name what is meant by attributes that it does not have."""
    for name, value in foreign_names(cls).items():
        setattr(cls, name, value)
    return cls


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


def missing_in(module: str) -> Callable[[str], Any]:
    """Return `__getattr__` of a module, whose errors name what is meant."""

    def module_getattr(name: str) -> Any:
        raise no_attribute(module, name)

    return module_getattr
