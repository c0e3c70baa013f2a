"""Network files and weights: round trips, and errors for invalid files and weights."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import FirstLayer, Head, Weights, read_network
from tests.support.networks import map_arrays, with_head, with_layer

DAMAGE_MESSAGE = "it is cut off or damaged"


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.random(64, seed=3)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"dense": 32},
        {"dense": 64, "shared": True},
        {"features": False},
        {"squares": True, "dense": 32},
        {"triples": True},
    ],
)
def test_round_trip(options: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "network"
    network = Network.random(64, seed=3, **options)
    network.save(file)
    loaded_network = Network.load(file)
    assert all(array.flags.aligned for array in loaded_network.weights.arrays())
    assert loaded_network == network
    assert hash(loaded_network) == hash(network)
    assert pickle.loads(pickle.dumps(network)) == network
    assert loaded_network != Network.random(64, seed=4)
    assert loaded_network.hidden == (64,) * 5
    boards = bgfast.random_positions(20, seed=1)
    assert np.array_equal(loaded_network.evaluate(boards), network.evaluate(boards))


def test_weights_are_stored_in_16_bits_without_loss(network: Network, tmp_path: Path) -> None:
    """A single weight that does not fit in 16 bits requires 32 bits for all."""
    file = tmp_path / "network"
    half_network = Network(map_arrays(network.weights, lambda array: array.astype(np.float16)))
    half_network.save(file)
    size = file.stat().st_size
    assert Network.load(file) == half_network
    network.save(file)
    assert file.stat().st_size == pytest.approx(2 * size, rel=0.01)
    large_weights = with_head(half_network.weights, 4, 0, bias=np.full(5, 1e8, np.float32))
    Network(large_weights).save(file)
    assert Network.load(file).weights.heads[4].dense[0].bias.tolist() == [1e8] * 5


def test_files_of_format_6_are_read(network: Network, tmp_path: Path) -> None:
    """In format 6 both bytes of a 16-bit weight are stored together."""
    file = tmp_path / "network"
    half_network = Network(map_arrays(network.weights, lambda array: array.astype(np.float16)))
    for bits, source in ((16, half_network), (32, network)):
        source.save(file)
        assert not any(array.flags.writeable for array in read_network(file)[0].arrays())
        content = file.read_bytes()
        header = content[: content.index(b"\n", 16) + 1]
        weights = b"".join(array.astype(f"<f{bits // 8}").tobytes() for array in source.weights.arrays())
        file.write_bytes(with_header(with_hash(header + weights), format=6))
        assert Network.load(file) == source


def with_hash(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def with_header(content: bytes, **changes: Any) -> bytes:
    """Return the file content with a changed header."""
    end = content.index(b"\n", 16)
    return with_hash(content[:16] + json.dumps({**header_of(content), **changes}).encode() + content[end:-32])


def header_of(content: bytes) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(content[16 : content.index(b"\n", 16)])
    return header


INVALID_CONTENTS: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda c: b"", "not a bgfast network file"),
    (lambda c: b"GIF89a" + c, "not a bgfast network file"),
    (lambda c: c[:16], "damaged: its head"),
    (lambda c: c[:16] + b"{" * 100_000 + c[16:], "damaged: its head"),
    (lambda c: c[:-1], DAMAGE_MESSAGE),
    (lambda c: c[:2000], DAMAGE_MESSAGE),
    (lambda c: c + b"x", DAMAGE_MESSAGE),
    (lambda c: c[:5000] + bytes([c[5000] ^ 1]) + c[5001:], "its checksum does not match"),
    (lambda c: with_header(c, first_layers=header_of(c)["first_layers"] * 2), "expected a list of 1 to 5"),
    (lambda c: with_header(c, heads=header_of(c)["heads"][:4]), "expected a list of 5"),
    (lambda c: with_hash(c[:-36] + struct.pack("<f", float("nan"))), "layer 0: bias is nan at 4; expected f"),
    (lambda c: with_hash(c[:-36] + struct.pack("<f", -3e38)), r"dense layer 0: bias is -[\d.]+e\+38 at 4"),
]
INVALID_HEADERS: list[tuple[dict[str, Any], str]] = [
    *(({"format": n}, f"has the format {n}; this version of bgfast reads 6 and 7") for n in (3, 4, 5, 8)),
    ({"format": 6.0}, "has the format 6.0; this version"),
    ({"format": True}, "has the format True; this version"),
    *(({"bits": bits}, "expected 16 or 32") for bits in (8, 32.0, "32", None, [])),
    ({"bits": 16}, DAMAGE_MESSAGE),
    ({"first_layers": []}, "expected a list of 1 to 5"),
    ({"first_layers": {"hidden": 64}}, "expected a list of 1 to 5"),
    ({"heads": None}, "has the heads None; expected a list of 5"),
    ({"about": 3}, "its header cannot be read"),
    ({"about": [["games", 3]]}, "its header cannot be read"),
]
LAYER = {"hidden": 64, "features": 116, "triples": 0}
HEAD = {"first_layer": 0, "dense": [5], "squares": False}
INVALID_LAYERS: list[tuple[Any, str]] = [
    *(({**LAYER, "hidden": n}, "0 is .* up to 1024") for n in (0, 33, 2048, 10**9, 64.0, True, None, [])),
    *(({**LAYER, "features": n}, "0 is .*, 0 or 116") for n in (115, 116.0, False, None, [])),
    *(({**LAYER, "triples": n}, "0 is .*, 0 or 125") for n in (124, 125.0, True, None, [])),
    ([64, 116], "first layer 0 is"),
    ({**LAYER, "hidden": 96}, DAMAGE_MESSAGE),
    ({**LAYER, "triples": 125}, DAMAGE_MESSAGE),
]
INVALID_DENSE = ([], [32], [5.0], [True], [32, 32, 5], [160, 5], [0, 5], 5, None, [[5]])
INVALID_HEADS: list[tuple[Any, str]] = [
    (3, "head 0 is 3; expected a first layer from 0 to 4"),
    *(({**HEAD, "first_layer": n}, "head 0 is .* from 0 to 4") for n in (-1, 5, 0.0, True, None)),
    *(({**HEAD, "dense": n}, "head 0 is .*, the last of 5 units") for n in INVALID_DENSE),
    *(({**HEAD, "squares": n}, "0 is .*, and whether squares are read") for n in (None, 0, 1, "true", [])),
    ({**HEAD, "dense": [32, 5]}, DAMAGE_MESSAGE),
    ({**HEAD, "squares": True}, DAMAGE_MESSAGE),
]


def test_invalid_files_are_refused(network: Network, tmp_path: Path) -> None:
    file = tmp_path / "network"
    network.save(file)
    original = file.read_bytes()
    layers, heads = (header_of(original)[name] for name in ("first_layers", "heads"))
    headers = [
        *INVALID_HEADERS,
        *(({"first_layers": [layer, *layers[1:]]}, message) for layer, message in INVALID_LAYERS),
        *(({"heads": [head, *heads[1:]]}, message) for head, message in INVALID_HEADS),
    ]
    contents = [(change(original), message) for change, message in INVALID_CONTENTS]
    contents += [(with_header(original, **header), message) for header, message in headers]
    for content, message in contents:
        file.write_bytes(content)
        with pytest.raises(BgfastError, match=message):
            Network.load(file)


EXCESS = np.float32(3e38)


def with_layers(weights: Weights, *layers: FirstLayer) -> Weights:
    return weights._replace(first_layers=layers)


def resize(layer: FirstLayer, hidden: int) -> FirstLayer:
    return FirstLayer(*(np.resize(array, (*array.shape[:-1], hidden)) for array in layer))


def with_last_head(weights: Weights, *head: Any) -> Weights:
    return weights._replace(heads=(*weights.heads[:4], Head(*head)))


def with_hidden(weights: Weights, hidden: int) -> Weights:
    return with_layers(weights, resize(weights.first_layers[0], hidden), *weights.first_layers[1:])


INVALID_WEIGHTS: list[tuple[Callable[[Weights], Any], str]] = [
    (lambda w: None, "weights is None; expected Weights, or one of Network.builtin"),
    (lambda w: tuple(w), "expected Weights"),
    (lambda w: with_layers(w), "a network has 0 first layers; expected 1 to 5"),
    (lambda w: with_layers(w, *w.first_layers * 2), "a network has 10 first layers"),
    (lambda w: with_layers(w, *map(tuple, w.first_layers)), "first layers are .* a tuple of FirstLayer"),
    (lambda w: w._replace(first_layers=w.first_layers[0]), "first layers are .* a tuple of FirstLayer"),
    (lambda w: w._replace(heads=w.heads[:4]), "a network has 4 heads; expected 5"),
    (lambda w: w._replace(heads=()), "a network has 0 heads; expected 5"),
    (lambda w: w._replace(heads=None), "heads are None; expected a tuple of Head"),
    (lambda w: w._replace(heads=(w.heads[0],) * 5), "no head reads first layer 1"),
    (lambda w: with_layers(w, *w.first_layers[:2]), "head 2 reads first layer 2; expected 0 to 1"),
    (lambda w: with_hidden(w, 2048), "first layer 0 has 2048 hidden units; expected a multiple of 32"),
    (lambda w: with_hidden(w, 33), "first layer 0 has 33 hidden units"),
    (lambda w: with_hidden(w, 0), "first layer 0 has 0 hidden units"),
    (lambda w: with_layer(w, 4, bias=np.float32(1)), "first layer 4 has 0 hidden units"),
    (lambda w: with_head(w, 4, 1, weights=np.ones((3, 33))), r"weights of shape \(3, 33\); expected \(5, 32"),
    (lambda w: with_head(w, 4, 0, bias=np.ones(33)), "head 4, dense layer 0 has 33 units; expected a mult"),
    (lambda w: with_head(w, 4, 0, bias=np.ones(160)), "head 4, dense layer 0 has 160 units"),
    (lambda w: with_head(w, 4, 0, bias=np.ones(64)), r"weights of shape \(32, 64\); expected \(64, 64"),
    (lambda w: with_head(w, 4, 1, bias=np.ones(4)), r"bias of shape \(4,\); expected \(5"),
    (lambda w: with_last_head(w, 4, ()), "head 4 has 0 dense layers"),
    (lambda w: with_last_head(w, 4, w.heads[4].dense * 2), "head 4 has 4 dense layers"),
    (lambda w: with_last_head(w, 4, None), "dense layers are None"),
    (lambda w: with_last_head(w, "4", w.heads[4].dense), "head 4 reads first layer '4'"),
    (lambda w: with_layer(w, 0, features=np.ones(2)), r"0: features of shape \(2,\); expected \(2, 116"),
    (lambda w: with_layer(w, 1, bar=np.full((2, 64), np.nan)), "1: bar is nan at 0, 0; expected finite"),
    (lambda w: with_layer(w, 0, points=w.first_layers[0].points + EXCESS), r"points is 3e\+38 at 0, 0, 0, 0"),
    (
        lambda w: with_head(w, 2, 1, weights=w.heads[2].dense[1].weights - EXCESS),
        r"dense layer 1: weights is -3e\+38 at 0, 0; .* at most 1e",
    ),
    (lambda w: with_head(w, 2, 1, bias=np.ones(5) * 1j), "bias of dtype complex128; expected numbers"),
    (lambda w: with_layer(w, 3, off="weights"), "first layer 3: off of dtype <U7; expected numbers"),
]


def test_invalid_weights_are_refused() -> None:
    weights = Network.random(64, seed=3, dense=32).weights
    for change, message in INVALID_WEIGHTS:
        with pytest.raises(BgfastError, match=message):
            Network(change(weights))


def test_networks_copy_their_weights() -> None:
    weights = map_arrays(Network.random(32, seed=1).weights, np.copy)
    network = Network(weights)
    weights.first_layers[0].points[:] = 7
    assert network == Network.random(32, seed=1)
    with pytest.raises(ValueError, match="read-only"):
        network.weights.first_layers[0].points[:] = 7


def test_invalid_descriptions_are_refused(tmp_path: Path) -> None:
    file, weights = tmp_path / "network", Network.random(32).weights
    about: dict[Any, Any]
    for about, message in (
        ({"when": 1j}, "about cannot be written as JSON: Object of type complex"),
        ({"text": "x" * 100_000}, "about has more than 100,000 bytes of JSON"),
        ({3: "", "x": ""}, "about cannot be written as JSON"),
    ):
        with pytest.raises(BgfastError, match=message):
            Network(weights, about).save(file)
        assert not file.exists()
