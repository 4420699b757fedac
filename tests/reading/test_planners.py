"""What planners print: the plan is found in it, the last one of several, and the rest is passed over."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from validator import check
from validator.reading.tokens import Vocabulary, read, tokenize

BLOCKS = Vocabulary(actions={"pick-up": 1, "stack": 2}, objects=frozenset("ab"), predicates=frozenset(("on",)))
TWO = ["(pick-up a)", "(stack a b)"]

LPG_FILE = """
; Version LPG-td-1.4
; Command line: lpg -o d.pddl -f p.pddl -n 1
; MakeSpan 2.00

0.0002:   (PICK-UP A) [1.0000])
1.0005:   (STACK A B) [1.0000])

"""
LPG = """; Command line: lpg
Number of actions             :      90
Plan computed:
   Time: (ACTION) [action Duration; action Cost]
 0.0000: (pick-up a) [D:1.00; C:0.10]
 1.0000: (stack a b) [D:1.50; C:0.10]


METRIC_VALUE = 2.50
Solution number: 1
"""
FF = """ff: parsing domain file
domain 'B' defined
ff: found legal plan as follows

step    0: PICK-UP A
        1: STACK A B

time spent:    0.00 seconds instantiating 4 easy
"""
ENHSP = """Domain parsed
|A|:3
Problem Solved

Found Plan:
0.0: (pick-up a)
1.0: (stack a b)

Plan-Length:2
Metric (Search):2.0
"""
FAST_DOWNWARD = """INFO     Running translator.
[t=0.001s, 9000 KB] Solution found!
[t=0.001s, 9000 KB] Actual search time: 0.0s
stack a b (1)
[t=0.001s, 9000 KB] Plan length: 1 step(s).
[t=0.002s, 9000 KB] Solution found!
[t=0.002s, 9000 KB] Actual search time: 0.0s
pick-up a (1)
stack a b (1)
[t=0.002s, 9000 KB] Plan length: 2 step(s).
[t=0.002s, 9000 KB] Plan cost: 2
"""
POPF = """Number of literals: 4
;;;; Solution Found
; States evaluated: 5
; Cost: 2.001
; Time 0.01
0.000: (pick-up a)  [1.000]
1.001: (stack a b)  [1.000]
"""
OPTIC = """Initial heuristic = 2.000, admissible cost estimate 0.000
b (2.000 | 1.000)b (1.000 | 2.001)(G)
; LP calculated the cost

; Plan found with metric 3.001
; Theoretical reachable cost 3.002
0.000: (pick-up b)  [1.000]

 * All goal deadlines now no later than 3.001

Resorting to best-first search
b (2.000 | 1.000)b (1.000 | 2.001)(G)
; Plan found with metric 2.001
; States evaluated so far: 9
; Time 0.01
0.000: (pick-up a)  [1.000]
1.001: (stack a b)  [1.000]

 * All goal deadlines now no later than 2.001
(G)(G)(G)b (1.000 | 1.001)(G)
"""
TFD_AS_FOUND = """New solution has been found.

Found new plan:
0.00000000: (pick-up a) [1.00000000]
1.01000000: (stack a b) [1.00000000]
Solution with original makespan 2.01 found (ignoring no-moving-targets-rule).
Plan length: 2 step(s).
Makespan   : 2.01
"""
TFD = TFD_AS_FOUND.replace(
    "Solution with",
    """Rescheduled Plan:
0.00100000: (pick-up a) [1.00000000]
1.01100000: (stack a b) [1.00000000]
Solution with""",
)
ENHSP_PLUS = """Domain parsed
(Pre Simplification) - |A|+|P|+|E|: 12
Starting Validation
Problem Solved
0.00000: (pick-up a )
(0.00000,3.00000)------>waiting
3.00000: (stack a b )

Plan-Length:4
Duration:3.0
"""
LAPKT = """PDDL problem description loaded:
	#Actions: 5
Plan found with cost: 9
1. (PICK-UP B)
2. (STACK B A)
Time: 0.01
Plan found with cost: 2
1. (PICK-UP A)
2. (STACK A B)
Time: 0.02
Search completed in 0.04 secs, found plan cost = inf
"""
PLANSYS2 = """ROS2 Planning System console. Type "quit" to finish
> set instance a block
> set predicate (on b a)
> get problem predicates
Predicates: 1
(on b a)
> get plan
plan: \n0:	(pick-up b)	[1]
> set goal (and (on a b))
> get plan
plan: \n0:	(pick-up a)	[1]
1.001:	(stack a b)	[1.5]
> run
\r\x1b[K[(pick-up a) 35%]\r\x1b[K[(pick-up a) 90%][(stack a b) 10%]
Successful finished
> quit
"""
PLANSYS2_LOG = """[INFO] [1655000000.123] [plansys2_logger]: [Knowledge] Goal: (and (on a b))
[INFO] [1655000000.456] [plansys2_logger]: [Executing Plan] Executing Plan with 2 actions
	(pick-up a) [0, 1]
	(stack a b) [1.001, 1.5]

[INFO] [1655000000.789] [plansys2_logger]: [Performers] (pick-up a) RUNNING
"""


@pytest.mark.parametrize(
    "text",
    [
        *(LPG_FILE, LPG, LPG.replace("Plan", "Last plan"), FF, ENHSP, FAST_DOWNWARD, POPF, OPTIC, TFD_AS_FOUND, TFD),
        *(ENHSP_PLUS, LAPKT, PLANSYS2, PLANSYS2_LOG),
    ],
)
def test_the_plan_is_found_in_what_a_planner_prints(text: str) -> None:
    plan = tokenize(text, BLOCKS)
    assert [str(step) for step in plan.tokens] == TWO
    assert plan.reading is not None and plan.reading.missed == ()
    assert "".join(text[slice(*part.span)] for part in plan.parts) == text


@pytest.mark.parametrize(
    ("text", "last"), [(LPG_FILE, 1), (LPG, Fraction(3, 2)), (POPF, 1), (TFD, 1), (PLANSYS2, Fraction(3, 2))]
)
def test_times_and_durations_are_kept(text: str, last: Fraction) -> None:
    assert tokenize(text, BLOCKS).steps[-1].duration == last


BATH = Path("tests/conformance/cases/pddlplus_process_event")


def test_enhsp_prints_waiting_and_events_of_pddl_plus() -> None:
    happened = "(0.0,5.0)------>waiting\n5.0: (flood )\n(5.0,6.0)------>waiting\n"
    text = f"Problem Solved\n0.0: (turn-on )\n{happened}6.0: (turn-off )\n"
    report = check(BATH / "domain.pddl", BATH / "problem.pddl", text, repair=False)
    assert list(map(str, report.reference)) == ["(turn-on)", "(turn-off)"]
    assert report.determination is not None
    assert any("1 event that happens by itself is not part" in warning for warning in report.warnings)


def test_one_plan_said_twice_with_its_cost_is_one() -> None:
    found = read("(pick-up a)\n(stack a b)\n; cost = 2\n(pick-up a)\n(stack a b)\n; cost = 2\n", BLOCKS)
    assert [list(map(str, candidate.plan.steps)) for candidate in found.candidates] == [TWO]


def test_what_is_said_beside_calls_is_no_call() -> None:
    calls = [
        {"type": "tool_use", "name": "pick_up", "input": {"x": "a"}},
        {"type": "tool_use", "name": "stack", "input": {"x": "a", "y": "b"}},
    ]
    said = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I begin."}]
    found = read(json.dumps({"role": "assistant", "content": [*said, *calls]}), BLOCKS)
    assert [str(token) for token in found.plan.tokens] == TWO
    refused = {"type": "tool_result", "is_error": True, "content": "no"}
    assert read(json.dumps({"content": [calls[0], refused, calls[1]]}), BLOCKS).missed
