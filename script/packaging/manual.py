"""Writes man pages from what the program says of its commands.

usage: streakmesh --experimental-dump-help | manual.py FOLDER VERSION DATE
"""

import json
import pathlib
import sys


def roff(text):
    """A text as troff takes it: no line begins a request, no character means more than itself."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("“", "\\(lq").replace("”", "\\(rq").replace("’", "\\(cq")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def spelled(argument):
    """How an argument is written."""
    name = argument.get("preferredName")
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return value.upper()
    mark = "--" if name["kind"] == "long" else "-"
    return mark + name["name"] + ("" if argument["kind"] == "flag" else " " + value.upper())


def usage(path, arguments):
    words = [" ".join(path)]
    for argument in arguments:
        word = spelled(argument) + (" ..." if argument["isRepeating"] else "")
        words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


# What every command takes stands in the overview.
COMMON = {"data", "json", "version", "help"}


def shown(command):
    return [
        argument
        for argument in command.get("arguments", [])
        if argument.get("shouldDisplay", True)
        and (argument["kind"] == "positional" or argument["preferredName"]["name"] not in COMMON)
    ]


def children(command):
    return [
        c
        for c in command.get("subcommands", [])
        if c.get("shouldDisplay", True) and c["commandName"] != "help"
    ]


def describe(command, path, out):
    """One command and those below it."""
    path = path + [command["commandName"]]
    if children(command):
        for child in children(command):
            describe(child, path, out)
        return
    out.append(f".SS {roff(' '.join(path))}")
    out.append(roff(command.get("abstract", "")))
    if command.get("discussion"):
        out.append(".PP\n" + roff(command["discussion"].strip()))
    out.append(f".PP\n.nh\n.B {roff(usage(path, shown(command)))}\n.hy")
    for argument in shown(command):
        if argument.get("abstract"):
            out.append(f".TP\n.B {roff(spelled(argument))}\n{roff(argument['abstract'])}")


def page(command, title, path, version, date):
    out = [
        f'.TH {title.upper()} 1 "{date}" "StreakMesh {version}" "User Commands"',
        ".ad l",
        ".SH NAME",
        f"{roff(title)} \\- {roff(command.get('abstract', '').rstrip('.'))}",
        ".SH COMMANDS" if children(command) else ".SH SYNOPSIS",
    ]
    describe(command, path, out)
    out.append(".SH SEE ALSO\n.BR streakmesh (1)")
    return "\n".join(out) + "\n"


def main():
    folder, version, date = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    root = json.load(sys.stdin)["command"]
    names = []
    for command in children(root):
        title = "streakmesh-" + command["commandName"]
        names.append((title, command.get("abstract", "")))
        (folder / f"{title}.1").write_text(page(command, title, ["streakmesh"], version, date))
    overview = [
        f'.TH STREAKMESH 1 "{date}" "StreakMesh {version}" "User Commands"',
        ".SH NAME",
        "streakmesh \\- " + roff(root["abstract"].rstrip(".")),
        ".SH SYNOPSIS",
        ".B streakmesh\n[\\-\\-data DIR] [\\-\\-json] COMMAND ...",
        ".SH DESCRIPTION",
        roff(root.get("discussion", "").strip()),
        ".SH COMMANDS",
    ]
    for title, abstract in names:
        overview.append(f".TP\n.BR {roff(title)} (1)\n{roff(abstract)}")
    overview += [
        ".SH OPTIONS",
        ".TP\n.B \\-\\-data DIR\nThe data folder.",
        ".TP\n.B \\-\\-json\nAnswer with one JSON document, errors with one on standard error.",
        ".TP\n.B \\-\\-help\nWhat a command does and takes.",
        ".TP\n.B \\-\\-version\nThe version.",
        ".SH FILES",
        ".TP\n.I ~/.local/share/streakmesh\nThe data folder: account, results and keys. Nobody else may read it.",
        ".SH ENVIRONMENT",
        ".TP\n.B STREAKMESH_DATA\nThe data folder, where \\-\\-data is not given.",
        ".SH EXIT STATUS",
        "0 done, 1 failed, 64 usage, 65 unusable input, 69 nobody reachable, 73 cannot create, 75 busy or not running, 77 not allowed.",
    ]
    (folder / "streakmesh.1").write_text("\n".join(overview) + "\n")


main()
