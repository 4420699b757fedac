"""Certificates that no plan is nearer, or cheaper, which others can check.

A grounded task, a plan and a proven bound come in, a value for JSON goes out. Open ``plan_certify`` first: the checker,
which stands alone, says what a certificate is; ``certificate`` makes one of the bounds of cost partitioning.
"""
