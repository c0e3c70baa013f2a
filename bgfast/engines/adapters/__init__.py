"""An adapter for each known engine, calling its public interface and nothing else.

Each module is named after its engine, `-` as `_`, and holds its adapter as `Adapter`. None is imported before
its engine is asked for.
"""

from __future__ import annotations

__all__ = ["Inside"]


class Inside:
    """An engine inside this process, which leaves nothing behind."""

    def close(self) -> None:
        pass
