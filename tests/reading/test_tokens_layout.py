"""Plans as language models and people write them: prose, fences, lists, claims, broken steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from validator.reading.plan import Constraint, Dialect, Ignored, Step, Unparsed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.layout import Piece, pieces
from validator.resources import resource

BLOCKS = Vocabulary(
    actions={"pick-up": 1, "put-down": 1, "stack": 2, "unstack": 2, "wait": 0},
    objects=frozenset("abcd"),
    predicates=frozenset(("on", "clear", "holding", "ontable", "handempty")),
)
TWO = ["(pick-up a)", "(stack a b)"]


def steps(text: str) -> list[str]:
    return [str(step) for step in tokenize(text, BLOCKS).tokens]


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
    ],
)
def test_the_steps_are_found_in_what_people_write_around_them(text: str) -> None:
    assert steps(text) == TWO


# --- regions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("fence", ["```", "```pddl", "```plaintext", "   ```"])
def test_what_stands_in_a_fence_is_the_plan(fence: str) -> None:
    plan = tokenize(f"My first idea:\n(put-down c)\n\n{fence}\n(pick-up a)\n(stack a b)\n```\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert any("outside of the code block" in warning for warning in plan.warnings)


def test_two_fences_are_one_plan() -> None:
    assert steps("```\n(pick-up a)\n```\nand then\n```\n(stack a b)\n```\n") == TWO


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert steps("Look:\n```\n(pick-up a)\n(stack a b)\n") == TWO


def test_a_fence_without_a_step_counts_for_nothing() -> None:
    assert steps("```\nno step here, only words.\n```\n(pick-up a)\n(stack a b)\n") == TWO


@pytest.mark.parametrize(
    ("opening", "closing"), [("[PLAN]", "[PLAN END]"), ("[plan]", "[/plan]"), ("[QUERY_PLAN]", "[QUERY_PLAN_END]")]
)
def test_what_stands_in_a_plan_block_is_the_plan(opening: str, closing: str) -> None:
    plan = tokenize(f"(put-down c)\n{opening}\n(pick-up a)\n(stack a b)\n{closing}\n(wait)\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert plan.warnings == ("2 lines with steps outside of the [PLAN] block are not part of the plan",)


def test_an_answer_that_ends_its_block_without_beginning_it() -> None:
    assert steps("(pick-up a)\n(stack a b)\n[PLAN END]\n(wait)\n") == TWO


def test_a_second_block_is_not_part_of_the_first() -> None:
    assert steps("[PLAN]\n(pick-up a)\n(stack a b)\n[PLAN]\n(wait)\n") == TWO


# --- mentions and comments -----------------------------------------------------------------------


def test_an_action_named_in_a_sentence_is_counted_not_read() -> None:
    plan = tokenize("Before we can (unstack a c) we need a hand.\n(pick-up a)\n(stack a b)\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert plan.warnings == ("1 action named in a sentence is not part of the plan",)


def test_a_step_in_a_comment_is_counted_not_read() -> None:
    plan = tokenize("(pick-up a)\n; (wait)\n(stack a b)\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert plan.warnings == ("1 step stands in a comment and is not part of the plan",)


def test_a_step_without_parentheses_among_steps_with_them_is_counted_not_read() -> None:
    plan = tokenize("(pick-up a)\nwait\n(stack a b)\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert any("without parentheses" in warning for warning in plan.warnings)


@pytest.mark.parametrize(
    "text",
    [
        "1. (pick-up a)\n2. stack a b\n",
        "1. pick-up a\n2. `stack(a, b)`\n",
        "- Lift it: `pick up a`\n- put it there: (stack a b)\n",
        "1. **Pick up a**\n   - Preconditions: clear(a)\n   - on(a, c)\n2. **Stack a on b**\n   (clear b) is needed\n",
        "1. **Pick up a**\n   holding(a)\n2. **Stack a on top of b**\n",
    ],
)
def test_items_of_a_list_are_steps_with_parentheses_or_without(text: str) -> None:
    assert steps(text) == TWO


def test_items_that_say_the_steps_again_are_none() -> None:
    plan = tokenize("1. pick up a\n   (pick-up a)\n2. stack a b\n   (stack a b)\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert plan.warnings == ("2 steps without parentheses among steps with them are not part of the plan",)


def test_a_step_is_read_from_a_sentence_of_known_names_only() -> None:
    plan = tokenize("pick up the object a\nstack a onto b\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert plan.warnings == ("2 steps were read from sentences, with the objects in their order there",)
    typed = Vocabulary(actions={"stack": 2}, objects=frozenset("ab"), types=frozenset(("block",)))
    assert [str(step) for step in tokenize("stack the block a on block b", typed).tokens] == ["(stack a b)"]


@pytest.mark.parametrize("text", ["stack a under b", "stack a on the b c", "stack the blue block on b"])
def test_a_sentence_with_other_words_is_not_guessed_at(text: str) -> None:
    (token,) = tokenize(f"pick up a\n{text}\n", BLOCKS).tokens[1:]
    assert isinstance(token, Unparsed) or len(token.args) != 2  # type: ignore[union-attr]


@pytest.mark.parametrize("words", ["**Explanation:**", "In summary, the plan is:", "**Answer**"])
def test_a_plan_said_twice_counts_once(words: str) -> None:
    plan = tokenize(f"1. pick up a\n2. stack a on b\n\n{words}\n1. Pick up a\n   it is clear\n2. stack a b\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert any("2 steps" in warning for warning in plan.warnings)


@pytest.mark.parametrize("words", ["", "- it is clear"])
def test_steps_that_are_repeated_count_without_a_heading(words: str) -> None:
    assert steps(f"(pick-up a)\n(stack a b)\n{words}\n(pick-up a)\n(stack a b)\n") == [*TWO, *TWO]


def test_a_remark_in_parentheses_is_no_step() -> None:
    plan = tokenize("(pick-up a)\n(this lifts the block, which is now in the hand)\n(stack a b)\n", BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO


# --- no plan -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "There is no valid plan.",
        "No plan exists for this problem.",
        "I cannot find a plan.",
        "Unfortunately I was unable to find any valid solution.",
        "The problem is unsolvable.",
        "The goal cannot be reached.",
        "No solution",
        "There is no possible sequence of actions that does it.",
        "A plan does not exist.",
    ],
)
def test_a_claim_that_there_is_no_plan_is_noted_with_its_place(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert plan.claims_no_plan is not None
    assert text[slice(*plan.claims_no_plan)].strip()
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


# --- empty and unreadable ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n", "  \t\r\n ", "; nothing to do\n", "\ufeff", "```\n```\n"])
def test_an_empty_text_is_the_empty_plan(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert plan.tokens == ()
    assert not plan.is_unreadable


@pytest.mark.parametrize(
    "text",
    ["hello, world!", "I do not know.", "?", "1.", "-", "()", "(", ")", "((", "**", "`", "\x00", "{}", "0: [1]", "<>"],
)
def test_a_text_without_a_step_is_unreadable_never_the_empty_plan(text: str) -> None:
    assert tokenize(text, BLOCKS).is_unreadable


# --- unparsed ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason", "nearest"),
    [
        ("(pick-up a", "')' was expected", "pick-up"),
        ("(pikc-up a", "')' was expected", "pick-up"),
        ("()", "an action name was expected between the parentheses", None),
        ("(stack a, b)", "a step is (NAME ARGUMENT ...) with blanks between the names", "stack"),
        ("(stack a (b))", "a step has no parentheses inside", "stack"),
        ("stack(a x)", "a call is NAME(ARGUMENT, ...) with plain arguments", "stack"),
        ("stack(a, (b))", "a call is NAME(ARGUMENT, ...) with plain arguments", "stack"),
        ("stack(a, b", "a call is NAME(ARGUMENT, ...) with plain arguments", "stack"),
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


def test_a_broken_step_does_not_hide_the_others() -> None:
    assert steps("(pick-up a)\n(stack a\n(put-down b)\n") == ["(pick-up a)", "(stack a", "(put-down b)"]


def test_a_step_with_commas_has_a_reading_and_takes_a_place() -> None:
    plan = tokenize("(stack a, b)\n(wait)", BLOCKS)
    assert isinstance(plan.tokens[0], Unparsed)
    assert plan.tokens[0].reading == Step(name="stack", args=("a,", "b"))
    assert list(plan.places) == [0, 1]


def test_a_broken_piece_stands_before_the_next_step() -> None:
    assert tokenize("(wait)\n()\n(wait)\n", BLOCKS).places == (0, 1, 1)


def test_a_wrapper_of_steps_is_opened() -> None:
    assert steps("(and (pick-up a) (stack a b))") == TWO


# --- constraints ---------------------------------------------------------------------------------


def test_an_assertion_alone_is_code() -> None:
    plan = tokenize("assert not $x > 3", BLOCKS)
    assert plan.dialect is Dialect.CODE
    assert plan.tokens == (Constraint(text="$x > 3", holds=False),)


def test_a_constraint_shows_itself() -> None:
    assert [str(Constraint(text="x")), str(Constraint(text="x", holds=False))] == ["assert x", "assert not x"]


# --- ignored -------------------------------------------------------------------------------------


def test_ignored_text_says_what_it_is() -> None:
    plan = tokenize("Well:\n; a remark\n```\n(wait)\n```", BLOCKS)
    kinds = [(part.kind, part.text.strip()) for part in plan.parts if isinstance(part, Ignored) and part.text.strip()]
    assert kinds == [("prose", "Well:"), ("comment", "; a remark"), ("markup", "```"), ("markup", "```")]


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
    assert [str(token) for token in tokenize(text, vocabulary).tokens] == ["(look a)", "(put a b)", "(tidy-up)"]


@given(text=st.text(alphabet=" \n\t()[]{}<>*-+_;:,.'\"`=→a1é", max_size=60) | st.text(max_size=60))
def test_pieces_are_the_tokens_of_larks_own_lexer(text: str) -> None:
    source = (resource("grammars") / "plan_layout.lark").read_text(encoding="utf-8")
    tokens = Lark(source, parser=None, lexer="basic").lex(text)
    assert pieces(text) == [Piece(token.type, str(token), token.start_pos or 0) for token in tokens]


def test_many_calls_behind_semicolons_are_cut_once_more_and_not_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "f(a); g(b);" * 500
    cut: list[int] = []

    def counted(part: str) -> list[Piece]:
        cut.append(len(part))
        return pieces(part)

    monkeypatch.setattr("validator.reading.tokens.notations.shape.pieces", counted)
    plan = tokenize(text)
    assert [str(token) for token in plan.tokens] == ["(f a)", "(g b)"] * 500
    assert "".join(text[slice(*part.span)] for part in plan.parts) == text
    assert sum(cut) <= 2 * len(text)


def test_a_semicolon_in_quotes_stays_in_its_argument() -> None:
    plan = tokenize('f(a); g("b; h(c)", d); the rest is a remark')
    assert [(token.name, token.args) for token in plan.steps] == [("f", ("a",)), ("g", ("b; h(c)", "d"))]
