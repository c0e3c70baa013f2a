from collections.abc import Sequence

BUILD: str

def movable_points(numbers: Sequence[int], die: int) -> list[int]: ...
