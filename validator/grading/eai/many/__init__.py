"""Many answers to action sequencing: graded task by task in processes of this machine, and kept for the next run.

Tasks and answers by model come in, grades by model go out. Open ``run`` first; ``graders`` says what grades an answer,
``kept`` writes grades as lines and reads them again.
"""
