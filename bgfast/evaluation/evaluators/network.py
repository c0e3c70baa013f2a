"""Networks that evaluate positions and choose plays in the core."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, final, overload

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import (
    WIN_SCHEMES,
    BoardsLike,
    boards_array,
    check_out,
    unbatch,
    validate_boards,
    validate_request,
)
from bgfast.common.foreign_names import names_arguments, names_missing
from bgfast.common.validation import (
    CHECKERS,
    Boards,
    RollLike,
    Rolls,
    flag,
    rule_set,
    seed_number,
    thread_count,
    whole_number,
)
from bgfast.errors import BgfastError, InvalidDiceError, short_repr
from bgfast.evaluation.evaluators._network import BestSuccessor, CoreNetwork
from bgfast.evaluation.evaluators.evaluators import EqualBySettings
from bgfast.evaluation.evaluators.network_file import (
    BUCKETS,
    FEATURE_ROWS,
    LANES,
    MAX_HIDDEN,
    MAX_UNITS,
    OUTPUTS,
    TRIPLE_CLASSES,
    Dense,
    FirstLayer,
    Head,
    Weights,
    first_layer_shapes,
    read_network,
    validate_weights,
    write_network,
)
from bgfast.evaluation.evaluators.network_onnx import network_inputs, write_onnx
from bgfast.rules import STANDARD, RuleSetLike

if TYPE_CHECKING:
    from bgfast.evaluation.evaluators.lookahead import Lookahead
    from bgfast.evaluation.evaluators.ranked_plays import RankedPlays
    from bgfast.evaluation.match_equity import MatchEquityTable
    from bgfast.evaluation.stakes import DecisionLike
    from bgfast.position.objects import Position

Floats = npt.NDArray[np.float32]


class BestSuccessors(NamedTuple):
    """Result of `Network.best_successors`: a row for each board."""

    boards: Boards
    moves: npt.NDArray[np.int8]
    equities: Floats


@final
@names_missing
class Network(EqualBySettings, CoreNetwork):
    """Network that evaluates positions. Use `builtin`, `load`, `random` or ``bgfast train`` to get one.

    A network is an evaluator: `bgfast.rollout` and other functions accept it and play its games in the core.
    It is trained for `standard` rules with 15 checkers per side and is unreliable under other rules.

    Attributes
    ----------
    about : dict
        Description of the training run.

    Raises
    ------
    BgfastError
        If the weights are invalid: without five heads, or with a NaN or a magnitude above 1e9. The message
        names the layer, array and index.

    See Also
    --------
    bgfast.evaluators.WithBearoff : Network with bear-off databases.
    bgfast.evaluators.Lookahead : N-ply search with a network.
    bgfast.training.Training : Train a network.

    Notes
    -----
    Immutable, picklable, thread-safe. Results do not depend on the number of threads, nor on the processor
    if it rounds as IEEE 754 requires.

    Examples
    --------
    >>> import bgfast
    >>> network = bgfast.Network.random(hidden=32, seed=1)
    >>> network.evaluate(bgfast.random_positions(3, seed=1)).shape
    (3, 5)
    """

    _shipped_as: str | None = None  # file name of a shipped network

    def __init__(self, weights: Weights | None = None, about: Mapping[str, Any] | None = None) -> None:
        if weights is None or isinstance(weights, (str, os.PathLike)):
            expected = "Network.builtin(), Network.load(path) or Network.random()"
            raise BgfastError(f"weights is {short_repr(weights)}; expected Weights, or one of {expected}")
        valid_weights = validate_weights(weights)
        if about is not None and not isinstance(about, Mapping):
            raise BgfastError(f"about is {short_repr(about)}; expected a mapping")
        self._set(valid_weights, about or {})

    def _set(self, weights: Weights, about: Mapping[str, Any]) -> None:
        super().__init__(weights.first_layers, weights.heads)
        self._stored_weights = weights  # arrays of 16 or 32 bits
        self.about: dict[str, Any] = dict(about)

    def __init_subclass__(cls) -> None:
        # The core reads the weights, so an override in a subclass would take effect in some places only.
        raise TypeError("Network cannot be subclassed; expected a function that calls a network")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """Load a network from a file; raise `BgfastError` if it is damaged or not a network of format 6 or 7.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.load("no-such-file")
        Traceback (most recent call last):
            ...
        bgfast.errors.MissingFileError: network no-such-file: No such file or directory
        """
        if isinstance(path, str) and path in ("builtin", "builtin-fast") and not os.path.exists(path):
            raise BgfastError(f"no such file: {path}; expected Network.{str(path).replace('-', '_')}()")
        network = cls.__new__(cls)
        network._set(*read_network(path))
        return network

    @classmethod
    def builtin(cls) -> Network:
        """Return the stronger of the two shipped networks; see docs/NETWORK.md.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.builtin().evaluate(bgfast.Position()).shape
        (5,)
        """
        return _load_shipped("builtin.bgnet")

    @classmethod
    def builtin_fast(cls) -> Network:
        """Return the faster of the two shipped networks, the default policy of searches with `builtin`.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.builtin_fast().hidden
        (128, 128, 128, 128, 128)
        """
        return _load_shipped("builtin_fast.bgnet")

    @classmethod
    def random(
        cls,
        hidden: int = 128,
        seed: int = 0,
        *,
        features: bool = True,
        triples: bool = False,
        dense: int = 0,
        shared: bool = False,
        squares: bool = False,
    ) -> Network:
        """Return an untrained network.

        Parameters
        ----------
        hidden : int
            Units of each first layer, a multiple of 32, up to 1024.
        seed : int
            Seed of the weights, 0 to 2**64 - 1.
        features : bool
            True if the contact buckets use hand-written features.
        triples : bool
            True if first layers have a row of weights for each arrangement of up to two checkers on three
            adjacent points.
        dense : int
            Units of a dense layer between each first layer and the outputs, a multiple of 32, up to 128;
            0 for none.
        shared : bool
            True if the four contact buckets share a first layer.
        squares : bool
            True if the layer after each first layer also reads the squares of the activations.

        Raises
        ------
        BgfastError
            If an argument is invalid.

        See Also
        --------
        bgfast.training.Training : Train a network.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.random(hidden=64).hidden
        (64, 64, 64, 64, 64)
        """
        units = whole_number(hidden)
        if units is None or not 0 < units <= MAX_HIDDEN or units % LANES:
            raise BgfastError(
                f"hidden is {short_repr(hidden)}; expected a multiple of {LANES} up to {MAX_HIDDEN}"
            )
        dense_units = whole_number(dense)
        if dense_units is None or not 0 <= dense_units <= MAX_UNITS or dense_units % LANES:
            raise BgfastError(
                f"dense is {short_repr(dense)}; expected 0 or a multiple of {LANES} up to {MAX_UNITS}"
            )
        generator = np.random.default_rng(seed_number(seed))

        def random_array(*shape: int) -> Floats:
            return generator.uniform(-0.1, 0.1, shape).astype(np.float32)

        layer_of_bucket = [0, 0, 0, 0, 1] if flag("shared", shared) else [*range(BUCKETS)]
        feature_rows = FEATURE_ROWS if flag("features", features) else 0
        classes = TRIPLE_CLASSES if flag("triples", triples) else 0
        layers = []
        for layer in range(layer_of_bucket[-1] + 1):
            rows = feature_rows if layer < layer_of_bucket[-1] else 0
            shapes = first_layer_shapes(units, rows, classes).values()
            layers.append(FirstLayer(*(random_array(*shape) for shape in shapes)))
        sizes = [units * (1 + flag("squares", squares)), *([dense_units] if dense_units else []), OUTPUTS]
        heads = []
        for layer in layer_of_bucket:
            dense_layers = (Dense(random_array(n, inputs), random_array(n)) for inputs, n in pairwise(sizes))
            heads.append(Head(layer, tuple(dense_layers)))
        return cls(Weights(tuple(layers), tuple(heads)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file atomically; raise `BgfastError` if it cannot be written."""
        write_network(path, self._weights, self.about)

    def save_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the network atomically as an ONNX model for other programs.

        The model takes `inputs(boards)`, float32 (n, 557), and returns the probabilities of `evaluate` up
        to rounding, float32 (n, 5). Boards must be unfinished games. The model uses ONNX operator set 17.
        Raises `BgfastError` if the file cannot be written.

        Examples
        --------
        The same network, evaluated by onnxruntime::

            network.save_onnx("network.onnx")
            evaluator = bgfast.evaluators.Onnx("network.onnx", bgfast.Network.inputs)
        """
        write_onnx(path, self._weights)

    @staticmethod
    def inputs(boards: BoardsLike) -> Floats:
        """Return boards as inputs of the model that `save_onnx` writes, float32 (n, 557).

        These are the 552 inputs of docs/NETWORK.md in the order of the rows of weights in a network file,
        then the bucket as five columns, 1 for the bucket of the board and 0 for the others. Boards and errors
        as for `evaluate`; each side has 15 checkers.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.inputs(bgfast.Position()).shape
        (1, 557)
        """
        return network_inputs(validate_boards(boards, CHECKERS))

    @property
    def weights(self) -> Weights:
        """Weights of the first layers and heads."""
        return self._weights

    @cached_property
    def _weights(self) -> Weights:
        return self._stored_weights.as_floats()

    @property
    def hidden(self) -> tuple[int, ...]:
        """Number of first-layer units of each bucket: the four contact buckets, then the race bucket."""
        weights = self._stored_weights
        return tuple(weights.first_layers[head.first_layer].hidden for head in weights.heads)

    def evaluate(self, boards: BoardsLike, *, out: Floats | None = None, threads: int = 1) -> Floats:
        """Return the probabilities of boards for the player on roll.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Boards from the mover's side.
        out : ndarray of float32, shape (n, 5), optional
            Array to write the result to.
        threads : int

        Returns
        -------
        ndarray of float32, shape (n, 5), or (5,) for one board
            Probabilities of a win, a gammon or better, a backgammon, a lost gammon or worse, a lost
            backgammon; 0 or 1 for finished games.

        Raises
        ------
        InvalidPositionError
            If a board is invalid; the message names the first bad row.
        BgfastError
            If `out` or `threads` is invalid.

        See Also
        --------
        equities : Return equities instead.
        best_successors : Generate, evaluate and choose in one call.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.random(seed=1).evaluate(bgfast.random_positions(4, seed=1)).shape
        (4, 5)
        """
        workers = thread_count(threads)
        rows = boards_array(boards, CHECKERS)
        if out is None:
            out = np.empty((len(rows), 5), np.float32)
        else:
            check_out(out, np.float32, (len(rows), 5), boards=rows)
        self._evaluate_into(rows, out, workers)
        result: Floats = unbatch(boards, out)
        return result

    @overload
    def equities(self, boards: Position, *, threads: int = 1) -> float: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def equities(self, boards: BoardsLike, *, threads: int = 1) -> Floats: ...
    def equities(self, boards: BoardsLike, *, threads: int = 1) -> Floats | float:
        """Return the equities of boards for the player on roll, in points at cube 1.

        The result is an array of float32, shape (n,), or a float for one board.

        Parameters and errors as for `evaluate`.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Network.random().equities(bgfast.random_positions(4, seed=1)).shape
        (4,)
        """
        outputs = self.evaluate(boards, threads=threads)
        if outputs.ndim == 1:
            return equities_of_outputs(outputs[None]).item()
        return equities_of_outputs(outputs)

    def best_successors(
        self, boards: BoardsLike, dice: Rolls, *, rules: RuleSetLike = STANDARD, threads: int = 1
    ) -> BestSuccessors:
        """Generate and evaluate successors in one call; return the mover's best for each board.

        Parameters
        ----------
        boards, dice, rules, threads
            As in `bgfast.successors`, with its errors; `dice` is a roll for each board, or one for all.

        Returns
        -------
        BestSuccessors
            ``boards`` (n, 26) int8, next player's side; ``moves`` (n, 4, 2) int8 as in `successors`;
            ``equities`` (n,) float32, points at cube 1 for the mover. For a pass or a finished game,
            the row has the flipped board and no moves.

            Successors are chosen and evaluated with quantized weights. Equities differ from
            `Network.equities` by a few ten-thousandths of a point, or by a few thousandths if the network
            has a hidden dense layer.

        See Also
        --------
        best_plays : All plays of one roll, with a search.
        bgfast.best_rows : Choose by values of any evaluator.

        Examples
        --------
        >>> import bgfast
        >>> best = bgfast.Network.random(32, seed=1).best_successors(bgfast.Position(), "31")
        >>> best.boards.shape, best.moves.shape, best.equities.shape
        ((1, 26), (1, 4, 2), (1,))
        """
        checked_rules = rule_set(rules)
        switches, rows, rolls, workers = validate_request(boards, dice, "all", checked_rules, threads)
        if rolls is None:
            raise InvalidDiceError("dice is 'all'; expected a roll for each board, or one for all")
        after, moves = np.empty((len(rows), 26), np.int8), np.empty((len(rows), 4, 2), np.int8)
        best = BestSuccessors(after, moves, np.empty(len(rows), np.float32))
        BestSuccessor(self, switches, WIN_SCHEMES[checked_rules.win_scheme], rows, rolls, workers, *best)
        return best

    @names_arguments
    def best_plays(
        self,
        position: DecisionLike,
        roll: RollLike | None = None,
        *,
        ply: int = 1,
        candidates: int | Sequence[int] | None = None,
        threshold: float | Sequence[float] | None = None,
        rules: RuleSetLike = STANDARD,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
        threads: int = 1,
    ) -> RankedPlays:
        """Return the plays of a roll, best first, cubeful for a decision and cubeless for a position.

        Parameters
        ----------
        ply : {1, 0, 2}
        candidates, threshold, rules
            Filter and rules of the search to depth `ply`; see `bgfast.evaluators.Lookahead`.
        position, roll, cubeless, met, efficiency, threads
            As in `Lookahead.best_plays`, which documents results and errors.

        See Also
        --------
        best_successors : The best successor of each of many boards.
        bgfast.analyse : The same with any evaluator.

        Examples
        --------
        >>> import bgfast
        >>> network = bgfast.Network.builtin()
        >>> best, second, *rest = network.best_plays(bgfast.Position(), "31", ply=2)
        >>> str(best.play), best.difference, best.ply, second.difference < 0
        ('8/5 6/5', 0.0, 2, True)
        """
        is_default = candidates is None and threshold is None and rules is STANDARD and type(ply) is int
        search = self._searches.get(ply) if is_default else None
        if search is None:
            # Imported on first use: this import takes as long as all others together.
            from bgfast.evaluation.evaluators.lookahead import Lookahead

            search = Lookahead(self, ply=ply, candidates=candidates, threshold=threshold, rules=rules)
            if is_default:
                self._searches[ply] = search
        return search.best_plays(
            position, roll, cubeless=cubeless, met=met, efficiency=efficiency, threads=threads
        )

    @cached_property
    def _searches(self) -> dict[int, Lookahead]:
        """Cached searches with the default filters, by ply; creating one takes as long as 20 evaluations."""
        return {}

    def __call__(self, boards: BoardsLike) -> Floats:  # type: ignore[override]
        """Return ``evaluate(boards)``, which makes a network an evaluator."""
        return self.evaluate(boards)

    def __repr__(self) -> str:
        # Fingerprints in rollout checkpoints contain this text, so it must differ between networks.
        return f"<Network {self._digest[:12]}: {max(self.hidden)} hidden units>"

    @cached_property
    def _digest(self) -> str:
        structure = repr([(head.first_layer, len(head.dense)) for head in self._stored_weights.heads])
        digest = hashlib.sha256(structure.encode())
        for array in self._stored_weights.arrays():
            digest.update(array.astype(np.float32, copy=False).data)
        return digest.hexdigest()

    def _default_policy(self) -> Network | None:
        builtin = Network.builtin()
        is_builtin = self is builtin or (self.hidden == builtin.hidden and self._digest == builtin._digest)
        return Network.builtin_fast() if is_builtin else None

    def _settings(self) -> tuple[Any, ...]:
        return (self._digest,)

    def __reduce__(self) -> tuple[Any, ...]:
        return Network, (self._weights, self.about)


def equities_of_outputs(probabilities: Floats) -> Floats:
    """Return the equity of each row, (n,), with the core's order of floating-point operations."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities.T
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon


@cache
def _load_shipped(name: str) -> Network:
    """Load a shipped network once: it is immutable, and loading takes longer than a 2-ply search."""
    network = Network.load(os.path.join(os.path.dirname(__file__), name))
    network._shipped_as = name
    return network
