"""Generated ONNX models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def model(
    shape: tuple[Any, ...], function: str, seed: int = 1, *, inputs: int = 198, type_name: str = "FLOAT"
) -> Any:
    """Return the bytes of a one-layer model and its random weights."""
    onnx = pytest.importorskip(
        "onnx", reason="NOT INSTALLED: onnx, which writes the models, so Onnx was not tested"
    )
    pytest.importorskip("onnxruntime", reason="NOT INSTALLED: onnxruntime, so Onnx was not tested")
    element_type = getattr(onnx.TensorProto, type_name)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element_type)
    weights = np.random.default_rng(seed).normal(0, 0.2, (inputs, *shape[1:])).astype(dtype)
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("MatMul", ["boards", "weights"], ["sums"]),
            onnx.helper.make_node(function, ["sums"], ["values"]),
        ],
        "tiny",
        [onnx.helper.make_tensor_value_info("boards", element_type, ["n", inputs])],
        [onnx.helper.make_tensor_value_info("values", element_type, shape)],
        [onnx.numpy_helper.from_array(weights, "weights")],
    )
    proto = onnx.helper.make_model(graph, ir_version=9, opset_imports=[onnx.helper.make_opsetid("", 17)])
    return proto.SerializeToString(), weights
