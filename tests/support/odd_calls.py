"""Calls to every public name of bgfast, with an odd value for one parameter at a time.

Run as ``python -m tests.support.odd_calls`` in an empty folder. Each call is printed before it is made, so
the output ends with the call that crashes. Exceptions other than `BgfastError` and `TypeError` go to
standard error.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from itertools import islice, product
from typing import Any

import numpy as np

import bgfast
from bgfast import Decision, Game, Network, Position, cube, evaluators, games, matches, training
from bgfast.common.foreign_names import ForeignName
from bgfast.errors import BgfastError
from bgfast.evaluation.hypergammon.solver import solve_tables
from tests.support.matches import match_with_plays

MODULES = "cube environments evaluators games matches records reference rollouts training"

ODD_VALUES: Mapping[str, Callable[[], Any]] = {
    "None": lambda: None,
    "-1": lambda: -1,
    "10**400": lambda: 10**400,
    "nan": lambda: float("nan"),
    "an invalid text": lambda: "invalid \ud800\0text",
    "an empty list": list,
    "lists in a list": lambda: [[1, [2]], 3],
    "huge numbers": lambda: [10**400, -(10**400)],
    "a dict": lambda: {"a": 1},
    "an object": object,
    "a class": lambda: int,
    "an iterator": lambda: iter([1, object()]),
    "an empty array": lambda: np.empty(0),
    "an array of nines": lambda: np.full((2, 26), 9),
    "an array of objects": lambda: np.array([object(), 10**400], object),
}

RESULT_CLASSES = set(
    """
    Action Answer CubeActions CubeDecision CubeDecisions CubePoints Decisions Estimate Finding GameResult
    GameState MatchAnalysis MatchState Move Moved NextMoves PlaySoFar RankedPlay RankedPlays RollMap
    RolloutResult ScoreMap Successors Svg
    """.split()
)
"""Classes that only bgfast instantiates; their fields are not checked."""

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:4:0:5:10"
NETWORK = Network.random(32, seed=1)
START = Position.start()
MATCH = match_with_plays("8/5 6/5")
ANALYSIS = bgfast.analyse_match(MATCH, NETWORK, ply=0)
ROLL_MAP = cube.roll_map(XGID, NETWORK, ply=0)
SCORE_MAP = cube.score_map(XGID, NETWORK, ply=0, away=2)
ROLLOUT = bgfast.rollout(START, evaluator=NETWORK, trials=36, truncate=1)
BEAROFF = evaluators.Bearoff()
solve_tables("one.bghyper", checkers=1)

VALID_VALUES: Mapping[str, Any] = {
    "analyses": [("name", ANALYSIS)],
    "board": START.to_array(),
    "boards": bgfast.random_positions(2, seed=1),
    "checkers": 15,
    "decision": Decision.read(XGID),
    "decisions": [XGID],
    "depth": 1,
    "dice": (3, 1),
    "d1": 3,
    "d2": 1,
    "evaluator": NETWORK,
    "game": MATCH,
    "ids": [START.gnubg_id],
    "length": 3,
    "lines": [XGID],
    "match": MATCH,
    "moves": bgfast.successors([START], (3, 1), moves=True),
    "network": NETWORK,
    "offsets": [0, 2],
    "path": "no file",
    "play": "8/5 6/5",
    "position": START,
    "position_or_plays": START,
    "positions": [START],
    "probabilities": [0.5, 0.1, 0, 0.1, 0],
    "roll": (3, 1),
    "score": Decision.read(XGID),
    "settings": training.Settings(hidden=32, dense=0),
    "so_far": [],
    "subject": START,
    "values": [1.0, 2.0],
    "weights": NETWORK.weights,
}
"""Valid values of required parameters by name; other parameters get 1."""

EVALUATOR = {"evaluator": NETWORK, "ply": 0}

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(("analyse", "analyse_match", "cube_decision", "cube_decisions", "roll_map"), EVALUATOR),
    "mean_over_rolls": {"values": np.zeros((1, 21)), "offsets": None},
    "rollout": {"trials": 36, "truncate": 1},
    "score_map": {**EVALUATOR, "away": 2},
}
"""Additional valid values by function; most of them make the call fast."""

EXAMPLES: dict[str, Callable[[], Any]] = {
    "AnalysedMatches": lambda: matches.AnalysedMatches([("name", ANALYSIS)]),
    "AnalysisComparison": lambda: matches.AnalysisComparison([ANALYSIS]),
    "Bearoff": lambda: BEAROFF,
    "Chain": lambda: evaluators.Chain(BEAROFF, NETWORK),
    "Cube": games.Cube,
    "CubeActions": lambda: cube.cube_actions(VALID_VALUES["probabilities"], VALID_VALUES["decision"]),
    "CubeDecision": lambda: bgfast.cube_decision(XGID, NETWORK, ply=0),
    "CubeDecisions": lambda: cube.cube_decisions([XGID], NETWORK, ply=0),
    "Decision": lambda: Decision.read(XGID),
    "Estimate": lambda: ROLLOUT.estimates[0],
    "Finding": lambda: games.Finding("note", "analysis", "text", "file", 1, 1),
    "Game": lambda: Game(dice=[(3, 1)]),
    "GameState": lambda: Game().state,
    "Hypergammon": lambda: evaluators.Hypergammon("one.bghyper"),
    "Lookahead": lambda: evaluators.Lookahead(NETWORK, ply=1),
    "Match": lambda: match_with_plays("8/5 6/5"),
    "MatchAnalysis": lambda: ANALYSIS,
    "MatchEquityTable": cube.MatchEquityTable.builtin,
    "MatchInfo": games.MatchInfo,
    "MatchScore": lambda: games.MatchScore(3),
    "MatchState": lambda: MATCH.state,
    "Network": lambda: NETWORK,
    "PipCount": evaluators.PipCount,
    "Play": lambda: START.plays((3, 1))[0],
    "PlayList": lambda: START.plays((3, 1)),
    "NextMoves": lambda: START.next_moves("31"),
    "Position": lambda: START,
    "Pubeval": evaluators.Pubeval,
    "Random": evaluators.Random,
    "RankedPlays": lambda: NETWORK.best_plays(START, (3, 1), ply=0),
    "RollMap": lambda: ROLL_MAP,
    "RolloutResult": lambda: ROLLOUT,
    "RuleSet": lambda: bgfast.STANDARD,
    "ScoreMap": lambda: SCORE_MAP,
    "Settings": training.Settings,
    "Successors": lambda: VALID_VALUES["moves"],
    "Svg": lambda: bgfast.svg(START),
    "Training": lambda: training.Training(VALID_VALUES["settings"]),
    "WithBearoff": lambda: evaluators.WithBearoff(NETWORK, BEAROFF),
}
"""Functions that make an example of a public class, by class name."""

CLASSES_WITHOUT_EXAMPLE = {"Bgsage", "GnubgNN", "Onnx"}  # these need other packages

OPERATORS = {"__call__", "__contains__", "__eq__", "__getitem__", "__lt__"}

VARIADIC_KINDS = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}

COMPILED_VALUES: tuple[Any, ...] = (
    np.repeat(START.to_array()[None], 50_000, axis=0),
    np.array([0, 10**12, 2 * 10**12]),
    np.zeros((1, 1), np.float32),
    np.zeros((1, 1)),
    1,
)
"""Arguments with types that compiled functions accept and sizes that do not match."""

MAX_COMPILED_CALLS = 8000


def main() -> None:
    with suppress(BgfastError):  # optional packages may be missing
        add_environments()
    for name, get in [*public_names(), *attributes()]:
        for text, call in calls(name, get):
            print(text, flush=True)
            try:
                with redirect_stdout(StringIO()):
                    result = call()
                    if inspect.isgenerator(result):
                        next(result, None)
            except (BgfastError, TypeError):
                pass
            except Exception as error:
                print(f"{text}: {type(error).__name__}: {error!s:.100}", file=sys.stderr)


def add_environments() -> None:
    environments = importlib.import_module("bgfast.environments")
    for name in environments.__all__:
        class_ = getattr(environments, name)
        if inspect.isclass(class_):
            EXAMPLES[class_.__name__] = partial(reset_environment, class_)


def reset_environment(class_: Any) -> Any:
    environment = class_()
    environment.reset(seed=1)
    return environment


def public_names() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield public functions and classes that users may call: their names, and functions that return them."""
    for public in public_objects():
        name = getattr(public, "__name__", str(public))
        is_error = inspect.isclass(public) and issubclass(public, Exception)
        if not is_error and name not in RESULT_CLASSES:
            yield name, partial(lambda item: item, public)
        assert is_error or not inspect.isclass(public) or has_example(public), f"{name} has no example"


def public_objects() -> list[Any]:
    """Return the functions and classes that bgfast exports."""
    callables: dict[int, Any] = {}
    for module in [bgfast, *(import_public(name) for name in MODULES.split())]:
        for name in getattr(module, "__all__", [name for name in dir(module) if name[0] != "_"]):
            value = getattr(module, name, None)
            if callable(value) and getattr(value, "__module__", "").startswith("bgfast"):
                callables[id(value)] = value
    return [*callables.values()]


def import_public(name: str) -> Any:
    try:
        return importlib.import_module(f"bgfast.{name}")
    except BgfastError:  # optional packages are missing
        return None


def has_example(class_: type) -> bool:
    """Return whether a class has an example, or needs no example because it has only fields."""
    fields = {*getattr(class_, "_fields", ()), *getattr(class_, "__dataclass_fields__", ())}
    names = (name for name, value in vars(class_).items() if not isinstance(value, ForeignName))
    attribute_names = {name for name in names if name[0] != "_"} - fields
    return class_.__name__ in EXAMPLES or class_.__name__ in CLASSES_WITHOUT_EXAMPLE or not attribute_names


def attributes() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the attributes that bgfast defines on examples: their names, and functions that return them."""
    for class_name, make in EXAMPLES.items():
        example = make()
        for name in dir(example):
            owner = next((base for base in type(example).__mro__ if name in vars(base)), type(example))
            if (name[0] != "_" or name in OPERATORS) and owner.__module__.startswith("bgfast"):
                # A call may change the object, so each call gets a new one.
                yield f"{class_name}.{name}", partial(lambda make, name: getattr(make(), name), make, name)


def calls(name: str, get: Callable[[], Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield calls to an object, each as its text and a function that makes it."""
    yield name, get
    try:
        value = get()
    except Exception:  # the caller makes the same call and reports the error
        return
    if not callable(value):
        return
    parameters = parameters_of(value)
    options = OPTIONS.get(name, {})
    required = [
        key
        for key, parameter in parameters.items()
        if parameter.default is parameter.empty and parameter.kind not in VARIADIC_KINDS
    ]
    valid = {key: options.get(key, VALID_VALUES.get(key, 1)) for key in [*required, *options]}
    yield f"{name}()", lambda: call_with(get(), parameters, valid)
    if is_compiled(value):
        for values in islice(product(COMPILED_VALUES, repeat=len(required)), MAX_COMPILED_CALLS):
            shapes = ", ".join(f"{getattr(item, 'dtype', 'int')} {np.shape(item)}" for item in values)
            yield f"{name}({shapes})", lambda values=values: get()(*values)
    for key, (text, make) in product(parameters, ODD_VALUES.items()):
        yield (
            f"{name}({key}: {text})",
            lambda key=key, make=make: call_with(get(), parameters, {**valid, key: make()}),
        )


def is_compiled(function: Any) -> bool:
    return type(getattr(function, "__func__", function)).__name__ == "cython_function_or_method"


def parameters_of(function: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:  # an extension class has no signature
        return {"value": inspect.Parameter("value", inspect.Parameter.POSITIONAL_ONLY)}


def call_with(function: Any, parameters: Mapping[str, inspect.Parameter], values: Mapping[str, Any]) -> Any:
    positional, keywords = [], {}
    for key, value in values.items():
        kind = parameters[key].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            keywords.update(value if type(value) is dict else {})
        elif kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL):
            positional.append(value)
        else:
            keywords[key] = value
    return function(*positional, **keywords)


if __name__ == "__main__":
    main()
