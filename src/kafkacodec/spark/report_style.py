"""How the report's figures look: colours of light and dark, a sheet measured in inches, rendering to SVG and PNG."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kafkacodec.spark.report_units import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

__all__ = ["DARK", "LIGHT", "NARROW", "WIDE", "Look", "Sheet", "Theme", "drawing", "label", "png", "svg"]

PNG_DPI: Final = 200
FONT_SIZE: Final = 9.5  # points; on the page 12.7 px
SMALL: Final = 8.5

# Figures are measured with DejaVu Sans, which comes with matplotlib; a browser then sets the text of an SVG in its
# own interface font. That is narrower, so nothing that fitted overlaps.
_DRAWN_FONT: Final = "DejaVu Sans"
_PAGE_FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by meaning, the same on every figure: Okabe and Ito's, apart for any kind of colour vision."""

    name: str
    paper: str
    ink: str
    muted: str
    line: str
    pale: str
    records: str
    size: str
    good: str
    bad: str
    waiting: str
    codecs: dict[str, str]

    def codec(self, compression: str) -> str:
        """Return the colour of a codec; one that is unknown is grey."""
        return self.codecs.get(compression, self.muted)


LIGHT: Final = Theme(
    name="light",
    paper="#ffffff",
    ink="#1b2733",
    muted="#5b6b7b",
    line="#dfe5eb",
    pale="#e9eef3",
    records="#0072b2",
    size="#009e73",
    good="#0072b2",
    bad="#d55e00",
    waiting="#e69f00",
    codecs={"none": "#8795a3", "gzip": "#e69f00", "snappy": "#cc79a7", "lz4": "#0072b2", "zstd": "#009e73"},
)
DARK: Final = Theme(
    name="dark",
    paper="#151c24",
    ink="#e8eef4",
    muted="#98a8b8",
    line="#2b3743",
    pale="#26313c",
    records="#56b4e9",
    size="#2cc295",
    good="#56b4e9",
    bad="#ff8642",
    waiting="#f2b632",
    codecs={"none": "#7d8c9b", "gzip": "#f2b632", "snappy": "#e39ac3", "lz4": "#56b4e9", "zstd": "#2cc295"},
)


@dataclass(frozen=True, slots=True)
class Look:
    """One rendering of a figure: its theme, its width in inches, and how many panels stand side by side."""

    theme: Theme
    width: float
    columns: int


WIDE: Final = (10.4, 2)
NARROW: Final = (3.9, 1)


class Sheet:
    """A figure on which panels and texts are placed in inches from the top left."""

    def __init__(self, look: Look, height: float) -> None:
        self.look = look
        self.theme = look.theme
        self.height = height
        self.figure = Figure(figsize=(look.width, height), facecolor="none")

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """Add axes without frame: a base line, and ticks that are labels alone."""
        wide, high = self.look.width, self.height
        axes = self.figure.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high))
        axes.set_facecolor("none")
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(self.theme.muted)
        axes.spines["bottom"].set_linewidth(0.8)
        axes.tick_params(length=0, colors=self.theme.muted, labelsize=SMALL, pad=3)
        axes.set_axisbelow(True)
        return axes

    def width_of(self, axes: Axes) -> float:
        """Return how many inches wide a panel is."""
        return float(axes.get_position().width) * self.look.width

    def text(
        self, left: float, top: float, text: str, *, color: str = "", weight: str = "normal", align: str = "left",
        size: float = FONT_SIZE,
    ) -> None:  # fmt: skip
        """Write text whose base line lies at `top`."""
        self.figure.text(
            left / self.look.width,
            1 - top / self.height,
            text,
            color=color or self.theme.ink,
            weight=weight,
            ha=align,
            va="baseline",
            size=size,
        )

    def rule(self, top: float) -> None:
        """Draw a thin line over the whole width."""
        y = 1 - top / self.height
        self.figure.add_artist(Line2D([0, 1], [y, y], color=self.theme.line, linewidth=0.8))

    def caption(self, box: tuple[float, float, float, float], text: str, shown: Sequence[tuple[str, str]] = ()) -> None:
        """Say above a panel's box what it shows, and at its right what its colours mean."""
        left, top, width, _ = box
        self.text(left, top - 0.1, text, color=self.theme.muted, size=SMALL)
        right = left + width
        for name, color in reversed(shown):
            self.text(right, top - 0.1, name, color=color, size=SMALL, align="right", weight="bold")
            right -= 0.08 * len(name) + 0.14

    def bars(self, left: float, top: float, width: float, height: float, *, rows: int) -> Axes:
        """Add a panel for horizontal bars, one per row from the top, without an amount axis: bars say their amount."""
        axes = self.panel(left, top, width, height)
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])
        axes.set_ylim(rows - 0.5, -0.5)
        axes.tick_params(axis="y", labelsize=FONT_SIZE, colors=self.theme.ink, pad=5)
        return axes

    def strip(self, axes: Axes, shares: Sequence[float]) -> None:
        """Fill a panel with equal stretches from 0 to 1, the darker the greater their share of 0 to 1."""
        ramp = LinearSegmentedColormap.from_list("held", [self.theme.pale, self.theme.records])
        axes.imshow([shares], aspect="auto", extent=(0, 1, 0, 1), cmap=ramp, vmin=0, vmax=1, interpolation="none")
        axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
        for side in axes.spines.values():
            side.set_visible(True)
            side.set_color(self.theme.line)


def label(text: str, most: int = 40) -> str:
    """Make text from data fit to be drawn: printable, and no formula to matplotlib."""
    return printable(text, most).replace("$", r"\$")


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's own defaults and this module's, whatever the program around has set."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": [_DRAWN_FONT],
                "font.size": FONT_SIZE,
                "svg.fonttype": "none",
                "svg.hashsalt": "kafkacodec",
                "axes.unicode_minus": False,
            }
        )
        yield


def svg(figure: Figure) -> bytes:
    """Render a figure as SVG with a transparent ground and the fonts of the page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", facecolor="none", metadata={"Date": None, "Creator": None})
    return buffer.getvalue().replace(f"'{_DRAWN_FONT}'", _PAGE_FONTS).encode()


def png(figure: Figure, theme: Theme) -> bytes:
    """Render a figure as PNG on the theme's paper."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, facecolor=theme.paper, metadata={"Software": None})
    return buffer.getvalue()
