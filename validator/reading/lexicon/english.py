"""The little English that steps are written in: small closed classes of words, and the forms of a verb."""

from __future__ import annotations

from functools import lru_cache

ARTICLES = frozenset(("a", "an", "the", "this", "that", "these", "those", "your", "my", "its", "our", "each", "both"))
THE = ("the", "a", "an")
"""those of them that say nothing of which one is meant"""
PREPOSITIONS = {
    **dict.fromkeys(("in", "into", "inside", "within"), "in"),
    **dict.fromkeys(("on", "onto", "upon", "over", "atop", "above"), "on"),
    **dict.fromkeys(("to", "toward", "towards", "until"), "to"),
    **dict.fromkeys(("from", "off", "out", "coming"), "from"),
    **dict.fromkeys(("at", "near", "by", "beside", "next"), "at"),
    **dict.fromkeys(("with", "using", "via", "through", "along"), "with"),
    **dict.fromkeys(("under", "beneath", "below", "underneath"), "under"),
    **dict.fromkeys(("of", "top", "for", "between", "against", "around", "across", "behind"), ""),
}
"""Each preposition and what it says of what stands behind it; nothing for those that only go with others."""

PARTICLES = frozenset(("up", "down", "off", "out", "away", "back", "in", "on", "over", "open", "apart", "together"))
PRONOUNS = frozenset(("it", "them", "itself"))
NOUNS = frozenset(("object", "obj", "item", "thing", "block", "package", "one", "contents"))
"""what objects are called in any domain"""
PLACES = frozenset(
    ("table", "hand", "ground", "floor", "surface", "position", "place", "side", "order", "plan", "step", "steps")
)
"""what is no object of a model and may stand behind a preposition all the same: "on the table", "with your hand\""""

ADVERBS = frozenset(
    (
        *("again", "back", "carefully", "currently", "directly", "gently", "here", "immediately", "instead", "just"),
        *("next", "now", "once", "only", "safely", "simply", "still", "successfully", "then", "there", "too", "also"),
    )
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TURNING = _words(
    """
    this that these those for before more here they one itself was were as so also begin start
    starting too meanwhile would shall can could may need needs has having do does did let lets plan phase
    stage which who begins starts s us while just still around near beside where above along between
    """
)
"""those of them that may turn a step into another one, or say when or whether it is done"""

STARTING = frozenset(
    (verb, place) for verb in _words("start starts starting begin begins standing") for place in ("at", "in", "on")
)
"""words before where somebody is at first, or is"""
DIRECTIONS = _words("left right north south east west forward backward forwards backwards upwards downwards")
"""words that say nothing more where it is said where something moves to"""
THEN = _words("next then now finally lastly afterward afterwards subsequently thereafter")
"""words before what is done behind something else"""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
CARDINALS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
SEQUENCE = THEN.union(ORDINALS, (f"{word}ly" for word in ORDINALS))
"""first words of a clause that is one of several in a row"""

FUNCTION = (
    TURNING
    | SEQUENCE
    | _words(
        """
    a an the his her its their your my our to from at in on into onto of with using use
    uses used by off out up down over upon aboard within inside toward towards via through after last once again action
    back there coming it he she him them is be being been are and
    robot agent i we you will have must should please straight
    immediately simply therefore thus well already when execute executes executing perform performs performing
    apply applies applying away top across atop against located
    dann danach anschliessend zuerst zunächst schließlich zuletzt luego entonces primero después finalmente
    puis ensuite enfin finalement poi dopo infine 首先 然后 接着 最后
    """
    )
)
"""words that do not say which step is meant"""

PHRASES = frozenset(
    (
        *(
            ("as", "well"),
            ("right", "there"),
            ("right", "here"),
            ("right", "away"),
            ("make", "sure"),
            ("be", "sure"),
            ("take", "care"),
            ("back", "up"),
        ),
        *(("once", "more"), ("on", "board")),
    )
)
"""pairs of words that name no object, and say nothing of which step is meant beside its verb"""

ROLES = {
    **dict.fromkeys(("from", "off", "out", "leaving"), "from"),
    **dict.fromkeys(("to", "into", "onto", "toward", "towards"), "to"),
    **dict.fromkeys(("via", "through"), "via"),
    **dict.fromkeys(("with", "using", "beside", "near", "by"), "with"),
}
"""preposition -> the place in the action that it gives the object behind it"""

BETWEEN = _words(
    """
    at by from in inside into object of off on onto out over that the this through to top toward towards using via with
    """
)
"""words that may stand between the names of a step and change nothing"""

BESIDE = _words("next beside near nearest behind opposite around")
"""prepositions behind a noun that is another thing than the object behind them"""

UNLIKE = _words("adjacent different fake former imaginary nearby neighboring neighbouring opposite previous")
"""adjectives that turn a name into that of another thing"""

STANDS_FOR = _words("it they them him there back both itself himself herself")
"""words that stand for an argument that is not named"""

DOUBT = _words(
    """
    not no never without cannot don doesn didn won shouldn isn instead except neither nor unless if whether or
    either otherwise until repeat repeats repeating redo undo undoes again same each every all other others
    another rest remaining likewise similarly times twice skip skips avoid avoids ignore ignores unable fails failed
    wrong wait correction corrected actually alternatively sorry mistake scratch oops revised rather optionally maybe
    perhaps else only nearly barely hardly almost continue etc nicht kein ohne skipped omitted optional unnecessary
    cancelled canceled postponed mean partly partially halfway pretend pretends opposite beforehand usually normally
    generally rarely seldom occasionally sometimes supposedly allegedly presumably possibly probably ideally hopefully
    theoretically
    """
)
"""words that deny, repeat, correct, or make a step depend on something"""

DENIAL = _words("not never don doesn didn isn aren wasn t")
"""words of DOUBT that deny a step and say nothing else, with the t of don't"""

RETRACTION = _words(
    """
    wait correction corrected undo undoes undone reverted wrong instead sorry mistake ignore scratch oops revised mean
    """
)
"""words that may take back what stands before them"""

ALLOWED = _words(
    """
    allowed permitted possible correct right valid legal applicable executable executed necessary needed required
    understood
    """
)
"""words that deny a step behind "not\""""

REFUSED = _words(
    """
    fail fails failed failure error errors rejected refused denied illegal invalid impossible wrong incorrect
    inapplicable unnecessary redundant mistake mistakes canceled cancelled ignore ignored unsuccessful false
    aborted omitted reverted skipped undone
    """
)
"""words that say of a step that it is none, or was not done"""

REASON = _words("because since due while as so which where goal goals need needs want wants")
"""words that begin a reason"""

RELATIVE = _words("which where who")
"""words that begin a clause on what is named before it"""

MANNERS = _words(
    """
    addition advance beginning care caution delay ease end fact haste hesitation meantime moment needed planned point
    preparation ready required safety speed time turn usual
    """
)
"""what says with a preposition when or how something is done: "at the same time", "with care", "when ready" do"""
UNITS = _words("s sec second seconds min minute minutes h hour hours day days")
"""behind a number: how long something is done"""
LINKS = _words("in at with for on by as when without after")
"""words that lead to these"""

NEED = _words("need needs want wants must should")
"""words before what is to be done"""

STATE = _words("is are was were has have had remains holds now contains becomes stays isn am")
"""verbs that tell a state"""

STATES = _words("condition effect fact goal precondition prerequisite state")
"""nouns for what holds, or is to hold"""

POSSIBLE = _words("can could may might would")
"""verbs that tell what can be done, which is done or not"""

MODAL = NEED | POSSIBLE | _words("has have had ought will shall")
"""verbs that leave open whether it is done, some of which are names of people as well"""

CAUSATIVE = _words("have has let make get ask tell")
"""first words that leave the step to somebody"""

JOINTS = SEQUENCE | _words(
    """
    and immediately directly promptly at once away right straight just after followed that this by
    without any delay do execute perform apply run the action step i we you
    """
)
"""words of which nothing but the order of two steps is said, where they stand between them"""

HEADING = _words("goal goals initially initial given state objects setup summary note result")
"""words of a line that tells of the problem, not of the plan"""

TELLING = REASON | _words(
    """
    this that these we now nothing everything all after once here finally done good great perfect excellent nice well
    easy simple fine hey hi hello dear thanks ok okay sure certainly yes ready however therefore thus hence moreover
    """
)
"""first words of a clause that tells of the plan and is no step where it names nothing"""

COUNTED = _words("step steps phase stage part plan action move task day round section option item cost costs price")
"""words with a number that count the parts of a plan, or what they cost, and name no object"""

SUBJECTS = TELLING | _words("it i you there that s ll d re ve m t note these")
"""first words of a clause that, where it names nothing, is no step"""

BE = _words("be is are am was were been being become becomes became")
HAVE = _words("has have had having")
PERSONS = _words("it them him her he she they")
"""words that stand for an object named before, or for whoever acts"""
OPEN = _words("any anything anyone anybody anywhere something somewhere everyone someone somebody")
"""an argument that may be any object"""
QUANTIFIERS = {
    **dict.fromkeys(("a", "an", "any", "some", "one"), "any"),
    **dict.fromkeys(("all", "each", "every", "both"), "all"),
}
OMISSIONS = _words(
    """
    omit omitted omitting exclude excluded excluding skip skipped skipping avoid avoided avoiding ignore ignored
    ignoring reject rejected neglect neglected overlook overlooked disregard disregarded unused idle missing absent
    unnecessary
    """
)
NEGATION = (DENIAL - {"t"}) | _words(
    """
    no never nobody nothing vain wish wished wishes joke joking forgotten revert reverted strike crossed skip skipped
    omit omitted postponed postpone theory dream dreams almost
    """
)
"""words that deny what stands before them, where they stand with nothing of the model"""

MORE = _words(
    "further more else other additional longer conflict violate violates violated violating problem issue need"
)
"""words beside these that say of the whole plan that it is right: "no further steps are needed\""""

STAYING = _words("stay stays stayed staying remain remains remained remaining end ends ended ending")
_FORMS = """
arose arise arisen arise ate eat eaten eat awoke awake beat beat beaten beat became become began begin begun begin
bent bend bet bet bid bid bit bite bitten bite blew blow blown blow bound bind broke break broken break brought bring
built build burnt burn bought buy caught catch chose choose chosen choose clung cling came come cost cost crept creep
cut cut dealt deal did do done do drank drink drunk drink drew draw drawn draw drove drive driven drive dug dig
fed feed fell fall fallen fall felt feel flew fly flown fly flung fling fought fight found find froze freeze
frozen freeze gave give given give got get gotten get gone go went go grew grow grown grow ground grind had have
heard hear held hold hid hide hidden hide hit hit hung hang kept keep let let knew know known know knelt kneel laid lay
lain lie lying lie led lead leapt leap learnt learn left leave lent lend lit light lost lose made make
meant mean met meet
mown mow overcame overcome paid pay put put quit quit ran run rang ring read read rid rid ridden ride rode ride
risen rise rose rise said say sang sing sank sink sat sit saw see seen see sawn saw sent send set set sewn sew
shaken shake shook shake shone shine shot shoot shown show shrank shrink shrunk shrink shut shut slid slide slept sleep
slung sling slit slit sold sell sought seek sowed sow sown sow sped speed spent spend spilt spill split split
spoke speak spoken speak sprang spring
spread spread sprung spring spun spin stole steal stolen steal stood stand struck strike
strung string stuck stick stung sting sung sing sunk sink swam swim swept sweep swum swim swung swing taken take
taught teach thought think threw throw thrown throw thrust thrust told tell took take tore tear torn tear trod tread
understood understand unhung unhang undone undo undid undo unwound unwind wept weep woke wake woken wake won win
wore wear worn wear wound wind wove weave woven weave written write wrote write
"""
"""irregular forms, each before its verb; but for left, which mostly is a side"""


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return {form: base for form, base in zip(words[::2], words[1::2], strict=True) if form != "left"}


_BASE = _pairs(_FORMS)

_IRREGULAR = {base: tuple(form for form, verb in _BASE.items() if verb == base) for base in _BASE.values()}
_IRREGULAR["leave"] = ("left",)
_PLURALS = _pairs(
    """
    knives knife shelves shelf loaves loaf leaves leaf halves half wolves wolf people person men man women woman
    children child feet foot mice mouse
    """
)
_VOWELS = "aeiou"


@lru_cache(maxsize=4096)
def forms(verb: str) -> frozenset[str]:
    """Return a verb with what it becomes in a sentence: picks, picked, picking; carries; stopped; flew."""
    if len(verb) < 2 or not verb.isalpha():
        return frozenset((verb,))
    stem = verb[:-1]
    if verb[-1] == "e":
        found = {f"{verb}s", f"{verb}d", f"{stem}ing"}
    elif verb[-1] == "y" and verb[-2] not in _VOWELS:
        found = {f"{stem}ies", f"{stem}ied", f"{verb}ing"}
    else:
        third = f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"
        found = {third, f"{verb}ed", f"{verb}ing"}
        if verb[-1] not in "aeiouwxy" and verb[-2] in _VOWELS and (len(verb) < 3 or verb[-3] not in _VOWELS):
            found |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
    return frozenset((verb, *found, *_IRREGULAR.get(verb, ())))


def bases(word: str) -> frozenset[str]:
    """Return the verbs of which a word may be a form: filling is of fill, fil and fille, filing of file and fil."""
    found = {word, _BASE.get(word, word)}
    for end in ("s", "es", "d", "ed", "ing"):
        if word.endswith(end) and len(word) - len(end) > 1:
            root = word[: -len(end)]
            found |= {root, f"{root}e", root[:-1], f"{root[:-1]}y"}
    return frozenset(verb for verb in found if word in forms(verb))


def is_participle(word: str) -> bool:
    """Return whether a word may be the participle of a verb: placed, hung, taken."""
    return word.endswith("ed") or word in _BASE


def singular(noun: str) -> str:
    """Return a noun without the s of its plural."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun in _PLURALS or noun.endswith(("xes", "ches", "shes", "sses")):
        return _PLURALS.get(noun, noun[:-2])
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") and len(noun) > 3 else noun


def relation(prepositions: tuple[str, ...]) -> str:
    """Return what a row of prepositions says.

    "from on top of" is from, "on top of" is on, "from under" is under, "over to" is to.
    """
    said = [PREPOSITIONS[word] for word in prepositions if word in PREPOSITIONS]
    if said and said[-1] == "to" and "from" not in said[:1]:
        return "to"
    return next((word for word in ("under", "from") if word in said), next((word for word in said if word), ""))


_ENDINGS = (
    ("ies", "y"),
    ("ied", "y"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ing", ""),
    ("ed", ""),
    ("es", "e"),
    ("s", ""),
)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without the ending of a verb's form or a plural: grabs, grabbed and grabbing are grab."""
    word = _BASE.get(word, word)
    for end, new in _ENDINGS:
        base = word[: len(word) - len(end)]
        if word.endswith(end) and len(base + new) >= 3 and not word.endswith(("ss", "us")):
            word = base + new
            break
    word = word.rstrip("e") if len(word) > 3 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


EVERYDAY = _stems(
    """
    bring take get go goes going come carry fetch move travel head return reach arrive put place set send transport
    deliver transfer hold receive pick grab collect obtain visit enter ride haul ship convey give hand push pull drag
    tow shift
    """
)
"""verbs for making true what relates the objects beside them"""
EFFECTS = _stems("add create make prepare remove set")
"""verbs for what a step does to facts, which may tell a step as well"""
MOTION = _stems("go goes going come travel head return move walk arrive reach enter visit drive ride")
"""those of them that need name only where something moves to"""
LIGHT = _stems(
    "pull push swing slide flip go goes come get proceed continue finish end conclude suggest recommend propose"
)
"""verbs that leave the verb behind them what it is: pull open, proceed to load, gets loaded"""
GIVING = _stems("give put")
"""verbs that leave it to a noun with its article: give it a rinse, put a tag on it"""
IDLE = _stems(
    """
    find see look watch notice observe check examine inspect verify confirm forget remember refuse decline cancel lose
    keep consider think know hope imagine recall prevent delay wait
    """
)
"""verbs for what changes nothing, or does not happen"""
RETURNING = _words("return returns returned returning")
"""forms of a verb that undoes a move and needs no object"""
ELSEWHERE = _words("to into in off out away from")
"""words with which such a noun is a thing: give a tag to ann, put a tag in the box"""
CLOSING = _stems(
    """
    accomplish achieve arrangement arrive complete conclude condition configuration correct current desired
    destination done end enjoy final finish fulfilled goal good help hold hope know luck meet mission objective
    optimal problem question reach required requirement satisfied satisfies sequence solution solve specified
    success successfully target thanks total valid well
    """
)
"""words with which a text says that its plan ends, or what comes of it, beside those of a heading"""
ENDING = CLOSING.union(map(stem, STATE | HEADING | COUNTED))
"""those with the words of states and headings: what has no others says that a plan ends, or how things are then"""
LEAVING = _stems("leave exit quit vacate")
"""verbs for making it false"""
