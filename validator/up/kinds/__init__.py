"""Plans of unified-planning that are neither sequences nor times: orders, networks of times, hierarchies.

Each file reads one kind: what comes out are plans of this package, and what is wrong besides these.
"""
