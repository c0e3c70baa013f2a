"""Markdown report of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Result = dict[str, Any]


def markdown(result: Result) -> str:
    """Return the report."""
    head = "# bgfast compared with other engines\n\n"
    if result["quick"]:
        head += "A short run (`--quick`), too inaccurate to publish.\n\n"
    parts = [
        about(result),
        "## Missing\n\n" + missing(result),
        "## Correctness\n\n" + correctness(result),
        "## Speed\n\n" + speed(result),
        "## Targets\n\n" + targets(result),
    ]
    return head + "\n\n".join(parts) + "\n"


def about(result: Result) -> str:
    """Return the list of the machine and the engines."""
    lines = [f"* {name}: {value}" for name, value in result["machine"].items()]
    lines += [f"* {engine['name']} {engine['version']}: {engine['called']}" for engine in result["engines"]]
    return "\n".join(lines)


def missing(result: Result) -> str:
    """Return the list of missing engines with the reasons."""
    if not result["missing"]:
        return "None."
    return "\n".join(f"* {engine['name']}: **missing** ({engine['reason']})" for engine in result["missing"])


def correctness(result: Result) -> str:
    """Return the table of disagreements with `bgfast.reference`."""
    rows = [
        (
            entry["engine"],
            entry["set"],
            f"{entry['cases']:,}" if entry["cases"] else "not compared",
            f"**{entry['disagreements']:,}**" if entry["cases"] else "–",
            f"{entry['missing']:,}" if entry["cases"] else "–",
            f"{entry['illegal']:,}" if entry["cases"] else "–",
            f"{entry['errors']:,}" if entry["cases"] else "–",
            f"{entry['repeated']:,}" if entry["cases"] else "–",
            f"{entry['unreachable']:,}",
            entry["example"] or "",
        )
        for entry in result["correctness"]
    ]
    head = (
        "engine", "positions", "cases", "disagreements", "boards missing", "boards illegal", "failures",
        "rows repeated", "cases unreachable", "first disagreement",
    )  # fmt: skip
    note = (
        "A case is a position with a roll; the set of boards after it is compared with `bgfast.reference`."
        " *hard* are scattered positions, biased to bars and bear-offs, which random games rarely reach."
    )
    return f"{note}\n\n{table(head, rows)}"


def speed(result: Result) -> str:
    """Return the table of every timing."""
    rows = [
        (
            entry["workload"],
            entry["engine"],
            entry["what"],
            entry["unit"],
            f"{entry['units']:,}",
            milliseconds(entry["best_seconds"]),
            milliseconds(entry["median_seconds"]),
            rate(entry["calls_per_second"]),
            rate(entry["units_per_second"]),
            rate(entry["median_units_per_second"]),
        )
        for entry in result["speed"]
    ]
    head = (
        "workload",
        "engine",
        "what",
        "unit",
        "units",
        "best ms",
        "median ms",
        "calls/s",
        "units/s",
        "median units/s",
    )
    settings = result["settings"]
    note = (
        f"Best and median of {settings['repetitions']} repetitions, the tasks of a workload in turn."
        f" On the stream single calls take the first {settings['stream_for_engines']:,} of"
        f" {settings['stream']:,} positions. Only equal units are comparable: actions repeat results,"
        " steps move a single checker (JAX uses all cores). A batch is one call."
    )
    return f"{note}\n\n{table(head, rows)}"


def targets(result: Result) -> str:
    """Return the table of target ratios."""
    rows = [
        (
            entry["what"],
            f"{'at most' if entry['at_most'] else 'at least'} {entry['limit']:g}x",
            f"{entry['aim']:g}x" if entry["aim"] else "",
            ratio(entry["best"]),
            ratio(entry["median"]),
            {True: "yes", False: "**no**", None: "–"}[entry["reached"]],
            entry["note"],
        )
        for entry in result["targets"]
    ]
    head = ("ratio", "target", "aim", "measured (best)", "measured (median)", "reached", "note")
    note = "Best times decide. "
    if result["settings"]["peer_perft_depth"] == 3:
        note += "gnubg-nn's recursion was run to depth 3 in full."
    else:
        note += (
            "gnubg-nn's recursion was run to depth 2 and its leaves/s are set against those of depth 3"
            " (`--full-perft` runs depth 3)."
        )
    return f"{note}\n\n{table(head, rows)}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(table_row(*cells) for cells in (head, ["---"] * len(head), *rows))


def table_row(*cells: object) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


def rate(number: float) -> str:
    """Return a rate with three digits and a unit prefix."""
    for size, name in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{name}" if number < 999.5 * size else f"{number / size:.0f}{name}"
    return f"{number:.3g}"


def milliseconds(seconds: float) -> str:
    """Return milliseconds with three digits."""
    return f"{seconds * 1e3:,.0f}" if seconds >= 0.1 else f"{seconds * 1e3:.3g}"


def ratio(number: float | None) -> str:
    """Return a ratio, or a dash for None."""
    return "–" if number is None else f"{number:.3g}x" if number < 100 else f"{number:.0f}x"
