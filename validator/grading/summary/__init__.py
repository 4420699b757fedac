"""Results of batches and suites in a table.

Files of results come in, text, CSV or a page goes out. ``rows`` reads and writes results; ``tables`` counts them in
one pass, whatever their number.
"""
