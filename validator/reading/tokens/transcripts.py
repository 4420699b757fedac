"""What an agent and its world said in turn: which of it are commands, and which of these the world refused.

Thought: I have to clear a.                You are in the kitchen. Your task is to ...
Action: unstack b from a                   > go to cabinet 1
Observation: You are holding b.            On the cabinet 1, you see a cloth 1.

<action>unstack b from a</action><observation>You are holding b.</observation>

What the agent thinks and what the world answers name actions, and are none. The labels are those of ReAct (Yao et al.
2023), of Inner Monologue (Huang et al. 2022) and of their descendants, the prompts those of text games. Calls of tools
in the forms of models and frameworks are read in ``validator.reading.calls.wire``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import groupby, islice, pairwise

from validator.reading.calls.objects import CallRequest
from validator.reading.calls.wire import wire_calls
from validator.reading.plan import Span
from validator.reading.tokens.phrases import Role, heading, mark_of, refuses, role
from validator.records import dataclass, replace


class _Voice(Enum):
    COMMAND = "what the agent does"
    INPUT = "the arguments of that, on a line of their own"
    THOUGHT = "what it thinks"
    WORLD = "what the world, or anybody else, says"
    PLAIN = "what stands before all that, and what is called the plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What the agent does: where that stands without its label, and the arguments on a line of their own, if any."""

    span: Span
    given: Span | None = None
    call: CallRequest | None = None
    """the call that it is, where that was read already"""
    is_refused: bool = False
    """whether the world answers that it was not done"""
    ends: bool = False
    """whether it says that there is nothing more to do"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The commands of a text, and ``hidden``, what is none of them: both in the order of the text.

    ``is_answered`` is False where only tags of commands stand in it, which may as well be elements of steps.
    ``is_wire`` says that the commands are calls as models write them or frameworks print them; one without its call
    begins as they do and could not be read.
    """

    commands: tuple[Command, ...]
    hidden: tuple[Span, ...]
    is_answered: bool = True
    is_wire: bool = False

    @property
    def no_steps(self) -> list[Span]:
        """Return what is hidden, and the commands that say that nothing is left to do."""
        return sorted({*self.hidden, *(command.span for command in self.commands if command.ends)})

    def first_lines(self, text: str) -> list[Span]:
        """Return what is hidden, but only the first line behind a label: what has none may be steps."""
        commands = {command.span for command in self.commands}
        found: list[Span] = []
        for span in self.no_steps:
            line = _FIRST_LINE.match(text, *span) if _LABEL.match(text, span[0]) else None
            if span in commands or text[span[0]] == "<":
                found.append(span)
            elif line is not None:
                found.append(line.span())
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What one of them says: from its label, which ends at ``said``, to the next one; a closing tag ends at ``close``.

    A line is one too, before those of one turn are joined; nobody is said to speak on it where ``voice`` is None.
    """

    voice: _Voice | None
    label: int
    said: int
    end: int
    close: int = 0
    is_prompt: bool = False
    is_item: bool = False


_WHO = r"(?:robot|agent|assistant|ai|llm|model|player|bot|my|next|chosen|selected|executed|current)(?:'s)?[ _]+"
_WORDS = {
    _Voice.INPUT: r"action[ _]inputs?",
    _Voice.COMMAND: r"actions?(?:[ _]taken)?|act|commands?|cmd|instructions?|robot|agent|assistant|ai|llm|player|bot|"
    r"you",
    _Voice.THOUGHT: r"thoughts?|think(?:ing)?|reason(?:s|ing)?|rationale|reflections?|critique|justification|"
    r"explanation|analysis|(?:inner[ _])?monologue",
    _Voice.WORLD: r"observations?|obs|environment|env|world|simulator|game|feedback|responses?|results?|outcomes?|"
    r"scene|success|status|rewards?|score|returns?|outputs?|facts|pre-?conditions?|(?:post-?conditions?|effects?)|"
    r"(?:(?:initial|current|new|resulting|next|goal|updated|world)[ _])?states?|task|goal|human|user|system|I",
    _Voice.PLAIN: r"(?:final[ _])?(?:plan|answer|solution)",
}
_LABEL = re.compile(
    r"[ \t]*(?:[>#]+[ \t]+)*[*_`]*(?P<label>(?:step[ ]*\d{1,4}[ ]*[.):,-]?[ ]*)?[\[(<*_`]*"
    rf"(?:{_WHO})?(?:{'|'.join(f'(?P<{voice.name}>{words})' for voice, words in _WORDS.items())})"
    r"(?:[ ]*[#(]?[ ]*\d{1,4}[ ]*\)?)?[*_`]*(?:[\])>]+[*_`]*[ ]*:?|[ ]*:)[*_`]*)(?:[ \t]+|$)",
    re.IGNORECASE,
)
_OBSERVES = re.compile(r"\W*(?:obs|env|feedback|simulator)", re.IGNORECASE)
_PROMPT = re.compile(r"[ \t]*(?:>{1,3}|\$)[ \t]+(?=\S)")
_FRAME = re.compile(r"[ \t]*>[ \t]+(?:Entering[ ]new|Finished)\b[^\n]{0,80}\bchain\b[^\n]{0,80}", re.IGNORECASE)
"""what LangChain prints where an agent begins and ends"""
_RESPONDED = re.compile(r"\s*+responded:[ \t]*+[^\n]*")
"""how LangChain prints what a model says beside a call"""
_JSON_LINE = re.compile(r"""\s*+\{(?:[^\n]*,)?\s*"(?:action|tool|tool_name)"\s*+:[^\n]*\}\s*""")
"""an object of JSON that names an action or a tool, with a thought or without"""
_MAY_BE = re.compile(
    rf"^(?:(?=[^\n:\]]*+[:\]])[^\n:\]]{{0,40}}\b(?:{_WORDS[_Voice.THOUGHT]}|{_WORDS[_Voice.WORLD]})\b[^\n:\]]{{0,12}}[:\]]|{_PROMPT.pattern})",
    re.MULTILINE | re.IGNORECASE,
)
_IS_RECORD = re.compile(r"^[ \t]*(?:args?|arguments?|param(?:eter)?s|objects)[ \t]*:", re.MULTILINE | re.IGNORECASE)
_FIRST_LINE = re.compile(r"[^\n]*?(?::[^\w\n]*\n\s*[^\n]*|(?=\n| (?:→|->|=>) )|\Z)")
"""and the next one, where the first only says whose it is"""
_MOST_AT_ONCE = 2
"""prompts in a row: a thought and a command"""
_TAG = re.compile(
    r"<(?P<closes>/?)(?P<name>(?P<does>action|act|command|step|li)"
    r"|observation|obs|environment|env|feedback|result|response|state|output)>",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\W*(?:(?:you|i|we)(?:\s+(?:are|have|am)|['’](?:re|ve|m))\s+)?(?:all\s+)?(?:done|finish(?:ed)?|stop|end|terminate|"
    r"complete[d]?|none|no\s+(?:further\s+|more\s+)?actions?|submit|exit|quit|task\s+\w+|goal\s+\w+)\b(?!-)[^\n]{0,40}\s*",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"[\s`]*(?:json\s*)?\{\s*\"action\"\s*:\s*\"final[ _]?answer\"", re.IGNORECASE)
"""how an agent that calls tools in JSON says that it is done"""


def transcript(text: str) -> Transcript | None:
    """Return what a text says of an agent and its world, or None for a text in which they do not speak in turn."""
    return _called(text) or _tagged(text) or _labelled_or_prompted(text)


def _labelled_or_prompted(text: str) -> Transcript | None:
    if _MAY_BE.search(text) is None or _IS_RECORD.search(text) is not None:
        return None
    lines = list(_lines(text))
    if _are_prompted(text, lines):
        turns = _joined([_prompted(text, line) for line in lines], after=_Voice.WORLD)
    else:
        turns = _joined(lines)
    if _answered(turns):
        return _of_turns(text, turns)
    turns = _joined([_numbered(text, line) for line in lines])
    listed = _of_turns(text, turns)
    is_answered = _answered(turns) > 1 or any(command.is_refused for command in listed.commands)
    return replace(listed, commands=()) if is_answered else None


def _of_turns(text: str, turns: Sequence[_Turn], *, is_answered: bool = True) -> Transcript:
    """Return the commands among turns, and all that is none, with the commands that the world refuses."""
    commands: list[Command] = []
    hidden: list[Span] = []
    for place, turn in enumerate(turns):
        if turn.voice is _Voice.PLAIN:
            continue
        if turn.voice is not _Voice.COMMAND or _ANSWERS.match(text, turn.said, turn.end):
            hidden.append((turn.label, max(turn.end, turn.close)))
            continue
        hidden.append((turn.label, turn.said))
        hidden += [(turn.end, turn.close)] if turn.close else []
        said = text[turn.said : turn.end]
        if said.strip():
            given, is_refused = _heard(text, islice(turns, place + 1, None))
            hidden += [(turn.said, turn.end)] if is_refused else []
            ends = _ENDS.fullmatch(said) is not None
            commands.append(Command(span=(turn.said, turn.end), given=given, is_refused=is_refused, ends=ends))
    return Transcript(commands=tuple(commands), hidden=tuple(sorted(hidden)), is_answered=is_answered)


def _heard(text: str, behind: Iterable[_Turn]) -> tuple[Span | None, bool]:
    """Return where the arguments of a command stand in the turns behind it, and whether the world refuses it."""
    given: Span | None = None
    is_refused = False
    for turn in behind:
        if turn.voice is _Voice.INPUT and given is None:
            given = (turn.said, turn.end)
        elif turn.voice is not _Voice.WORLD or _FRAME.match(text, turn.label) is not None:
            break
        else:
            is_refused = is_refused or refuses(text[turn.said : turn.end])
    return given, is_refused


def _tagged(text: str) -> Transcript | None:
    """Return a transcript whose turns stand in tags; what stands between them is left as it is."""
    turns: list[_Turn] = []
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text) if "</" in text else ():
        is_same = opened is not None and tag["name"].lower() == opened["name"].lower()
        if not tag["closes"]:
            opened = tag if opened is None or is_same else opened
        elif opened is not None and is_same:
            voice = _Voice.COMMAND if tag["does"] else _Voice.WORLD
            turns.append(_Turn(voice=voice, label=opened.start(), said=opened.end(), end=tag.start(), close=tag.end()))
            opened = None
    voices = {turn.voice for turn in turns}
    return _of_turns(text, turns, is_answered=_Voice.WORLD in voices) if _Voice.COMMAND in voices else None


def _called(text: str) -> Transcript | None:
    """Return a transcript of calls as models write them or frameworks print them; all beside them is said."""
    commands: list[Command] = []
    hidden: list[Span] = []
    place = 0
    for each in wire_calls(text):
        start, end = each.answer or (0, 0)
        responded = _RESPONDED.match(text, start, end)
        frame = _FRAME_LINE.search(text, start, end)
        answer = text[start if responded is None else responded.end() : end if frame is None else frame.start()]
        commands.append(Command(span=each.span, call=each.call, is_refused=refuses(answer)))
        hidden.append((place, max(place, each.span[0])))
        place = each.span[1]
    hidden.append((place, len(text)))
    return Transcript(commands=tuple(commands), hidden=tuple(hidden), is_wire=True) if commands else None


_FRAME_LINE = re.compile(rf"^{_FRAME.pattern}", re.MULTILINE | re.IGNORECASE)


def _lines(text: str) -> Iterator[_Turn]:
    place = 0
    is_below = False  # an item of a list, whose labels are its own
    is_awaited = False  # what a label of a command announces on the lines below it
    for line in text.split("\n"):
        is_item = mark_of(line).order is not None
        if line[:1].strip():
            is_below = is_item
        is_frame = _FRAME.match(line) is not None
        prompt = None if is_frame else _PROMPT.match(line)
        label = None if is_frame or (is_below and line[:1].isspace()) else _LABEL.match(line)
        voice, said = None, prompt.end() if prompt else 0
        if is_frame:
            voice = _Voice.WORLD
        elif label is not None:
            voice, said = next(voice for voice in _WORDS if label[voice.name]), label.end()
        elif not is_awaited and _JSON_LINE.fullmatch(line):
            voice = _Voice.COMMAND
        elif role(heading(line)) in (Role.PLAN, Role.ANSWER):
            voice = _Voice.PLAIN
        if label is not None:
            is_awaited = voice is _Voice.COMMAND and not line[said:].strip()
        elif line.strip() and not line.lstrip().startswith("```"):
            is_awaited = False
        yield _Turn(
            voice=voice,
            label=place + (label.start("label") if label else 0),
            said=place + said,
            end=place + len(line),
            is_prompt=prompt is not None,
            is_item=is_item,
        )
        place += len(line) + 1


def _are_prompted(text: str, lines: Sequence[_Turn]) -> bool:
    """Return whether commands stand behind prompts with answers between them; quotations have many lines each."""
    said = (line for line in lines if text[line.label : line.end].strip())
    sizes = [len(list(group)) for is_prompt, group in groupby(said, lambda line: line.is_prompt) if is_prompt]
    return len(sizes) > 1 and 2 * sum(size > _MOST_AT_ONCE for size in sizes) < len(sizes)


def _prompted(text: str, line: _Turn) -> _Turn:
    """Return a line of a text in which everything without a prompt is said by the world."""
    start = text.rfind("\n", 0, line.label) + 1
    if not line.is_prompt:
        return replace(line, voice=None, label=start, said=start)
    is_other = line.voice in (_Voice.THOUGHT, _Voice.WORLD)
    return replace(line, voice=line.voice if is_other else _Voice.COMMAND, label=start)


def _numbered(text: str, line: _Turn) -> _Turn:
    """Return a line of a list of commands, between whose items nobody is heard but the world."""
    if line.voice is _Voice.WORLD and _OBSERVES.match(text, line.label) is not None:
        return line
    start = text.rfind("\n", 0, line.label) + 1
    return replace(line, voice=_Voice.COMMAND if line.is_item else None, label=start, said=start)


def _joined(lines: Iterable[_Turn], *, after: _Voice | None = None) -> list[_Turn]:
    """Return the turns that lines are; one on which nobody is said to speak goes on with the turn before it.

    Where it does so with one voice only, which ``after`` is, that speaks on all others.
    """
    turns: list[_Turn] = []
    for line in lines:
        goes_on = line.voice is None and bool(turns) and (after is None or turns[-1].voice is after)
        if goes_on:
            turns[-1] = replace(turns[-1], end=line.end)
        else:
            turns.append(replace(line, voice=line.voice or after or _Voice.PLAIN))
    return turns


def _answered(turns: Sequence[_Turn]) -> int:
    """Return how many times somebody else speaks right before or behind a command."""
    heard = [turn.voice for turn in turns if turn.voice is not _Voice.INPUT]
    return sum(
        (one is _Voice.COMMAND) != (other is _Voice.COMMAND) and _Voice.PLAIN not in (one, other)
        for one, other in pairwise(heard)
    )
