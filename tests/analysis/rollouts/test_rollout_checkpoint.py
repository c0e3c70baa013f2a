"""Interrupted and resumed rollouts, and validation of checkpoints."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import closing, nullcontext
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, rollout
from bgfast.analysis.rollouts import rollout as rollout_module
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.evaluators import PipCount, Pubeval
from tests.support.journals import lines_of, rewrite
from tests.support.rollouts import ENDING, RACE, five_probabilities, pip_count

Lines = list[dict[str, Any]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint"


def record_blocks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return a list that records the blocks of trials played rather than read from a file."""
    blocks: list[tuple[int, int]] = []
    local_blocks = rollout_module.local_blocks

    def recording_blocks(job: Any, first: int, last: int, threads: int, limit: Any) -> Any:
        for block in local_blocks(job, first, last, threads, limit):
            if block is not None:
                blocks.append((block.first, block.last))
            yield block

    monkeypatch.setattr(rollout_module, "local_blocks", recording_blocks)
    return blocks


RESUMED_ROLLOUTS: list[tuple[Any, dict[str, Any]]] = [
    (PipCount(), {}),
    (PipCount(), {"truncate": 2, "variance_reduction": True}),
    (pip_count, {}),
    (five_probabilities, {"truncate": 3, "cubeless": True}),
    (five_probabilities, {"variance_reduction": True, "truncate": 2, "cubeless": True}),
]


@pytest.mark.parametrize(("evaluator", "settings"), RESUMED_ROLLOUTS)
def test_rollouts_resume_from_checkpoints(
    evaluator: Any, settings: dict[str, Any], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"seed": 3, **settings}
    expected = rollout(ENDING, evaluator=evaluator, trials=1500, **settings)
    rollout(ENDING, evaluator=evaluator, trials=1300, checkpoint=file, **settings)
    blocks = record_blocks(monkeypatch)
    result = rollout(ENDING, evaluator=evaluator, trials=1500, checkpoint=file, **settings)
    assert result.estimates == expected.estimates
    # The rollout resumed with the next trial.
    assert blocks[0][0] == 1300
    # Decisions of the previous run do not count.
    decision_count = round(result.decisions_per_second * result.elapsed)
    assert decision_count == pytest.approx(result.estimates[0].mean_plies * 200, rel=0.2)
    # A rollout of fewer trials uses the first trials, across block boundaries.
    content = file.read_bytes()
    short_result = rollout(ENDING, evaluator=evaluator, trials=500, checkpoint=file, **settings)
    assert short_result.estimates == rollout(ENDING, evaluator=evaluator, trials=500, **settings).estimates
    assert file.read_bytes() == content
    file.write_bytes(content[:-40])  # a crash may leave an incomplete record
    with pytest.warns(UserWarning, match="damaged bytes at its end are ignored"):
        result = rollout(ENDING, evaluator=evaluator, trials=1500, checkpoint=file, **settings)
    assert result.estimates == expected.estimates
    assert lines_of(file)[-1]["last"] == 1500


def regroup(lines: Lines, *bounds: int) -> None:
    """Store the trials of all records in blocks with these bounds."""
    _, *blocks = lines
    arrays = {
        name: np.concatenate([np.array(block[name]) for block in blocks], axis=1)
        for name in ("points", "plies", "adjusted")
    }
    lines[1:] = [
        {**blocks[0], "record": index, "first": first, "last": last}
        | {name: array[:, first:last].tolist() for name, array in arrays.items()}
        for index, (first, last) in enumerate(pairwise(bounds), 1)
    ]


def test_blocks_of_any_size_resume(file: Path) -> None:
    settings: dict[str, Any] = {"trials": 400, "truncate": 2, "seed": 1}
    expected = rollout(ENDING, evaluator=pip_count, **settings)
    rollout(ENDING, evaluator=pip_count, checkpoint=file, **settings)
    rewrite(file, lambda lines: regroup(lines, 0, 1, 50, 217, 300))
    result = rollout(ENDING, evaluator=pip_count, checkpoint=file, **settings)
    assert result.estimates == expected.estimates
    assert lines_of(file)[-1]["last"] == 400


def test_checkpoints_of_other_rollouts_are_refused(file: Path) -> None:
    rollout(RACE, evaluator=PipCount(), trials=72, checkpoint=file)
    content = file.read_bytes()
    for change, message in (
        ({"seed": 1}, "belongs to another rollout: its seed is 0, here it is 1"),
        ({"policy": Pubeval()}, "its policy is 'PipCount()', here it is 'Pubeval()'"),
        ({"truncate": 5}, "its truncate is None"),
        ({"rules": bgfast.EXACT}, "another rollout"),
    ):
        with pytest.raises(BgfastError, match=message.replace("(", r"\(").replace(")", r"\)")):
            rollout(RACE, evaluator=PipCount(), trials=72, checkpoint=file, **change)
    with pytest.raises(BgfastError, match=r"checkpoint .*: the folder .* does not exist"):
        rollout(RACE, evaluator=PipCount(), trials=72, checkpoint=file.parent / "no" / "where")
    assert file.read_bytes() == content


def test_a_header_without_boards_is_refused(file: Path) -> None:
    rollout(RACE, evaluator=pip_count, trials=4, checkpoint=file)
    rewrite(file, lambda lines: lines[0]["job"].pop("boards"))
    content = file.read_bytes()
    with pytest.raises(BgfastError, match="covers no sample position"):
        rollout(RACE, evaluator=pip_count, trials=8, checkpoint=file)
    assert file.read_bytes() == content


def put(*path: Any) -> Callable[[Lines], object]:
    """Return a function that replaces a value in the first record."""

    def change(lines: Lines) -> None:
        *keys, last_key, value = path
        content: Any = lines[1]
        for key in keys:
            content = content[key]
        content[last_key] = value

    return change


IMPOSSIBLE_CHANGES: list[tuple[Callable[[Lines], object], str]] = [
    (put("first", 36), "trials 36 to 72; expected trials from 0 on"),
    (put("last", 0), "trials 0 to 0; expected trials from 0 on"),
    (put("last", 72.0), "trials 0 to 72.0; expected trials from 0 on"),
    (put("last", 71), "points are not 1 times 71 whole numbers from -3 to 3"),
    (put("points", 0, 5, 4), "points are not 1 times 72 whole numbers from -3 to 3"),
    (put("points", 0, 5, 1.0), "points are not 1 times 72 whole numbers"),
    (put("points", 0, 5, [1]), "it is not a record of a rollout"),
    (put("points", [[1] * 72] * 2), "points are not 1 times 72 whole numbers"),
    (put("points", [[True] * 72]), "points are not 1 times 72 whole numbers"),
    (put("points", [["1"] * 72]), "points are not 1 times 72 whole numbers"),
    (put("plies", 0, 5, 0), "plies are not 1 times 72 whole numbers from 1 to 2"),
    (put("plies", 0, 5, 3), "plies are not 1 times 72 whole numbers from 1 to 2"),
    (put("plies", 0, 5, 10**30), "plies are not 1 times 72 whole numbers from 1 to 2"),
    (put("plies", {}), "plies are not 1 times 72 whole numbers"),
    (put("adjusted", None), "adjusted are not 1 times 72 times 6 numbers"),
    (put("adjusted", [[0.5] * 72]), "adjusted are not 1 times 72 times 6 numbers"),
    (put("adjusted", 0, 5, ["0"] * 6), "adjusted are not 1 times 72 times 6 numbers"),
    (put("adjusted", 0, 5, [99] * 6), "adjusted are not probabilities and equities of these games"),
    (put("adjusted", 0, 0, 5, 1e308), "adjusted are not probabilities and equities of these games"),
    (put("adjusted", 0, 5, 5, 99), "adjusted are not probabilities and equities"),
    (put("adjusted", 0, 5, 0, 1.1), "adjusted are not probabilities and equities"),
    (put("adjusted", 0, 5, 0, -0.1), "adjusted are not probabilities and equities"),
    (put("adjusted", 0, 5, 2, None), "adjusted are not probabilities and equities"),
    (put("adjusted", 0, 5, 5, None), "adjusted are not probabilities and equities"),
    (put("seconds", -1), "seconds are -1; expected a number, 0 or more"),
    (put("seconds", None), "seconds are None; expected a number, 0 or more"),
    (put("seconds", 1e308), "seconds are 1e+308; expected a number, 0 or more"),
    (put("seconds", 10**400), "seconds are <a whole number of 1329 bits>; expected a number"),
    (put("adjusted", 0, 5, 5, 10**400), "it is not a record of a rollout"),
    (lambda lines: lines[1].pop("plies"), "it is not a record of a rollout"),
]


def test_impossible_values_are_refused(file: Path) -> None:
    rollout(RACE, evaluator=five_probabilities, trials=72, truncate=2, checkpoint=file, cubeless=True)
    rewrite(file, lambda lines: regroup(lines, 0, 72))
    valid_content = file.read_bytes()
    for change, message in IMPOSSIBLE_CHANGES:
        file.write_bytes(valid_content)
        rewrite(file, change)
        content = file.read_bytes()
        with pytest.raises(BgfastError) as refusal:
            rollout(RACE, evaluator=five_probabilities, trials=72, truncate=2, checkpoint=file, cubeless=True)
        assert str(refusal.value).startswith(f"checkpoint {file}: record 1: {message}")
        assert str(refusal.value).endswith("; left as it is")
        assert file.read_bytes() == content


def test_only_truncated_games_have_zero_points(file: Path) -> None:
    rollout(ENDING, evaluator=PipCount(), trials=36, checkpoint=file)
    valid_content = file.read_bytes()
    for change, expected in (
        (put("points", 0, 5, 0), "expected 0 only for truncated games"),
        (put("adjusted", [[[0.5] * 6] * 36]), "expected null without truncation"),
    ):
        file.write_bytes(valid_content)
        rewrite(file, change)
        with pytest.raises(BgfastError, match=expected):
            rollout(ENDING, evaluator=PipCount(), trials=36, checkpoint=file)


def test_luck_is_bounded(file: Path) -> None:
    def resume() -> object:
        return rollout(ENDING, evaluator=PipCount(), trials=36, variance_reduction=True, checkpoint=file)

    resume()
    plies = lines_of(file)[1]["plies"][0][5]
    for equity, is_valid in ((3 + 6 * plies, True), (3.1 + 6 * plies, False)):
        rewrite(file, put("adjusted", 0, 5, 5, equity))
        refusal = pytest.raises(BgfastError, match="adjusted are not probabilities and equities")
        with nullcontext() if is_valid else refusal:
            resume()


# ---- a rollout in several calls ----


def test_repeated_play_counts_once() -> None:
    expected = rollout(ENDING, evaluator=PipCount(), trials=2592, seed=4)
    run = Rollout(ENDING, PipCount(), RolloutOptions(trials=2592, seed=4))
    assert list(run.play())[-1] == 1  # the number of items depends on the clock
    assert list(run.play()) == []
    assert run.result().estimates == expected.estimates
    assert run.result().trials == 2592


def test_interrupted_rollout_resumes(file: Path) -> None:
    settings: dict[str, Any] = {"trials": 3000, "seed": 4, "truncate": 2}
    expected = rollout(ENDING, evaluator=five_probabilities, **settings)
    run = Rollout(ENDING, five_probabilities, RolloutOptions(**settings))
    with closing(run.play()) as fractions:
        assert len(list(islice(fractions, 2))) == 2
    done = run.done
    assert 0 < done < 1000
    # Trials played without a file are also stored.
    with closing(run.play(checkpoint=file)) as fractions:
        assert len(list(islice(fractions, 2))) == 2
    assert lines_of(file)[-1]["last"] == run.done > done
    done = run.done
    # Trials that another run adds to the file also count.
    rollout(ENDING, evaluator=five_probabilities, checkpoint=file, **{**settings, "trials": 2000})
    list(run.play(checkpoint=file))
    assert run.result().estimates == expected.estimates
    assert run.resumed == 2000 - done
    resumed_run = Rollout(ENDING, five_probabilities, RolloutOptions(**settings))
    list(resumed_run.play(checkpoint=file))
    assert resumed_run.resumed == 3000
    assert resumed_run.result().estimates == expected.estimates


def test_checkpoint_can_be_added_later(file: Path) -> None:
    run = Rollout(ENDING, PipCount(), RolloutOptions(trials=100))
    list(run.play())
    list(run.play(checkpoint=file))
    assert lines_of(file)[-1]["last"] == 100
    run = Rollout(ENDING, PipCount(), RolloutOptions(trials=9999, stop={"standard_error": 0.5}))
    list(run.play())
    assert run.done == 1296  # the result is precise enough, so nothing more is played
    file.unlink()
    assert list(run.play(checkpoint=file)) == []
    assert lines_of(file)[-1]["last"] == 1296


def test_concurrent_play_is_refused() -> None:
    run = Rollout(ENDING, pip_count, RolloutOptions(trials=1000))
    with closing(run.play()) as fractions:
        next(fractions)
        with pytest.raises(BgfastError, match="is being played; expected the first `play` to end"):
            next(run.play())
    list(run.play())
    assert run.done == 1000


def test_full_disk_loses_no_trials(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rollout(ENDING, evaluator=PipCount(), trials=5184, seed=4)
    run = Rollout(ENDING, PipCount(), RolloutOptions(trials=5184, seed=4))
    fractions = run.play(checkpoint=file)
    while run.done < 1296:  # slow machines yield more often than once per block
        next(fractions)
    content = file.read_bytes()

    def raise_disk_full(descriptor: int, buffer: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", raise_disk_full)
        with pytest.raises(BgfastError, match=f"^checkpoint {file}: No space left on device$"):
            list(fractions)
    assert file.read_bytes() == content
    assert run.done == 2592  # trials that could not be stored also count
    list(run.play(checkpoint=file))
    assert run.result().estimates == expected.estimates
    assert [line["last"] for line in lines_of(file)[1:]] == [1296, 2592, 3888, 5184]
