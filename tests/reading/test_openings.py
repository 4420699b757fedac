"""Right plans in paragraphs: whatever a sentence begins with, the step that it tells is not dropped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.checking.test_meaning import CUPS, DOMAIN, PROBLEM
from tests.reading.lexicon.lexicon_models import BLOCKS
from tests.support.depth import some
from validator import check
from validator.checking.prepared import Prepared, prepare

TO_STEP = """
Then|Next,|After that,|Afterwards,|Now|Now we can|We can now|At this point,|From there,|Once done,|Finally,|
Lastly,|To continue,|Following that,|With that done,|Having done so,|Subsequently,|The next step is to|So|
Therefore|The following action is to|Hence|Let's|Let us|Go ahead and|Proceed to|Make sure to|Don't forget to|
Be sure to|You need to|You have to|One must|We should|I will|I'd|I am going to|Time to|In the second step,|
Step two:|Second,|And then|And finally|But first|Before that,|While there,|Still there,|There,|Here,|Right away|
In turn,|Again,|Also,|In addition,|Moreover,|Likewise,|Next up:|Then the agent can|What follows is to|
All that is left is to|As the hand is free now,|Given that,|Since it is clear,|Because the goal asks for it,|
If all went well,|When this is done,|As soon as possible,|Just|Carefully|Which allows us to|
In order to reach the goal,|To get closer,|It remains to|Our last move is to|The plan is to|We want to|Try to|
Simply|Gently|Please|Kindly|OK,|Good.|Great,|Note that we|Remember to|Do not forget to|No need to wait:|Rather,|
Without delay,|Only then|Not until now do we|Actually,|Hmm,|Wait,|First of all,|Initially,|To begin,|To start,|
Quickly|It is time to|Once more|Immediately|The first step is to|We then|And|Then, carefully
""".replace("\n", "").split("|")
"""before the verb of a step"""
BLOCK_STEPS = (
    ("unstack b from a", "take b off a", "remove b from a", "lift b off a"),
    ("stack b on c", "put b onto c", "place b on c", "set b on top of c", "lay b on c"),
    ("pick up a", "grab a", "take a from the table", "lift a"),
    ("stack a on b", "put a onto b", "place a on b"),
)
BALL_STEPS = (
    ("pick ball1", "grab ball1", "take ball1", "pick up ball1 in hall1", "get ball1", "fetch ball1 with the left hand"),
    ("move to hall2", "go to hall2", "move from hall1 to hall2", "head to hall2", "travel from hall1 to hall2"),
    (
        "drop ball1",
        "release ball1",
        "put ball1 down",
        "leave ball1 in hall2",
        "drop ball1 in hall2",
        "place ball1 in hall2",
    ),
)
STATES = """
{v} the cup|then {v} it|the robot {v}s the cup|the cup gets {p}|the cup is then {p}|have the cup {p}|
get the cup {p}|the cup must be {p}|the cup should now be {p}|the robot {v}s it|let it be {p}|
now the cup is {p}|the cup needs to be {p}|{v}ing the cup|start {v}ing the cup|the cup was {p}|
after that the cup is {p}|make the cup {p}|finally the cup is {p}|then the cup becomes {p}|the cup being {p}|
ensure the cup is {p}|carefully {v} the cup
""".replace("\n", "").split("|")
VERBS = (("clean", "cleaned", "clean"), ("wrap", "wrapped", "wrapped"))


def told(steps: tuple[str, ...]) -> Iterator[str]:
    """Yield sentences, lines of a list, and one sentence of all steps."""
    sentences = [step[0].upper() + step[1:] for step in steps]
    yield ". ".join(sentences) + "."
    yield "\n".join(f"{number}. {sentence}." for number, sentence in enumerate(sentences, 1))
    yield ", ".join(step[0].lower() + step[1:] for step in steps) + "."


def with_opening(opening: str, rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    for place, row in enumerate(rows):
        for step in row:
            steps = [first for first, *_ in rows]
            steps[place] = f"{opening} {step}"
            yield from told(tuple(steps))


@pytest.fixture(scope="module")
def models() -> tuple[Prepared, Prepared]:
    return prepare(BLOCKS), prepare(DOMAIN, PROBLEM)


@pytest.mark.parametrize("opening", some(TO_STEP, 12))
def test_no_opening_of_a_sentence_hides_its_step(opening: str, models: tuple[Prepared, Prepared]) -> None:
    blocks, hall = models
    texts = [(blocks, text) for text in with_opening(opening, BLOCK_STEPS)]
    texts += [(hall, text) for text in with_opening(opening, BALL_STEPS)]
    wrong = [text for model, text in texts if check(model, plan=text, repair=False).determination is False]
    assert not wrong


@pytest.mark.parametrize("sentence", STATES)
@pytest.mark.parametrize(("verb", "participle", "goal"), VERBS)
def test_a_state_that_only_a_step_brings_about_may_be_one(sentence: str, verb: str, participle: str, goal: str) -> None:
    problem = f"""(define (problem p) (:domain cups) (:objects cup - cup shelf sink - spot)
      (:init (free) (at cup shelf)) (:goal (and ({goal} cup) (at cup sink))))"""
    said = sentence.format(v=verb, p=participle)
    for text in told(("grab the cup from the shelf", said, "leave the cup at the sink")):
        assert check(CUPS, problem, text, repair=False).determination is not False, text
