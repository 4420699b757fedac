"""How alike two plans are by what they do in a model: states, costs, causal links, partial orders.

Two plans and a model come in, a ``Score`` goes out, without a value where a plan does not execute. Open ``effects``
first. ``links`` finds which step makes true what another one needs, ``order`` decides whether two plans are one partial
order, by what ``needs`` says of each step.
"""
