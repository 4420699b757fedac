"""Each dialect of plan texts, and plans as people write them: prose, fences, lists, claims, broken steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from validator.reading.plan import Completeness, Constraint, Dialect, NoPlan, Plan, Step, Unparsed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.layout import Piece, pieces
from validator.resources import resource

BLOCKS = Vocabulary(
    actions={"pick-up": 1, "put-down": 1, "stack": 2, "unstack": 2, "wait": 0},
    objects=frozenset("abcd"),
    predicates=frozenset(("on", "clear", "holding", "ontable", "handempty")),
)
TWO = ["(pick-up a)", "(stack a b)"]


def shown(plan: Plan) -> list[str]:
    return [f"?{token}" if isinstance(token, Unparsed) else str(token) for token in plan.tokens]


PLANS = {
    Dialect.PDDL: [
        "(pick-up a)\n(stack a b)\n",
        "(pick-up a)\n(stack a b)",
        "(PICK-UP A)\n(Stack a B)\n",
        "\n\n(pick-up a)\n\n\n(stack a b)\n\n",
        "  (pick-up a)\n\t(stack  a\tb)  \n",
        "( pick-up a )\n( stack a b )\n",
        "(pick-up a) (stack a b)",
        "(pick-up a)(stack a b)",
        "(pick-up\n  a)\n(stack\n  a\n  b\n)",
        "(pick-up a)\r\n(stack a b)\r\n",
        "\ufeff(pick-up a)\n(stack a b)\n",
        "; cost = 2\n(pick-up a)\n(stack a b)\n; end\n",
        "(pick-up a) ; the first\n(stack a b);the second\n",
        "((pick-up a)\n (stack a b))",
        "(\n(pick-up a)\n(stack a b)\n)\n",
        "(plan\n(pick-up a)\n(stack a b)\n)",
    ],
    Dialect.WORDS: [
        "step    0: PICK-UP A\n        1: STACK A B\n",
        "ff: found legal plan as follows\n\nstep    0: PICK-UP A\n        1: STACK A B\n\ntime spent: 0.00 seconds\n",
        "pick-up a\nstack a b\n",
        "1. pick-up a\n2. stack a b\n",
        "- pick-up a\n- stack a b\n",
        "Step 1: pick-up a\nStep 2: stack a b\n",
        "pick-up a.\nstack a, b.\n",
        "Sure, here it is:\npick up a\nstack a b\n",
    ],
    Dialect.FUNCTIONAL: [
        "pick-up(a)\nstack(a, b)\n",
        "pick-up(a)\nstack(a,b)",
        "pick-up( a )\nstack( a , b )\n",
        "1. pick-up(a)\n2. stack(a, b)\n",
        "pick-up(a), stack(a, b)",
        "pick-up('a')\nstack(\"a\", b)\n",
        "pick-up(a)\r\nstack(a, b)\r\n",
        "Action: pick-up(a)\nAction: stack(a, b)\n",
    ],
}


@pytest.mark.parametrize(("dialect", "text"), [(dialect, text) for dialect, texts in PLANS.items() for text in texts])
def test_a_plan_is_read_in_its_dialect(dialect: Dialect, text: str) -> None:
    for known in (BLOCKS, None) if dialect is Dialect.PDDL else (BLOCKS,):
        plan = tokenize(text, known)
        assert (plan.dialect, shown(plan)) == (dialect, TWO)


@pytest.mark.parametrize(
    "text",
    [
        "Here is the plan:\n\n(pick-up a)\n(stack a b)\n\nThis reaches the goal (I think).\n",
        "1) (pick-up a)\n2) (stack a b)\n",
        "1.(pick-up a)\n2.(stack a b)\n",
        "- (pick-up a)\n- (stack a b)\n",
        "* (pick-up a)\n+ (stack a b)\n",
        "• (pick-up a)\n• (stack a b)\n",
        "**(pick-up a)**\n**(stack a b)**\n",
        "1. **(pick-up a)**: lift it\n2. **(stack a b)**: put it there\n",
        "`(pick-up a)`\n`(stack a b)`\n",
        "1. `(pick-up a)` - lift it\n2. `(stack a b)` - put it there\n",
        "Step 1: (pick-up a)\nStep 2: (stack a b)\n",
        "**Step 1:** (pick-up a)\n**Step 2:** (stack a b)\n",
        "> (pick-up a)\n> (stack a b)\n",
        "| 1 | (pick-up a) |\n| 2 | (stack a b) |\n",
        "(pick-up a) -> (stack a b)",
        "(pick-up a), then (stack a b).",
        "(pick-up a).\n(stack a b).\n",
        "First lift a: (pick-up a)\nThen: (stack a b)\n",
        "I would (pick-up a) first and (stack a b) afterwards.",
        "(and (pick-up a) (stack a b))",
        # action names with blanks, calls with a blank before the parenthesis
        "pick up a\nstack a b\n",
        "pick-up (a)\nstack (a, b)",
        # items with parentheses and without
        "1. (pick-up a)\n2. stack a b\n",
        "1. pick-up a\n2. `stack(a, b)`\n",
        "- Lift it: `pick up a`\n- put it there: (stack a b)\n",
        "1. **Pick up a**\n   - Preconditions: clear(a)\n   - on(a, c)\n2. **Stack a on b**\n   (clear b) is needed\n",
        "1. **Pick up a**\n   holding(a)\n2. **Stack a on top of b**\n",
        # fences and blocks
        "```\n(pick-up a)\n```\nand then\n```\n(stack a b)\n```\n",
        "Look:\n```\n(pick-up a)\n(stack a b)\n",
        "```\nno step here, only words.\n```\n(pick-up a)\n(stack a b)\n",
        "(pick-up a)\n(stack a b)\n[PLAN END]\n(wait)\n",
        "[PLAN]\n(pick-up a)\n(stack a b)\n[PLAN]\n(wait)\n",
        # a remark in parentheses
        "(pick-up a)\n(this lifts the block, which is now in the hand)\n(stack a b)\n",
    ],
)
def test_the_steps_are_found_in_what_people_write_around_them(text: str) -> None:
    assert shown(tokenize(text, BLOCKS)) == TWO


def test_calls_with_semicolons_between_them_are_not_lost_in_silence() -> None:
    plan = tokenize("pick-up(a); stack(a, b);", BLOCKS)
    assert shown(plan) == TWO or plan.warnings


def test_many_calls_behind_semicolons_are_as_many_steps() -> None:
    text = "f(a); g(b);" * 500
    plan = tokenize(text)
    assert shown(plan) == ["(f a)", "(g b)"] * 500
    assert "".join(text[slice(*part.span)] for part in plan.parts) == text


# --- code, VirtualHome, the Embodied Agent Interface, GAICO ---------------------------------------


def parts(token: Step | Constraint | Unparsed) -> str:
    """Return a step as its outputs, its name with its arguments, and the number of its set."""
    if not isinstance(token, Step):
        return str(token)
    outputs = f"{', '.join(token.outputs)} = " if token.outputs else ""
    return outputs + "|".join((token.name, *token.args)) + ("" if token.concurrent is None else f" @{token.concurrent}")


CODE = '[0] x = f(a)\n[1] assert $x > 10\n[2] assert not $x == 30\n[3] y, z = g(x, "two words")\n'
SCRIPT = "[WALK] <couch> (352)\n[STANDUP]\n[PUTBACK] <dirty plate> (1) <table> (2.3)\n"
OBJECT = '{"WALK": ["couch", "352"], "SIT": ["couch", "352"], "WALK": ["tv", "1"], "STANDUP": []}'
LIST = '[{"action": "LEFT_GRASP", "object": "candle_0"}, {"action": "OPEN", "object": "box_1, lid_2"}]'


@pytest.mark.parametrize(
    ("text", "dialect", "tokens"),
    [
        (CODE, Dialect.CODE, ["x = f|a", "assert $x > 10", "assert not $x == 30", "y, z = g|x|two words"]),
        ("assert not $x > 3", Dialect.CODE, ["assert not $x > 3"]),
        ("[0] f(a)\n[1] g()\n", Dialect.CODE, ["f|a", "g"]),
        ("x = f(a)\ng()\n", Dialect.CODE, ["x = f|a", "g"]),
        ("f(a)\nassert x\ng()\n", Dialect.CODE, ["f|a", "assert x", "g"]),
        (SCRIPT, Dialect.VIRTUALHOME, ["walk|couch_352", "standup", "putback|dirty plate_1|table_2.3"]),
        (OBJECT, Dialect.EAI_OBJECT, ["walk|couch_352", "sit|couch_352", "walk|tv_1", "standup"]),
        ("So:\n```json\n{\n  'WALK': ['couch', '352'],\n}\n```\nGood luck!", Dialect.EAI_OBJECT, ["walk|couch_352"]),
        (LIST, Dialect.EAI_LIST, ["left_grasp|candle_0", "open|box_1|lid_2"]),
        ("a1, {a2, a3}, a4", Dialect.SETS, ["a1", "a2 @0", "a3 @0", "a4"]),
        ("{a, b}, {c, d}", Dialect.SETS, ["a @0", "b @0", "c @1", "d @1"]),
        ("stack(a,b), {pick(c), put(d)}", Dialect.SETS, ["stack|a|b", "pick|c @0", "put|d @0"]),
    ],
)
def test_outputs_constraints_numbered_objects_and_sets(text: str, dialect: Dialect, tokens: list[str]) -> None:
    plan = tokenize(text)
    assert (plan.dialect, list(map(parts, plan.tokens))) == (dialect, tokens)


# --- places ---------------------------------------------------------------------------------------


@given(text=st.text(alphabet=" \n\t()[]{}<>*-+_;:,.'\"`=→a1é", max_size=60) | st.text(max_size=60))
def test_pieces_are_the_tokens_of_larks_own_lexer(text: str) -> None:
    source = (resource("grammars") / "plan_layout.lark").read_text(encoding="utf-8")
    tokens = Lark(source, parser=None, lexer="basic").lex(text)
    assert pieces(text) == [Piece(token.type, str(token), token.start_pos or 0) for token in tokens]


# --- no plan, the empty plan, unreadable texts ----------------------------------------------------


NO_PLAN = {
    NoPlan.CLAIM: [
        "There is no valid plan.",
        "There is NO PLAN.",
        "No plan exists for this problem.",
        "No\tvalid plan",
        "The problem is unsolvable.",
        "This problem is clearly unsolvable",
        "The goal cannot be reached.",
        "The goal can't be fully achieved",
        "the goal is unreachable",
        "the problem cannot be solved",
        "the task is impossible",
        "No solution",
        "a solution does not exist",
        "There is no possible sequence of actions that does it.",
        "no sequence of actions",
        "It is not possible to construct a plan",
        "A plan does not exist.",
        "The plan doesn't exist",
    ],
    NoPlan.GIVEN_UP: [
        "I'm sorry, I can't help with that.",
        "I cannot find a plan.",
        "Unfortunately I was unable to find any valid solution.",
        "we couldn't produce any solution",
        "No plan was found.",
    ],
    NoPlan.OTHER: ["The weather is fine."],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in NO_PLAN.items() for text in texts])
def test_a_text_without_a_step_says_what_it_is(kind: NoPlan, text: str) -> None:
    for before in ("", "Well. "):
        plan = tokenize(before + text, BLOCKS)
        assert plan.reading is not None and plan.is_unreadable
        assert (plan.reading.completeness, plan.reading.no_plan) == (Completeness.NONE, kind)
        if kind is NoPlan.CLAIM:
            assert plan.claims_no_plan is not None and plan.claims_no_plan[0] >= len(before)
            assert (before + text)[slice(*plan.claims_no_plan)].strip()


@pytest.mark.parametrize(
    "text",
    [
        "(wait)\n",
        "There is a plan.",
        "No plan is needed.",
        "",
        "The problem is solvable.",
        "no planning text",
        "A patch is a fix that changes no plan output.",
        "If no plan is found, the exit code is 12.",
        "Prints an error when the problem is unsolvable.",
    ],
)
def test_other_texts_claim_nothing(text: str) -> None:
    assert tokenize(text, BLOCKS).claims_no_plan is None


@pytest.mark.parametrize("text", ["", "\n", "  \t\r\n ", "; nothing to do\n", "\ufeff", "```\n```\n"])
def test_an_empty_text_is_the_empty_plan(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert (plan.tokens, plan.is_unreadable) == ((), False)


@pytest.mark.parametrize(
    "text",
    ["hello, world!", "I do not know.", "?", "1.", "-", "()", "(", ")", "((", "**", "`", "\x00", "{}", "0: [1]", "<>"],
)
def test_a_text_without_a_step_is_unreadable_never_the_empty_plan(text: str) -> None:
    assert tokenize(text, BLOCKS).is_unreadable


def test_a_surplus_parenthesis_is_unparsed_and_the_step_is_read() -> None:
    step, token = tokenize("(wait))", BLOCKS).tokens
    assert step == Step(name="wait")
    assert isinstance(token, Unparsed)
    assert token.reason == "')' has no '(' before it"


def test_a_step_with_commas_has_a_reading_and_takes_a_place() -> None:
    plan = tokenize("(stack a, b)\n(wait)", BLOCKS)
    assert isinstance(plan.tokens[0], Unparsed)
    assert plan.tokens[0].reading == Step(name="stack", args=("a,", "b"))
    assert list(plan.places) == [0, 1]


@pytest.mark.parametrize(
    "text",
    [
        "\\(put-on b d\\)\n\\(put-on c b\\)",
        "(\\ put-on b d\\)\n(\\ put-on c b\\)",
        "- put\\-on\\(b, d\\)\n- put\\-on\\(c, b\\)",
    ],
)
def test_what_has_a_backslash_among_its_names_is_not_understood(text: str) -> None:
    known = Vocabulary(actions={"put-on": 2}, objects=frozenset("bcd"))
    plan = tokenize(text, known)
    assert plan.reading is not None and plan.reading.missed
    assert "".join(text[slice(*part.span)] for part in plan.parts) == text


@pytest.mark.parametrize(
    ("text", "in_one_line"),
    [
        ("{a, b}\n{c, d}", "{a, b}, {c, d}"),
        ("{(a), (b)}\n\n(c)\n", "{(a), (b)}, (c)"),
        ("Plan:\n1. {a, b}\n2. {c, d}", "{a, b}, {c, d}"),
        ("- {(a) (b)}\r\n- {c, d}\r\n", "{(a), (b)}, {c, d}"),
        ("{a, b}; {c, d}", "{a, b}, {c, d}"),
    ],
)
def test_sets_on_lines_are_sets_as_on_one_line(text: str, in_one_line: str) -> None:
    for known in (None, Vocabulary(actions=dict.fromkeys("abcd", 0))):
        steps = tokenize(text, known).steps
        assert steps == tokenize(in_one_line, known).steps
        assert [text[slice(*step.span)].strip("()") for step in steps] == [step.name for step in steps]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_comment_ends_with_its_line(end: str) -> None:
    plan = tokenize(f"(wait){end}; a comment{end}(go b)")
    assert [str(token) for token in plan.tokens] == ["(wait)", "(go b)"]
