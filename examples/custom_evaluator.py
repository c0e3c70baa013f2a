"""Roll out a position with your own network: python custom_evaluator.py [model.onnx].

The model takes the 198 inputs of TD-Gammon for each board and returns five probabilities or an equity; to run
it, install onnxruntime. Without a model the example uses a NumPy network with random weights.
"""

import sys

import numpy as np
import numpy.typing as npt

import bgfast


class Network:
    """Evaluator with one hidden layer; instances can be sent to other processes."""

    def __init__(self, hidden: int = 40, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.name = f"random weights {seed}"
        self.hidden_weights = rng.normal(0, 0.1, (198, hidden)).astype(np.float32)
        self.output_weights = rng.normal(0, 0.1, hidden).astype(np.float32)

    def __call__(self, boards: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        """Return the equity of each board for the player on roll."""
        hidden = np.tanh(bgfast.encode_tdgammon(boards) @ self.hidden_weights)
        equities: npt.NDArray[np.float32] = np.tanh(hidden @ self.output_weights)
        return equities


def main(*models: str) -> bgfast.rollouts.RolloutResult:
    """Roll out the starting position, truncated after ten plies."""
    evaluator = bgfast.evaluators.Onnx(models[0], bgfast.encode_tdgammon) if models else Network()
    result = bgfast.rollout(bgfast.Position(), evaluator=evaluator, trials=360, truncate=10)
    print(f"{result.settings['evaluator']}\n{result}")
    print(f"bgfast itself took {1 - result.evaluator_share:.0%} of the time")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:])
