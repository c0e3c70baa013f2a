"""Environment frames as pixels: pictures from `bgfast.svg`, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from bgfast.common.extras import import_optional
from bgfast.position.decision import svg
from bgfast.position.picture import Diagram

Frame = npt.NDArray[np.uint8]

WIDTH = 620  # pixels; width and height of a frame are then even, as video codecs require


def available_modes(modes: Sequence[str]) -> list[str]:
    """Return the render modes whose packages are installed."""
    return [mode for mode in modes if mode != "rgb_array" or find_spec("matplotlib") is not None]


def check_frames() -> None:
    """Raise `BgfastError` unless frames can be drawn."""
    _matplotlib("figure")


def draw_frame(diagram: Diagram) -> Frame:
    """Draw a diagram as RGB pixels: uint8 of shape (height, width, 3)."""
    root = ElementTree.fromstring(svg(diagram, size=WIDTH))
    height = int(root.attrib["height"])
    scale = WIDTH / float(root.attrib["viewBox"].split()[2])  # pixels per unit of the picture
    # At 72 dots per inch a point is a pixel.
    figure = _matplotlib("figure").Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
    transform = _matplotlib("transforms").Affine2D().scale(scale, -scale).translate(0, height)
    for order, element in enumerate(root):
        tag = element.tag.rpartition("}")[2]
        if tag == "text":
            artist = _text_artist(element.text or "", element.attrib, scale)
        elif tag in ("rect", "circle", "polygon"):
            artist = _shape_artist(tag, element.attrib, scale)
        else:
            continue  # `title` and `desc` are not drawn
        artist.set(transform=transform, zorder=order)
        figure.add_artist(artist)
    canvas = _matplotlib("backends.backend_agg").FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[:, :, :3]


def _matplotlib(part: str) -> Any:
    return import_optional(f"matplotlib.{part}", "'bgfast[plot]'", "render_mode 'rgb_array'")


_SIDES = {"start": "left", "middle": "center", "end": "right"}
_NUMBERS = ("x", "y", "width", "height", "rx", "cx", "cy", "r")


def _shape_artist(tag: str, attributes: Mapping[str, str], scale: float) -> Any:
    patches = _matplotlib("patches")
    values = {name: float(attributes.get(name, 0)) for name in _NUMBERS}
    if tag == "rect":
        radius = values["rx"]
        style = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        corner = values["x"], values["y"]
        shape = patches.FancyBboxPatch(corner, values["width"], values["height"], boxstyle=style)
    elif tag == "circle":
        shape = patches.Circle((values["cx"], values["cy"]), values["r"])
    else:
        corners = attributes["points"].split()
        shape = patches.Polygon([[float(value) for value in corner.split(",")] for corner in corners])
    shape.set(
        facecolor=attributes["fill"],
        edgecolor=attributes.get("stroke", "none"),
        linewidth=float(attributes.get("stroke-width", 1)) * scale,
    )
    return shape


def _text_artist(text: str, attributes: Mapping[str, str], scale: float) -> Any:
    return _matplotlib("text").Text(
        float(attributes["x"]),
        float(attributes["y"]),
        text,
        fontsize=float(attributes["font-size"]) * scale,
        color=attributes["fill"],
        horizontalalignment=_SIDES[attributes["text-anchor"]],
        verticalalignment="baseline",
        fontweight=attributes.get("font-weight", "normal"),
        fontfamily="DejaVu Sans",  # part of matplotlib
    )
