"""The program: python -m verify vectors PATH… | capture FILE… | selftest PATH [--flips N] [--seed N]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .checks import CHECKS, check_file


def check_vectors(paths: list[Path], most: int) -> int:
    """One line for each file, then the totals; 1 where something does not hold or was not checked."""
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not files:
        print(f"There are no vectors in {', '.join(map(str, paths))}.")
        return 1
    checked = failed = unknown = 0
    for file in files:
        if file.name not in CHECKS:
            unknown += 1
            print(f"{file.name}: NOT CHECKED, nothing here knows this file")
            continue
        report = check_file(file)
        checked += report.checked
        failed += len(report.problems)
        problems = f", {len(report.problems)} WRONG" if report.problems else ""
        print(f"{file.name}: checked {report.checked}{problems}")
        for problem in report.problems[:most]:
            print(f"    {problem}")
        if len(report.problems) > most:
            print(f"    … and {len(report.problems) - most} more")
    missing = [name for name in CHECKS if any(p.is_dir() and p.name == "v1" for p in paths) and _is_of_v1(name, files)]
    for name in missing:
        print(f"{name}: MISSING")
    print(f"{len(files)} files: {checked} checks, {failed} wrong, {unknown} files not checked, {len(missing)} missing")
    return 1 if failed or unknown or missing else 0


def _is_of_v1(name: str, files: list[Path]) -> bool:
    return not name.startswith("noise") and name not in {file.name for file in files}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="verify", description="Checks vectors and captures from the spec alone.")
    commands = parser.add_subparsers(dest="command", required=True)
    vectors = commands.add_parser("vectors", help="check files of vectors, or folders of them")
    vectors.add_argument("paths", nargs="+", type=Path)
    vectors.add_argument("--most", type=int, default=20, help="problems shown for a file")
    capture = commands.add_parser("capture", help="check what two nodes said")
    capture.add_argument("files", nargs="+", type=Path)
    selftest = commands.add_parser("selftest", help="damage vectors and captures, and demand that it is noticed")
    selftest.add_argument("path", type=Path)
    selftest.add_argument("--captures", nargs="*", type=Path, default=[])
    selftest.add_argument("--flips", type=int, default=200)
    selftest.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.command == "vectors":
        return check_vectors(options.paths, options.most)
    if options.command == "capture":
        from .capture import check_captures

        return check_captures(options.files)
    from .selftest import run_selftest

    return run_selftest(options.path, options.captures, options.flips, options.seed)


if __name__ == "__main__":
    sys.exit(main())
