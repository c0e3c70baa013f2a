"""Files of networks, and weights of which none can be made: saved and loaded, refused with what is wrong."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError
from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.evaluators.network_file import Weights


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.random(64, seed=3)


def test_saved_and_loaded(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "network"
    network.save(file)
    again = Network.load(file)
    assert all(array.flags.aligned for part in again.weights for array in part)
    assert again == network
    assert hash(again) == hash(network)
    assert pickle.loads(pickle.dumps(network)) == network
    assert again != Network.random(64, seed=4)
    assert again.hidden == (64,) * 5
    boards = bgfast.random_positions(20, seed=1)
    assert np.array_equal(again.evaluate(boards), network.evaluate(boards))


def signed(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def with_head(content: bytes, **changes: Any) -> bytes:
    end = content.index(b"\n", 16)
    head = {**json.loads(content[16:end]), **changes}
    return signed(content[:16] + json.dumps(head).encode() + content[end:-32])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: b"", "none that bgfast has written"),
        (lambda c: b"GIF89a" + c, "none that bgfast has written"),
        (lambda c: c[:16], "damaged: its head"),
        (lambda c: c[:16] + b"{" * 100_000 + c[16:], "damaged: its head"),
        (lambda c: c[:-1], "it is cut off or damaged"),
        (lambda c: c[:2000], "it is cut off or damaged"),
        (lambda c: c + b"x", "it is cut off or damaged"),
        (lambda c: c[:5000] + bytes([c[5000] ^ 1]) + c[5001:], "its checksum is another one"),
        (lambda c: with_head(c, format=3), "has the format 3; this version of bgfast reads 2"),
        (lambda c: with_head(c, hidden=[0, 64]), r"has \[0, 64\] hidden units"),
        (lambda c: with_head(c, hidden=[64, 64, 0, 64, 64]), "hidden units"),
        (lambda c: with_head(c, hidden=[10**9, 64, 64, 64, 64]), "hidden units"),
        (lambda c: with_head(c, hidden=[33, 64, 64, 64, 64]), "hidden units"),
        (lambda c: with_head(c, hidden=64), "hidden units"),
        (lambda c: with_head(c, features=[115, 0, 0, 0, 0]), r"has \[115, 0, 0, 0, 0\] rows of features"),
        (lambda c: with_head(c, features=None), "has None rows of features"),
        (lambda c: with_head(c, about=3), "its head cannot be read"),
        (
            lambda c: signed(c[:-36] + struct.pack("<f", float("nan"))),
            "part 4: output_bias is nan at 4; expected f",
        ),
        (lambda c: signed(c[:-36] + struct.pack("<f", -3e38)), r"part 4: output_bias is -[\d.]+e\+38 at 4"),
        (lambda c: with_head(c, format=2.0), "has the format 2.0; this version"),
        (lambda c: with_head(c, format=True), "has the format True; this version"),
        (lambda c: with_head(c, hidden=[64.0] * 5), "hidden units; expected 5 multiples"),
        (lambda c: with_head(c, hidden=[True] * 5), "hidden units; expected 5 multiples"),
        (lambda c: with_head(c, hidden=[64] * 4), "hidden units; expected 5 multiples"),
        (lambda c: with_head(c, hidden=[64] * 6), "hidden units; expected 5 multiples"),
        (lambda c: with_head(c, hidden=[2048] * 5), "hidden units; expected 5 multiples"),
        (lambda c: with_head(c, hidden={"64": 64}), "hidden units; expected 5 multiples"),
        (lambda c: with_head(c, features=[116.0] * 4 + [0]), "rows of features; expected 5 numbers"),
        (lambda c: with_head(c, features=[116] * 4 + [False]), "rows of features; expected 5 numbers"),
        (lambda c: with_head(c, features=[[]] * 5), "rows of features; expected 5 numbers"),
        (lambda c: with_head(c, about=[["games", 3]]), "its head cannot be read"),
    ],
)
def test_files_that_are_refused(change: Any, message: str, network: Network, tmp_path: Path) -> None:
    file = tmp_path / "network"
    network.save(file)
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(BgfastError, match=message):
        Network.load(file)


LARGE = np.float32(3e38)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: [], "a network of 0 parts; expected 5 parts"),
        (lambda p: p[:4], "a network of 4 parts"),
        (lambda p: [*p, p[0]], "a network of 6 parts"),
        (lambda p: None, "a network of None; expected 5 parts"),
        (lambda p: [tuple(part) for part in p], "expected 5 parts, each of them Weights"),
        (
            lambda p: [of_hidden(p[0], 2048), *p[1:]],
            "part 0 has 2048 hidden units; expected a multiple of 32",
        ),
        (lambda p: [of_hidden(p[0], 33), *p[1:]], "part 0 has 33 hidden units"),
        (lambda p: [of_hidden(p[0], 0), *p[1:]], "part 0 has 0 hidden units"),
        (lambda p: changed(p, 4, bias=np.float32(1)), "part 4 has 0 hidden units"),
        (
            lambda p: changed(p, 4, output=np.ones((3, 33))),
            r"part 4: output of shape \(3, 33\); expected \(5, 64",
        ),
        (
            lambda p: changed(p, 0, features=np.ones(2)),
            r"part 0: features of shape \(2,\); expected \(2, 116",
        ),
        (
            lambda p: changed(p, 1, bar=np.full((2, 64), np.nan)),
            "part 1: bar is nan at 0, 0; expected finite",
        ),
        (
            lambda p: changed(p, 0, points=p[0].points + LARGE),
            r"part 0: points is 3e\+38 at 0, 0, 0, 0; expected",
        ),
        (
            lambda p: changed(p, 2, output=p[2].output - LARGE),
            r"part 2: output is -3e\+38 at 0, 0; .* at most 1e",
        ),
        (
            lambda p: changed(p, 2, output=p[2].output * 1j),
            "part 2: output of dtype complex64; expected numbers",
        ),
        (lambda p: changed(p, 3, off="weights"), "part 3: off of dtype <U7; expected numbers"),
    ],
)
def test_weights_that_are_refused(change: Any, message: str, network: Network) -> None:
    with pytest.raises(BgfastError, match=message):
        Network(change(list(network.weights)))


def of_hidden(part: Weights, hidden: int) -> Weights:
    return Weights(*(np.resize(array, (*array.shape[:-1], hidden)) for array in part[:-1]), part.output_bias)


def changed(parts: list[Weights], number: int, **arrays: Any) -> list[Weights]:
    return [part._replace(**arrays) if at == number else part for at, part in enumerate(parts)]


def test_weights_are_those_that_it_was_made_of() -> None:
    parts = [Weights(*(array.copy() for array in part)) for part in Network.random(32, seed=1).weights]
    network = Network(parts)
    parts[0].points[:] = 7
    assert network == Network.random(32, seed=1)
    with pytest.raises(ValueError, match="read-only"):
        network.weights[0].points[:] = 7


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"when": 1j}, "about cannot be written as JSON: Object of type complex"),
        ({"text": "x" * 100_000}, "about has more than 100,000 bytes of JSON"),
        ({3: "", "x": ""}, "about cannot be written as JSON"),
    ],
)
def test_what_cannot_be_said_about_a_network(about: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "network"
    with pytest.raises(BgfastError, match=message):
        Network(Network.random(32).weights, about).save(file)
    assert not file.exists()
    with pytest.raises(BgfastError, match="about is 3; expected a mapping"):
        Network(Network.random(32).weights, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [5, None, True, b"x", "a\0b", ["x"], ""], ids=repr)
def test_names_of_files_that_are_none(path: Any, network: Network) -> None:
    with pytest.raises(BgfastError, match=r"^network is .*; expected a path$"):
        Network.load(path)
    with pytest.raises(BgfastError, match=r"^network is .*; expected a path$"):
        network.save(path)
