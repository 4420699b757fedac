"""Models on which calls are executed one by one: PDDL and flows. ``world`` says what is asked of one."""
