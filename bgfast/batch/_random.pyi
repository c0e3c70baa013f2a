from typing import final

from bgfast.batch._request import Request
from bgfast.common.vocabulary import Boards

ANY_PHASE: int

def fill_dice(seed: int, opening: bool, first: int, out: Boards) -> None: ...

@final
class RandomChoice(Request):
    def __init__(
        self,
        switches: tuple[int, bool, bool, int] | None,
        boards: Boards,
        dice: Boards | None,
        seed: int,
        flip: bool,
        threads: int,
    ) -> None: ...
    def into(self, out: Boards, dice_out: Boards | None) -> None: ...

def fill_random(start: Boards, seed: int, phase: int, first: int, out: Boards) -> None: ...
