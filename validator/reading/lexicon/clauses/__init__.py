"""Clauses: a text in, the clauses out that it tells its plan by, and the steps of the model that each allows.

    text --blocks--> sentences --sentence--> parts --coverage, kind--> clauses --clause_reader--> clauses in context

Open ``clause_reader`` first. ``clause`` says what a clause is, ``patterns`` which steps of the model it allows.
"""
