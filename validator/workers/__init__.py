"""Processes that answer within limits: for batches, for a trainer's texts, for agents, and the limits of the service's.

Open ``pool`` first: an executor is one process, which is replaced where it dies or is ended. ``limits`` bounds the
time and memory of one answer inside of it. A process ends with the one that started it, and takes planners along.
"""
