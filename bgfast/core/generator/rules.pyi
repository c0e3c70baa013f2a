from typing import final

@final
class HeldRules:
    def __new__(cls, switches: tuple[int, bool, bool, int] | None) -> HeldRules: ...
