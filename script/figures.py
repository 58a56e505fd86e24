"""Reads figures and shows them as a table; see script/bench.

A figure is a line of name, value, unit and target, separated by tabs. A name that comes again is another run of the same.

usage: figures.py [--json FILE] [--compare FILE]
"""
import argparse
import json
import statistics
import sys

# A smaller change is noise.
NOTABLE = 0.05


def shown(value):
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def change(now, before):
    """By how much a figure differs from an earlier one, such as “+12 %”; empty if it hardly does."""
    if before == now or before and abs(now - before) / abs(before) <= NOTABLE:
        return ""
    return f"{(now - before) / abs(before):+.0%}".replace("%", " %") if before else f"{shown(before)} → {shown(now)}"


class Figure:
    """The runs of one figure."""

    def __init__(self, name, unit, target):
        self.name, self.unit, self.target, self.values = name, unit, target, []

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def spread(self):
        if len(self.values) == 1:
            return ""
        return f"{shown(min(self.values))}–{shown(max(self.values))} of {len(self.values)}"

    def record(self):
        return {
            "name": self.name, "unit": self.unit, "target": self.target, "median": self.median, "values": self.values,
        }


def read(lines, figures):
    """Adds what the lines hold to the figures, and passes on what is no figure."""
    for line in lines:
        parts = line.rstrip("\n").split("\t")
        try:
            name, value, unit, target = parts[0], float(parts[1]), parts[2], parts[3]
        except (IndexError, ValueError):
            print(line, end="", file=sys.stderr, flush=True)
            continue
        print(f"{name}: {shown(value)} {unit}", file=sys.stderr, flush=True)
        figures.setdefault(name, Figure(name, unit, target)).values.append(value)


def main():
    parser = argparse.ArgumentParser(description="Shows figures as a table.")
    parser.add_argument("--json", metavar="FILE", help="write them as JSON, too")
    parser.add_argument("--compare", metavar="FILE", help="show what differs by more than 5 % from such a file")
    choice = parser.parse_args()
    known = {}
    if choice.compare:
        with open(choice.compare, encoding="utf-8") as file:
            known = {each["name"]: each["median"] for each in json.load(file)["figures"]}
    figures = {}
    read(sys.stdin, figures)
    for figure in figures.values():
        cells = [figure.name, shown(figure.median), figure.unit, figure.target, figure.spread]
        if choice.compare:
            cells.append(change(figure.median, known[figure.name]) if figure.name in known else "new")
        print("\t".join(cells).rstrip("\t"))
    for name in known.keys() - figures.keys():
        print(f"{name}\tnot measured", file=sys.stderr)
    if choice.json:
        with open(choice.json, "w", encoding="utf-8") as file:
            json.dump({"figures": [each.record() for each in figures.values()]}, file, ensure_ascii=False, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
