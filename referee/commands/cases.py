"""`cueref cases`: run rule case files, or list which clauses of a game are implemented."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence, unusable_input
from referee.cases.coverage import ClauseCoverage, coverage
from referee.cases.model import CaseResult
from referee.cases.runner import run_files

Files = Annotated[list[Path] | None, typer.Argument(metavar="FILE...", help=sentence("help.files"))]
Coverage = Annotated[str | None, typer.Option("--coverage", metavar="GAME", help=sentence("help.coverage"))]
Json = Annotated[bool, typer.Option("--json", help=sentence("help.cases_json"))]


EXAMPLES = ("cueref cases tests/cases/snooker.jsonl", "cueref cases --coverage snooker")


def cases(files: Files = None, coverage: Coverage = None, as_json: Json = False) -> None:
    """Run rule case files; exit 1 when a firm case fails, 2 when a line cannot be played."""
    if coverage is not None:
        _coverage(coverage, files or [], as_json)
        return
    if not files:
        raise unusable_input("errors.least_one_case_file_or_coverage")
    _run(files, as_json)


def _run(files: list[Path], as_json: bool) -> None:
    results = run_files(files)
    if as_json:
        typer.echo(json.dumps([row for r in results for row in _rows(r)], indent=1, ensure_ascii=False))
    else:
        for result in results:
            _print_result(result)
    for result in results:
        if result.error is not None:
            typer.echo(f"cueref: {result.error}", err=True)
    counts = {o: sum(r.outcome == o for r in results) for o in ("passed", "failed", "ambiguous", "error")}
    if not as_json:
        typer.echo(sentence("terminal.cases_summary", count=len(results), **counts))
    if counts["error"] or counts["failed"]:
        raise typer.Exit(2 if counts["error"] else 1)


def _rows(result: CaseResult) -> list[dict[str, object]]:
    """One row for each expected value that did not come; none for a case that passed."""
    base: dict[str, object] = {"id": result.id, "status": "firm" if result.firm else "ambiguous"}
    base |= {"outcome": result.outcome, "file": result.file, "line": result.line}
    if result.error is not None:
        return [{**base, "field": None, "expected": None, "got": result.error}]
    return [{**base, "field": d.field, "expected": d.expected, "got": d.got} for d in result.differences]


def _print_result(result: CaseResult) -> None:
    if result.outcome in ("passed", "error"):
        return
    label = sentence(f"terminal.cases_{'failed' if result.outcome == 'failed' else 'ambiguous'}")
    typer.echo(
        sentence("terminal.cases_failed_line", id=result.id, label=label, file=result.file, line=result.line)
    )
    for d in result.differences:
        typer.echo(
            sentence(
                "terminal.cases_difference",
                field=d.field,
                expected=json.dumps(d.expected),
                got=json.dumps(d.got, default=str),
            )
        )


def _coverage(game: str, files: list[Path], as_json: bool) -> None:
    rows = coverage(game, files)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(_clause_line(row))
    done = sum(row.where is not None for row in rows)
    typer.echo(
        sentence(
            "terminal.cases_coverage",
            game=game,
            done=done,
            count=len(rows),
            cases=sum(bool(r.cases) for r in rows),
        )
    )


def _clause_line(row: ClauseCoverage) -> str:
    key = "terminal.cases_implemented" if row.where is not None else "terminal.cases_not_implemented"
    state = sentence(key, where=row.where, reason=row.reason)
    shown = f" [{', '.join(row.cases)}]" if row.cases else ""
    return f"{row.clause} ({row.category}) {row.summary} -- {state}{shown}"
