from enum import IntEnum

class WinScheme(IntEnum):
    WIN_STANDARD = 0
    WIN_BAR_HOME_BEATS_OFF = 1
    WIN_NOT_ALL_HOME = 2
