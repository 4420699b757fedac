"""What is left of a text without all that is no part of its plan, wherever it stands: and what that was, in words."""

from __future__ import annotations

from collections.abc import Iterator

from validator.reading.plan import Span
from validator.reading.tokens.around.marks import blanked, model_parts, models, thoughts, without_tags
from validator.reading.tokens.around.planners import Printed, printed
from validator.reading.tokens.around.trajectories import Trajectory, trajectory
from validator.reading.tokens.around.transcripts import Transcript, transcript
from validator.records import dataclass

__all__ = ["Asides", "without_asides"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asides:
    """``visible`` is as long as the text, with blanks for what was left out, which ``said`` tells.

    Of a transcript nothing is left out yet: ``talk`` says what is to be.
    """

    visible: str
    said: tuple[str, ...]
    talk: Transcript | None


def without_asides(text: str, *, with_talk: bool = True) -> Asides:
    """Leave out thoughts, quoted models and what a planner prints; ``with_talk`` looks for a transcript in the rest."""
    hidden = thoughts(text)
    visible = blanked(text, hidden) if hidden else text
    if hidden and visible.isspace():
        visible = without_tags(text)  # all of it is a thought: better that than nothing
    quoted = models(visible)
    visible = blanked(visible, quoted) if quoted else visible
    recorded = trajectory(visible)
    if recorded is not None:
        visible = blanked(visible, list(recorded.hidden))
    elif parts := model_parts(visible):
        visible = blanked(visible, parts)
        quoted = [*quoted, *parts]
    log = printed(visible)
    if log is not None:
        visible = blanked(visible, [(0, log.span[0]), (log.span[1], len(text))])
    talk = transcript(visible) if with_talk else None
    return Asides(visible=visible, said=(*_said(hidden, quoted, log, talk), *_recorded(recorded)), talk=talk)


def _said(hidden: list[Span], quoted: list[Span], log: Printed | None, talk: Transcript | None) -> Iterator[str]:
    if hidden:
        yield f"thoughts, {_characters(hidden)} characters of them"
    if quoted:
        yield f"models, {_characters(quoted)} characters of them"
    if log is not None:
        last = f", of whose {log.plans} plans the last one counts" if log.plans > 1 else ""
        yield f"what {log.planner} prints around its plan{last}"
    if talk is not None:
        yield "what is thought and answered between commands" if talk.commands else "what is answered between steps"
        refused = sum(command.is_refused for command in talk.commands)
        if refused:
            yield f"{refused} command{'s' * (refused > 1)} refused by the world: no change comes of that"


def _recorded(found: Trajectory | None) -> Iterator[str]:
    if found is not None:
        yield f"{found.states} states of a recorded trajectory: only its steps are the plan"
        if found.failed:
            yield f"{found.failed} step{'s' * (found.failed > 1)} of it that failed: no change comes of that"


def _characters(spans: list[Span]) -> int:
    return sum(end - start for start, end in spans)
