"""Round dates for the axis of a chart."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

__all__ = ["date_ticks"]

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAY_STEPS = (1, 2, 4, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 24000, 60000)


def date_ticks(first: date, last: date, number: int) -> list[tuple[date, str]]:
    """Return round dates within a range, with their labels.

    Parameters
    ----------
    first, last : datetime.date
    number : int
        Maximum number of ticks, 2 or more.

    Returns
    -------
    list of (datetime.date, str)
        Days, Mondays, first days of months or of years. There may be a single one, or none, between two
        round dates.

    Examples
    --------
    >>> [label for _, label in date_ticks(date(2026, 1, 3), date(2026, 1, 9), 4)]
    ['4 Jan', '6 Jan', '8 Jan']
    >>> [label for _, label in date_ticks(date(2025, 9, 3), date(2026, 7, 9), 4)]
    ['Oct 2025', 'Jan 2026', 'Apr 2026', 'Jul 2026']
    >>> [label for _, label in date_ticks(date(2019, 5, 3), date(2026, 7, 9), 4)]
    ['2020', '2022', '2024', '2026']
    """
    for step in _DAY_STEPS:
        days = list(_days(first, last, step))
        if len(days) <= number:
            return [(day, f"{day.day} {_MONTHS[day.month - 1]}") for day in days]
    step, months = next(
        (step, months)
        for step in _MONTH_STEPS
        if len(months := list(_months(first, last, step))) <= number or step == _MONTH_STEPS[-1]
    )
    return [(day, str(day.year) if step >= 12 else f"{_MONTHS[day.month - 1]} {day.year}") for day in months]


def _days(first: date, last: date, step: int) -> Iterator[date]:
    """Yield days whose number is a multiple of the step; of weeks the Mondays."""
    offset = -first.toordinal() if step < 7 else -first.weekday()
    number = first.toordinal() + offset % step
    while number <= last.toordinal():
        yield date.fromordinal(number)
        number += step


def _months(first: date, last: date, step: int) -> Iterator[date]:
    """Yield first days of months whose number is a multiple of the step."""
    month = 12 * first.year + first.month - 1
    if first.day > 1:
        month += 1
    month += -month % step
    while (month // 12 <= date.max.year) and date(month // 12, month % 12 + 1, 1) <= last:
        yield date(month // 12, month % 12 + 1, 1)
        month += step
