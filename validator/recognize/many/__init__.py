"""Many recognition problems: a folder of them in, a line of JSON each out, and tables and plots of all.

Open ``run`` first: ``recognize_all`` finds the problems below a folder and goes on where a file of results stops.
``summary`` makes accuracy, spread, precision and convergence by observability of them, ``page`` shows those.
"""
