"""A language model drafts a plan, the checks tell it what is wrong, and the planner repairs what is left.

A ``Subject`` (a model or a flow) and a function that asks come in, the rounds and a plan go out. Open ``loop``
first.
"""

from validator.scaffold.asking import Answered, Ask, Message, command
from validator.scaffold.loop import Ending, Loop, Round, repair_loop
from validator.scaffold.subject import Subject, flow_subject, pddl_subject

__all__ = [
    "Answered",
    "Ask",
    "Ending",
    "Loop",
    "Message",
    "Round",
    "Subject",
    "command",
    "flow_subject",
    "pddl_subject",
    "repair_loop",
]
