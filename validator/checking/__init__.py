"""The composition that callers use: a model and a plan in, a ``Report`` out.

Open ``check`` first: all other ways in call it, and it tells kinds of models and plans apart. ``interpretation`` finds
which plan a text means, ``decision`` executes that plan, decides and repairs, ``searches`` asks a search. ``prepared``
keeps what is computed once for a model, ``verdict`` writes the report on a classical plan, ``beyond`` on any other.
``solve`` finds a cheapest plan, ``under_way`` checks the rest of one that has begun, ``about`` says what steps are for.
"""
