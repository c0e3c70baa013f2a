"""Names that other libraries use and their equivalents here, for errors about attributes and arguments."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache, wraps
from inspect import getattr_static, signature
from itertools import pairwise, product
from typing import Any, TypeVar, cast

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

# Families of names; braces contain alternatives.
_FAMILIES = {
    "PLAYS": "{get_,generate_,gen_,}{legal_,possible_,valid_,all_,}{moves,plays,actions} legal",
    "EVALUATION": "{get_,find_,}best{_move,_play,_action,_moves,_plays,} rank{,_plays,_moves} hint suggest "
    "eval evaluate evaluation equity analyse analyze analysis explain win_prob{,ability}",
    "OVER": "{is_,}{over,game_over,gameover,terminal,finished,done,ended,won}",
    "TURN": "{get_,}{current_,}player turn {to,side_to}_{move,play} {player_,}on_roll player_to_move",
    "MAKE": "{apply,make,do,play}_{move,play,action} push{,_san,_uci} apply move step",
    "DRAW": "{to_,}svg draw plot render show display image picture diagram to_{html,png}",
    "BEST": "best{_play,_move,} rank{,_plays} analyse analyze plays choose hint",
    "PROBABILITIES": "prob{s,ability} {win,lose}{,s,_prob,_probability,_gammon,_backgammon} gammon{s,} "
    "{win,gammon}_{rate,chance}",
    "SE": "se std{,_err,_error} stderr standard_error error equity_std{,err}",
    "PIPS": "pip_count pips pipcount",
    "ARRAY": "{to_,}{board,points,array,numpy,list,tensor} tolist",
}
# For each class, module or function: the expression to use, a colon, and the names that users type instead.
# The last entry for a name wins. `module` has the public names outside `bgfast` itself. `topics` has patterns
# for the words of any other name in a module; the first match wins.
_TABLE = r"""
module = evaluators.*: Bearoff Bgsage Chain Evaluator GnubgNN Hypergammon Lookahead Onnx PipCount Pubeval
    Random RankedPlay{,s} WithBearoff; training.*: Training Settings; games.*: Action Answer Cube Finding
    Game{Result,State} Match{Info,Score,State} Moved legal_answers read_answer; matches.*:
    Analys{edMatches,isComparison} MatchAnalysis analyse_matches write_{anki,report};
    rollouts.*: Estimate RolloutResult; cube.*:
    Cube{Actions,Decision,Decisions,Points} MatchEquityTable {Roll,Score}Map
    cube_{actions,decisions,efficiencies,points} cubeful_equities {roll,score}_map; environments.*:
    Backgammon{,Match}{AEC,Env,VectorEnv} {match,raw}_env MAX_PLAYS MATCH_{ACTIONS,PHASES}; records.*:
    load_{games,matches} read_match; __version__: version; evaluators.Bearoff(): bearoff; the command "bgfast
    *": contest crosscheck suite bench ubgi check report
bgfast = Position(...).play(play, roll): play; Position(...).plays(roll): plays moves; random_dice(n,
    seed=SEED): roll; cube_decision(position): cube_action; Position(...) or Decision.read(text): from_xgid
    from_gnubg_id
cube = cube_decision(position): deci{sion,de} action analy{s,z}e should_double evaluate
records = load_match(path): from_file; records.read_match(text): parse{,_mat} read_mat
evaluators = Network.load(path): load read open from_file; evaluators.Random(): random; Network.builtin():
    default
environments = environments.BackgammonEnv(): make single Backgammon env_single
training = training.Settings(...): config Config settings TrainingSettings
topics = environments.BackgammonVectorEnv(n): vec; environments.BackgammonAEC(): aec petting multi;
    environments.BackgammonEnv() or Game(dice=SEED): self-?play; environments.BackgammonEnv(): env gym observ
    reset step\b make$; the argument threads= of a call: thread worker jobs parallel;
    asyncio.to_thread(bgfast.analyse, position, roll): async await; the command "bgfast errors": error-per;
    the command "bgfast crosscheck": cross (check|verif|test|valid)\w*-(gen|engine|move-?gen); the command
    "bgfast suite": conform suite; the command "bgfast bench": bench; matches.write_anki(analyses, path):
    anki quiz card flash; matches.write_report(analyses, path): report; matches.analyse_matches("folder"):
    anal\w+-(files|all|many) matches folder director; the command "bgfast contest", which takes
    MODULE:NAME: contest duel tourn arena versus vs\b compar elo\b play-match head-to; ROLLS or ROLL_WEIGHTS:
    (roll|dice)-(prob|weight); play_texts(boards, roll, moves): move-(text|str|name) format notation;
    Decision(...).turn: turn on-roll (player|side)-(to|on) to-(move|play)$ current; Position(...).phase: race
    contact phase; Position(...).play(play, roll): (apply|play|make|do|exec\w*)-(move|play|act) push apply
    (pars|read)\w*-(move|play); Position(...) or Decision.read(text):
    (from|read|load|pars|new)\w*-(xg|gnubg|ogid|fen|id|str|text|pos|board|arr|list); Position(...).xgid or
    Position(...).gnubg_id: xgid gnubg-.*id ogid fen\b id\b position-id; evaluators.GnubgNN(): gnubg gnu\b;
    Network.load(path) or Network.save(path): (load|open|read|import|sav|exp)\w*-(net|model|weight);
    Game.from_json(text): json pickl serial; load_match(path): load read open\b pars import from pgn mat$ sgf;
    svg(position), which has save(path): sav\w*-(svg|pic|image|png|board); Match.save(path): sav writ expor
    conver dump to-(mat|sgf|file); Game(dice=SEED).undo(): undo pop unma take-b; analyse_match(match): luck
    error-rate pr\b blunder mistake worst perform rating anal\w*-(match|game|file|mat|sgf); BgfastError: error
    excep; evaluators.Bearoff().epc(position): epc effect wast; pip_counts(boards): pip;
    cube.MatchEquityTable.builtin()(4, 2), the points that both players need: met\b mwc
    (match|game)-(equit|win) equity-tab; cube_decision(XGID), which has points:
    (take|cash|drop|doubl\w*)-?(point|window); evaluators.Bearoff(): bear; encode_onehot(boards): one-?hot;
    encode_tdgammon(boards): encod featur tensor input td tesauro; training.Training(training.Settings(...)):
    train learn fit\b dataset reinforce; rollout(position, roll): roll-?out monte truncat;
    cube_decision(position): cube doubl redoubl take\b drop; evaluators.Lookahead(evaluator, ply=1):
    look-?ahead search ply\b plies minimax expecti mcts nply; perft(position, depth): perft divide tree;
    successors(boards, roll): success after child next expand batch; count_successors(boards, roll): count
    num\b number; Position(...).to_array(): to-(arr|num|list) array; results(boards): result winner outcome
    termin over\b finish is-won reward game-?over; print(Position(...)): print ascii pretty; flip(boards):
    flip mirror swap revers invert; svg(position): svg pict draw plot imag diagram png render show display
    html; evaluators.Random(): random-(player|agent|bot|policy|eval); Game(dice=SEED):
    (new|play|start|run|random)-games? simul; random_successors(boards, roll, seed=SEED):
    random-(move|play|act); random_dice(n, seed=SEED): random-(rol|dic|die) roll-(dic|die) (roll|dice)$ throw;
    analyse("31") or analyse(position, roll): opening; analyse(position, roll): best hint rank top choos
    select suggest recommend; evaluators: engine bot agent player polic ai\b opponent strateg evaluator;
    Position(...).plays(roll): move legal action possib valid gen play; analyse(position), or
    bgfast.Network.builtin().evaluate(boards): anal eval equit scor win prob gammon judg chance predict valu
    estim explain; ROLLS or ROLL_WEIGHTS: roll dice die\b; random_positions(n, seed=SEED): random sampl;
    RuleSet: rule variant jacoby beaver; Network.builtin(): net neural model weight nn\b built default;
    Position(...): board pos start init setup state nack long; Match(length): match session money;
    Game(dice=SEED): game backgammon pass resign
Position = plays(roll): PLAYS; svg(), which has save(path): save{,fig,_svg,_picture,_image};
    bgfast.analyse(position, roll): EVALUATION; off: borne_off; play(play, roll): MAKE; next_moves(roll):
    {moves,dice}_left destinations targets clicks steps {moves_from,checker_moves,single_moves}; play in
    position.plays(roll): is_{legal,valid}{,_move,_play} parse_{san,move,play,uci}; position[point]: piece_at
    piece at checkers_at get_point point; position[25] and position[0]: bar; bgfast.Game(...).undo(), since
    positions never change: pop undo unmake{,_move}; bgfast.rollout(position): rollout;
    bgfast.cube_decision(position): cube_{decision,action} should_double; bgfast.successors(position, roll):
    successors children; pip_counts: PIPS; phase: is_race is_contact OVER; to_array(): ARRAY; result: outcome
    is_won; flip(): mirror swap reverse; gnubg_id or xgid: fen id position_id to_{dict,json,xgid,fen}; svg():
    DRAW; Position(): new create default {initial,starting}{,_position}; Position(text):
    from_{string,fen,id,position_id,text,ogid} parse read load; bgfast.evaluators.Bearoff().epc(position):
    epc; bgfast.encode_tdgammon(position): encode features; bgfast.count_successors(position, roll):
    {num,count}_moves; bgfast.Decision, which has dice, cube and turn: TURN dice cube score set_dice roll;
    bgfast.random_positions(n, seed=SEED): random; the position itself, which never changes: copy;
    str(position): to_string to_text ascii
PlayList = bgfast.analyse(position, roll): EVALUATION sort; position: start before; roll: dice; list(plays):
    to_list tolist all plays moves_list; boards: positions results successors afterstates; [str(play) for play
    in plays]: texts notations strings names; bgfast.svg(play): DRAW
Play = text or str(play): notation san name string move move_text label; start: before start_position source;
    position: result after {resulting,next}_position board afterstate successor to_position; roll: dice; hits:
    {is_,}hit; bgfast.analyse(play.start, play.roll): equity evaluate score
Move = bgfast.Position(...).plays(roll): parse from_{uci,text,string,str}; from_: start source from_point
    origin; to: end target dest{,ination} to_point; hit: hits is_hit; die: dice roll
Svg = save(path): write to_file export; save(path), which another program converts: {to_,save_,}png
Decision = position.plays(dice): plays PLAYS; position: ARRAY; dice: roll; xgid: to_{xgid,dict,json};
    bgfast.analyse(decision): EVALUATION; bgfast.rollout(decision): rollout; cube: cube_value;
    bgfast.cube_decision(decision): cube_{decision,action} should_double; match_length: length match_to
    points; turn: TURN; position.play(play, dice): MAKE; position.pip_counts: PIPS pip_counts;
    Decision.read(text): from_{xgid,gnubg_id,ogid,text,string} parse load __init__
Game = on_turn or to_act: TURN; plays(): PLAYS; play(text): MAKE; position.pip_counts: PIPS pip_counts;
    position: get_position current_position; legal_actions() or history:
    {,available_,possible_,valid_}actions; phase or result: winner OVER outcome; history: log moves_played
    record move_history events decisions; states: positions boards; roll((3, 1)): set_dice roll_dice throw;
    next_moves(): legal_next{,_moves} partial destinations targets click{,s} steps movable {dice,moves}_left
    remaining_dice; bgfast.analyse(game): EVALUATION; undo(): back pop take_back unmake{,_move}; xgid: id
    gnubg_id fen to_xgid; bgfast.svg(game): DRAW; score_sheet(): to_text text; bgfast.rollout(game): rollout;
    cube.owner: cube_owner; cube.value: cube_value; accept_resignation() or take(): accept;
    refuse_resignation() or drop(): reject refuse decline; refuse_resignation(): reject_resignation; drop():
    fold {reject,pass}_double; double(): offer_double redouble; copy.deepcopy(game): copy clone; take():
    accept_double; to_json(): to_dict save dumps; from_json(text): from_dict load loads from_file;
    from_decision(...): from_{position,xgid,gnubg_id} start new; bgfast.Match, which has a score: score length
    new_game next_game; bgfast.cube_decision(game): cube_decision should_double; bgfast.Match, whose info
    names the players: players names
Match = bgfast.analyse_match(match), which has to_html(): to_html report; games or state: game current_game;
    to_mat() or to_sgf(): to_text text; bgfast.load_match(path): load from_file open read from_{mat,sgf,xg};
    bgfast.records.read_match(text): parse from_text from_string; state.game.match: {is_,}crawford;
    save(path): export write to_{xg,file}; info: players {player_,}names name event headers header metadata;
    bgfast.analyse_match(match): analy{s,z}e analysis evaluate rates pr luck error_rate errors blunders;
    history or bgfast.analyse_match(match): moves decisions; next_game() or roll(): new_game start_game;
    winner: OVER
Network = evaluate(boards): predict forward probabilities eval infer evaluation; equities(boards): equity
    value values; bgfast.rollout(position, evaluator=network): rollout; best_plays(position, roll): BEST;
    Network.builtin(): default pretrained; Network.load(path): from_file open read; save_onnx(path):
    {to_,export_,}onnx export; weights: parameters state_dict layers; bgfast.training.Training(...): train
    fit; Network.random(hidden, seed) or Network.builtin(): __init__
Lookahead = evaluation(position) or equities(boards): evaluate predict probabilities equity value;
    best_plays(position, roll): BEST
{Bearoff,Chain,ForeignEvaluator,Hypergammon,NativeEvaluator,WithBearoff} = evaluator(boards): evaluate
    equities equity predict forward probabilities eval infer value values;
    bgfast.evaluators.Lookahead(evaluator).best_plays(position, roll): best_plays BEST
Training = train(): run fit start; network: net model; network.save(path): save; done: finished is_done
MatchAnalysis = worst(n): {worst_,largest_,}errors blunders mistakes; to_html(): html report; names: players;
    rates: error_rate{,s} performance summary stats statistics
AnalysedDecision = recorded.decision: decision before; recorded.decision.position: position board;
    recorded.player: player; recorded.decision.dice: dice roll; recorded.decision.xgid: xgid; error:
    {equity_,}loss cost; best: best_{play,move}; chosen: played play move; choices: candidates plays moves
    alternatives
Rates = pr: error_rate performance{,_rating} rating
RankedPlay = play: move text san name notation; equity: score value eval evaluation; difference: loss error
    cost diff; probabilities: PROBABILITIES
RankedPlays = analysis[0].play: play move best_play best_move; analysis[0].equity: equity score;
    analysis[0].probabilities: probabilities PROBABILITIES; list(analysis): plays moves ranked candidates
Evaluation = equity: value score eval; probabilities: PROBABILITIES; bgfast.analyse(position, roll): best
    play{,s}
CubeDecision = points: {take,cash,double,drop}{_,}point{,s} take_window; proper_action: action best
    best_action decision_text verdict; equities: equity no_double double_take; probabilities: PROBABILITIES
RolloutResult = estimates or best: results plays candidates ranked ranking; equity_se: SE; trials: games n
    n_trials; probabilities: PROBABILITIES
Estimate = equity_se: SE; name: play move text; probabilities: PROBABILITIES
svg() = svg(decision), which has dice: dice roll xgid
Backgammon{,Match}{AEC,Env,VectorEnv} = reset(seed=...): seed
analyse() = analyse(...)[:3]: n top count n_best max_plays; bgfast.sample_rows(values, offsets, seed,
    temperature=1): noise temperature; bgfast.analyse_match(match, progress=...): progress callback verbose
rollout() = bgfast.evaluators.Lookahead(evaluator, ply=1), the evaluator: plies ply n_ply lookahead
perft() = bgfast.count_successors(position, 'all') or the command "bgfast perft": {per,by}_roll divide split
    roll dice; bgfast.perft("nackgammon", depth): variant
"""
# Synonyms for an argument, in order of preference; semicolons separate the groups.
_SYNONYMS = """
    ply depth plies level lookahead n_ply; trials games n n_games n_trials num_trials num_games iterations;
    seed random_state rng random_seed; dice roll rolls die seed random_state rng; evaluator network model net
    player engine bot agent; path file filename name; match path file filename; threads workers jobs n_jobs
    n_threads num_threads processes; truncate truncation horizon depth plies; stop time_limit timeout seconds
    time; candidates top n_best max_plays n; size width height scale; colours colors palette; theme style;
    rules ruleset variant jacoby beavers; position board start state fen xgid; subject position board decision
    state match text fen xgid; decision position board state text xgid; boards board position positions;
    length points match_length n_points; met match_equity; cubeless cubeful cube use_cube; progress callback
    verbose; checkers points; info players names event; bottom flip flipped orientation perspective side; play
    move arrows lastmove last_move
"""
_MIN_PREFIX = 4  # shorter words are not completed
_MAX_COMPARED = 200  # characters of a name that are compared


@cache
def names_of(owner: str) -> dict[str, str]:
    """Return the hint for each foreign name of a class, or for each pattern of the topics."""
    hints = dict(names_of("Game")) if owner == "Match" else {}
    for hint in _hints(_TABLE).get(owner, []):
        expected, _, names = hint.rpartition(": ")
        families = " ".join(_FAMILIES.get(name, name) for name in names.split())
        spellings = (name for pattern in families.split() for name in _spellings(pattern))
        hints |= {name: expected.replace("*", name) for name in spellings}
    return hints


@cache
def _hints(table: str) -> dict[str, list[str]]:
    """Return the hints of a table by class, module or function."""
    entries = re.findall(r"^(.+) =((?:.*\n)(?:    .*\n)*)", table, re.MULTILINE)
    return {
        owner: " ".join(text.split()).split("; ")
        for pattern, text in entries
        for owner in _spellings(pattern)
    }


def _spellings(pattern: str) -> Iterator[str]:
    """Yield the names of a pattern, in which braces contain alternatives."""
    return map("".join, product(*(part.split(",") for part in re.split("[{}]", pattern))))


# ---- attributes of classes ----


class ForeignName:
    """Class attribute that only raises the error for its name, on the class and on its instances.

    A subclass or an instance may have an attribute of this name. `__getattr__` could also raise the error,
    but would slow down every other attribute and do nothing for the class itself.
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
    """Let the errors of a class give hints for attributes and arguments that it does not have."""
    attributes = foreign_names(cls)
    if "__init__" in vars(cls):
        attributes["__init__"] = names_arguments(vars(cls)["__init__"])
    for name, value in attributes.items():
        setattr(cls, name, value)
    return cls


# ---- arguments ----


def names_arguments(function: Function) -> Function:
    """Let the `TypeError` of a call with invalid arguments suggest valid ones."""

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        try:
            return function(*values, **options)
        except TypeError as error:
            is_call_error = error.__traceback__ is not None and error.__traceback__.tb_next is None
            expected = _expected_argument(function, values, options) if is_call_error else None
            if expected is None:
                raise
            raise TypeError(f"{error}; expected {expected}") from None

    return cast("Function", call)


def _expected_argument(function: Any, values: Any, options: Any) -> str | None:
    """Return the hint for arguments that a function does not take; None if there is none."""
    parameters = signature(function).parameters
    owner = function.__qualname__.rpartition(".")[0]
    for name in options:
        if name not in parameters:
            groups = [synonyms.split() for synonyms in _SYNONYMS.split(";") if name in synonyms.split()]
            synonyms = (synonym for group in groups for synonym in group if synonym in parameters)
            correct = next(synonyms, None) or nearest(name, parameters)
            expected = names_of(f"{function.__name__}()").get(name) or (correct and f"{correct}=")
            if expected or (expected := names_of(owner).get(name)):
                return expected
    dice = [pair for pair in pairwise(values) if {*map(type, pair)} == {int}]
    if dice:
        return f"the two dice as one argument, {dice[0]}"
    return names_of(owner).get(function.__name__)


def nearest(word: str, names: Collection[str]) -> str | None:
    """Return the name that a mistyped or shortened word resembles, or None."""
    from difflib import get_close_matches

    completions = [name for name in names if len(word) >= _MIN_PREFIX and name.startswith(word)]
    matches = get_close_matches(word[:_MAX_COMPARED], list(names), 1, 0.7)
    return completions[0] if len(completions) == 1 else next(iter(matches), None)


# ---- attributes of modules ----


def no_attribute(module: str, name: str) -> AttributeError | ImportError:
    """Return the error for an attribute that a module does not have, with a hint if there is one."""
    expected = None if name.startswith("_") else _expected_name(module, name)
    if expected is None:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    error = _no_attribute(f"module {module!r}", name, expected)
    return ImportError(str(error), name=name) if _is_import() else error


def _expected_name(module: str, name: str) -> str | None:
    package = sys.modules[__name__.partition(".")[0]]
    hints = names_of("module") | {name: name for name in package.__all__}
    by_folded = {_fold(name): expected for name, expected in reversed(hints.items())}
    parts = "-".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name[:_MAX_COMPARED])).lower()
    topics = (hint for pattern, hint in names_of("topics").items() if re.search(rf"\b({pattern})", parts))
    expected = names_of(module.rpartition(".")[2]).get(name) or hints.get(name) or by_folded.get(_fold(name))
    expected = expected or next(topics, None) or hints.get(nearest(name, hints) or "")
    # Only names in bgfast get its prefix: not commands, arguments or Python's functions.
    is_public = expected is not None and re.split(r"\W", expected)[0] in dir(package)
    return f"{package.__name__}.{expected}" if is_public else expected


def _fold(name: str) -> str:
    return name.replace("_", "").lower().removesuffix("s")


def _is_import() -> bool:
    """Return whether ``from MODULE import NAME``, which hides AttributeErrors, looks up the attribute."""
    from opcode import opmap

    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_name in ("__getattr__", "module_getattr"):
        frame = frame.f_back
    return frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
