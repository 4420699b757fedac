"""The composition that callers use: a model and a plan in, a ``Report`` out.

Open ``check`` first: all other ways in call it, and it tells kinds of models and plans apart. ``interpretation`` finds
which plan a text means, ``decision`` executes that plan, decides and repairs, ``searches`` says which search is tried
when. ``prepared`` keeps what is computed once for a model, ``verdict`` writes the report on a classical plan,
``nonclassical`` on any other. ``solve`` finds a cheapest plan, ``monitoring`` checks the rest of one that has begun,
``explain`` says what steps are for and which can be left out.
"""
