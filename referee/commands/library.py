"""`cueref library`: the matches of a club in one place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from calibration.files import write_text
from calibration.texts import sentence, unusable_input
from referee.commands.examples import examples
from referee.journal import local_day, now_utc
from referee.season.library.exchange import calendar, json_ld, sportsml
from referee.season.library.league_files import Given, Order, filled, read_fixtures, read_players
from referee.season.library.outcomes import WHYS, Outcome
from referee.season.library.records import iso_date, kept_journal, match_record
from referee.season.library.results import results_csv, results_json, results_page, schema_text
from referee.season.library.store import Library
from referee.season.restoring import restore_match

Database = Annotated[
    str,
    typer.Option(
        "--database",
        envvar="CUEREF_DATABASE",
        metavar="WHERE",
        help=sentence("help.database"),
    ),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help=sentence("help.library_out"))]
Competition = Annotated[
    str | None, typer.Option("--competition", metavar="NAME", help=sentence("help.library_competition"))
]
Dates = Annotated[str | None, typer.Option("--dates", metavar="ORDER", help=sentence("help.library_dates"))]
On = Annotated[str | None, typer.Option("--on", metavar="DATE", help=sentence("help.library_on"))]
DEFAULT = "club.sqlite"
REOPEN = "reopen"
"""What `decide` calls it that a fixture is to be played, whatever was decided or entered."""
FORMS = ("json", "csv", "jsonld", "sportsml", "ics", "schema")
"""What `export --to` writes; `ics` has the fixtures, the others the results."""

library = typer.Typer(
    help=sentence("help.library_is"),
    no_args_is_help=True,
    rich_markup_mode=None,
)


EXAMPLES = ("cueref library add /srv/table-1/2026-11-24*",)


@library.command(
    "add",
    help=sentence("help.library_add_is"),
    epilog=examples("cueref library add final.review --players Ann Bo --fixture L1-07"),
)
def add(
    matches: Annotated[list[Path], typer.Argument(metavar="DIR...", help=sentence("help.matches"))],
    players: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help=sentence("help.players"))
    ] = None,
    played: Annotated[str | None, typer.Option(metavar="DATE", help=sentence("help.played"))] = None,
    best_of: Annotated[int | None, typer.Option(min=1, max=99, help=sentence("help.best_of"))] = None,
    fixture: Annotated[str | None, typer.Option(metavar="ID", help=sentence("help.fixture"))] = None,
    database: Database = DEFAULT,
) -> None:
    """Add matches, or what they say now in place of what they said before: after a decision, add again.

    The library keeps results and a copy of the journal; the match's folder stays where it is.
    """
    if len(matches) > 1 and (players or fixture):
        raise unusable_input("errors.one_match_with_them")
    # all are read before one is added; a season's journals would fill the memory
    records = [replace(match_record(match, players, played, best_of), record=None) for match in matches]
    with Library(database) as opened:
        for record in records:
            kept = kept_journal(Path(record.folder))
            chosen = opened.add_match(replace(record, journal=kept.digest, record=kept), fixture)
            place = f", fixture {chosen}" if chosen else ""
            typer.echo(
                f"{record.played_on} {record.players[0]} - {record.players[1]}{place}: {record.folder}"
            )


@library.command(
    "same",
    help=sentence("players.help_same"),
    epilog=examples('cueref library same "A. Lee" "Ann Lee"'),
)
def same(
    alias: Annotated[str, typer.Argument(metavar="OTHER", help=sentence("players.help_alias"))],
    name: Annotated[str, typer.Argument(metavar="NAME", help=sentence("players.help_name"))],
    database: Database = DEFAULT,
) -> None:
    """Make all matches under one name those of another: one person, under two names."""
    with Library(database) as opened:
        count = opened.same_person(alias, name)
    typer.echo(sentence("players.said_same", alias=alias, name=name, n=count))


@library.command(
    "players",
    help=sentence("help.library_players_is"),
    epilog=examples("cueref library players members.csv"),
)
def players_command(
    file: Annotated[Path, typer.Argument(metavar="CSV", help=sentence("help.players_file"))],
    database: Database = DEFAULT,
) -> None:
    """Import players; `number` and `team` may be missing."""
    rows = read_players(file)
    with Library(database) as opened:
        opened.add_players(rows)
    typer.echo(sentence("terminal.library_players", count=len(rows)))


@library.command(
    "fixtures",
    help=sentence("help.library_fixtures_is"),
    epilog=examples("cueref library fixtures league.csv"),
)
def fixtures_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=sentence("help.fixtures_file"))],
    competition: Competition = None,
    dates: Dates = None,
    on: On = None,
    database: Database = DEFAULT,
) -> None:
    """Import fixtures and their players; a fixture of the same id is changed."""
    found = read_fixtures(file, _given(competition, dates, on))
    with Library(database) as opened:
        opened.add_fixtures(found.fixtures)
    typer.echo(sentence("terminal.library_fixtures", count=len(found.fixtures), played=found.played))


@library.command(
    "decide",
    help=sentence("help.library_decide_is"),
    epilog=examples(
        'cueref library decide L1-07 walkover --winner "Ann Lee"', "cueref library decide L1-07 reopen"
    ),
)
def decide(
    fixture: Annotated[str, typer.Argument(metavar="ID", help=sentence("help.library_decide_fixture"))],
    why: Annotated[str, typer.Argument(metavar="WHY", help=sentence("help.library_decide_why"))],
    winner: Annotated[
        str | None, typer.Option(metavar="NAME", help=sentence("help.library_decide_winner"))
    ] = None,
    on: Annotated[str | None, typer.Option(metavar="DATE", help=sentence("help.library_decide_on"))] = None,
    database: Database = DEFAULT,
) -> None:
    """Write what the league decided about a fixture, or have it played again."""
    day = local_day(now_utc()) if on is None else iso_date(on, "--on")
    chosen = next((w for w in WHYS if w == why), None)
    if chosen is None and why != REOPEN:
        names = ", ".join((*WHYS, REOPEN))
        raise unusable_input("errors.why_of_a_decision", names=names, why=repr(why))
    with Library(database) as opened:
        if chosen is None:
            opened.reopen(fixture)
        else:
            opened.decide(Outcome(fixture, chosen, winner, day))
    by = f", {winner}" if winner else ""
    typer.echo(f"{fixture}: {why}{by}")


@library.command(
    "fill",
    help=sentence("help.library_fill_is"),
    epilog=examples("cueref library fill league.csv --out league-with-results.csv"),
)
def fill(
    file: Annotated[Path, typer.Argument(metavar="CSV", help=sentence("help.library_fill_file"))],
    out: Out = None,
    competition: Competition = None,
    dates: Dates = None,
    on: On = None,
    database: Database = DEFAULT,
) -> None:
    """Write the results into a league's own file of fixtures, to be imported there."""
    given = _given(competition, dates, on)
    with Library(database) as opened:
        text, count = filled(file, given, opened.results())
    _write(out, text)
    typer.echo(sentence("terminal.library_filled", count=count), err=True)


def _given(competition: str | None, dates: str | None, on: str | None) -> Given:
    if dates not in (None, "dmy", "mdy"):
        raise unusable_input("errors.dmy_or_mdy", dates=repr(dates))
    order: Order | None = "dmy" if dates == "dmy" else "mdy" if dates == "mdy" else None
    return Given(competition, order, None if on is None else iso_date(on, "--on"))


@library.command(
    "export",
    help=sentence("help.library_export_is"),
    epilog=examples("cueref library export --to csv --out results.csv"),
)
def export(
    to: Annotated[str, typer.Option(help=sentence("help.library_to"))] = "json",
    out: Out = None,
    database: Database = DEFAULT,
) -> None:
    """Write all results, the latest first; as ics all fixtures that are to be played, as jsonld both."""
    if to not in FORMS:
        raise unusable_input("errors.form_of_an_export", forms=", ".join(FORMS), to=repr(to))
    if to == "schema":
        _write(out, schema_text())
        return
    with Library(database) as opened:
        results, fixtures = opened.results(), opened.open_fixtures()
    made = {
        "json": lambda: results_json(results),
        "csv": lambda: results_csv(results),
        "jsonld": lambda: json_ld(results, fixtures),
        "sportsml": lambda: sportsml(results, now_utc()),
        "ics": lambda: calendar(fixtures, now_utc()),
    }
    _write(out, made[to]())


@library.command(
    "verify",
    help=sentence("help.library_verify_is"),
    epilog=examples("cueref library verify --database postgresql://club@db.local/club"),
)
def verify(database: Database = DEFAULT) -> None:
    """Check that no entry of the journals that the library keeps was changed."""
    with Library(database) as opened:
        checked = opened.check_journals()
    for found in checked:
        typer.echo(
            sentence("terminal.library_verify_bad", match=found.match, bad=found.bad)
            if found.bad is not None
            else sentence("terminal.library_verify_other", match=found.match)
            if not found.fits
            else sentence("terminal.library_verify_good", match=found.match, entries=found.entries)
        )
    if not all(found.sound for found in checked):
        raise typer.Exit(1)


@library.command(
    "restore",
    help=sentence("help.library_restore_is"),
    epilog=examples("cueref library restore 3f1c --out /srv/restored"),
)
def restore(
    match: Annotated[str, typer.Argument(metavar="ID", help=sentence("help.library_restore_match"))],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help=sentence("help.library_restore_out"))],
    database: Database = DEFAULT,
) -> None:
    """Make a match's folder anew from the journal that the library keeps: journal, match.json, report."""
    with Library(database) as opened:
        folder = restore_match(opened.journal(opened.match_called(match)), out)
    typer.echo(sentence("terminal.written_to", out=folder))


@library.command(
    "page",
    help=sentence("help.library_page_is"),
    epilog=examples("cueref library page --out /var/www/results.html"),
)
def page(
    out: Annotated[Path, typer.Option("--out", metavar="HTML", help=sentence("help.page_out"))],
    title: Annotated[str, typer.Option(help=sentence("help.title"))] = "Results",
    database: Database = DEFAULT,
) -> None:
    """Write one page with tables, results, fixtures and highest breaks, for any web server."""
    with Library(database) as opened:
        write_text(out, results_page(opened.results(), opened.open_fixtures(), title))
    typer.echo(sentence("terminal.written_to", out=out))


def _write(out: Path | None, text: str) -> None:
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    typer.echo(sentence("terminal.written_to", out=out))
