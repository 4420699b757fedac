"""What a text has besides its steps, and which stretches of it may be the plan: a text in, places in it out.

Open ``asides`` first: it finds thoughts, quoted models and what planners print; ``transcripts`` are agents and their
worlds in turn. ``phrases`` say what a line is, an item, a heading, a denial; ``rows`` are the lines with what was read
on them, ``segments`` which runs of lines may be the plan.
"""
