"""Reward functions as TRL (``GRPOTrainer(reward_funcs=...)``) and verl (``custom_reward_function``) call them."""

from collections import defaultdict
from functools import cache

from validator.reward import ScorePool


@cache
def pool() -> ScorePool:
    """Return a process that scores, whose time limit holds for calls from any thread."""
    return ScorePool(1, steps=False)


def plan_reward(completions, domain, problem, **kwargs):
    """TRL: completions are texts or chats; ``domain`` and ``problem`` are columns of the data set, as PDDL texts."""
    texts = [each if isinstance(each, str) else each[-1]["content"] for each in completions]
    places = defaultdict(list)
    for place, model in enumerate(zip(domain, problem, strict=True)):
        places[model].append(place)
    rewards = [0.0] * len(texts)
    for model, found in places.items():
        scores = pool().score(model, [texts[place] for place in found])
        for place, one in zip(found, scores, strict=True):
            rewards[place] = one.value
    return rewards


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """verl: ``ground_truth`` has the domain and the problem, as PDDL texts."""
    (found,) = pool().score((ground_truth["domain"], ground_truth["problem"]), [solution_str])
    return {"score": found.value, "valid": float(found.valid is True), "unknown": float(found.valid is None)}
