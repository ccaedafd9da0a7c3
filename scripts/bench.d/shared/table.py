"""Tables of figures, and the bounds that ours is held to."""
import statistics
import unicodedata


def figure(values, digits=2):
    """The median, and from the least to the most where they differ."""
    values = [value for value in values if value is not None]
    if not values:
        return "–"
    middle = statistics.median(values)
    if max(values) - min(values) <= max(0.02 * abs(middle), 10 ** -digits / 2):
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def most(values):
    return max((value for value in values if value is not None), default=None)


def percentile(values, share):
    """Of a small number it is the worst."""
    values = sorted(value for value in values if value is not None)
    return values[min(len(values) - 1, int(len(values) * share))] if values else None


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Bounds:
    """What one of our rows has to keep."""

    def __init__(self):
        self.broken, self.held = [], 0

    def keep(self, name, value, limit, unit="ms"):
        """`value` at most `limit`; a value that is missing is not kept."""
        if value is None:
            self.broken.append(f"{name}: none seen")
        elif value > limit:
            self.broken.append(f"{name} {value:.2f} > {limit:g} {unit}".rstrip())
        else:
            self.held += 1

    def require(self, name, condition):
        if condition:
            self.held += 1
        else:
            self.broken.append(name)

    @property
    def verdict(self):
        if self.broken:
            return "FAIL: " + "; ".join(self.broken)
        return "pass" if self.held else "–"


class Table:
    """Printed as Markdown with its columns aligned, so that it reads as it is and in an issue."""

    def __init__(self, title, columns, notes=()):
        self.title, self.columns, self.notes, self.rows = title, [*columns, "verdict"], list(notes), []
        self.has_failed = False

    def add(self, cells, bounds=None):
        verdict = bounds.verdict if bounds else "–"
        self.has_failed |= bool(bounds and bounds.broken)
        self.rows.append([*map(str, cells), verdict])

    @property
    def text(self):
        lines = [self.columns, *self.rows]
        widths = [max(width(line[i]) for line in lines) for i in range(len(self.columns))]
        shown = ["| " + " | ".join(cell + " " * (w - width(cell)) for cell, w in zip(line, widths)) + " |" for line in lines]
        shown.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
        return "\n".join(["", f"### {self.title}", "", *shown, *([""] if self.notes else []), *self.notes])
