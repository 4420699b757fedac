"""Reward functions as TRL (``GRPOTrainer(reward_funcs=...)``) and verl (``custom_reward_function``) call them."""

from collections import defaultdict

from validator.reward import score


def plan_reward(completions, domain, problem, **kwargs):
    """TRL: completions are texts or chats; ``domain`` and ``problem`` are columns of the data set, as PDDL texts."""
    texts = [each if isinstance(each, str) else each[-1]["content"] for each in completions]
    places = defaultdict(list)
    for place, model in enumerate(zip(domain, problem, strict=True)):
        places[model].append(place)
    rewards = [0.0] * len(texts)
    for model, found in places.items():
        scores = score(model, [texts[place] for place in found], steps=False)
        for place, one in zip(found, scores, strict=True):
            rewards[place] = one.value
    return rewards


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """verl: ``ground_truth`` has the domain and the problem, as PDDL texts."""
    (found,) = score((ground_truth["domain"], ground_truth["problem"]), [solution_str], steps=False)
    return {"score": found.value, "valid": float(found.valid is True), "unknown": float(found.valid is None)}
