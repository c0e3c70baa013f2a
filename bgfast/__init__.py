"""Every legal backgammon play, exactly and fast.

One position: `Position` holds a board; `plays` lists the legal plays of a roll, `play` makes one, and
`next_moves` lists the moves that can follow in an unfinished play. `Decision` adds dice, cube and score, and
`svg` draws it.

Batches of positions: `successors`, `count_successors`, `random_successors`, `best_rows`,
`sample_rows`, `mean_over_rolls`, `results`, `flip`, `pip_counts`, `play_texts`, `encode_tdgammon`,
`encode_onehot`, `random_positions`, `random_dice`.

Whole games: `Game` and `Match`, with the cube, undo and JSON; `load_match` reads recorded matches. See also
`bgfast.games` and `bgfast.records`.

Evaluation: a `Network` evaluates positions as fast as bgfast generates them; `analyse`, `cube_decision`,
`rollout` and `analyse_match` evaluate decisions. See also `bgfast.cube`, `bgfast.rollouts`,
`bgfast.matches` and `bgfast.evaluators`.

Learning: `bgfast.training` and `bgfast.environments`.

`perft` counts the leaves of the game tree below a position; `bgfast.reference` is a slow reference generator
for tests.

Rules: `STANDARD`, `EXACT`, `REAR_FIRST`, `FIVE_STACK`, or a `RuleSet` of your own.

A board is 26 numbers from the side of the player on roll, the mover: index 25 is the mover's bar, 24 to 1 are
the points (the mover's checkers positive, the opponent's negative), 0 is the opponent's bar.
"""

from __future__ import annotations

import importlib
from typing import Any

from bgfast.common import LOADING, lazy_names
from bgfast.common import __version__ as __version__

# Names are imported on first use; `__init__.pyi` declares them for type checkers.
_SOURCES = {
    name: module
    for module, names in {
        "bgfast.analysis.cube_decision": "cube_decision",
        "bgfast.evaluation.evaluators.network": "Network",
        "bgfast.analysis.analyse": "analyse",
        "bgfast.analysis.matches.match_analysis": "analyse_match",
        "bgfast.batch.perft": "perft",
        "bgfast.analysis.rollouts.rollout": "rollout",
        "bgfast.batch.encoders": "ONEHOT_INPUTS TDGAMMON_INPUTS encode_onehot encode_tdgammon",
        "bgfast.batch.play_texts": "play_texts",
        "bgfast.batch.ids": "Decisions from_gnubg_ids from_xgids gnubg_ids",
        "bgfast.batch.random_positions": "random_dice random_positions random_successors",
        "bgfast.batch.selection": "best_rows mean_over_rolls sample_rows",
        "bgfast.batch.successors": "Successors count_successors flip pip_counts results successors",
        "bgfast.common": "get_include",
        "bgfast.common.validation": "ROLL_WEIGHTS ROLLS",
        "bgfast.errors": "BgfastError IllegalPlayError InvalidDiceError InvalidPositionError NotationError",
        "bgfast.records.match_files": "load_match",
        "bgfast.games.game": "Game",
        "bgfast.games.match": "Match",
        "bgfast.position.picture": "Svg",
        "bgfast.position.decision": "Decision svg",
        "bgfast.position.next_moves": "Move NextMoves PlaySoFar",
        "bgfast.position.objects": "Play PlayList Position",
        "bgfast.rules": "EXACT FIVE_STACK REAR_FIRST STANDARD RuleSet",
    }.items()
    for name in names.split()
}
_MODULES = "cube environments errors evaluators games matches records reference rollouts training".split()

# `_MODULES` are left out: with `environments`, a star import would need optional packages.
__all__ = sorted(_SOURCES)  # pyright: ignore[reportUnsupportedDunderAll]

_load_name, _ = lazy_names(__name__, _SOURCES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        from bgfast.errors import BgfastError

        with LOADING:
            try:
                return importlib.import_module(f"bgfast.{name}")
            except BgfastError as error:  # hasattr returns False if an optional package is missing
                raise AttributeError(str(error)) from error
    try:
        return _load_name(name)
    except ModuleNotFoundError as error:
        from bgfast.errors import UNBUILT, is_unbuilt

        raise ImportError(UNBUILT) if is_unbuilt(error) else error from None


def __dir__() -> list[str]:
    """Return the public names, without internal subpackages."""
    return sorted({*_SOURCES, *_MODULES, *(name for name in globals() if name.startswith("__"))})
