"""Each dialect of plan texts, by literal examples."""

from __future__ import annotations

from fractions import Fraction

import pytest

from validator.reading.plan import Constraint, Dialect, Ignored, Plan, Step, Unparsed
from validator.reading.tokens import Vocabulary, tokenize

BLOCKS = Vocabulary(
    actions={"pick-up": 1, "put-down": 1, "stack": 2, "unstack": 2, "wait": 0},
    objects=frozenset("abcd"),
    predicates=frozenset(("on", "clear", "holding", "ontable", "handempty")),
)


def shown(plan: Plan) -> list[str]:
    return [f"?{token}" if isinstance(token, Unparsed) else str(token) for token in plan.tokens]


def steps(text: str, vocabulary: Vocabulary | None = BLOCKS, dialect: Dialect | None = None) -> list[str]:
    return shown(tokenize(text, vocabulary, dialect))


# --- PDDL ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
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
)
@pytest.mark.parametrize("vocabulary", [BLOCKS, None], ids=["with the model", "without"])
def test_a_pddl_plan_is_read_whatever_its_white_space(text: str, vocabulary: Vocabulary | None) -> None:
    plan = tokenize(text, vocabulary)
    assert plan.dialect is Dialect.PDDL
    assert shown(plan) == ["(pick-up a)", "(stack a b)"]


@pytest.mark.parametrize(
    ("text", "times", "durations"),
    [
        ("0: (pick-up a)\n1: (stack a b)", [0, 1], [None, None]),
        ("0.000: (pick-up a)\n0.001: (stack a b)", [0, Fraction(1, 1000)], [None, None]),
        ("0: (pick-up a) [1]\n1.5: (stack a b) [2.25]", [0, Fraction(3, 2)], [1, Fraction(9, 4)]),
        ("0.5 : (pick-up a)[3]\n2:(stack a b)", [Fraction(1, 2), 2], [3, None]),
        ("1. (pick-up a)\n2. (stack a b)", [None, None], [None, None]),
    ],
)
def test_stamps_and_durations(text: str, times: list[Fraction], durations: list[Fraction]) -> None:
    plan = tokenize(text, BLOCKS)
    assert [step.time for step in plan.steps] == times
    assert [step.duration for step in plan.steps] == durations


def test_stamped_steps_come_in_the_order_of_time() -> None:
    assert steps("3: (stack a b)\n1: (pick-up a)\n2: (wait)") == ["(pick-up a)", "(wait)", "(stack a b)"]


def test_a_step_without_a_stamp_stays_behind_the_one_before_it() -> None:
    assert steps("3: (stack a b)\n(wait)\n1: (pick-up a)") == ["(pick-up a)", "(stack a b)", "(wait)"]


def test_a_stamp_is_exact() -> None:
    (step,) = tokenize("0.1: (wait)", BLOCKS).steps
    assert step.time == Fraction(1, 10)


# --- FF and words --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "step    0: PICK-UP A\n        1: STACK A B\n",
        "ff: found legal plan as follows\n\nstep    0: PICK-UP A\n        1: STACK A B\n\ntime spent: 0.00 seconds\n",
        "pick-up a\nstack a b\n",
        "1. pick-up a\n2. stack a b\n",
        "- pick-up a\n- stack a b\n",
        "Step 1: pick-up a\nStep 2: stack a b\n",
        "pick-up a.\nstack a, b.\n",
        "Sure, here it is:\npick up a\nstack a b\n",
    ],
)
def test_a_plan_in_words_is_read_by_the_names_of_the_model(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert plan.dialect is Dialect.WORDS
    assert shown(plan) == ["(pick-up a)", "(stack a b)"]


def test_an_action_said_with_blanks_is_its_action_without_prose_around_too() -> None:
    assert steps("pick up a\nstack a b\n") == ["(pick-up a)", "(stack a b)"]


def test_words_without_a_model_are_a_plan_when_every_line_is_plain() -> None:
    assert steps("walk-to kitchen\nopen fridge\n", None) == ["(walk-to kitchen)", "(open fridge)"]


def test_a_misspelt_action_before_known_objects_is_a_step() -> None:
    assert steps("Here it is:\npik-up a\n") == ["(pik-up a)"]


def test_a_line_that_begins_with_an_action_and_goes_on_in_prose_is_unparsed() -> None:
    (token,) = tokenize("1. Pick up the red block (a), if you can.", BLOCKS).tokens
    assert isinstance(token, Unparsed)
    assert token.nearest == "pick-up"
    assert "(pick-up ?)" in token.reason


# --- functional ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "pick-up(a)\nstack(a, b)\n",
        "pick-up(a)\nstack(a,b)",
        "pick-up( a )\nstack( a , b )\n",
        "1. pick-up(a)\n2. stack(a, b)\n",
        "pick-up(a), stack(a, b)",
        "pick-up('a')\nstack(\"a\", b)\n",
        "pick-up(a)\r\nstack(a, b)\r\n",
        "Action: pick-up(a)\nAction: stack(a, b)\n",
    ],
)
def test_a_functional_plan(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert plan.dialect is Dialect.FUNCTIONAL
    assert shown(plan) == ["(pick-up a)", "(stack a b)"]


def test_a_call_with_a_blank_before_its_parenthesis() -> None:
    assert steps("pick-up (a)\nstack (a, b)") == ["(pick-up a)", "(stack a b)"]


def test_a_call_keeps_the_case_of_its_names() -> None:
    assert steps("bookFlight(Oslo)", None) == ["(bookFlight Oslo)"]


def test_a_call_without_arguments() -> None:
    assert tokenize("wait()", BLOCKS).tokens == (Step(name="wait"),)


def test_calls_with_semicolons_between_them_are_not_lost_in_silence() -> None:
    plan = tokenize("pick-up(a); stack(a, b);", BLOCKS)
    assert shown(plan) == ["(pick-up a)", "(stack a b)"] or plan.warnings


# --- code ----------------------------------------------------------------------------------------


def test_code_has_outputs_constraints_and_indices() -> None:
    plan = tokenize('[0] x = f(a)\n[1] assert $x > 10\n[2] assert not $x == 30\n[3] y, z = g(x, "two words")\n')
    assert plan.dialect is Dialect.CODE
    assert plan.tokens == (
        Step(name="f", args=("a",), outputs=("x",)),
        Constraint(text="$x > 10"),
        Constraint(text="$x == 30", holds=False),
        Step(name="g", args=("x", "two words"), outputs=("y", "z")),
    )


@pytest.mark.parametrize("text", ["[0] f(a)\n[1] g()\n", "x = f(a)\ng()\n", "f(a)\nassert x\ng()\n"])
def test_an_index_an_output_or_an_assertion_makes_it_code(text: str) -> None:
    plan = tokenize(text)
    assert plan.dialect is Dialect.CODE
    assert [step.name for step in plan.steps] == ["f", "g"]


def test_a_comparison_is_no_output() -> None:
    assert all(step.outputs == () for step in tokenize("x == f(a)\nf(b)\n").steps)


# --- VirtualHome and the Embodied Agent Interface ------------------------------------------------


def test_virtualhome() -> None:
    plan = tokenize("[WALK] <couch> (352)\n[STANDUP]\n[PUTBACK] <dirty plate> (1) <table> (2.3)\n")
    assert plan.dialect is Dialect.VIRTUALHOME
    assert plan.tokens == (
        Step(name="walk", args=("couch_352",)),
        Step(name="standup"),
        Step(name="putback", args=("dirty plate_1", "table_2.3")),
    )


def test_eai_object_keeps_repeated_keys_in_order() -> None:
    plan = tokenize('{"WALK": ["couch", "352"], "SIT": ["couch", "352"], "WALK": ["tv", "1"], "STANDUP": []}')
    assert plan.dialect is Dialect.EAI_OBJECT
    assert shown(plan) == ["(walk couch_352)", "(sit couch_352)", "(walk tv_1)", "(standup)"]


def test_eai_object_with_two_objects() -> None:
    assert steps('{"PUTBACK": ["cup", "1", "table", "2"]}', None) == ["(putback cup_1 table_2)"]


def test_eai_object_in_prose_and_fence_and_with_single_quotes() -> None:
    text = "Here you are:\n```json\n{\n  'WALK': ['couch', '352'],\n}\n```\nGood luck!"
    plan = tokenize(text)
    assert plan.dialect is Dialect.EAI_OBJECT
    assert shown(plan) == ["(walk couch_352)"]


def test_eai_list() -> None:
    plan = tokenize('[{"action": "LEFT_GRASP", "object": "candle_0"}, {"action": "OPEN", "object": "box_1, lid_2"}]')
    assert plan.dialect is Dialect.EAI_LIST
    assert shown(plan) == ["(left_grasp candle_0)", "(open box_1 lid_2)"]


def test_eai_list_with_an_empty_object() -> None:
    assert steps('[{"action": "RELEASE", "object": ""}]', None) == ["(release)"]


@pytest.mark.parametrize(("text", "dialect"), [("{}", Dialect.EAI_OBJECT), ("[]", Dialect.EAI_LIST)])
def test_an_empty_json_plan_is_the_empty_plan_when_json_is_asked_for(text: str, dialect: Dialect) -> None:
    plan = tokenize(text, None, dialect)
    assert plan.tokens == ()
    assert not plan.is_unreadable


def test_what_is_no_step_in_eai_json_is_unparsed_and_the_rest_is_read() -> None:
    plan = tokenize('{"WALK": ["couch", "352"], "SIT": "couch", "FIND": ["tv", "1"]}')
    kinds = [type(token) for token in plan.tokens]
    assert kinds == [Step, Unparsed, Step]
    assert "was expected" in plan.tokens[1].reason  # type: ignore[union-attr]


def test_eai_json_that_is_cut_off_keeps_what_is_whole() -> None:
    plan = tokenize('{"WALK": ["couch", "352"], "SIT": ["couch", "3')
    assert shown(plan)[0] == "(walk couch_352)"
    assert any(isinstance(token, Unparsed) for token in plan.tokens)


# --- GAICO ---------------------------------------------------------------------------------------


def test_sets_happen_at_once() -> None:
    plan = tokenize("a1, {a2, a3}, a4")
    assert plan.dialect is Dialect.SETS
    assert [(step.name, step.concurrent) for step in plan.steps] == [("a1", None), ("a2", 0), ("a3", 0), ("a4", None)]


def test_two_sets_are_two_happenings() -> None:
    assert [step.concurrent for step in tokenize("{a, b}, {c, d}").steps] == [0, 0, 1, 1]


def test_names_in_sets_may_have_arguments() -> None:
    plan = tokenize("stack(a,b), {pick-up(c), put-down(d)}")
    assert shown(plan) == ["(stack a b)", "(pick-up c)", "(put-down d)"]


def test_sets_without_a_set_when_asked_for() -> None:
    assert steps("a1, a4", None, Dialect.SETS) == ["(a1)", "(a4)"]


def test_broken_sets_are_unparsed_as_a_whole() -> None:
    (token,) = tokenize("a1, {a2, {a3}}", None, Dialect.SETS).tokens
    assert isinstance(token, Unparsed)
    assert "expected at character" in token.reason


# --- a dialect that is asked for -----------------------------------------------------------------


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
    assert plan.dialect is dialect
    assert shown(plan) == ["(stack a b)"]


def test_pddl_asked_for_takes_the_parentheses_of_a_call_literally() -> None:
    assert steps("stack(a b)", BLOCKS, Dialect.PDDL) == ["(a b)"]


# --- spans ---------------------------------------------------------------------------------------


def test_a_step_knows_its_place() -> None:
    text = "Well:\n1. (pick-up a)\n"
    (step,) = tokenize(text, BLOCKS).steps
    assert text[slice(*step.span)] == "(pick-up a)"


def test_a_byte_order_mark_moves_no_span() -> None:
    text = "\ufeff(pick-up a)"
    plan = tokenize(text, BLOCKS)
    assert text[slice(*plan.steps[0].span)] == "(pick-up a)"
    assert plan.parts[0] == Ignored(kind="space", text="\ufeff")


def test_equal_plans_are_equal_whatever_their_spans() -> None:
    assert tokenize("(wait)", BLOCKS).tokens == tokenize("  (wait)", BLOCKS).tokens


@pytest.mark.parametrize(
    "text",
    [
        "There is NO PLAN.",
        "No\tvalid plan",
        "no sequence of actions",
        "I can not find a plan",
        "we couldn't produce any solution",
        "unable to generate a plan",
        "It is not possible to construct a plan",
        "a solution does not exist",
        "The plan doesn't exist",
        "the goal is unreachable",
        "This problem is clearly unsolvable",
        "the task is impossible",
        "The goal can't be fully achieved",
        "the problem cannot be solved",
    ],
)
def test_every_way_of_saying_that_there_is_no_plan_is_found(text: str) -> None:
    found = tokenize(f"Well. {text}").claims_no_plan
    assert found is not None and found[0] >= len("Well. ")


# --- waiting -------------------------------------------------------------------------------------


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


# --- backslashes of LaTeX and Markdown -------------------------------------------------------------


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
