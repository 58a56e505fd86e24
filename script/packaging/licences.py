"""Says what is linked into the program: an SPDX document, and the text of every licence.

usage: licences.py BUILD OBJECTS VERSION EPOCH OUT TOOLCHAIN COMPILER NAME

BUILD is the build folder, OBJECTS the list of objects that the program NAME was linked from, EPOCH seconds since 1970, TOOLCHAIN the
folder and COMPILER the version of Swift. Writes OUT/sbom.spdx.json (SPDX 2.3) and OUT/copyright (Debian's format, version 1.0).
"""

import datetime
import json
import pathlib
import re
import sys

# By the beginning of a licence's text.
LICENCES = [
    ("Apache License", "Apache-2.0"),
    ("MIT License", "MIT"),
    ("Permission is hereby granted, free of charge", "MIT"),
]
# What Swift's own licence adds to Apache's.
EXCEPTION = "## Runtime Library Exception"


def read(path):
    """A text without blanks at the ends of its lines, which is how copies of one licence differ."""
    return "\n".join(line.rstrip() for line in path.read_text().strip().splitlines())


def licence(text):
    for mark, name in LICENCES:
        if mark in text[:4000]:
            return name + " WITH Swift-exception" if EXCEPTION in text else name
    raise SystemExit("a licence that this script does not know:\n" + text[:200])


def linked_modules(list_file):
    """The modules whose objects are in the program."""
    return set(re.findall(r"/([A-Za-z0-9_]+)\.build/", list_file.read_text()))


def owner(modules, checkout):
    """Whether a package has one of the modules."""
    found = {path.name for path in checkout.glob("Sources/*")} | {checkout.name}
    # GRDB keeps its one module in a folder of that name.
    found |= {path.name for path in checkout.glob("*") if path.is_dir()}
    return bool(modules & found)


def main():
    build, objects, version, epoch, out, toolchain, compiler, name = sys.argv[1:]
    build, out = pathlib.Path(build), pathlib.Path(out)
    modules = linked_modules(pathlib.Path(objects))
    state = json.loads((build / "workspace-state.json").read_text())["object"]["dependencies"]
    packages = []
    for dependency in sorted(state, key=lambda item: item["packageRef"]["identity"]):
        checkout = build / "checkouts" / dependency["subpath"]
        if not owner(modules, checkout):
            continue
        text = read(sorted(checkout.glob("LICENSE*"))[0])
        packages.append(
            {
                "name": dependency["subpath"],
                "version": dependency["state"]["checkoutState"]["version"],
                "url": dependency["packageRef"]["location"],
                "licence": licence(text),
                "text": text,
                "notice": "\n\n".join(read(path) for path in sorted(checkout.glob("NOTICE*"))),
            }
        )
    text = read(pathlib.Path(toolchain) / "share" / "swift" / "LICENSE.txt")
    packages.append(
        {
            "name": "swift",
            "version": compiler,
            "url": "https://www.swift.org",
            "licence": licence(text),
            "text": text,
        }
    )
    # Foundation, which is of that runtime, has ICU's code in it.
    packages.append(
        {
            "name": "icu",
            "version": "as in Swift " + compiler,
            "url": "https://icu.unicode.org",
            "licence": "Unicode-3.0",
            "text": (pathlib.Path(__file__).parent / "unicode-licence.txt").read_text().strip(),
        }
    )
    when = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = read(pathlib.Path("LICENSE"))
    write_spdx(out / "sbom.spdx.json", name, packages, version, when)
    write_copyright(out / "copyright", name, packages, own)


def write_spdx(path, program, packages, version, when):
    def entry(identifier, name, version, url, licence):
        return {
            "SPDXID": identifier,
            "name": name,
            "versionInfo": version,
            "downloadLocation": url,
            "filesAnalyzed": False,
            "licenseConcluded": licence,
            "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
        }

    entries = [entry("SPDXRef-StreakMesh", program, version, "NOASSERTION", "Apache-2.0")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-StreakMesh")]
    for package in packages:
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package["name"])
        entries.append(entry(identifier, package["name"], package["version"], package["url"], package["licence"]))
        relations.append(("SPDXRef-StreakMesh", "STATIC_LINK", identifier))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{program}-{version}",
        "documentNamespace": f"https://streakmesh.invalid/spdx/{program}-{version}-{when}",
        "creationInfo": {"created": when, "creators": ["Tool: script/package"]},
        "packages": entries,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations
        ],
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def folded(text):
    """A text as a field of Debian's format: each line indented, none empty."""
    return "\n".join(" " + line if line.strip() else " ." for line in text.splitlines())


# Debian keeps this one for all packages; script/package puts the text into the archive for other systems.
APACHE = "On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0; else see LICENSE beside this file."


def short(text):
    """A licence without the text of Apache 2.0, but with what is said after it."""
    if not text.lstrip().startswith("Apache License"):
        return text
    after = text.partition(EXCEPTION)
    return APACHE + ("\n\n" + after[1].strip("# ") + after[2] if after[1] else "")


def write_copyright(path, program, packages, own):
    """Each text stands once; a package names the one that is its."""
    parts = [
        f"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: {program}",
        "Files: *\nCopyright: the StreakMesh authors\nLicense: Apache-2.0",
    ]
    texts = {short(own): "Apache-2.0"}
    for package in packages:
        name = package["licence"].replace(" ", "-")
        # Two licences of one name differ in whom they name.
        if name in texts.values():
            name += "-of-" + package["name"]
        name = texts.setdefault(short(package["text"]), name)
        parts.append(
            f"Files: linked/{package['name']}/*\nCopyright: as its licence says\nLicense: {name}\n"
            f"Comment: {package['name']} {package['version']}, linked into the program.\n{folded(package.get('notice', ''))}".strip()
        )
    parts += [f"License: {name}\n{folded(text)}" for text, name in texts.items()]
    path.write_text("\n\n".join(parts) + "\n")


main()
