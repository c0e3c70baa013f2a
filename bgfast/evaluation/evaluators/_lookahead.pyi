from typing import Any

from typing_extensions import disjoint_base

from bgfast.evaluation.evaluators._network import NetworkEvaluator

SHORTLISTS: tuple[tuple[int, float], ...]

ranked_plays: Any

@disjoint_base
class CoreLookahead(NetworkEvaluator):
    def __init__(self, *arguments: Any) -> None: ...
    _evaluations_into: Any
