"""Public names in the typing files."""

from __future__ import annotations

import ast
from pathlib import Path

import bgfast
from bgfast import evaluators

FILES = [path for path in Path(__file__).parent.glob("*.py") if path.name != Path(__file__).name]
NODES = [node for path in FILES for node in ast.walk(ast.parse(path.read_text("utf-8")))]
NAMES = {node.id for node in NODES if isinstance(node, ast.Name)}
ATTRIBUTES = {node.attr for node in NODES if isinstance(node, ast.Attribute)}


def test_typing_files_use_every_public_name() -> None:
    assert {*bgfast.__all__, *evaluators.__all__} <= NAMES | ATTRIBUTES
