"""What a game definition may hold, folding and the writing of patterns: patterns.md §1 to §3."""

from __future__ import annotations

import re

from .codec import invalid_value

FIELDS = ("score", "max", "number", "hints", "time", "date", "any")
MAXIMUM_SCALARS = 200
MAXIMUM_FIELDS = 12


def scalars_of(text: str) -> set[str]:
    """The scalars of a list such as `41-5A 61`, in hexadecimal."""
    found: set[str] = set()
    for part in text.split():
        first, _, last = part.partition("-")
        found |= {chr(value) for value in range(int(first, 16), int(last or first, 16) + 1)}
    return found


BLANKS = scalars_of("9-D 20 85 A0 1680 2000-200A 2028 2029 202F 205F 3000")
UNPRINTABLE = scalars_of("0-1F 7F-9F 2028-202E 2066-2069 FFF9-FFFB")
DROPPED = scalars_of(
    "80-84 86-9F AD 300-36F 61C 180E 1AB0-1AFF 1DC0-1DFF 200B-200F 202A-202E 2060-206F 20D0-20FF FE00-FE0F FE20-FE2F FEFF "
    "FFF9-FFFB E0000-E01EF"
)
BECOMES = {
    "\n": "A-C 85 2028 2029",
    " ": "9 1F A0 1680 2000-200A 202F 205F 3000",
    "'": "B4 2BC 2018 2019 201B 2032",
    "-": "2010-2015 2212 FE58",
    "/": "2044 2215",
    ",": "60C 66C",
    ".": "66B",
    "%": "66A",
    "#": "FE5F",
    "\u2b1b": "25A0 25AA 25FC 25FE 1F533",
    "\u2b1c": "25A1 25AB 25FB 25FD 1F532",
    "a": "C0-C5 E0-E5 100-105",
    "c": "C7 E7 106-10D",
    "e": "C8-CB E8-EB 112-11B",
    "i": "CC-CF EC-EF 128-131",
    "n": "D1 F1 143-148",
    "o": "D2-D6 D8 F2-F6 F8 14C-151",
    "u": "D9-DC F9-FC 168-173",
}
PLAIN = {scalar: folded for folded, text in BECOMES.items() for scalar in scalars_of(text)}
PLAIN |= {chr(start + digit): str(digit) for start in (0x660, 0x6F0, 0x966) for digit in range(10)}

NAMES: dict[str, int] = {"black_large_square": 0x2B1B, "black_medium_square": 0x2B1B, "black_square": 0x2B1B}
NAMES |= {name.replace("black", "white"): 0x2B1C for name in NAMES}
COLOURS = {
    "green": (0x1F7E9, 0x1F7E2),
    "yellow": (0x1F7E8, 0x1F7E1),
    "orange": (0x1F7E7, 0x1F7E0),
    "blue": (0x1F7E6, 0x1F535),
    "purple": (0x1F7EA, 0x1F7E3),
    "red": (0x1F7E5, 0x1F534),
    "brown": (0x1F7EB, 0x1F7E4),
}
for colour, (square, circle) in COLOURS.items():
    NAMES |= {f"{prefix}{colour}_square": square for prefix in ("", "large_")}
    NAMES |= {f"{prefix}{colour}_circle": circle for prefix in ("", "large_")}
DIGITS = "zero one two three four five six seven eight nine".split()
NAMES |= {name: 0xF0000 + digit for digit, name in enumerate(DIGITS)}
NAMES |= {"white_circle": 0x26AA, "black_circle": 0x26AB, "ten": 0x1F51F, "keycap_ten": 0x1F51F}
NAMES |= {"clock1": 0x1F550, "clock2": 0x1F551, "clock3": 0x1F552, "clock11": 0x1F55A, "clock12": 0x1F55B}
NAMES |= {"bulb": 0x1F4A1, "pushpin": 0x1F4CC, "thinking": 0x1F914, "thinking_face": 0x1F914}
NAMES |= {"white_check_mark": 0x2705, "x": 0x274C, "mute": 0x1F507, "skull": 0x1F480, "trophy": 0x1F3C6}
NAMES |= {"dart": 0x1F3AF, "crown": 0x1F451, "checkered_flag": 0x1F3C1, "earth_americas": 0x1F30E}
NAMES |= {"hourglass": 0x231B, "frog": 0x1F438, "movie_camera": 0x1F3A5, "pensive": 0x1F614}
NAMES |= {"house_with_garden": 0x1F3E1, "scales": 0x2696}
CODE = re.compile(r":([a-z0-9_+-]{1,28}):")


def _plain(scalar: str) -> str:
    """One scalar by the rules that look at nothing else."""
    if "\uff01" <= scalar <= "\uff5e":
        scalar = chr(ord(scalar) - 0xFEE0)
    if "A" <= scalar <= "Z":
        return scalar.lower()
    if scalar in PLAIN:
        return PLAIN[scalar]
    is_dropped = scalar < " " or scalar in "\x7f`\\" or scalar in DROPPED
    return "" if is_dropped else scalar


def fold(text: str) -> str:
    """§2"""
    folded: list[str] = []
    index, begins_line = 0, True
    while index < len(text):
        scalar, rest = text[index], text[index + 1 :]
        index += 1
        if begins_line and (scalar == ">" or (scalar == " " and rest.startswith(">"))):
            continue
        if scalar == "\r":
            folded.append("\n")
            index += rest.startswith("\n")
        elif scalar == "\u20e3":
            if folded and folded[-1] in "0123456789":
                folded[-1] = chr(0xF0000 + int(folded[-1]))
        elif scalar == "|" and rest.startswith("|"):
            index += len(rest) - len(rest.lstrip("|"))
            continue
        elif (code := CODE.match(text, index - 1)) is not None and code[1] in NAMES:
            folded.append(chr(NAMES[code[1]]))
            index = code.end()
        elif plain := _plain(scalar):
            folded.append(plain)
        else:
            continue
        begins_line = bool(folded) and folded[-1] == "\n"
    return "".join(folded)


def label(text: str, characters: int) -> str:
    """A name, icon or unit without the blanks around it (§1)."""
    text = text.strip("".join(BLANKS))
    if set(text) & UNPRINTABLE or (text.isascii() and len(text) > characters):
        raise invalid_value("definition")
    return text


def written(pattern: str, model: str) -> str | None:
    """The pattern as it is to be written (§3); nothing for one of blanks alone."""
    if not set(pattern) - BLANKS:
        return None
    pieces: list[tuple[str, str]] = []
    for match in re.finditer(r"(?s)\{(?P<field>[^}]*)\}|(?P<open>\{)|(?P<other>[^{]+)", pattern):
        if match["open"]:
            raise invalid_value("definition")
        if match["field"] is not None:
            name = re.sub("[A-Z]", lambda letter: letter[0].lower(), match["field"])
            if name not in FIELDS:
                raise invalid_value("definition")
            pieces.append((name, f"{{{name}}}"))
            continue
        for part in re.split(f"([{''.join(BLANKS)}]+)", match["other"]):
            if part and part[0] in BLANKS:
                if pieces and pieces[-1][0] != "space":
                    pieces.append(("space", " "))
            elif fold(part):
                pieces.append(("word", part))
    if pieces and pieces[-1][0] == "space":
        pieces.pop()
    kinds = [kind for kind, _ in pieces]
    fields = [kind for kind in kinds if kind in FIELDS]
    once = [kind for kind in fields if kind != "any"]
    is_scored = "score" in fields or model == "count" or (model == "lowerTimeSeconds" and "time" in fields)
    does_touch = any(left in FIELDS and right in FIELDS for left, right in zip(kinds, kinds[1:]))
    begins_well = kinds[:1] == ["word"] and len(fold(pieces[0][1])) >= 2
    is_short = len(pattern) <= MAXIMUM_SCALARS and len(fields) <= MAXIMUM_FIELDS
    is_usable = begins_well and is_short and is_scored and not does_touch and kinds[-1] != "any"
    if not is_usable or len(set(once)) < len(once):
        raise invalid_value("definition")
    return "".join(source for _, source in pieces)
