"""`cueref` itself: its list of subcommands, its version, its exit statuses, and what it imports."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

import referee
from referee import commands
from referee.cli import COMMANDS, main, module_of, summary_of

HEAVY = {"numpy", "cv2", "av", "scipy", "shapely", "onnxruntime", "jinja2", "rich.progress"}


def exit_status(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code


def test_every_module_with_examples_is_a_subcommand_with_a_function_of_its_name() -> None:
    modules = {
        m.name: import_module(f"referee.commands.{m.name}") for m in pkgutil.iter_modules(commands.__path__)
    }
    with_examples = {name for name, module in modules.items() if hasattr(module, "EXAMPLES")}
    assert with_examples == set(map(module_of, COMMANDS))
    assert all(hasattr(modules[name], name) for name in with_examples)


def test_help_lists_every_subcommand_with_its_whole_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status("--help") == 0
    listed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert [line for line in listed if line.split(" ", 1)[0] in COMMANDS] == [
        f"{name} {summary_of(name)}" for name in COMMANDS
    ]


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status("--version") == 0
    assert capsys.readouterr().out == f"cueref {referee.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["judg"], "No such command 'judg'"),
        (["rack", "snooker", "--no-such-option"], "No such option"),
        (["rack", "rtsp://user:secret@camera/1"], "cueref: "),
        ([], "Usage: "),
    ],
)
def test_unusable_arguments_end_with_status_2_and_show_no_password(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_status(*arguments) == 2
    said = capsys.readouterr()
    assert words in said.out + said.err and "secret" not in said.out + said.err


@pytest.mark.parametrize("arguments", [[], ["--help"], ["rack", "--help"]])
def test_the_command_line_imports_no_heavy_library(arguments: list[str]) -> None:
    code = (
        "import sys, referee.cli\n"
        f"if {arguments!r}:\n"
        "    try:\n"
        f"        referee.cli.main({arguments!r})\n"
        "    except SystemExit:\n"
        "        pass\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stderr.strip() == "[]"
