"""A domain that cannot be read, or does not fit its problems and plans, corrected fault by fault; each is named.

The reader says what it does not understand and where; the fault decides the correction. A text is never made readable
by leaving out what it says.

Where a section or a part of an action begins is told by its keyword, whatever the parentheses before it say; so the
parentheses of each are put right by themselves, and a fault in one does not reach into the next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise, takewhile
from typing import TypeAlias

from validator.errors import InputError, ModelError
from validator.model.pddl import read_domain
from validator.model.pddl.frame import read_text
from validator.model.values import Domain, Problem
from validator.model_repair.cases import Case, Given, read_cases
from validator.model_repair.rewrite import Item, actions_of, groups, part_of
from validator.records import dataclass
from validator.texts import no_path

_MOST = 30
"""corrections of one text"""
_ALIKE, _LIKE = 0.75, 0.5
"""how similar (difflib's ratio) a name must be to be meant, and where only few names can be"""

_Change: TypeAlias = tuple[str, str]
"""the text without a fault, and what was changed"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that can be read, with its plans, and what was corrected in it, in words.

    A step that is none of the domain may be left, where nothing corrects it.
    """

    text: str
    changes: tuple[str, ...]
    domain: Domain
    cases: tuple[Case, ...]


def readable(text: str, given: Sequence[Given]) -> Draft:
    """Return a domain that can be read and fits its problems and plans.

    Raises the first ModelError or PlanError where a fault has no correction.
    """
    problems = [no_path(read_text(o.problem, "problem")[0]) for o in given if not isinstance(o.problem, Problem)]
    changes: list[str] = []
    first: InputError | None = None
    while True:
        change = _tolerated(text)
        try:
            domain = read_domain(no_path(text))
        except ModelError as error:
            first, change = first or error, change or _corrected(text, error, problems)
        else:
            if change is None:
                cases, change = _cases(text, domain, given, problems)
                change = change or _renamed(text, domain, cases)
            if change is None:
                return Draft(text, tuple(changes), domain, tuple(cases))
        if change is None or change[0] == text or len(changes) == _MOST:
            raise first or ModelError("the domain cannot be corrected")
        text = change[0]
        changes.append(change[1])


def _tolerated(text: str) -> _Change | None:
    """Return the text without something that the reader takes and no edit can be written into; None where it has none.

    That is an end that is missing, a name that touches a keyword, or conditions side by side.
    """
    if not groups(text):
        return _balance(text)
    if (glued := _GLUED.search(text)) is not None:
        return f"{text[: glued.end()]} {text[glued.end() :]}", f"a blank is missing after '{glued[1]}'"
    for action in actions_of(groups(text)[0]):
        for place, key in enumerate(action.children):
            beside = list(takewhile(lambda item: not item.word, action.children[place + 1 :]))
            if key.word in (":precondition", ":effect") and len(beside) > 1:
                start, end = beside[0].start, beside[-1].end
                said = f"what stands side by side as '{key.word}' is joined by 'and'"
                return f"{text[:start]}(and {text[start:end]}){text[end:]}", said
    return None


def _cases(
    text: str, domain: Domain, given: Sequence[Given], problems: Sequence[str]
) -> tuple[list[Case], _Change | None]:
    """Return the plans, or the text with a predicate that a problem uses and the domain does not declare."""
    if not given:
        return [], None
    try:
        return read_cases(domain, given, strict=True), None  # or facts of undeclared predicates are passed over
    except ModelError as error:
        undeclared = _UNDECLARED.search(error.message)
        of = (problem for problem in problems if undeclared is not None and undeclared[1] in problem.lower())
        problem = next(of, None)
        if problem is not None and undeclared is not None:
            return [], _declared_for(text, problem, undeclared[1])
    return read_cases(domain, given), None


def _renamed(text: str, domain: Domain, cases: Sequence[Case]) -> _Change | None:
    """Return the text with an action that no plan uses called as a plan calls it."""
    steps = [(name, len(args)) for case in cases if not case.must_fail for name, args in case.steps]
    name, number = next(((name, number) for name, number in steps if name not in domain.actions), ("", 0))
    free = sorted(domain.actions.keys() - {used for used, _ in steps})
    alike = [one for one in free if len(domain.actions[one].parameters) == number]
    old = _near(name, alike, _LIKE) or (alike[0] if len(alike) == 1 else None)
    if not name or old is None:
        return None
    action = next(item for item in actions_of(groups(text)[0]) if item.children[1].word == old)
    return _replaced(text, action.children[1].start, old, name), f"action '{old}' becomes '{name}', as in the plan"


def _corrected(text: str, error: ModelError, problems: Sequence[str]) -> _Change | None:
    """Return the text without one fault; None for a fault that has no correction."""
    offset = _offset(text, error)
    for pattern, fix in _FIXES:
        if match := pattern.search(error.message):
            change = fix(text, offset, match[1] if match.groups() else "", problems)
            if change is None:
                return None
            line = "" if error.line is None or " of line " in change[1] else f"line {error.line}: "
            return change[0], f"{line}{change[1]}"
    return None


def _offset(text: str, error: ModelError) -> int:
    """Return the place of an error in a text; its end where none is given."""
    if error.line is None or error.column is None:
        return len(text)
    lines = text.split("\n")[: error.line - 1]
    return sum(map(len, lines)) + len(lines) + error.column - 1


# --- where things stand ----------------------------------------------------------------------------


def _near(name: str, known: Iterable[str], cutoff: float = _ALIKE) -> str | None:
    """Return the name that is most like another one, if it is alike enough."""
    found = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return found[0] if found else None


def _replaced(text: str, offset: int, old: str, new: str) -> str:
    """Return a text with the word at an offset, or next after it, exchanged."""
    match = _word(old).search(text, offset)
    return text if match is None else f"{text[: match.start()]}{new}{text[match.end() :]}"


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\s()]){re.escape(word)}(?![^\s()])", re.IGNORECASE)


def _section(text: str, name: str) -> Item | None:
    """Return the section of a domain with a keyword."""
    found = groups(text)
    return next((item for item in found[0].children if item.head == name), None) if found else None


def _at(text: str, offset: int) -> Item | None:
    """Return the smallest group around an offset."""
    found, inside = None, groups(text)
    while around := next((item for item in inside if item.start <= offset < item.end and not item.word), None):
        found, inside = around, around.children
    return found


def _bound(text: str, offset: int) -> list[str]:
    """Return the parameters of the action around an offset, in order."""
    action = next((item for item in groups(text)[0].children if item.start <= offset < item.end), None)
    listed = None if action is None else part_of(action, ":parameters")
    return [] if listed is None else [child.word for child in listed.children if child.word.startswith("?")]


def _declared(text: str) -> dict[str, int]:
    """Return the declared predicates with their numbers of arguments."""
    section = _section(text, ":predicates")
    return {} if section is None else {item.head: _arity(item) for item in section.children[1:] if item.head}


def _arity(item: Item) -> int:
    """Return how many arguments a declaration has, without types."""
    words = [word.word for word in item.children]
    return sum(word != "-" and before != "-" for before, word in pairwise(words))


def _uses(texts: Iterable[str], name: str) -> Counter[int]:
    """Return how often a predicate is used with each number of arguments, declarations left out."""
    found: Counter[int] = Counter()
    waiting = [item for text in texts for item in groups(text.lower())]
    while waiting:
        item = waiting.pop()
        if item.head != ":predicates":
            waiting += item.children
            found.update([len(item.children) - 1] if item.head == name else ())
    return found


def _with_section(text: str, name: str, added: str, before: Sequence[str]) -> str:
    """Put something at the end of a section, or at the begin of a new one in front of the first of some others."""
    section, define = _section(text, name), groups(text)[0]
    if section is not None:
        return f"{text[: section.end - 1]} {added}{text[section.end - 1 :]}"
    place = next((item.start for item in define.children if item.head in before), define.end - 1)
    return f"{text[:place]}({name} {added})\n  {text[place:]}"


# --- what each fault is corrected by ---------------------------------------------------------------

_Fix: TypeAlias = Callable[[str, int, str, Sequence[str]], _Change | None]
"""the text, the place of a fault, the name that it is about, texts of problems -> the text without it"""

_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":derived")
_KEYS = (":parameters", ":precondition", ":effect")


def _balance(text: str, *_: object) -> _Change | None:
    after, said = balanced(text)
    return (after, said) if said else None


def _keyword(known: Sequence[str]) -> _Fix:
    def fix(text: str, offset: int, name: str, _: Sequence[str]) -> _Change | None:
        found = _near(name if name.startswith(":") else f":{name}", known, _LIKE)
        return None if found is None else (_replaced(text, offset, name, found), f"'{name}' becomes '{found}'")

    return fix


def _question_mark(text: str, offset: int, name: str, _: Sequence[str]) -> _Change:
    return _replaced(text, offset, name, f"?{name}"), f"parameter '{name}' becomes '?{name}'"


def _predicate(text: str, offset: int, name: str, problems: Sequence[str]) -> _Change | None:
    """Take an unknown predicate for a declared one of a similar name, or declare it."""
    atom = _at(text, offset)
    if atom is None:
        return None
    arity = len(atom.children) - 1
    meant = _near(name, [known for known, number in _declared(text).items() if number == arity])
    if meant is not None:
        return _replaced(text, offset, name, meant), f"predicate '{name}' becomes '{meant}'"
    return _declare(text, name, max(_uses((text, *problems), name).most_common(1), default=((arity, 1)))[0])


def _declared_for(text: str, problem: str, name: str) -> _Change:
    """Give the name that a problem uses to a predicate of a similar one that the problem lacks, or declare it."""
    arity = max(_uses([problem], name).most_common(1), default=((0, 1)))[0]
    unused = [known for known, number in _declared(text).items() if number == arity and not _uses([problem], known)]
    meant = _near(name, unused)
    if meant is None:
        return _declare(text, name, arity)
    return _word(meant).sub(name, text), f"predicate '{meant}' becomes '{name}', as in the problem"


def _declare(text: str, name: str, arity: int) -> _Change:
    words = " ".join((name, *(f"?a{number}" for number in range(1, arity + 1))))
    after = _with_section(text, ":predicates", f"({words})", (":action", ":derived", ":functions"))
    return after, f"predicate '({words})' is not declared"


def _type(text: str, offset: int, name: str, _: Sequence[str]) -> _Change:
    """Take an unknown type for a declared one of a similar name, or declare it."""
    section = _section(text, ":types")
    known = {item.word for item in section.children[1:] if item.word and item.word != "-"} if section else set()
    meant = _near(name, known | {"object"})
    if meant is not None:
        return _replaced(text, offset, name, meant), f"type '{name}' becomes '{meant}'"
    return _with_type(text, ":types", name, (":constants", ":predicates")), f"type '{name}' is not declared"


def _with_type(text: str, section: str, name: str, before: Sequence[str]) -> str:
    """Put a name in front of a section, where no ``- supertype`` after it is its own."""
    found = re.compile(rf"\(\s*{section}\b", re.IGNORECASE).search(text)
    if found is None:
        return _with_section(text, section, name, (*before, ":action", ":functions"))
    return f"{text[: found.end()]} {name} - object{text[found.end() :]}"


def _variable(text: str, offset: int, name: str, _: Sequence[str]) -> _Change | None:
    """Take an unbound variable for the bound one that is most like it."""
    meant = _near(name, _bound(text, offset), _LIKE)
    return None if meant is None else (_replaced(text, offset, name, meant), f"variable '{name}' becomes '{meant}'")


def _object(text: str, offset: int, name: str, _: Sequence[str]) -> _Change:
    """Take an unknown object for the variable of that name, or declare it as a constant."""
    if f"?{name}" in _bound(text, offset):
        return _replaced(text, offset, name, f"?{name}"), f"'{name}' is the variable '?{name}'"
    return _with_type(text, ":constants", name, (":predicates",)), f"constant '{name}' is not declared"


_UNDECLARED = re.compile(r"undeclared predicate '([^']+)'")
_FIXES: Sequence[tuple[re.Pattern[str], _Fix]] = [
    (
        re.compile(r"'\(' is (?:not closed before the section|never closed)|text after the end of|'\(define' was"),
        _balance,
    ),
    (re.compile(r"'(\S+)' is not a section of a domain"), _keyword(_SECTIONS)),
    (re.compile(r"'(\S+)' is not a part of action"), _keyword(_KEYS)),
    (re.compile(r"a variable such as \?x was expected, not '([^'?]+)'"), _question_mark),
    (re.compile(r"one of :\S+, .* was expected|a section such as .* was expected"), _balance),
    (_UNDECLARED, _predicate),
    (re.compile(r"undeclared type '([^']+)'"), _type),
    (re.compile(r"unbound variable '([^']+)'"), _variable),
    (re.compile(r"undeclared object '([^']+)'"), _object),
]
"""what the reader says -> the correction"""


# --- parentheses -----------------------------------------------------------------------------------

_SECTION = re.compile(
    r"\(\s*:(?:requirements|types|constants|predicates?|functions?|action|derived|constraints)\b", re.IGNORECASE
)
_ACTION = re.compile(r"\(\s*:action\b", re.IGNORECASE)
_KEY = re.compile(r"(?<=[\s()]):[a-z][\w-]*", re.IGNORECASE)
_GLUED = re.compile(r"\(\s*:action\s+([^\s():]+)(?=:(?:parameters|precondition|effect)\b)", re.IGNORECASE)
_COMMENT = re.compile(r";[^\n]*")


def balanced(text: str) -> tuple[str, str]:
    """Return the text of a domain with balanced parentheses, and what was changed, in words."""
    plain = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    said: list[str] = []
    for start, end, wanted in reversed(list(_parts(plain))):
        surplus = wanted - (plain.count("(", start, end) - plain.count(")", start, end))
        if surplus:
            text = _put_right(text, plain, start, end, surplus)
            line = text.count("\n", 0, start + len(plain[start:end].rstrip())) + 1
            kind = "too many" if surplus > 0 else "missing"
            said.append(f"{abs(surplus)} ')' {kind} before the end of line {line}")
    return text, "; ".join(reversed(said))


def _parts(plain: str) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of a text, each with the number of parentheses that it must leave open."""
    starts = [match.start() for match in _SECTION.finditer(plain)]
    if not starts:
        yield 0, len(plain), 0
        return
    yield 0, starts[0], 1
    for start, end in pairwise((*starts, len(plain))):
        closing = -1 if end == len(plain) else 0
        if not _ACTION.match(plain, start):
            yield start, end, closing
            continue
        first = plain.index(":", start) + 1
        keys = [start, *(match.start() for match in _KEY.finditer(plain, first, end)), end]
        for number, (begin, stop) in enumerate(pairwise(keys)):
            is_last = stop == end
            yield begin, stop, (1 if number == 0 else 0) + (closing - 1 if is_last else 0)


def _put_right(text: str, plain: str, start: int, end: int, surplus: int) -> str:
    """Take so many ``)`` from the end of a part, or put them there."""
    if surplus < 0:
        at = start + len(plain[start:end].rstrip())
        return f"{text[:at]}{')' * -surplus}{text[at:]}"
    for _ in range(surplus):
        at = plain.rfind(")", start, end)
        text, plain = f"{text[:at]}{text[at + 1 :]}", f"{plain[:at]}{plain[at + 1 :]}"
        end -= 1
    return text
