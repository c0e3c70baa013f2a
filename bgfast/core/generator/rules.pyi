from typing import final

@final
class GeneratorRules:
    def __new__(cls, switches: tuple[int, bool, bool, int] | None) -> GeneratorRules: ...
