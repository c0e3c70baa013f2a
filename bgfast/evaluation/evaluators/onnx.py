"""ONNX models as evaluators."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.encoders import ONEHOT_INPUTS, TDGAMMON_INPUTS, encode_onehot, encode_tdgammon
from bgfast.common.extras import import_optional
from bgfast.common.files import reason, validate_path
from bgfast.common.probabilities import PROBABILITIES, Numbers
from bgfast.common.validation import Boards, number_array
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.evaluators.evaluators import ForeignEvaluator
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_onnx import INPUTS as NETWORK_INPUTS

Encoder = Callable[[Boards], npt.ArrayLike]

ONNXRUNTIME = "onnxruntime"
TYPES = {  # types of a model's inputs, by onnxruntime's names
    "tensor(float16)": np.float16,
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int8)": np.int8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}

ENCODERS: Mapping[int, Encoder] = MappingProxyType(
    {TDGAMMON_INPUTS: encode_tdgammon, NETWORK_INPUTS: Network.inputs, ONEHOT_INPUTS: encode_onehot}
)


class Onnx(ForeignEvaluator):
    """ONNX model, run by onnxruntime in one thread.

    Parameters
    ----------
    model : path or bytes
        Path or content of the model's file. The model has one input for a batch of n boards and one output:
        probabilities of shape (n, 5), or equities of shape (n, 1) or (n,), as in `bgfast.evaluators`.
    encoder : callable, optional
        Takes boards, int8 (n, 26), and returns the model's inputs. Default: the encoder of bgfast with the
        model's number of inputs: `bgfast.encode_tdgammon` (198), `bgfast.Network.inputs` (557) or
        `bgfast.encode_onehot` (806).
    probabilities : bool, optional
        True if the output must be probabilities, False if equities. By default the output's shape decides.

    Raises
    ------
    BgfastError
        If onnxruntime is not installed, the model cannot be loaded or has more than one input or output, or,
        in a call, the output has an unexpected shape.

    See Also
    --------
    bgfast.Network.save_onnx : Write a network as a model.

    Notes
    -----
    Thread-safe. Picklable if the encoder is; a pickle contains the path or the bytes.

    Examples
    --------
    A network with the inputs of TD-Gammon::

        evaluator = bgfast.evaluators.Onnx("model.onnx")
        result = bgfast.rollout("start", evaluator=evaluator)
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | bytes,
        encoder: Encoder | None = None,
        *,
        probabilities: bool | None = None,
    ) -> None:
        runtime = import_optional("onnxruntime", ONNXRUNTIME, "Onnx")
        if not isinstance(model, (str, os.PathLike, bytes)):
            raise BgfastError(f"model is {short_repr(model)}; expected a path or bytes")
        if encoder is not None and not callable(encoder):
            raise BgfastError(f"encoder is {short_repr(encoder)}; expected a callable: boards to inputs")
        if probabilities is not None and not isinstance(probabilities, bool):
            raise BgfastError(f"probabilities is {short_repr(probabilities)}; expected True, False or None")
        self.model: str | bytes = (
            model if isinstance(model, bytes) else os.path.abspath(validate_path(model, "model"))
        )
        self._label = (
            f"the model of {len(model):,} bytes" if isinstance(model, bytes) else f"model {self.model!s}"
        )
        self.probabilities = probabilities
        try:
            content = model if isinstance(model, bytes) else Path(model).read_bytes()
        except OSError as error:
            raise BgfastError(f"{self._label}: {reason(error)}") from None
        self.name: str = f"Onnx {hashlib.sha256(content).hexdigest()[:16]}"
        options = runtime.SessionOptions()
        # One thread, since the caller chooses the number of threads and sums must keep their order.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = runtime.InferenceSession(self.model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no narrower base class
            raise BgfastError(f"{self._label} cannot be loaded: {one_line(error)}") from None
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1:
            raise BgfastError(
                f"{self._label} has {len(inputs)} inputs and {len(outputs)} outputs; expected one of each"
            )
        self._input = inputs[0].name
        if inputs[0].type not in TYPES:
            raise BgfastError(f"{self._label} takes {inputs[0].type}; expected one of {', '.join(TYPES)}")
        self._dtype = TYPES[inputs[0].type]
        shape = inputs[0].shape
        if encoder is None:
            encoder = ENCODERS.get(shape[1]) if len(shape) == 2 else None
        if encoder is None:
            widths = ", ".join(f"{width} ({encoder.__qualname__})" for width, encoder in ENCODERS.items())
            raise BgfastError(
                f"{self._label} takes inputs of shape {short_repr(tuple(shape))}; expected rows of "
                f"{widths}, or an encoder"
            )
        self.encoder = encoder

    def _evaluate(self, boards: Boards) -> Numbers:
        count = len(boards)
        inputs = number_array(self.encoder(boards), "inputs of the encoder", BgfastError, "numbers", "biuf")
        if inputs.shape[:1] != (count,):
            raise BgfastError(
                f"the encoder returned shape {short_repr(inputs.shape)} for {count} boards; expected "
                f"{count} rows"
            )
        try:
            (output,) = self._session.run(None, {self._input: np.ascontiguousarray(inputs, self._dtype)})
        except Exception as error:  # onnxruntime's errors have no narrower base class
            raise BgfastError(f"{self._label} failed: {one_line(error)}") from error
        expected: list[tuple[int, ...]] = [(count, PROBABILITIES), (count, 1), (count,)]
        if self.probabilities is not None:
            expected = expected[:1] if self.probabilities else expected[1:]
        shape = np.shape(output)
        if shape not in expected:
            raise BgfastError(
                f"{self._label} returned shape {shape} for {count} boards; "
                f"expected {' or '.join(map(str, expected))}"
            )
        values = np.asarray(output, np.float64)
        return values if shape == (count, PROBABILITIES) else values.reshape(count)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Onnx, self.model, self.encoder, probabilities=self.probabilities), ()

    def __repr__(self) -> str:
        model = f"<{len(self.model):,} bytes>" if isinstance(self.model, bytes) else repr(self.model)
        option = "" if self.probabilities is None else f", probabilities={self.probabilities}"
        return f"Onnx({model}, {getattr(self.encoder, '__name__', self.encoder)}{option})"
