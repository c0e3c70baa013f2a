"""Hints in errors about unknown attributes and arguments, and the names that they suggest."""

from __future__ import annotations

import asyncio
import builtins
import copy
import importlib
import inspect
import pydoc
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

import bgfast
from bgfast import evaluators, training
from bgfast.cli.main import COMMANDS
from bgfast.common.foreign_names import _TABLE, ForeignName, _hints, names_arguments, names_of
from tests.support.environments import environments

MODULES = ["cube", "evaluators", "games", "matches", "records", "rollouts", "training"]
RECORD = b" 3 point match\n\n Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5      64: 24/14\n"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def create_owners() -> dict[str, Any]:
    """Return an instance of each class in the table of hints, by class name."""
    start, network, pip_count = bgfast.Position(), bgfast.Network.random(32), evaluators.PipCount()
    objects: dict[str, Any] = {
        "Position": start,
        "PlayList": start.plays("31"),
        "Play": start.plays("31")[0],
        "Decision": bgfast.Decision.read(XGID),
        "Game": bgfast.Game(),
        "Match": bgfast.Match(7),
        "Network": network,
        "Lookahead": evaluators.Lookahead(network),
        "MatchAnalysis": bgfast.analyse_match(bgfast.Match(1), evaluator=network),
        "RankedPlays": network.best_plays(start, "31"),
        "Evaluation": evaluators.Lookahead(network).evaluation(start),
        "CubeDecision": bgfast.cube_decision(bgfast.Decision.read(XGID.replace("31", "00", 1)), network),
        "RolloutResult": bgfast.rollout(start, evaluator=network, trials=36, truncate=1),
        "Estimate": bgfast.rollout(start, evaluator=network, trials=36, truncate=1)[0],
        "RankedPlay": network.best_plays(start, "31")[0],
        "AnalysedDecision": bgfast.analyse_match(RECORD, network).decisions[0],
        "Rates": bgfast.analyse_match(RECORD, network).rates[0],
        "Svg": start.svg(),
        "Move": start.next_moves("31").moves[0],
        "Training": training.Training(training.Settings(hidden=32)),
    }
    with_bearoff = evaluators.WithBearoff(network)
    return objects | {
        "WithBearoff": with_bearoff,
        "Bearoff": with_bearoff.bearoff,
        "Chain": evaluators.Chain(pip_count),
        "NativeEvaluator": pip_count,
    }


OWNERS = create_owners()
ARGUMENTS = {
    "analysis": "RankedPlays",
    "evaluator": "Chain",
    "game": "Game",
    "match": "Match",
    "network": "Network",
    "play": "Play",
    "position": "Position",
}
"""Keys of `OWNERS` by the variable names that hints use."""


def names_in(hint: str) -> list[str]:
    """Return the names in a hint: calls as `name()`, without indices and relative clauses."""
    text = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "()", re.sub(r"\[[^][]*\]", "", hint))
    names = re.split(r" or | and | in ", text.split(", ")[0])
    return [name.strip() for name in names if name.strip() and not name.startswith("the ")]


GLOBALS = SimpleNamespace(asyncio=asyncio, copy=copy, **vars(builtins))


def exists(name: str, owner: Any) -> bool:
    """Return whether a dotted name exists in the owner, bgfast, the builtins, `asyncio` or `copy`."""
    first, *rest = name.replace("()", "").split(".")
    if first == "bgfast":
        return exists(".".join(rest), bgfast)
    values = [getattr(scope, first, None) for scope in (owner, SimpleNamespace(**ARGUMENTS), bgfast, GLOBALS)]
    value = next((value for value in values if value is not None), None)
    value = OWNERS.get(value, value) if isinstance(value, str) else value
    if first == "analysis":
        value = OWNERS["RankedPlays"][0]
    if value is None:
        return first in dir(owner)
    for attribute in rest:
        if isinstance(value, type):  # the instance that a call returns
            value = OWNERS.get(value.__name__, value)
        if not hasattr(value, attribute):
            return False
        value = getattr(value, attribute)
    return True


@pytest.mark.parametrize("name", [name for name in _hints(_TABLE) if not name.startswith("Backgammon")])
def test_hinted_names_exist(name: str) -> None:
    owner = OWNERS.get(name, bgfast)
    hints = {*names_of(name).values()}
    assert hints
    pairs = [(hint, name) for hint in hints for name in names_in(hint) if not name.startswith("environments")]
    assert [(hint, name) for hint, name in pairs if not exists(name, owner)] == []


def test_hinted_commands_exist() -> None:
    hints = [*names_of("topics").values(), *names_of("module").values()]
    commands = {hint.split('"')[1].split()[1] for hint in hints if '"bgfast ' in hint}
    assert {"contest", "crosscheck"} <= commands <= {*COMMANDS}


def test_hinted_names_of_environments_exist() -> None:
    module = environments("the hints about bgfast.environments were not checked")
    hints = {*names_of("environments").values(), *names_of("module").values(), *names_of("topics").values()}
    dotted_names = [name for hint in hints for name in names_in(hint) if name.startswith("environments.")]
    names = [name.replace("()", "").partition(".")[2] for name in dotted_names]
    assert len(names) > 5
    assert [name for name in names if not hasattr(module, name)] == []
    missing = [name for name in module.__all__ if hint_of(bgfast, name) != f"bgfast.environments.{name}"]
    assert missing == ["env"]


def hint_of(module: Any, name: str) -> str:
    """Return the hint in the error about an attribute, or an empty string."""
    try:
        getattr(module, name)
    except AttributeError as error:
        return str(error).partition("; expected ")[2]
    return ""


@pytest.mark.parametrize("module", MODULES)
def test_hints_of_bgfast_name_the_public_names_of_a_module(module: str) -> None:
    public_names = importlib.import_module(f"bgfast.{module}").__all__
    missing = [name for name in public_names if name not in bgfast.__all__]
    assert [name for name in missing if hint_of(bgfast, name) != f"bgfast.{module}.{name}"] == []
    assert [name for name in public_names if not hint_of(training, name.lower() + "s")] == []
    assert not hint_of(importlib.import_module(f"bgfast.{module}"), "nonsense")


@pytest.mark.parametrize("class_name", OWNERS)
def test_hints_are_shown(class_name: str) -> None:
    owner = OWNERS[class_name]
    missing = [name for name in names_of(class_name) if name[0] != "_" and not hasattr(owner, name)]
    assert missing
    for name in missing:
        with pytest.raises(AttributeError, match="; expected ") as error:
            getattr(owner, name)
        assert str(error.value).startswith(f"{type(owner).__name__} has no attribute {name!r}")


def test_names_without_a_hint_do_not_exist() -> None:
    for owner in (bgfast.Network, OWNERS["Network"], bgfast, training, bgfast.Game()):
        assert not hasattr(owner, "nonsense")
        assert not hasattr(owner, "_repr_markdown_")


@pytest.mark.parametrize("class_name", OWNERS)
def test_foreign_names_are_not_attributes(class_name: str) -> None:
    owner = OWNERS[class_name]
    attributes = {name: inspect.getattr_static(owner, name) for name in object.__dir__(owner)}
    foreign_names = [name for name, value in attributes.items() if isinstance(value, ForeignName)]
    assert foreign_names
    assert not set(foreign_names) & set(dir(owner))
    assert [name for name in foreign_names if hasattr(type(owner), name)] == []
    assert {*dir(owner)} == {*attributes} - {*foreign_names}
    page = pydoc.render_doc(type(owner), renderer=pydoc.plaintext)
    assert re.search(rf"{foreign_names[0]}\n.*No attribute; expected ", page)
    if not isinstance(owner, (evaluators.Lookahead, bgfast.Game, bgfast.Match, training.Training)):
        assert repr(copy.copy(owner)) == repr(owner)


def test_subclasses_may_define_foreign_names() -> None:
    class CustomGame(bgfast.Game):
        turn = 5

        @property
        def player(self) -> int:
            return 6

        def __getattr__(self, name: str) -> str:
            return f"custom {name}"

    game: Any = CustomGame(dice=1)
    game.side_to_move = 7
    names = ("turn", "player", "side_to_move", "to_move", "nonsense")
    assert [getattr(game, name) for name in names] == [5, 6, 7, "custom to_move", "custom nonsense"]
    assert {"turn", "player", "side_to_move"} <= {*dir(game)}
    assert "to_move" not in dir(game)

    @dataclass(frozen=True, kw_only=True)
    class NamedDecision(bgfast.Decision):
        player: str

    with pytest.raises(TypeError, match="player"):
        NamedDecision(position=bgfast.Position())  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    assert NamedDecision(position=bgfast.Position(), player="Ann").player == "Ann"
    with pytest.raises(AttributeError, match="NamedDecision has no attribute 'plays'; expected position"):
        getattr(NamedDecision(position=bgfast.Position(), player="Ann"), "plays")  # noqa: B009 - type checkers refuse it


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        ("bgfast", "legal_plays", r"expected bgfast\.Position\(\.\.\.\)\.plays\(roll\)"),
        ("bgfast", "PipCount", "expected bgfast.evaluators.PipCount"),
        ("bgfast.training", "train", "expected bgfast.training.Training"),
        ("bgfast.evaluators", "Network", "expected bgfast.Network"),
        ("bgfast.games", "load_match", "expected bgfast.load_match"),
        ("bgfast", "nonsense", "cannot import name 'nonsense'"),
    ],
)
def test_imports_show_the_hint(module: str, name: str, hint: str) -> None:
    with pytest.raises(ImportError, match=hint):
        exec(f"from {module} import {name}", {})


def test_missing_class_methods_show_the_hint() -> None:
    for owner, name, hint in (
        (bgfast.Match, "load", "load_match"),
        (bgfast.Game, "from_xgid", "from_decision"),
        (bgfast.Network, "default", r"Network\.builtin"),
    ):
        with pytest.raises(AttributeError, match=hint):
            getattr(owner, name)


@pytest.mark.parametrize("weights", [(), ("network.bgnet",)])
def test_networks_without_weights_are_refused(weights: tuple[Any, ...]) -> None:
    with pytest.raises(
        bgfast.BgfastError, match=r"expected Weights, or one of Network\.builtin\(\), Network\.load\(path\)"
    ):
        bgfast.Network(*weights)


# ---- arguments ----


@names_arguments
def _call(evaluator: Any = None, *, ply: int = 1) -> Any:
    """Call an evaluator."""
    return evaluator(ply)


def test_only_errors_of_the_call_itself_name_an_argument() -> None:
    assert str(inspect.signature(_call)) == str(inspect.signature(inspect.unwrap(_call)))
    assert (_call.__name__, _call.__doc__, _call(int, ply=3)) == ("_call", "Call an evaluator.", 3)

    def call_with_depth(ply: int) -> None:
        _call(depth=ply)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    call: Any = _call
    for argument, expected in (("depth", "ply="), ("network", "evaluator="), ("evalutor", "evaluator=")):
        with pytest.raises(TypeError, match=f"keyword argument '{argument}'; expected {expected}$"):
            call(**{argument: 1})
    for arguments, options, message in (
        ((), {"nonsense": 1}, r"keyword argument 'nonsense'$"),
        ((len,), {"ply": 1}, r"has no len\(\)$"),
        ((lambda: 0,), {}, r"takes 0 positional arguments but 1 was given$"),
        ((1, 2), {"depth": 3}, r"; expected ply=$"),
        ((3, 1), {}, r"were given; expected the two dice as one argument, \(3, 1\)$"),
    ):
        with pytest.raises(TypeError, match=message):
            call(*arguments, **options)
    with pytest.raises(TypeError, match=r"expected ply=$"):
        _call(call_with_depth)
