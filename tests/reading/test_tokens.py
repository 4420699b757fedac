"""Each dialect of plan texts, and plans as people write them: prose, fences, lists, claims, broken steps."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from validator.reading.plan import Constraint, Dialect, Ignored, Plan, Step, Unparsed
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
        "1. (pick-up a)\n2. (stack a b)\n",
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
        '["(pick-up a)", "(stack a b)"]',
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


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            f"(put-down c)\n{opening}\n(pick-up a)\n(stack a b)\n{closing}\n(wait)\n",
            "2 lines with steps outside of the [PLAN] block are not part of the plan",
        )
        for opening, closing in (("[PLAN]", "[PLAN END]"), ("[plan]", "[/plan]"), ("[QUERY_PLAN]", "[QUERY_PLAN_END]"))
    ]
    + [
        (f"My first idea:\n(put-down c)\n\n{fence}\n(pick-up a)\n(stack a b)\n```\n", "outside of the code block")
        for fence in ("```", "```pddl", "```plaintext", "   ```")
    ]
    + [
        (f"1. pick up a\n2. stack a on b\n\n{words}\n1. Pick up a\n   it is clear\n2. stack a b\n", "2 steps")
        for words in ("**Explanation:**", "In summary, the plan is:", "**Answer**")
    ]
    + [
        (
            "Before we can (unstack a c) we need a hand.\n(pick-up a)\n(stack a b)\n",
            "1 action named in a sentence is not part of the plan",
        ),
        ("(pick-up a)\n; (wait)\n(stack a b)\n", "1 step stands in a comment and is not part of the plan"),
        ("(pick-up a)\nwait\n(stack a b)\n", "without parentheses"),
        (
            "1. pick up a\n   (pick-up a)\n2. stack a b\n   (stack a b)\n",
            "2 steps without parentheses among steps with them are not part of the plan",
        ),
    ],
)
def test_what_is_left_out_and_what_is_taken_from_a_sentence_is_a_warning(text: str, warning: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert shown(plan) == TWO
    assert any(warning in each for each in plan.warnings)


@pytest.mark.parametrize(
    ("text", "known", "dialect", "expected"),
    [
        pytest.param("3: (stack a b)\n1: (pick-up a)\n2: (wait)", BLOCKS, None, [TWO[0], "(wait)", TWO[1]], id="times"),
        pytest.param("3: (stack a b)\n(wait)\n1: (pick-up a)", BLOCKS, None, [*TWO, "(wait)"], id="without a time"),
        pytest.param("walk-to hall\nopen it\n", None, None, ["(walk-to hall)", "(open it)"], id="words, no model"),
        pytest.param("Here it is:\npik-up a\n", BLOCKS, None, ["(pik-up a)"], id="a misspelt action"),
        pytest.param("bookFlight(Oslo)", None, None, ["(bookFlight Oslo)"], id="case of a call"),
        pytest.param("wait()", BLOCKS, None, ["(wait)"], id="a call without arguments"),
        pytest.param('{"PUT": ["cup", "1", "box", "2"]}', None, None, ["(put cup_1 box_2)"], id="two objects"),
        pytest.param('[{"action": "RELEASE", "object": ""}]', None, None, ["(release)"], id="an empty object"),
        pytest.param("a1, a4", None, Dialect.SETS, ["(a1)", "(a4)"], id="sets asked for"),
        pytest.param("stack(a b)", BLOCKS, Dialect.PDDL, ["(a b)"], id="PDDL takes parentheses literally"),
        pytest.param(
            "(pick-up a)\n(stack a\n(wait)\n", BLOCKS, None, [TWO[0], "?(stack a", "(wait)"], id="a broken step"
        ),
        pytest.param("(pick-up a)\n\n(pick-up a)\n", BLOCKS, None, [TWO[0]] * 2, id="again"),
        pytest.param("(pick-up a)\n- it is clear\n(pick-up a)\n", BLOCKS, None, [TWO[0]] * 2, id="again behind a line"),
    ],
)
def test_what_is_read(text: str, known: Vocabulary | None, dialect: Dialect | None, expected: list[str]) -> None:
    assert shown(tokenize(text, known, dialect)) == expected


@pytest.mark.parametrize(
    ("text", "times", "durations"),
    [
        ("0: (pick-up a)\n1: (stack a b)", [0, 1], [None, None]),
        ("0.000: (pick-up a)\n0.001: (stack a b)", [0, Fraction(1, 1000)], [None, None]),
        ("0: (pick-up a) [1]\n1.5: (stack a b) [2.25]", [0, Fraction(3, 2)], [1, Fraction(9, 4)]),
        ("0.5 : (pick-up a)[3]\n2:(stack a b)", [Fraction(1, 2), 2], [3, None]),
        ("0.1: (pick-up a)", [Fraction(1, 10)], [None]),
        ("1. (pick-up a)\n2. (stack a b)", [None, None], [None, None]),
    ],
)
def test_stamps_and_durations(text: str, times: list[Fraction], durations: list[Fraction]) -> None:
    plan = tokenize(text, BLOCKS)
    assert [step.time for step in plan.steps] == times
    assert [step.duration for step in plan.steps] == durations


def test_a_line_that_begins_with_an_action_and_goes_on_in_prose_is_unparsed() -> None:
    (token,) = tokenize("1. Pick up the red block (a), if you can.", BLOCKS).tokens
    assert isinstance(token, Unparsed)
    assert token.nearest == "pick-up"
    assert "(pick-up ?)" in token.reason


def test_a_sentence_may_name_the_types_of_objects() -> None:
    typed = Vocabulary(actions={"stack": 2}, objects=frozenset("ab"), types=frozenset(("block",)))
    assert shown(tokenize("stack the block a on block b", typed)) == ["(stack a b)"]


@pytest.mark.parametrize("text", ["stack a under b", "stack a on the b c", "stack the blue block on b"])
def test_a_sentence_with_other_words_is_not_guessed_at(text: str) -> None:
    (token,) = tokenize(f"pick up a\n{text}\n", BLOCKS).tokens[1:]
    assert isinstance(token, Unparsed) or len(token.args) != 2  # type: ignore[union-attr]


# --- calls with semicolons ------------------------------------------------------------------------


def test_calls_with_semicolons_between_them_are_not_lost_in_silence() -> None:
    plan = tokenize("pick-up(a); stack(a, b);", BLOCKS)
    assert shown(plan) == TWO or plan.warnings


def test_many_calls_behind_semicolons_are_as_many_steps() -> None:
    text = "f(a); g(b);" * 500
    plan = tokenize(text)
    assert shown(plan) == ["(f a)", "(g b)"] * 500
    assert "".join(text[slice(*part.span)] for part in plan.parts) == text


def test_a_semicolon_in_quotes_stays_in_its_argument() -> None:
    plan = tokenize('f(a); g("b; h(c)", d); the rest is a remark')
    assert [(token.name, token.args) for token in plan.steps] == [("f", ("a",)), ("g", ("b; h(c)", "d"))]


# --- code, VirtualHome, the Embodied Agent Interface, GAICO ---------------------------------------


@pytest.mark.parametrize(
    ("text", "dialect", "tokens"),
    [
        (
            '[0] x = f(a)\n[1] assert $x > 10\n[2] assert not $x == 30\n[3] y, z = g(x, "two words")\n',
            Dialect.CODE,
            (
                Step(name="f", args=("a",), outputs=("x",)),
                Constraint(text="$x > 10"),
                Constraint(text="$x == 30", holds=False),
                Step(name="g", args=("x", "two words"), outputs=("y", "z")),
            ),
        ),
        ("assert not $x > 3", Dialect.CODE, (Constraint(text="$x > 3", holds=False),)),
        ("[0] f(a)\n[1] g()\n", Dialect.CODE, (Step(name="f", args=("a",)), Step(name="g"))),
        ("x = f(a)\ng()\n", Dialect.CODE, (Step(name="f", args=("a",), outputs=("x",)), Step(name="g"))),
        ("f(a)\nassert x\ng()\n", Dialect.CODE, (Step(name="f", args=("a",)), Constraint(text="x"), Step(name="g"))),
        (
            "[WALK] <couch> (352)\n[STANDUP]\n[PUTBACK] <dirty plate> (1) <table> (2.3)\n",
            Dialect.VIRTUALHOME,
            (
                Step(name="walk", args=("couch_352",)),
                Step(name="standup"),
                Step(name="putback", args=("dirty plate_1", "table_2.3")),
            ),
        ),
        (
            '{"WALK": ["couch", "352"], "SIT": ["couch", "352"], "WALK": ["tv", "1"], "STANDUP": []}',
            Dialect.EAI_OBJECT,
            (
                Step(name="walk", args=("couch_352",)),
                Step(name="sit", args=("couch_352",)),
                Step(name="walk", args=("tv_1",)),
                Step(name="standup"),
            ),
        ),
        (
            "Here you are:\n```json\n{\n  'WALK': ['couch', '352'],\n}\n```\nGood luck!",
            Dialect.EAI_OBJECT,
            (Step(name="walk", args=("couch_352",)),),
        ),
        (
            '[{"action": "LEFT_GRASP", "object": "candle_0"}, {"action": "OPEN", "object": "box_1, lid_2"}]',
            Dialect.EAI_LIST,
            (Step(name="left_grasp", args=("candle_0",)), Step(name="open", args=("box_1", "lid_2"))),
        ),
        (
            "a1, {a2, a3}, a4",
            Dialect.SETS,
            (Step(name="a1"), Step(name="a2", concurrent=0), Step(name="a3", concurrent=0), Step(name="a4")),
        ),
        (
            "{a, b}, {c, d}",
            Dialect.SETS,
            tuple(Step(name=name, concurrent=number) for number, names in enumerate(("ab", "cd")) for name in names),
        ),
        (
            "stack(a,b), {pick(c), put(d)}",
            Dialect.SETS,
            (
                Step(name="stack", args=("a", "b")),
                Step(name="pick", args=("c",), concurrent=0),
                Step(name="put", args=("d",), concurrent=0),
            ),
        ),
    ],
)
def test_outputs_constraints_numbered_objects_and_sets(
    text: str, dialect: Dialect, tokens: tuple[Step | Constraint, ...]
) -> None:
    plan = tokenize(text)
    assert (plan.dialect, plan.tokens) == (dialect, tokens)


def test_a_comparison_is_no_output() -> None:
    assert all(step.outputs == () for step in tokenize("x == f(a)\nf(b)\n").steps)


def test_a_constraint_shows_itself() -> None:
    assert [str(Constraint(text="x")), str(Constraint(text="x", holds=False))] == ["assert x", "assert not x"]


@pytest.mark.parametrize(("text", "dialect"), [("{}", Dialect.EAI_OBJECT), ("[]", Dialect.EAI_LIST)])
def test_an_empty_json_plan_is_the_empty_plan_when_json_is_asked_for(text: str, dialect: Dialect) -> None:
    plan = tokenize(text, None, dialect)
    assert (plan.tokens, plan.is_unreadable) == ((), False)


def test_what_is_no_step_in_eai_json_is_unparsed_and_the_rest_is_read() -> None:
    plan = tokenize('{"WALK": ["couch", "352"], "SIT": "couch", "FIND": ["tv", "1"]}')
    assert [type(token) for token in plan.tokens] == [Step, Unparsed, Step]
    assert "was expected" in plan.tokens[1].reason  # type: ignore[union-attr]


def test_eai_json_that_is_cut_off_keeps_what_is_whole() -> None:
    plan = tokenize('{"WALK": ["couch", "352"], "SIT": ["couch", "3')
    assert shown(plan)[0] == "(walk couch_352)"
    assert any(isinstance(token, Unparsed) for token in plan.tokens)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (Dialect.PDDL, "(stack a b)"),
        (Dialect.FUNCTIONAL, "stack(a, b)"),
        (Dialect.CODE, "stack(a, b)"),
        (Dialect.WORDS, "stack a b"),
        (Dialect.EAI_LIST, '[{"action": "STACK", "object": "a, b"}]'),
        (Dialect.SETS, "stack(a, b)"),
    ],
)
def test_the_dialect_asked_for_is_the_one_of_the_plan(dialect: Dialect, text: str) -> None:
    plan = tokenize(text, BLOCKS, dialect)
    assert (plan.dialect, shown(plan)) == (dialect, ["(stack a b)"])


# --- places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["Well:\n1. ", "\ufeff"])
def test_a_step_knows_its_place(before: str) -> None:
    text = f"{before}(pick-up a)\n"
    plan = tokenize(text, BLOCKS)
    assert text[slice(*plan.steps[0].span)] == "(pick-up a)"
    assert before != "\ufeff" or plan.parts[0] == Ignored(kind="space", text="\ufeff")


def test_equal_plans_are_equal_whatever_their_spans() -> None:
    assert tokenize("(wait)", BLOCKS).tokens == tokenize("  (wait)", BLOCKS).tokens


def test_a_broken_piece_stands_before_the_next_step() -> None:
    assert tokenize("(wait)\n()\n(wait)\n", BLOCKS).places == (0, 1, 1)


def test_ignored_text_says_what_it_is() -> None:
    plan = tokenize("Well:\n; a remark\n```\n(wait)\n```", BLOCKS)
    kinds = [(part.kind, part.text.strip()) for part in plan.parts if isinstance(part, Ignored) and part.text.strip()]
    assert kinds == [("prose", "Well:"), ("comment", "; a remark"), ("markup", "```"), ("markup", "```")]


@given(text=st.text(alphabet=" \n\t()[]{}<>*-+_;:,.'\"`=→a1é", max_size=60) | st.text(max_size=60))
def test_pieces_are_the_tokens_of_larks_own_lexer(text: str) -> None:
    source = (resource("grammars") / "plan_layout.lark").read_text(encoding="utf-8")
    tokens = Lark(source, parser=None, lexer="basic").lex(text)
    assert pieces(text) == [Piece(token.type, str(token), token.start_pos or 0) for token in tokens]


# --- no plan, the empty plan, unreadable texts ----------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
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
)
def test_a_claim_that_there_is_no_plan_is_noted_with_its_place(text: str) -> None:
    for before in ("", "Well. "):
        plan = tokenize(before + text, BLOCKS)
        assert plan.claims_no_plan is not None and plan.claims_no_plan[0] >= len(before)
        assert (before + text)[slice(*plan.claims_no_plan)].strip()
        assert plan.is_unreadable


@pytest.mark.parametrize(
    "text",
    [
        "(wait)\n",
        "There is a plan.",
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


# --- unparsed -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason", "nearest"),
    [
        ("(pick-up a", "')' was expected", None),
        ("(pikc-up a", "')' was expected", "pick-up"),
        ("()", "an action name was expected between the parentheses", None),
        ("(stack a, b)", "a step is (NAME ARGUMENT ...) with blanks between the names", None),
        ("(stack a (b))", "a step has no parentheses inside", None),
        ("stack(a x)", "a call is NAME(ARGUMENT, ...) with plain arguments", None),
        ("stack(a, (b))", "a call is NAME(ARGUMENT, ...) with plain arguments", None),
        ("stack(a, b", "a call is NAME(ARGUMENT, ...) with plain arguments", None),
    ],
)
def test_a_broken_step_says_why_and_what_it_may_be(text: str, reason: str, nearest: str | None) -> None:
    (token,) = tokenize(text, BLOCKS).tokens
    assert isinstance(token, Unparsed)
    assert (token.text, token.reason, token.nearest) == (text, reason, nearest)


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


def test_broken_sets_are_unparsed_as_a_whole() -> None:
    (token,) = tokenize("a1, {a2, {a3}}", None, Dialect.SETS).tokens
    assert isinstance(token, Unparsed)
    assert "were expected" in token.reason


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


# --- what planners print --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "look(a); put(a, b); tidy-up();",
        "Solution found!\nlook a (1)\nput a b (1)\ntidy-up  (1)\nPlan length: 3 step(s).\nPlan cost: 3",
        '{"plan": ["(look a)", "(put a b)", "(tidy-up)"]}',
        '["(look a)", "(put a b)", "(tidy-up)"]',
        "| 1 | (look a) |\n| 2 | (put a b) |\n| 3 | (tidy-up) |",
        "- Block a is clear (so we can look)\n- b is free (good)\n\n(look a)\n(put a b)\n(tidy-up)",
        "Here is the plan (it has 3 steps):\n\n(look a)\n(put a b)\n(tidy-up)",
    ],
)
def test_what_planners_and_models_print_around_their_steps_is_no_step(text: str) -> None:
    vocabulary = Vocabulary(actions={"look": 1, "put": 2, "tidy-up": 0}, objects=frozenset("ab"))
    assert shown(tokenize(text, vocabulary)) == ["(look a)", "(put a b)", "(tidy-up)"]


def test_lines_of_waiting_are_no_steps_and_tell_the_end() -> None:
    plan = tokenize("0.0: (pick-up a )\n0.0: -----waiting---- [4.0]\n4.0: (stack a b)\n4.5: @PlanEND\n", BLOCKS)
    assert [(step.name, step.time) for step in plan.steps] == [("pick-up", 0), ("stack", 4)]
    assert (plan.end, len(plan.tokens)) == (Fraction(9, 2), 2)
    assert plan.warnings == ("2 lines of waiting, until 4.5, are not part of the plan",)
    assert [part.kind for part in plan.parts if isinstance(part, Ignored) and "wait" in part.text] == ["markup"]


@pytest.mark.parametrize(
    "line", ["4.0: @PlanEND soon", "@PlanEND", "we wait: [4.0]", "0.0: waiting [4.0]", "0: (wait) [4]"]
)
def test_what_only_looks_like_waiting_tells_no_end(line: str) -> None:
    plan = tokenize(f"0.0: (pick-up a)\n{line}\n", BLOCKS)
    assert plan.end is None
    assert not any("lines of waiting" in warning for warning in plan.warnings)


def test_a_text_of_nothing_but_waiting_is_readable() -> None:
    plan = tokenize(" 0.0: -----waiting---- [5.0]\n 5.0: @PlanEND ", BLOCKS)
    assert (plan.is_unreadable, plan.tokens, plan.end) == (False, (), 5)


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
