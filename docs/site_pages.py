"""Hooks of MkDocs: pages that lie elsewhere in the repository or are made from the code itself.

The README is the first page. References of commands, files and the web API are made from the help texts,
the JSON schemas and the application, so that they are never out of date. A link to a source file becomes its
path.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from calibration.texts import load_texts
from referee.access.needs import need_of
from referee.cli import COMMANDS, add_command, summary_of
from referee.console.app import create_app
from referee.console.guard import Policy
from referee.live.pages.app import create_live_app
from referee.live.setup.pages import create_setup_app
from referee.season import parquet

ROOT = Path(__file__).resolve().parents[1]
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "reporting.md",
    "models/MODEL_CARD.md": "networks.md",
    "samples/README.md": "samples.md",
}
"""Documents outside `docs`, by their path in the repository: the page that each becomes."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that do not lie in `docs`."""
    pages = {page: (ROOT / path).read_text("utf-8") for path, page in _elsewhere().items()}
    pages |= {
        "commands.md": "\n".join(_commands()),
        "match-file.md": _schema_page("match.json", "match"),
        "batch-tables.md": "\n".join(_tables()),
        "results-file.md": _schema_page("Results of a club", "results"),
        "live-events.md": _schema_page("Live events", "live"),
        "web-api.md": "\n".join(_web_api()),
        "rules.md": "\n".join(_rules()),
    }
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links of the repository become links of the site; what is no page of it becomes a path."""
    pages = _elsewhere()
    here = next((path for path, at in pages.items() if at == page.file.src_uri), f"docs/{page.file.src_uri}")

    def link(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if "://" in target or target.startswith("#"):
            return match[0]
        path, _, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
        at = pages.get(wanted, wanted.removeprefix("docs/") if wanted.startswith("docs/") else None)
        if at is None or files.get_file_from_path(at) is None:
            # a page made here (rules.md) links pages of the site; a source file is named only
            return match[0] if files.get_file_from_path(path) else f"{words} (`{wanted}`)"
        relative = posixpath.relpath(at, posixpath.dirname(page.file.src_uri) or ".")
        return f"{picture}[{words}]({relative}{'#' + anchor if anchor else ''})"

    return _LINK.sub(link, markdown)


def _elsewhere() -> dict[str, str]:
    """Every document outside `docs` that exists, and its page."""
    readings = sorted(ROOT.glob("referee/rules/*/readings.md"))
    found = {f.relative_to(ROOT).as_posix(): f"rules/{f.parent.name}.md" for f in readings}
    return found | {path: page for path, page in ELSEWHERE.items() if (ROOT / path).is_file()}


def _commands() -> Iterator[str]:
    yield "# Commands\n"
    yield "Exit status: 0 done, 1 a finding, 2 unusable input with one sentence, 130 after Ctrl-C.\n"
    for name in COMMANDS:
        app = typer.Typer()
        add_command(app, name)
        yield f"\n## cueref {name}\n\n{summary_of(name)}\n"
        command: Any = typer.main.get_command(app)
        # a command with commands of its own is registered below the application
        yield from _command(getattr(command, "commands", {}).get(name, command), f"cueref {name}")


def _command(command: Any, called: str) -> Iterator[str]:
    """Help and parameters of a click command, its subcommands after it."""
    if command.help and "." in command.help:
        yield f"{_paragraphs(command.help)}\n"
    shown = [p for p in command.params if p.name != "help"]
    if shown:
        yield "| argument or option | default | meaning |\n| --- | --- | --- |"
    for parameter in shown:
        names = ", ".join(f"`{n}`" for n in (*parameter.opts, *parameter.secondary_opts))
        names = (
            f"`{parameter.metavar or parameter.name}`" if parameter.param_type_name == "argument" else names
        )
        default = parameter.default if isinstance(parameter.default, str | int | float) else ""
        meaning = (getattr(parameter, "help", None) or "").replace("|", "\\|").replace("\n", " ")
        yield f"| {names} | {'' if default is False else default} | {meaning} |"
    if command.epilog:
        yield f"\n    {command.epilog.removeprefix('Example: ')}"
    for name, sub in getattr(command, "commands", {}).items():
        yield f"\n### {called} {name}\n"
        yield from _command(sub, f"{called} {name}")


def _paragraphs(text: str) -> str:
    return re.sub(r"[ \t]*\n[ \t]*", "\n", text.replace("\b", "").replace("\f", "")).strip()


def _schema_page(title: str, name: str) -> str:
    schema = json.loads((ROOT / f"referee/outputs/schema/{name}.schema.json").read_text("utf-8"))
    lines = [f"# {title}\n", schema.get("description", ""), ""]
    lines += _properties("The file" if "properties" in schema else "", schema)
    for part, definition in schema.get("$defs", {}).items():
        lines += _properties(part, definition)
    return "\n".join(lines)


def _properties(title: str, schema: dict[str, Any]) -> Iterator[str]:
    if not title:
        return
    yield f"\n## {title}\n"
    if schema.get("description"):
        yield f"{schema['description']}\n"
    if not schema.get("properties"):
        yield f"{_kind(schema)}\n"
        return
    yield "| key | type | meaning |\n| --- | --- | --- |"
    for key, value in schema["properties"].items():
        yield f"| `{key}` | {_kind(value)} | {value.get('description', '')} |"


def _kind(value: dict[str, Any]) -> str:
    """A JSON schema's type in words."""
    if "$ref" in value:
        part = value["$ref"].rsplit("/", 1)[-1]
        return f"[{part}](#{part.lower()})"
    if "anyOf" in value:
        return " or ".join(_kind(v) for v in value["anyOf"])
    if "enum" in value or "const" in value:
        return ", ".join(f"`{json.dumps(v)}`" for v in value.get("enum", [value.get("const")]))
    kind = value.get("type", "any")
    kinds = kind if isinstance(kind, list) else [kind]
    items = f" of {_kind(value['items'])}" if isinstance(value.get("items"), dict) else ""
    return " or ".join(kinds) + items


def _tables() -> Iterator[str]:
    yield "# Tables of a batch\n"
    yield "Written by `cueref batch` as Parquet, compressed with zstd. Unknown is null."
    for file, doc, types in (
        (parquet.MATCHES_FILE, "A row a match.", parquet.MATCH_TYPES),
        (parquet.STROKES_FILE, "A row a stroke.", parquet.STROKE_TYPES),
    ):
        yield f"\n## {file}\n\n{doc}\n\n| column | type |\n| --- | --- |"
        yield from (f"| `{name}` | {kind} |" for name, kind in types.items())


def _web_api() -> Iterator[str]:
    """The routes of all three applications, made without a match, a table or a camera behind them."""
    policy, nothing = Policy("a-token-of-nobody", True), None
    texts = load_texts()
    applications = {
        "Recordings and matches: cueref serve, cueref live": create_app({}, policy, players=object()),  # type: ignore[arg-type]
        "A live table: cueref live": create_live_app({}, nothing, nothing, texts, policy),  # type: ignore[arg-type]
        "Setting up: cueref setup": create_setup_app(nothing, nothing, texts, policy),  # type: ignore[arg-type]
    }
    yield "# Web API\n"
    yield "A running one tells all, with every field of every answer, at `/api/openapi.json`.\n"
    yield "A change carries its session's token ([security](security.md)). `{ident}` is a match's folder.\n"
    told: set[tuple[str, str]] = set()
    for title, guard in applications.items():
        yield f"\n## {title}\n"
        yield "| request | least role | body | what it does |\n| --- | --- | --- | --- |"
        schema = guard.app.openapi()  # type: ignore[attr-defined]  # a FastAPI application
        for path, methods in sorted(schema["paths"].items()):
            for method, operation in methods.items():
                if (path, method) not in told:
                    told.add((path, method))
                    yield _request(path, method.upper(), operation, schema)


def _request(path: str, method: str, operation: dict[str, Any], schema: dict[str, Any]) -> str:
    need = need_of(method, path)
    words = operation.get("description") or operation.get("summary", "")
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    part = schema.get("components", {}).get("schemas", {}).get(body.get("$ref", "").rsplit("/", 1)[-1], body)
    fields = ", ".join(
        f"`{name}`{'' if name in part.get('required', ()) else '?'}" for name in part.get("properties", {})
    )
    role = need.role.name.lower() if need else ""
    return f"| `{method} {path}` | {role} | {fields} | {words.splitlines()[0] if words else ''} |"


def _rules() -> Iterator[str]:
    yield "# Rules and their readings\n"
    yield "Where a rule's text can be read in two ways, the reading taken and why.\n"
    for path, page in sorted(_elsewhere().items()):
        if page.startswith("rules/"):
            heading = (ROOT / path).read_text("utf-8").splitlines()[0].lstrip("# ")
            yield f"- [{heading}]({page})"
