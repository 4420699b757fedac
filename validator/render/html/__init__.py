"""Pages as values: what is shown is made of elements, which ``elements`` writes as HTML and a script as nodes.

Reports, readings and texts come in, lists as JSON has them go out. Open ``elements`` first; ``report`` and ``reading``
are what a page shows of these, ``pictures`` the SVG in it, ``style.css`` the style of all.
"""
