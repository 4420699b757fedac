"""Cut texts into clauses, and say of each what it tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise

from validator.reading.lexicon.clauses import (
    AIM,
    DONE_FIRST,
    MOST_MENTIONS,
    Clause,
    Kind,
    Reason,
    announces,
    as_alike,
    as_before_plan,
    as_doubtful,
    as_explanation,
    as_frame,
    as_heading,
    as_joined,
    as_likewise,
    behind_step,
    denies_object,
    foreign_name,
    goes_on,
    has_own_particle,
    in_context,
    is_fragment,
    is_joined_participle,
    is_led,
    is_particle,
    joined_mentions,
    leads,
    may_tell_state,
    moved,
    only_names,
    reorders,
    told_passively,
    with_fragment,
    with_mentions,
    with_reference,
    with_referents,
    with_subject,
)
from validator.reading.lexicon.coverage import Coverage, Covered, Mention
from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    CAUSATIVE,
    COUNTED,
    DENIAL,
    DOUBT,
    FUNCTION,
    HEADING,
    IDLE,
    LEAVING,
    MODAL,
    MORE,
    NEED,
    NEGATION,
    OMISSIONS,
    PARTICLES,
    POSSIBLE,
    PREPOSITIONS,
    REASON,
    RELATIVE,
    RETRACTION,
    RETURNING,
    SEQUENCE,
    STATE,
    STAYING,
    SUBJECTS,
    TURNING,
    is_participle,
    singular,
    stem,
)
from validator.reading.lexicon.line_words import MOST_WORDS, Words, parts, words_of
from validator.reading.lexicon.templates import HOLE, Templates
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace

_LONGEST = 100_000
_LONGEST_TITLE = 4
"""words of an item that names a group of items"""
_LONGEST_ROW = 300
"""characters of cells that may be one clause"""
_MOST_KNOWN = 5_000
"""sentences that are remembered"""
_MOST_TEXTS = 4
"""texts that are remembered"""
_MOST_ASIDES = 30
"""parentheses of a sentence that may be asides"""
_HARD = re.compile(
    r"""\n|\\n
      | (?<=[.;!?])(?<!\)\s;)(?<!\b(?:Mr|Ms|Dr|St)\.)(?<!\bMrs\.)(?<!\b[Nn]o\.(?=\s*\d))(?=[\s"*_]|$)
      | ["“”](?=\s*[,\]}:]|\s*$)
      | (?<=:)(?=[\s*_]|$)""",
    re.MULTILINE | re.VERBOSE,
)
"""where a clause ends whatever stands behind it; a semicolon behind a step begins a comment"""
_WRAPPED = re.compile(r"^(?=[^\n]{50})(?=[^\n]*?[.,;]\s)[^\n]*[\w,)]\n(?=[a-z])", re.MULTILINE)
"""a line of a paragraph whose sentence goes on in the next one"""
_SOFT = re.compile(
    r"""(?P<then>,?\s+(?:(?:and\s+)?(?:then|right\s+away)|after\s+(?:that|which)|followed\s+by)\s+|\s*;\s*|\s*(?:->|=>|→|⇒)\s*)
      | (?P<before>,?\s+before\s+(?!which\b))
      | (?P<so>,?\s+(?=(?:so\s+that|in\s+order\s+to)\s))
      | (?P<note>\s+(?:\#|//)\s+)
      | (?P<and>,?\s+and\s+|\s+&\s+)
      | (?P<comma>,\s+|\s+[—–/-]\s+(?!.*\b(?:not?|never|cannot)\b))
      | (?P<cell>\s*\|\s*)
      | (?P<reason>\s+(?=(?:because|since|until|once(?!\s+(?:more|again))|after\s+\w+ing)\b))""",
    re.IGNORECASE | re.VERBOSE,
)
"""where a clause ends if a verb stands behind it; at a dash if nothing is denied behind it"""
_MARK = re.compile(
    r"(?:(?:DEBUG|INFO|WARNING):[\w.]+:|\[?[\d:.,T-]{4,}\]?\s+(?:DEBUG|INFO|WARN(?:ING)?)\s+)?[\s>|*_#`\"'“”(\[{•+-]*(?:x\]\s+)?"
    r"(?:\(?(?:step|action|move)?[\s#]*\d{1,4}\s*(?:[.):|-]+(?=[\s*_|])|[.)](?=[^\W\d_]))[\s*_|]*"
    r"|\d{1,4}(?:\ufe0f?\u20e3|(?:\.\d{1,3})+[.):]?)\s+|(?:[a-z]|[ivx]{2,4})\)\s+)?",
    re.IGNORECASE,
)
"""what may stand before the words of an item, or of a line of a log"""
_BESIDE = " \t\r\n.,;:!"
_LINE_END = re.compile(r"[*_` \t]*(?:\n|\Z)")
_TITLE = re.compile(r"\s*(?:#+\s.*|\*\*[^*]+\*\*|__[^_]+__)\s*", re.DOTALL)
_DENIES = DENIAL - {"t"} | OMISSIONS | {"without", "wrong", "incorrect", "bad", "flawed", "reverse", "opposite"}
_DENIES |= {"backlog", "wish", "postponed", "forbidden", "dream", "optional"}
"""in a label or heading: what stands behind it may not be meant"""
_ASIDE = re.compile(r"\s*\([^()]*\)|\s+\[[^\[\]]*\]|\s+[—–]\s+(?:(?!\bthen\b)[^—–→>])*\s[—–](?=\s)")
_COLONS = re.compile(r"\([^()\n]*[:;]\s")
"""in an aside no clause ends at a colon or semicolon: "(precondition: the arm is empty)\""""
_CONDITIONS = r"(?:pre|post)-?conditions?|effects?"
_SEPARATORS = frozenset("|,;>→⇒")
"""signs between the steps of a line"""
_REMARK = re.compile(
    rf"\s*[(\[—–]\s*(?:(?:since|because|which|as|leaving|this|so|now|it|that|requires|{_CONDITIONS})\b"
    r"|with\b[^()]*\bon\b)",
    re.IGNORECASE,
)
"""a reason or a state in parentheses or between dashes"""
_EXPLAINS = re.compile(
    rf"\W*(?:{_CONDITIONS}|purpose|reason|why|rationale|justification|adds|deletes|"
    r"(?:final|goal|initial) (?:configuration|state))\W*",
    re.IGNORECASE,
)
"""a heading below which a step is explained"""
_OTHER = re.compile(
    r"\W*(?:(?:the|my|our|your)\s+)?(?:goal|task|objective|aim|mission|problem|question|example|undo|see also|plan b|"
    r"summary|explanation|assumptions?|expected(?: result)?|errors?|"
    r"alternative|fallback|backup plan)\W*",
    re.IGNORECASE,
)
"""a label of what is not the plan, unless it stands there more than once"""
_PLAN = re.compile(
    r"\W*(?:here is )?(?:the |my |our |your )?(?:(?:final|full|complete|valid) )?(?:plan|solution|answer|procedure)\W*",
    re.IGNORECASE,
)
"""a heading below which the plan begins"""
_BEFORE_THAT = re.compile(
    r"\W*(?:(?:before|prior to) (?:that|this)\b|beforehand\b|(?:before|previously|earlier)\W*$)", re.IGNORECASE
)
_TAKES_BACK = re.compile(
    r"❌|✗|✘|\b(?:(?:is|was|are) (?:then )?undone|(?:reversed?|opposite) order|(?:kidd|jok)ing|never ?mind|swap places"
    r"|(?:does|did|will|wo)(?:n['’]t| not) work|that(?:['’]s| is) wrong|(?:this|it) (?:step )?fail(?:s|ed))\b",
    re.IGNORECASE,
)
"""what takes back what was told"""
_BEHIND = re.compile(r"(?P<said>[^()\n]++)(?<!\w)\((?P<given>[^()\n]++(?:\([^()\n]*+\))?+)\)[\s.,;!*_`\"']*+")
_BEFORE = re.compile(
    r"(?:(?P<lead>\w+),? )?[*_`]*+(?P<given>[\w-]*+\([^()\n]*+\))[*_`]*+\s*+(?:[;#:—–=>→⇒-]++|//)\s*+"
    r"(?P<said>[^()\n]++)"
)
"""a sentence with a step in a notation behind it or before it"""
_NOTES = re.compile(r"(?:please )?(?:note|remember) that\b", re.IGNORECASE)
_ALIKE = re.compile(r"(?:then |next |and )?do the same (?:for|to|with)\b", re.IGNORECASE)
_ALLOWS = frozenset(map(stem, ("allow", "enable", "ensure", "let", "make", "permit")))
_INTRO = re.compile(
    r"\W*(?:after|at|before|by|first|following|for|in|later|likewise|meanwhile|on|once|similarly|to|with|\w+ly)\b",
    re.IGNORECASE,
)
"""the first word of what may introduce a step before a comma: "with that done, open it\""""
_INTENDS = frozenset(("going", "ought", "decide", "decides", "time"))
"""words before "to" and what is to be done"""
_WISHES = frozenset(("want", "wants", "about", "remains", "supposed"))
"""words before "to" and what is not done yet"""
_RULE = re.compile(r"^[^\n]*\|[^\n]*\n[\s|:-]*--[\s|:-]*\n(?:[^\n]*\|[^\n]*(?:\n|\Z))+", re.MULTILINE)
"""a table: its head, its rule, its rows"""
_NUMBER = re.compile(r"[\s*_>]*\(?\d{1,4}[.):][\s*_]*")
_TAG = re.compile(
    r"<(?:(?P<item>li|step|action|command)|(?P<line>br)|/?(?:li|step|action|command|[ou]l|p|b|i|em|strong|div|span))\s*/?>",
    re.IGNORECASE,
)
"""what lays out a text in HTML, and tags around steps"""
_ITEM = re.compile(
    r"""[\s>#*_]*
    (?: (?P<mark>[-*+•])\s
      | \(?(?:(?:step|action|move)\s*)?(?P<number>\d{1,4})(?:[.):][\s*_]|[.)][^\W\d_])
      | \(?(?P<part>\d{1,4}(?:\.\d{1,3})+|[a-z](?=\))|[ivx]{2,4}(?=\)))[.):]?\s
      | \|\s*(?P<row>\d{1,4})\s*\|
      | \|)""",
    re.IGNORECASE | re.VERBOSE,
)
"""the beginning of a line that is an item of a list, or a row of a table"""
_RANKS = {"first": 1, "firstly": 1, "second": 2, "secondly": 2, "third": 3, "thirdly": 3, "finally": 99, "lastly": 99}
_RANKED = re.compile(rf"(?:(?P<but>but)|and)?\W*(?P<rank>{'|'.join(_RANKS)})\b", re.IGNORECASE)
"""words that say where in a row of steps a sentence stands"""
_INLINE = re.compile(r"(?<!\S)(\d{1,3})\.[ \t]*$")
"""the number of the next step at the end of a sentence on its line"""
_COUNT = re.compile(r"[\s>#*_]*(?:step|action|move)\s*(\d{1,4})[\s*_.:]*", re.IGNORECASE)
"""a heading that counts the step below it"""


@dataclass(frozen=True)
class ClauseReader:
    """Cut texts about one model into clauses.

    ``word_for_word`` reads a step that is written as the model or a template writes it, at an offset.
    """

    coverage: Coverage
    templates: Templates | None
    word_for_word: Callable[[str, int], Step | None]

    def clauses(self, text: str, *, is_part: bool = False) -> tuple[Clause, ...]:
        """Return the clauses of a text in its order; a part of a text may refer to what is named before it."""
        key = text, is_part
        known = self._texts.get(key)
        if known is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            known = self._texts[key] = self._of_text(text, is_part)
        return known

    @cached_property
    def _texts(self) -> dict[tuple[str, bool], tuple[Clause, ...]]:
        """Return the clauses of the latest texts: several questions are asked about each."""
        return {}

    def _of_text(self, text: str, is_part: bool) -> tuple[Clause, ...]:
        found = self._clauses(text, frozenset(), is_part)
        nouns = frozenset(noun for clause in found for noun in clause.described)
        is_said_elsewhere = nouns and any(not nouns.isdisjoint(clause.strange) for clause in found)
        found = self._clauses(text, nouns, is_part) if is_said_elsewhere else found
        if is_part:  # with nothing beside it, what needs to be done is a step
            found = [replace(one, kind=Kind.STEP, reason="") if one.reason == Reason.NEEDED else one for one in found]
        return self._as_a_whole(found, text)

    def _clauses(self, text: str, nouns: frozenset[str], is_part: bool) -> list[Clause]:
        """Return the clauses of a text, each for itself; ``nouns`` are words that describe objects in it."""
        found: list[Clause] = []
        pending: tuple[Mention, ...] = ()
        """of a label before a clause on its line"""
        is_label = was_heading = False
        leader: tuple[Mention, ...] = ()
        """of a heading that names who does what is listed below it"""
        verb: Clause | None = None
        """of a heading, for the objects listed below it"""
        counted = ""
        """the number of the step that a heading counts"""
        item: tuple[int, Clause] | None = None
        """how far an item is indented, and the step that it tells"""
        explains: int | None = None
        """how far a heading is indented below which steps are explained"""
        denies = ""
        """a label or heading that denies what stands behind it: "Avoid this:\""""
        line = seen = apart = 0
        is_first = True
        """no letter stands on the line before a piece"""
        latest: Clause | None = None
        """the step before a clause"""
        recent: tuple[str, ...] = ()
        """objects that are named before it, the latest first"""
        subject: tuple[str, ...] = ()
        """what the clause before it names as who acts"""
        naming: Clause | None = None
        """the clause before it that names objects"""
        text = _TAG.sub(_untagged, text) if "<" in text else text
        text = _RULE.sub(_without_effects, text) if "--" in text and "|" in text else text
        row = 0, 0
        """where a line begins, and the latest number on it: "1. grab p1 2. go to the hall"\""""
        for start, end in _pieces(text[:_LONGEST]):
            piece = text[start:end]
            line = text.rfind("\n", seen, start) + 1 or line
            if (number := self._next_number(piece, row[1] if row[0] == line else 0)) is not None:
                row, piece = (line, int(number[1])), piece[: number.start()]
            is_first = (is_first or line >= seen) and not any(map(str.isalpha, text[max(line, seen) : start]))
            seen = start
            if not any(map(str.isalnum, piece)) or (is_first and _NUMBER.fullmatch(piece)):
                continue
            item_mark = counted or _item_of(text, line)
            in_item, indent = bool(item_mark), _indent(text, line)
            begins_item = bool(counted) or (is_first and in_item)
            counted = heading[1] if (heading := _COUNT.fullmatch(piece)) is not None else ""
            read = self._read(piece, start, begins_item, nouns)
            read = [replace(one, item=item_mark) for one in read] if begins_item else read
            if is_first:
                denies = "" if is_label else denies
                item = None if item is not None and indent <= item[0] else item
                explains = None if explains is not None and indent <= explains else explains
            is_heading = piece.rstrip(" \t\r\n*_`").endswith(":")
            verb = verb if in_item else None
            if len(read) == 1 and verb is not None and only_names(read[0]):
                read = [as_alike(read[0], verb)]
            if is_heading and len(read) == 1 and read[0].actions and not read[0].mentions:
                verb = read[0]  # "Slice the following:"
            if is_heading:
                denies = " ".join(piece.split()) if not _DENIES.isdisjoint(words_of(piece).texts) else ""
                is_label = not piece.endswith("\n") and _LINE_END.match(text, end) is None
            if is_heading and _PLAN.fullmatch(piece):
                found = [as_before_plan(clause) for clause in found]
            if is_heading and _EXPLAINS.fullmatch(piece):
                explains = indent
            elif is_heading and _OTHER.fullmatch(piece) and text.count(piece.strip()) == 1:
                apart = _end_of_paragraph(text, end)
            elif is_heading and not is_first and not COUNTED.isdisjoint(words_of(piece).texts):
                explains = None  # "Precondition: the oven is hot. Action: bake the rye."
            is_apart = start < apart and not in_item and not (is_first and is_label)
            if explains is not None or is_apart:  # a step there may be none of the explanation
                tells = (one for one in read if one.is_certain and (one.is_order or not is_first))
                found += [replace(one, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) for one in tells]
                continue
            if not read:
                continue
            is_title = _is_title(text, line, start, end)
            if is_title:
                read = [as_doubtful(one, "it names no object") if one.is_bare else one for one in read]
                read = [replace(one, reason="") if _is_unnamed_step(one) else one for one in read]
            read[0], pending = with_mentions(read[0], pending), ()
            is_title = is_title and _item_of(text, end) != ""
            if (is_heading or is_title) and len(read) == 1 and only_names(read[0]):
                leader = read[0].mentions
                pending = leader if is_heading and is_label and not announces(read[0]) else ()
                continue
            leader = leader if in_item else ()
            if begins_item and self._lets(read[0], leader):
                read[0] = replace(with_mentions(read[0], leader), is_partial=True)
            if is_heading:
                read = [as_heading(replace(clause, retracts=clause.retracts and not denies)) for clause in read]
            elif is_label and not is_first and found and only_names(read[0]):
                found[-1] = replace(found[-1], is_possible=True)  # "[Anna] grind: mill1" says what is ground behind it
            elif was_heading and is_label and not is_first and found and read[0].exact:
                found[-1:] = self._before(read[0].exact[0], found[-1])
            if item is not None and indent > item[0]:
                read = [as_explanation(clause, item[1]) for clause in read]
            elif in_item and len(read) == 1 and read[0].kind is Kind.STEP:
                item = indent, read[0]
            if denies and not is_heading:
                read = [as_doubtful(clause, f"it stands behind '{denies}'") for clause in read]
            was_heading = is_heading
            for one in read:
                clause = as_alike(one, latest) if one.kind is Kind.HOLE and _ALIKE.match(one.text) else one
                told = with_subject(with_referents(behind_step(clause, latest), recent), subject)
                found.append(with_reference(told, naming, is_part))
                subject = one.mentions[0].objects if one.has_subject else subject
                latest = found[-1] if found[-1].kind is Kind.STEP else latest
                naming = found[-1] if found[-1].mentions or found[-1].exact else naming
                named = found[-1].named_objects
                recent = (*named, *(name for name in recent if name not in named))
        if len(text) > _LONGEST:
            rest = f"a text is read up to its character {_LONGEST}"
            found.append(Clause(text=text[_LONGEST:][:80], span=(_LONGEST, len(text)), kind=Kind.HOLE, reason=rest))
        return found

    def _next_number(self, piece: str, latest: int) -> re.Match[str] | None:
        """Return the number at the end of a piece that counts the next step of a row, and belongs to no name."""
        number = _INLINE.search(piece) if piece.rstrip()[-2:-1].isdigit() else None
        if number is None or int(number[1]) != latest + 1 or not (latest or _NUMBER.fullmatch(piece)):
            return None
        words = words_of(piece)
        last = max(index for index, word in enumerate(words.texts) if word.isdigit())
        return None if last in self.coverage.mentions(words)[1] else number

    def _as_a_whole(self, clauses: list[Clause], text: str) -> tuple[Clause, ...]:
        """Return the clauses of a text as its other clauses tell how they are meant."""
        if self.templates is not None and any(clause.exact for clause in clauses):
            # Who tells steps word for word tells states beside them.
            clauses = [replace(one, kind=Kind.REMARK) if one.reason == Reason.STATE_OR_STEP else one for one in clauses]
        clauses = [*_in_order_of_words([*_in_order_of_numbers(clauses)], text)]
        clauses = [
            replace(one, kind=Kind.REMARK, reason="") if _names_group(one, other, text) else one
            for one, other in zip(clauses, (*clauses[1:], None), strict=False)
        ]
        passives = sum(map(may_tell_state, clauses))
        tell_steps = 2 * passives > passives + sum(one.kind is Kind.STEP and not one.is_passive for one in clauses)
        clauses = [told_passively(one, tell_steps) if may_tell_state(one) else one for one in clauses]
        steps = [place for place, clause in enumerate(clauses) if clause.kind is Kind.STEP]
        inside = range(steps[0], steps[-1]) if steps else range(0)
        end = clauses[steps[-1]].span[1] if steps else len(text)
        paragraph = _end_of_paragraph(text, end)
        first = clauses[steps[0]] if steps else None
        begin = text.rfind("\n\n", 0, first.span[0]) + 1 if first is not None else len(text)

        def may_be_before(clause: Clause) -> bool:
            if first is None or clause.span > first.span:
                return False
            is_near = begin <= clause.span[0] and clause.item != "|"  # the head of a table
            may_be = clause.kind is Kind.HOLE or _may_be_first(clause)
            return may_be and (is_near or _is_listed_before(clause, first))

        def may_be_behind(clause: Clause) -> bool:
            is_near = clause.span[0] < paragraph
            return clause.span[0] >= end and (is_near or _is_listed_before(clauses[steps[-1]], clause))

        return tuple(
            clause if place in inside or may_be_before(clause) else as_frame(clause, may_be_behind(clause))
            for place, clause in enumerate(clauses)
        )

    def _read(self, piece: str, start: int, is_item: bool, nouns: frozenset[str]) -> list[Clause]:
        """Return the clauses of a sentence that begins at an offset; what was read is remembered."""
        mark = _MARK.match(piece)
        begin = mark.end() if mark is not None else 0
        if piece[begin - 1 : begin] == "(" and self.word_for_word(piece[begin - 1 : piece.find(")") + 1], 0):
            begin -= 1
        body = piece[begin:].rstrip(' \t\r\n*_`"|')
        key = (body, is_item, nouns)
        known = self._sentences.get(key)
        if known is None:
            if len(self._sentences) >= _MOST_KNOWN:
                self._sentences.clear()
            known = self._sentences[key] = self._sentence(body, is_item, nouns)
        return [moved(clause, start + begin) for clause in known]

    @cached_property
    def _sentences(self) -> dict[tuple[str, bool, frozenset[str]], tuple[Clause, ...]]:
        return {}

    def _sentence(self, body: str, is_item: bool, nouns: frozenset[str]) -> tuple[Clause, ...]:
        """Return the clauses of a sentence without marks, fragments without a verb joined to the clause before them."""
        exact = self.word_for_word(body, 0)
        if exact is not None:
            return (Clause(text=body, span=(0, len(body)), kind=Kind.STEP, exact=(exact,)),)
        if (behind := self.behind(body)) is not None:
            return (behind,)
        found: list[Clause] = []
        joints: list[str] = []
        pieces = [*_soft_pieces(body, self._asides(body)), ("", 0, 0)]
        for (joint, first, last), (next_joint, *_) in pairwise(pieces):
            is_begun = any(one.is_open or one.mentions or one.strange for one in found)  # "first, ..." says nothing
            is_intro = next_joint == "comma" and _INTRO.match(body, first) is not None
            clause = self._clause(body[first:last], first, is_item and not (is_begun or is_intro), nouns)
            is_pause = clause is not None and clause.text.lower() in ("wait", "waits") and not clause.actions
            if clause is None or (is_pause and joint in ("and", "then")):
                continue
            if joint == "before":  # "oil it before unlocking it", which may be told again
                joint, clause = "then", replace(clause, is_possible=True)
            before = found[-1] if found else None
            clause = as_likewise(clause, before)
            is_apart = Reason.OTHER_STEP in (clause.reason, before.reason if before is not None else "")
            is_named = before is not None and bool(before.mentions or before.exact)
            tells = clause.actions or clause.kind is Kind.REMARK
            is_row = before is not None and joint == "cell" and last - before.span[0] < _LONGEST_ROW
            if before is not None and is_row and not (is_named or clause.actions):
                # "| I rinse | the leek |" is one clause
                start = before.span[0]
                row = body[start:last].replace("|", " ")
                found[-1] = self._clause(row, start, is_item and len(found) == 1, nouns) or clause
            elif before is not None and self._lacks(before) and (denies_object(clause) or foreign_name(clause)):
                found[-1] = as_doubtful(before, f"'{clause.text}' was not understood")  # "put b2, zork", "..., not b3"
            elif before is not None and _restricts(clause):
                found[-1] = as_doubtful(before, f"'{clause.text}' may take it back")
            elif is_begun and joint in ("comma", "cell", "so", "reason") and _is_unnamed_step(clause):
                is_listed = before is not None and bool(before.exact) and not _is_gerund(clause)  # "take b d, zork"
                found.append(clause if is_listed else replace(clause, reason=""))  # "..., restoring order"
                joints.append(joint)
            elif (
                before is not None and joint == "and" and is_joined_participle(before, clause)
            ):  # "is locked and oiled"
                found.append(replace(clause, kind=before.kind, reason=before.reason, mentions=before.mentions))
                joints.append(joint)
            elif before is not None and before.reason == Reason.OTHER_STEP and joint == "comma" and clause.actions:
                # "once in the hall, drop it": there, if what was told before leads there
                ahead = tuple(replace(one, joint="lead") for one in before.mentions)
                found[-1] = replace(clause, mentions=(*ahead, *clause.mentions), is_possible=True)
            elif before is not None and is_apart:  # "once in the hall, drop it" says that something is done before
                found.append(clause)
                joints.append(joint)
            elif (
                before is not None
                and before.exact
                and joint in ("and", "comma")
                and is_fragment(clause)
                and clause.mentions
            ):
                # "knead rye1 and rye2", whose beginning is a step word for word
                told = replace(before, text=body[before.span[0] : last], span=(before.span[0], last))
                found[-1] = with_fragment(told, self.coverage.model, clause, joint)
            elif (
                before is not None
                and goes_on(before)
                and (has_own_particle(clause) or (is_particle(clause) and joint in ("and", "then")))
            ):
                # "turn the light on and the lamp off", "turn it off and on"
                found[-1] = as_doubtful(before, f"'{clause.text}' was not understood")
            elif (
                before is not None and is_fragment(clause) and goes_on(before) and not leads(clause, joint, next_joint)
            ):
                found[-1] = replace(
                    before,
                    kind=Kind.HOLE if before.kind is Kind.DENIED else before.kind,  # "not with the left, but the right"
                    text=body[before.span[0] : last],
                    span=(before.span[0], last),
                    mentions=(*before.mentions, *joined_mentions(clause.mentions, joint)),
                    pronoun=before.pronoun or clause.pronoun,
                    pronoun_at=before.pronoun_at if before.pronoun else len(before.mentions) + clause.pronoun_at,
                )
            elif before is not None and joint == "and" and clause.has_object_pronoun and _only_takes(before):
                found[-1] = replace(clause, mentions=(*before.mentions, *clause.mentions), has_object_pronoun=False)
            elif before is not None and only_names(before) and joint == "and" and clause.mentions and tells:
                # "the carrot and the potato are washed"
                second, *others = clause.mentions
                mentions = (*before.mentions, replace(second, joint="and"), *others)
                start = before.span[0]
                found[-1] = replace(clause, text=body[start:last], span=(start, clause.span[1]), mentions=mentions)
            elif before is not None and only_names(before) and not clause.exact and is_led(before, joint):
                # "r1, drive ..."; "r1 then drives ..."; "then at the shelf, grab ..."; a table's first cells
                ahead = tuple(replace(one, joint="lead") for one in before.mentions)
                found[-1] = replace(clause, mentions=(*ahead, *clause.mentions))
                if clause.kind is Kind.REMARK and before.text.lower().split()[-1] in STATE:  # "the cup is then wrapped"
                    found[-1] = replace(found[-1], kind=Kind.HOLE, reason=Reason.STATE_OR_STEP)
            else:
                found.append(clause)
                joints.append(joint)
        settled = tuple(in_context([self._settled(clause) for clause in as_joined(found, joints)], joints))
        if _NOTES.match(body):
            settled = tuple(replace(one, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) for one in settled)
        steps = [one for one in settled if one.kind is Kind.STEP]
        if not is_item and steps[1:] and all(one.is_bare for one in steps):
            # "the actions are attack, feast and overcome"
            settled = tuple(replace(one, is_possible=True) for one in settled)
        return tuple(as_doubtful(one, "it is a question") for one in settled) if body.endswith("?") else settled

    def _lets(self, clause: Clause, leader: tuple[Mention, ...]) -> bool:
        """Return whether a clause that begins with its verb may be done by, or to, what a heading names."""
        named = (*leader, *clause.mentions)
        return bool(leader) and clause.is_order and any(self.coverage.takes(name, named) for name in clause.actions)

    def _lacks(self, clause: Clause) -> bool:
        """Return whether a clause names fewer objects than its actions take."""
        sizes = (len(self.coverage.model.domain.actions[name].parameters) for name in clause.actions)
        return not clause.exact and len(clause.mentions) < min(sizes, default=0)

    def behind(self, body: str) -> Clause | None:
        """Return the step in parentheses behind a sentence, "Fill it (fill cup tap)"; a hole where they disagree.

        So it is with one before a sentence that explains it: "(fill cup tap) ; fill the cup".
        """
        match = (_BEHIND.fullmatch(body) or _BEFORE.fullmatch(body)) if ")" in body else None
        step = None if match is None else self.word_for_word(match["given"], match.start("given"))
        if match is None or step is None:
            return None
        covered = self.coverage.of(words_of(match["said"]))
        agrees = self._agrees(covered, step)
        if match.re is _BEFORE and not (agrees and (match["lead"] or "then").lower() in SEQUENCE):
            return None
        reason = (
            "" if agrees else f"the sentence tells something else than {step}, which stands behind it in parentheses"
        )
        span = match.span("given") if agrees else (0, len(body))
        text = body[slice(*span)]
        if agrees:
            return Clause(text=text, span=span, kind=Kind.STEP, exact=(step,))
        return Clause(text=text, span=span, kind=Kind.HOLE, actions=covered.actions, reason=reason)

    def _before(self, step: Step, clause: Clause) -> list[Clause]:
        """Return what is left of a clause with a step behind it: of "fill the cup: (fill cup)" nothing."""
        if clause.kind is not Kind.STEP or clause.exact:
            return [clause]
        other = replace(clause, kind=Kind.HOLE, reason=f"it tells something else than {step} behind it")
        return [] if self._agrees(clause, step) else [other]

    def _agrees(self, told: Covered | Clause, step: Step) -> bool:
        """Return whether words may tell a step: no other action and no other objects."""
        actions = self.coverage.model.domain.actions
        names = {actions[name].step or name for name in told.actions}
        is_named = bool(told.verb) or names <= {step.name} or step.name in names
        return is_named and all({*mention.objects} & {*step.args} for mention in told.mentions)

    def _asides(self, body: str) -> tuple[Span, ...]:
        """Return where asides stand that give a reason or tell a state, or say nothing new of the model.

        There are none in what has so many that it is no sentence.
        """
        found: list[Span] = []
        matches = list(islice(_ASIDE.finditer(body), _MOST_ASIDES + 1))
        for match in matches if len(matches) <= _MOST_ASIDES else ():
            words = words_of(match[0])
            is_remark = _REMARK.match(match[0]) is not None
            if (
                not is_remark
                and "not" in words.texts[:2]
                and denies_object(self._clause(match[0], 0, False, frozenset()))
            ):
                is_remark = True  # "(not the gate)"
            if not is_remark and DOUBT.isdisjoint(words.texts):
                covered = self.coverage.of(words)
                said = self.coverage.of(words_of(body[: match.start()])).mentions if covered.mentions else ()
                is_known = {*map(_named, covered.mentions)}.issubset(map(_named, said))
                is_state = covered.is_passive or not covered.actions  # "(the memo is printed)"
                holds = self._is_statement(covered) or self._may_hold(words, covered)
                around = body[: match.start()].rstrip()[-1:], body[match.end() :].lstrip()[:1] or ";"
                is_alone = _SEPARATORS.issuperset(around)  # "(take b d), (zork), (lower b)"
                is_remark = holds or (is_known and is_state and not is_alone)
            if is_remark:
                found.append(match.span())
        return tuple(found)

    def _settled(self, clause: Clause) -> Clause:
        """Return a clause as a hole where it has no verb, or a verb and nothing that it is done to."""
        if clause.kind is not Kind.STEP or clause.exact:
            return clause
        if not clause.actions and not clause.verb:
            return replace(clause, kind=Kind.HOLE, reason="it names objects and no action")
        parameters = [self.coverage.model.domain.actions[name].parameters for name in clause.actions]
        if clause.is_bare and all(parameters) and not clause.tells_alone:
            return replace(clause, kind=Kind.HOLE, reason="it names no object")
        return clause

    def _clause(self, text: str, start: int, is_item: bool, nouns: frozenset[str]) -> Clause | None:
        """Return one clause; None where there is no word."""
        said = text.strip(_BESIDE)
        span = (start + text.index(said), start + text.index(said) + len(said))
        exact = self.word_for_word(text, start)
        if exact is not None:
            return Clause(text=said, span=span, kind=Kind.STEP, exact=(exact,))
        words = words_of(text)
        if not any(word[0].isalnum() for word in words.texts):
            return None
        covered = self.coverage.of(words, nouns)
        kind, reason = self._kind(words, covered, is_item)
        is_first = bool(covered.actions) and DONE_FIRST.search(said) is not None
        is_odd = bool(reorders(words) or is_first or _BEFORE_THAT.match(said) or _TAKES_BACK.search(text))
        verb = covered.verb or "go" * (not covered.actions and covered.said[:1] == ("back",))  # "then back to the hall"
        mentions = self._arguments(covered)
        left = [place for place, one in enumerate(mentions) if not one.relation and not one.role]
        if stem(verb) in LEAVING and left:  # "leaves the mill and goes to the farm"
            place = left[-1]
            mentions = (*mentions[:place], replace(mentions[place], role="from"), *mentions[place + 1 :])
        return Clause(
            text=said,
            span=span,
            kind=kind,
            reason=reason,
            actions=covered.actions,
            verb=verb,
            mentions=mentions,
            strange=covered.strange,
            pronoun=covered.pronoun,
            pronoun_at=covered.pronoun_at,
            has_object_pronoun=covered.has_object_pronoun,
            retracts=not RETRACTION.isdisjoint(covered.said) or is_odd or _denies_all(covered),
            reorders=is_odd,
            is_passive=covered.is_passive or self._may_hold(words, covered),
            is_possible=not POSSIBLE.isdisjoint(covered.said) or not RELATIVE.isdisjoint(covered.said[:1]),
            is_order=covered.is_order,
            tells_alone=self.coverage.tells_alone(words, covered),
            is_partial=covered.is_partial,
            described=covered.described,
            facts=self._stated(covered),
            is_statement=self._is_statement(covered),
            turned_by=_turning(words, covered),
            has_subject=covered.has_subject and not (covered.is_passive or mentions[0].relation or mentions[0].role),
        )

    def _arguments(self, covered: Covered) -> tuple[Mention, ...]:
        """Return what is named but for a subject for which the actions have no place: "ann opens the hatch"."""
        mentions = covered.mentions
        if (
            not (covered.has_subject and mentions[1:])
            or covered.is_passive
            or covered.verb
            or mentions[0].relation
            or mentions[1].joint
        ):
            return mentions
        actions = [self.coverage.model.domain.actions[name] for name in covered.actions]
        is_full = all(len(action.parameters) < len(mentions) for action in actions)
        has_place = any(self.coverage.takes(action.name, mentions[:1]) for action in actions)
        return mentions[1:] if is_full and not has_place else mentions

    def _may_hold(self, words: Words, covered: Covered) -> bool:
        """Return whether what a verb says of its subject, which does nothing, may be a fact: "the picture hangs"."""
        verb = min(covered.verbs, default=0)
        if not (covered.has_subject and covered.mentions) or covered.is_order:
            return False
        model, subjects = self.coverage.model, covered.mentions[0].objects
        actions = (model.domain.actions[name] for name in covered.actions)
        if any(
            self.coverage.objects.fits(action, 0, one) for action in actions if action.parameters for one in subjects
        ):
            return False
        if is_participle(words.texts[verb]):
            return max(covered.named) < verb  # "hatch oiled"
        return any(
            stem(words.texts[verb]) in map(stem, parts(name)) and len(covered.mentions) <= len(terms)
            for name, terms in model.domain.predicates.items()
        )

    def _is_statement(self, covered: Covered) -> bool:
        """Return whether words say with a verb that a fact holds: "c1 hangs from the crane"."""
        verbs = self.coverage.fact_verbs | STATE - {"now"}
        is_said = bool(covered.mentions) and not (covered.actions or verbs.isdisjoint(covered.said))
        return is_said and bool(self._facts_told(covered, is_item=False))

    def _is_unexplained(self, covered: Covered) -> bool:
        """Return whether a remark names objects, and has words that no fact explains: "it remains to lay b on c"."""
        return bool(covered.mentions and covered.strange) and not self._facts_told(covered, is_item=False)

    def _stated(self, covered: Covered) -> tuple[str, ...]:
        """Return the participles among predicates that are said of as many objects as they have places for: wrapped."""
        if not covered.mentions or (covered.actions and not covered.verb) or covered.doubts:
            return ()
        told = self._facts_told(covered, is_item=STATE.isdisjoint(covered.said))
        return tuple(n for n, places in told if places == len(covered.mentions) and any(map(is_participle, parts(n))))

    def _kind(self, words: Words, covered: Covered, is_item: bool) -> tuple[Kind, str]:
        """Return what a clause is by what covers it, and why it was not understood where it was not."""
        strange, actions, mentions = covered.strange, covered.actions, covered.mentions
        if covered.doubts[:1] == ("so",) and mentions:
            return Kind.HOLE, Reason.OTHER_STEP  # "and so is the cup"
        verbs = {words.texts[place] for place in covered.verbs}  # they say what is done, and nothing else: note, need
        said = tuple(word for word in covered.said if word not in verbs)
        first = next((word for word in said if word not in SEQUENCE), "")
        is_told = first in CAUSATIVE  # "have olga examine kim"
        states = [word for word in said if word in STATE] if not (is_told or covered.is_passive) else []
        if states == ["now"] and (actions or not mentions):
            states = []  # "now r1 moves", "now lay it aside"
        is_state = bool(states) and not covered.is_order
        names_model = bool(mentions or actions)
        is_heading = not (actions and mentions) and not HEADING.isdisjoint(said)
        if mentions and not (actions or states or strange) and first in ("once", "back"):
            goes = first == "back" and any(mention.role == "to" for mention in mentions)  # "then back to the hall"
            return (Kind.STEP, "") if goes else (Kind.HOLE, Reason.OTHER_STEP)  # "once in the hall"
        if mentions and not actions and first in NEED and "to" in said:
            return Kind.HOLE, Reason.MAY_BE_STEP
        is_so = first == "so" and actions and not states and "that" not in said[:2] and POSSIBLE.isdisjoint(said)
        is_reason = first in REASON and not is_so  # "the oven is cold, so the baker heats it"
        # "this is possible because" is about a step, "this block" is not
        is_about = first in ("this", "that") and said[1:2] and said[1] not in self.coverage.objects.nouns
        is_reason_alone = is_about or first in ("because", "since")
        unexplained = Reason.MAY_BE_STEP if self._is_unexplained(covered) and not is_reason_alone else ""
        if names_model and not actions and (is_reason or first == "note" or (is_heading and is_state)):
            return Kind.REMARK, unexplained
        is_told_of = is_about or (first == "step" and words.at(1).isdigit())
        allows = is_told_of and not _ALLOWS.isdisjoint(map(stem, said))  # "this allows us to unlock it"
        is_wish = ("want", "that") in pairwise(said)
        is_yet = "cannot" in covered.doubts and "yet" in said  # "you cannot unlock it yet"
        is_risk = first == "otherwise" and not POSSIBLE.isdisjoint(said)  # "otherwise it could not be unlocked"
        if allows or is_yet or is_risk or is_wish:
            return Kind.REMARK, Reason.MAY_BE_STEP
        is_over = covered.doubts == ("no",) and "longer" in strange and bool(states) and not actions
        if (covered.doubts == ("until",) and self._is_statement(covered)) or is_over:
            return Kind.REMARK, ""  # "a is no longer on b"
        if covered.doubts and (names_model or is_item):
            is_denial = DENIAL.issuperset(covered.doubts) and actions and ADVERBS.isdisjoint(said)
            is_denial = is_denial and not _denies_name(words, covered)  # "ann, and not tim, opens it"
            if DENIAL.issuperset(covered.doubts) and not (actions or covered.pronoun):
                is_simple = not strange[2:]  # "omar is not part of this", but: "do not forget to lay b on c"
                return Kind.REMARK, "" if is_simple else unexplained
            rest = replace(covered, doubts=(), strange=tuple(word for word in strange if word not in DENIAL))
            if is_denial and self._kind(words, rest, is_item)[0] is Kind.STEP:
                return Kind.DENIED, ""
            return Kind.HOLE, f"'{covered.doubts[0]}' was not understood"
        if not names_model:
            if "back" in (*covered.said[:1], *covered.said[-1:]) or not RETURNING.isdisjoint(covered.strange):
                return Kind.HOLE, Reason.OTHER_STEP  # "goes to the hall and back", "but comes back", "she returns"
            if any(places == 0 for _, places in self._facts_told(covered, is_item)):
                return Kind.REMARK, ""
            may_act = first not in SUBJECTS or first in ("i", "we", "you")
            is_open = may_act and not is_state and bool(strange) and (is_item or bool(covered.pronoun))
            if not is_open:
                may_be_step = may_act and not is_state and self._may_tell_step(covered, first)
                return Kind.REMARK, Reason.MAY_BE_STEP if may_be_step else ""
            if covered.pronoun:
                return (Kind.STEP if len(strange) == 1 else Kind.HOLE), ""
            return Kind.HOLE, "it names nothing of the model"
        leads = {words.texts[place - 2] for place in covered.verbs if place > 1 and words.texts[place - 1] == "to"}
        if not leads.isdisjoint(NEED | STATE | _INTENDS | _WISHES) and not (is_told or covered.is_passive):
            return Kind.REMARK, Reason.MAY_BE_STEP if _WISHES & leads else Reason.NEEDED
        if words.texts[0] in _gerunds(words, covered) and (strange or _has_verb_behind(words, covered)):
            return Kind.REMARK, Reason.MAY_BE_STEP  # "unlocking the hatch opens it"
        if covered.verb and not (actions or covered.is_passive) and mentions and self._is_no_deed(covered.verb):
            return Kind.HOLE, f"'{covered.verb}' is the verb of no action"
        if first == "they" and actions:
            return Kind.HOLE, "it is not said who they are"
        if mentions and not (actions or strange or covered.verb) and _ends_with_particle(words, covered):
            return Kind.HOLE, Reason.STATE_OR_STEP  # "safelight on"
        if words.texts[0] == "leaving":
            return Kind.REMARK, Reason.MAY_BE_STEP  # "slice a and b, leaving c whole"
        if (
            covered.verb
            and stem(covered.verb) in LEAVING
            and not PARTICLES.isdisjoint(self.coverage.loose(words, covered))
        ):
            return Kind.HOLE, Reason.STATE_OR_STEP  # "leave the lamp on"
        if not actions and strange and STAYING.issuperset(strange):
            return Kind.REMARK, ""  # "tim stays in the hall"
        tells_fact = bool(self._facts_told(covered, is_item))
        if is_state and mentions and (strange or actions) and not tells_fact and not is_about:
            return Kind.HOLE, Reason.STATE_OR_STEP
        if actions and mentions and is_about:
            return Kind.HOLE, Reason.SUMS_UP
        if covered.is_order and (odd := next((word for word in states if word != "now"), "")):
            return Kind.HOLE, f"'{odd}' was not understood"
        is_active = bool(covered.verbs) and min(covered.verbs) < min(covered.named, default=len(words))  # "open it"
        tells_fact = tells_fact and not (actions and (is_active or not covered.verb))
        if tells_fact and covered.is_passive and (is_item or first in SEQUENCE):
            return Kind.HOLE, Reason.STATE_OR_STEP
        is_now = states == ["now"] and any(mention.role == "to" for mention in mentions)  # "now over to the sofa"
        tells = first in RELATIVE and bool(actions) and not is_state  # "where it drops her off"
        if (is_state and not is_now) or (is_reason and not tells) or is_about or is_heading:
            may_tell = actions and mentions and is_state and not (is_reason or is_about or is_heading)
            may_tell = may_tell or (actions and first == "so")  # "so you can unlock it"
            return Kind.REMARK, Reason.MAY_BE_STEP if may_tell else unexplained  # "it was then stacked on b"
        if tells_fact and not strange[1:]:
            is_moved = bool(covered.verb) and any(mention.role == "to" for mention in mentions)
            if not is_moved:  # "she leads the group into the hall", with a predicate leads
                return Kind.REMARK, ""
        if strange[int(not actions) :]:
            return Kind.HOLE, f"'{strange[-1]}' was not understood"
        if len(words) >= MOST_WORDS:
            return Kind.HOLE, "it is too long"
        if "=" in words.texts or words.texts.count("(") != words.texts.count(")"):
            return Kind.HOLE, "its signs were not understood"
        return (Kind.HOLE, "it has the verbs of several actions") if covered.is_split else (Kind.STEP, "")

    def _may_tell_step(self, covered: Covered, first: str) -> bool:
        """Return whether words that name nothing of the model may tell a step all the same: "wander around"."""
        is_other = self.coverage.objects.nouns | self.coverage.fact_words | COUNTED | PREPOSITIONS.keys()
        can_be = not POSSIBLE.isdisjoint(covered.said)  # "before we can go on"
        return bool(covered.strange) and not can_be and is_other.isdisjoint((first, covered.strange[0]))

    def _is_no_deed(self, verb: str) -> bool:
        """Return whether a verb changes nothing, as find does, or undoes what an action does: unload, beside load."""
        undone = {verb.removeprefix(prefix) for prefix in ("un", "dis", "de", "re") if verb.startswith(prefix)}
        undone |= {f"{prefix}{rest}" for prefix in ("un", "dis", "de") for rest in (verb, *undone)}  # repack, unpack
        return stem(verb) in IDLE or any(rest in self.coverage.verbs.starts for rest in undone)

    def _facts_told(self, covered: Covered, is_item: bool) -> tuple[tuple[str, int], ...]:
        """Return the predicates whose words are said, with their places: "the red block on top of the blue block".

        In an item these are more than a preposition, and no other verb is there. Nobody names more objects than the
        predicate has places.
        """
        words, rest = {*map(singular, covered.said)}, {*covered.strange, covered.verb} - STATE - {""}
        states = {stem(word) for word in covered.said if word in STATE}  # "holds" is holding
        return tuple(
            (predicate, places)
            for predicate, name, places in self._facts
            if all(word in words or stem(word) in states for word in name)
            and {*map(singular, rest)} <= name
            and len(covered.mentions) <= places
            and (not is_item or not name <= PREPOSITIONS.keys())
        )

    @cached_property
    def _facts(self) -> tuple[tuple[str, set[str], int], ...]:
        """Return each predicate with the words by which its name or a template says it, and how many places."""
        places = {name: len(terms) for name, terms in self.coverage.model.domain.predicates.items()}
        names = [(name, tuple(filter(str.isalpha, parts(name))), count) for name, count in places.items()]
        if self.templates is not None:
            small = self.coverage.objects.nouns | ARTICLES
            for name, texts in self.templates.predicates.items():
                sayings = (parts(HOLE.sub(" ", text)) for text in texts)
                names += (
                    (name, tuple(word for word in saying if word not in small), places.get(name, MOST_MENTIONS))
                    for saying in sayings
                )
        return tuple((name, {*map(singular, said)}, count) for name, said, count in names if said)


def _item_of(text: str, line: int) -> str:
    """Return the number or the mark of the item that begins with a line; nothing where none does."""
    found = _ITEM.match(text, line)
    if found is None:
        return ""
    return found[found.lastgroup] if found.lastgroup else "|"


def _is_listed_before(one: Clause, other: Clause) -> bool:
    """Return whether the item of a clause has a smaller number than another's."""
    return one.item.isdigit() and other.item.isdigit() and int(one.item) < int(other.item)


def _is_unnamed_step(clause: Clause) -> bool:
    """Return whether a remark names nothing of the model, and may tell a step all the same."""
    names_nothing = not (clause.mentions or clause.actions)
    return names_nothing and clause.kind is Kind.REMARK and clause.reason == Reason.MAY_BE_STEP


def _restricts(clause: Clause) -> bool:
    """Return whether a remark that names nothing of the model restricts what stands before it: "but not really"."""
    said = words_of(clause.text).texts
    names = clause.mentions or clause.actions or clause.exact
    return clause.kind is Kind.REMARK and not names and said[:1] in (("but",), ("or",)) and STATE.isdisjoint(said)


def _only_takes(clause: Clause) -> bool:
    """Return whether a clause takes an object, which no action of the model does: "take rye and slice it"."""
    first = next((word for word in words_of(clause.text).texts if word not in SEQUENCE), "")
    is_taken = clause.kind is Kind.STEP and first in ("take", "get", "grab")
    return is_taken and not clause.actions and len(clause.mentions) == 1


def _is_gerund(clause: Clause) -> bool:
    return words_of(clause.text).at(0).endswith("ing")


def _may_be_first(clause: Clause) -> bool:
    """Return whether a remark in the paragraph of the first step may tell a step, and not what the plan is for."""
    return clause.may_be_step and AIM.match(clause.text) is None


def _names_group(clause: Clause, other: Clause | None, text: str) -> bool:
    """Return whether an item names no object, and only what the items below it do."""
    if other is None or not (clause.item and other.item) or clause.mentions or clause.exact or clause.pronoun:
        return False
    lines = (text.rfind("\n", 0, one.span[0]) + 1 for one in (clause, other))
    own, below = (_indent(text, line) for line in lines)
    return clause.is_open and len(clause.text.split()) <= _LONGEST_TITLE and below > own


def _in_order_of_numbers(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield the clauses; an item with a smaller number than the one before it, which begins no list, takes it back."""
    first, last = None, 0
    for clause in clauses:
        if clause.item.isdigit():
            number = int(clause.item)
            first = number if first is None else first
            is_odd = number < last and not (number <= 1 and first <= 1)
            last = number
            yield replace(clause, retracts=True, reorders=True) if is_odd else clause
        else:
            yield clause


def _in_order_of_words(clauses: Sequence[Clause], text: str) -> Iterator[Clause]:
    """Yield the clauses; a sentence that tells what is done first behind other steps of its line takes them back."""
    end, last, has_step = 0, 0, False
    for clause in clauses:
        gap = text[end : clause.span[0]]
        if "\n" in gap:
            last, has_step = 0, False
        said = _RANKED.match(clause.text)
        rank, is_odd = 0, False
        if said is not None:
            rank = _RANKS[said["rank"].lower()]
            begins = not end or bool(said["but"]) or any(sign in gap for sign in ".!?;:\n")
            is_odd = begins and (rank < last or (rank == 1 and has_step))
        last, has_step, end = rank or last, has_step or clause.kind is Kind.STEP, clause.span[1]
        yield replace(clause, retracts=True, reorders=True) if is_odd else clause


def _denies_name(words: Words, covered: Covered) -> bool:
    """Return whether a word that denies stands before the name of an object, and not before a verb."""
    places = (at for at, word in enumerate(words.texts) if word in DENIAL and at not in covered.named)
    return any(at + 1 + (words.at(at + 1) in ARTICLES) in covered.named for at in places)


def _denies_all(covered: Covered) -> bool:
    """Return whether words deny, and name nothing of the model: "that never happened", "but not today"."""
    said, first = {*covered.said}, covered.said[:1]
    names = covered.mentions or covered.actions
    is_of_plan = first in (("this",), ("that",), ("it",)) or said.isdisjoint(STATE | REASON | {"if", "there"})
    return not names and is_of_plan and not said.isdisjoint(NEGATION) and said.isdisjoint(MORE)


def _ends_with_particle(words: Words, covered: Covered) -> bool:
    last = max(at for at, word in enumerate(words.texts) if word[0].isalnum())
    return last not in covered.named and words.texts[last] in PARTICLES - {"back"}


def _turning(words: Words, covered: Covered) -> str:
    """Return a word that may change which step is told: one of those, or an auxiliary that names an object."""
    free = (word for at, word in enumerate(words.texts) if at not in covered.named and at not in covered.verbs)
    odd = next((word for word in free if word in TURNING), "")
    named = (mention.objects[0] for mention in covered.mentions)
    return odd or next((name for name in named if name in MODAL), "")


def _gerunds(words: Words, covered: Covered) -> set[str]:
    """Return the verbs of actions that end as in "oiling", but for bring and the like."""
    verbs = (words.texts[place] for place in covered.verbs)
    return {word for word in verbs if word.endswith("ing") and not {*"aeiouy"}.isdisjoint(word[:-3])}


def _has_verb_behind(words: Words, covered: Covered) -> bool:
    """Return whether a verb in the present stands behind all that is named."""
    behind = words.texts[max(covered.named, default=len(words)) + 1 :]
    return any(word.endswith("s") and word.isalpha() and word not in FUNCTION for word in behind)


def _is_title(text: str, line: int, start: int, end: int) -> bool:
    """Return whether a piece is a title by itself, or the value of a key in JSON, whose line begins at an offset."""
    return _TITLE.fullmatch(text[line:end]) is not None or text[line:start].rstrip().endswith('":')


def _pieces(text: str) -> Iterator[Span]:
    wrapped = {match.end() for match in _WRAPPED.finditer(text)}
    within = {at for match in _ASIDE.finditer(text) for at in range(*match.span())} if _COLONS.search(text) else ()
    ends = (match.end() for match in _HARD.finditer(text))
    cuts = [
        0,
        *(end for end in ends if end not in wrapped and (end not in within or text[end - 1] not in ":;")),
        len(text),
    ]
    yield from ((one, other) for one, other in pairwise(cuts) if one < other)


def _soft_pieces(body: str, asides: Sequence[Span]) -> Iterator[tuple[str, int, int]]:
    """Yield the parts of a sentence that may be clauses, each with the joint before it."""
    place, joint = 0, ""
    for end, behind in (*asides, (len(body), len(body))):
        for match in _SOFT.finditer(body, place, end):
            if body.count("(", place, match.start()) > body.count(")", place, match.start()):
                continue
            yield joint, place, match.start()
            place, joint = match.end(), match.lastgroup or ""
        yield joint, place, end
        place, joint = behind, ""


def _named(mention: Mention) -> tuple[str, ...]:
    return mention.objects


def _without_effects(table: re.Match[str]) -> str:
    """Return a table with blanks for the columns that explain its steps."""
    rows = table[0].split("\n")
    names = rows[0].split("|")
    explains = [place for place, name in enumerate(names) if _EXPLAINS.fullmatch(name.strip())]
    for number, row in enumerate(rows if explains else ()):
        cells = row.split("|")
        if len(cells) == len(names):
            cells = [" " * len(cell) if place in explains else cell for place, cell in enumerate(cells)]
            rows[number] = "|".join(cells)
    return "\n".join(rows)


def _end_of_paragraph(text: str, start: int) -> int:
    end = text.find("\n\n", start)
    return len(text) if end < 0 else end


def _untagged(tag: re.Match[str]) -> str:
    """Return the sign of an item for a tag that begins one, and blanks for another, as many as it is long."""
    return ("\n- " if tag["item"] else "\n" if tag["line"] else "").ljust(len(tag[0]))


def _indent(text: str, line: int) -> int:
    """Return how far the line that begins at an offset is indented."""
    end = line
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return end - line
