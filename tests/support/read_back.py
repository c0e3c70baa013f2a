"""Board after a play text, by the written moves and hits without other rules."""

from __future__ import annotations

import re

from bgfast.common.validation import Board


def board_after(board: Board, text: str) -> Board:
    """Return the board after a text such as "24/18*/15 13/8(2) F5" or "pass".

    Raises
    ------
    ValueError
        If a checker is missing, or the text does not mark a hit correctly.
    """
    after = list(board)
    for part in text.split() if text != "pass" else ():
        if re.fullmatch(r"F[1-6](\([2-4]\))?", part):
            continue
        parts = re.fullmatch(r"(\S+?)(?:\((\d)\))?", part)
        assert parts is not None
        points = [
            {"bar": 25, "off": 0}.get(point) or int(point.removesuffix("*").replace("off", "0"))
            for point in parts[1].split("/")
        ]
        marked = {point for point, name in zip(points, parts[1].split("/"), strict=True) if name[-1] == "*"}
        for _ in range(int(parts[2] or 1)):
            if len(points) < 2 or sorted(points, reverse=True) != points or after[points[0]] < 1:
                raise ValueError(f"{text!r}: {part!r} is impossible")
            after[points[0]] -= 1
            for point in points[1:]:
                if point and (after[point] < -1 or (after[point] == -1) != (point in marked)):
                    raise ValueError(f"{text!r}: {part!r} meets {-after[point]} opposing checkers on {point}")
                if point and after[point] == -1:
                    after[0] -= 1
                    after[point] = 0
                    marked.discard(point)
            if points[-1]:
                after[points[-1]] += 1
    return tuple(after)
