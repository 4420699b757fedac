"""What a text has besides its steps, and which stretches of it may be the plan: a text in, places in it out.

Open ``asides`` first: it leaves out thoughts, quoted models and what planners print; ``transcripts`` are agents and
their worlds in turn. ``marks`` tell the items of lists, ``rows`` are the lines with what was read on them, ``headings``
say what the lines below are, ``segments`` which runs of lines may be the plan; ``denials`` say that there is none.
"""
