"""``plan-validator completion``: write what makes a shell complete the words of this command.

A script knows the commands, their options and what these can be, as they are when it is written; files are completed
by the shell itself.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping

from validator.commands.options import HAS, add_example
from validator.records import dataclass

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator completion bash > completion.bash   # in ~/.bashrc: source <(plan-validator completion bash)
plan-validator completion zsh > completion.zsh     # in ~/.zshrc: source <(plan-validator completion zsh)
plan-validator completion fish                     # > ~/.config/fish/completions/plan-validator.fish
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    """A command: its long options, each with what it can be, and what can stand where no option does."""

    name: str
    about: str
    options: Mapping[str, tuple[str, ...]]
    helps: Mapping[str, str]
    words: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(_SHELLS), help="the shell that completes")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    sys.stdout.write(_SHELLS[options.shell](tuple(_commands(options.whole()))))
    return HAS


def _commands(parser: argparse.ArgumentParser) -> Iterator[_Command]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                yield _command(name, about.get(name, ""), command)


def _command(name: str, about: str, parser: argparse.ArgumentParser) -> _Command:
    options: dict[str, tuple[str, ...]] = {}
    helps: dict[str, str] = {}
    words: list[str] = []
    for action in parser._actions:
        choices = tuple(map(str, action.choices or ()))
        if not action.option_strings:
            words += choices
        for option in action.option_strings:
            if option.startswith("--"):
                options[option], helps[option] = choices, action.help or ""
    return _Command(name=name, about=about, options=options, helps=helps, words=tuple(words))


# --- bash and zsh --------------------------------------------------------------------------------


def _bash(commands: tuple[_Command, ...]) -> str:
    values = "".join(
        f"    {command.name}:{option}) words={shlex.quote(' '.join(choices))} ;;\n"
        for command in commands
        for option, choices in command.options.items()
        if choices
    )
    options = "".join(
        f"      {command.name}) options={shlex.quote(' '.join(command.options))}"
        f" words={shlex.quote(' '.join(command.words))} ;;\n"
        for command in commands
    )
    names = " ".join(command.name for command in commands)
    return f"""\
_plan_validator() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{names}" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}:$before" in
{values}    *) case "${{COMP_WORDS[1]}}" in
{options}      esac ;;
  esac
  if [ "${{word#-}}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [ -n "$words" ] || COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _plan_validator plan-validator
"""


def _zsh(commands: tuple[_Command, ...]) -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(commands)}"


# --- fish ----------------------------------------------------------------------------------------


def _fish(commands: tuple[_Command, ...]) -> str:
    return "".join(f"complete -c plan-validator {line}\n" for command in commands for line in _fish_lines(command))


def _fish_lines(command: _Command) -> Iterator[str]:
    yield f"-n __fish_use_subcommand -f -a {command.name} -d {shlex.quote(command.about)}"
    where = f"-n '__fish_seen_subcommand_from {command.name}'"
    if command.words:
        yield f"{where} -f -a {shlex.quote(' '.join(command.words))}"
    for option, choices in command.options.items():
        values = f" -x -a {shlex.quote(' '.join(choices))}" if choices else ""
        yield f"{where} -l {option[2:]}{values} -d {shlex.quote(command.helps[option])}"


_SHELLS: Mapping[str, Callable[[tuple[_Command, ...]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
