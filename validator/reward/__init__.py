"""A reward for answers of a model that is trained to plan: verdict, proven distance, labels of steps, a value.

A planning model and texts come in, a ``Score`` for each text goes out, and no planner process is started.
Open ``score`` first: it asks ``check`` for the verdict, and ``repair.a_star`` for the distance; ``pool`` does
the same in several processes.
"""

from validator.reward.pool import ScorePool
from validator.reward.score import Score, StepLabel, score

__all__ = ["Score", "ScorePool", "StepLabel", "score"]
