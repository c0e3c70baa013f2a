"""Interface and errors of an engine that bgfast checks."""

from __future__ import annotations

from bgfast.common.validation import Board, Roll
from bgfast.conformance.protocol import (
    ANY_RULES,
    Capabilities,
    Case,
    CrashedError,
    Engine,
    EngineError,
    HungError,
    InProcessEngine,
    MissingEngineError,
    RubbishError,
    TurnRecord,
    UnknownEngineError,
    UnreachableError,
)

__all__ = [
    "ANY_RULES",
    "Board",
    "Capabilities",
    "Case",
    "CrashedError",
    "Engine",
    "EngineError",
    "HungError",
    "InProcessEngine",
    "MissingEngineError",
    "Roll",
    "RubbishError",
    "TurnRecord",
    "UnknownEngineError",
    "UnreachableError",
]
