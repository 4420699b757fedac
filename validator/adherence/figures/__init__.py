"""What counts in an adherence: tools that change nothing cost nothing, and what a test may require.

``reads`` says which tools only read; ``requirements`` whether an adherence has what a caller requires of it.
"""
