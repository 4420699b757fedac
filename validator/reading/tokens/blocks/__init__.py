"""What a text has besides its steps, and which stretches of it may be the plan: a text in, places in it out.

Open ``asides`` first: it finds thoughts, quoted models and what planners print; ``transcripts`` are agents and their
worlds in turn. ``headings`` say what a line is, an item or a heading, ``rows`` are the lines with what was read on
them, ``segments`` which runs of lines may be the plan; ``denials`` say that there is none, or that a step is none.
"""
