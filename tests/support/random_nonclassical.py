"""Small random models with everything that plans beyond classical planning have, and random plans for them.

They seek out undefined values, divisions by zero, values changed twice, happenings at one time or nearer than epsilon,
derived predicates, preferences, trajectory constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

ATOMS = ("(p)", "(q)", "(r a)", "(r b)")
VALUES = ("(x)", "(y)", "(z a)", "(z b)")
TIMES = ("0", "1", "2", "3", "2.5")


@dataclass(frozen=True)
class Sample:
    domain: str
    problem: str
    plan: str


class _Model:
    def __init__(self, seed: int, *, is_timed: bool) -> None:
        self.random = Random(seed)
        self.is_timed = is_timed
        self.has_derived = self.random.random() < 0.3
        self.parameter = ""
        self.preferences: set[str] = set()

    # --- conditions and effects ----------------------------------------------------------------

    def atom(self, *, changes: bool = False) -> str:
        found = [*ATOMS, f"(r {self.parameter})"] if self.parameter else list(ATOMS)
        if self.has_derived and not changes:
            found += ["(d)", "(e b)"]
        return self.random.choice(found)

    def literal(self) -> str:
        return self.atom() if self.random.random() < 0.6 else f"(not {self.atom()})"

    def fluent(self) -> str:
        return self.random.choice([*VALUES, f"(z {self.parameter})"] if self.parameter else VALUES)

    def expression(self, depth: int = 1) -> str:
        if self.random.random() < 0.6 or depth == 0:
            return self.random.choice((self.fluent(), self.fluent(), str(self.random.randint(0, 3)), "0.1"))
        operator = self.random.choice("+-*/")
        return f"({operator} {self.expression(depth - 1)} {self.expression(depth - 1)})"

    def comparison(self) -> str:
        comparator = self.random.choice(("<", "<=", "=", ">=", ">", ">=", "<="))
        return f"({comparator} {self.expression()} {self.expression()})"

    def condition(self, depth: int = 1) -> str:
        kind = self.random.random()
        if kind < 0.5 or not depth:
            return self.literal()
        if kind < 0.7:
            return self.comparison()
        if kind < 0.8:
            connective = self.random.choice(("and", "or", "imply"))
            return f"({connective} {self.condition(depth - 1)} {self.condition(depth - 1)})"
        if kind < 0.88:
            return f"(not {self.condition(depth - 1)})"
        quantifier = self.random.choice(("forall", "exists"))
        inner = self.random.choice(("(r ?u)", "(not (r ?u))", "(>= (z ?u) 1)", "(or (r ?u) (> (z ?u) (x)))"))
        return f"({quantifier} (?u) {inner})"

    def soft(self) -> str:
        """Return a condition, or a preference for one; a goal or precondition is a conjunction of them."""
        if self.random.random() < 0.75:
            return self.condition()
        name = self.random.choice(("m", "n"))
        self.preferences.add(name)
        if self.random.random() < 0.3:
            return f"(forall (?u) (preference {name} (r ?u)))"
        return f"(preference {name} {self.condition()})"

    def effects(self) -> list[str]:
        found = []
        for _ in range(self.random.randint(0, 3)):
            kind = self.random.random()
            if kind < 0.5:
                atom = self.atom(changes=True)
                found.append(atom if self.random.random() < 0.6 else f"(not {atom})")
            elif kind < 0.85:
                operators = ("assign", "increase", "increase", "decrease", "scale-up", "scale-down")
                found.append(f"({self.random.choice(operators)} {self.fluent()} {self.expression()})")
            elif kind < 0.95:
                change = self.random.choice(("(p)", "(not (q))", "(increase (x) 1)", "(assign (y) (x))"))
                found.append(f"(when {self.condition()} {change})")
            else:
                found.append(self.random.choice(("(forall (?u) (r ?u))", "(forall (?u) (increase (z ?u) (x)))")))
        return found

    # --- actions -------------------------------------------------------------------------------

    def action(self, name: str) -> str:
        self.parameter = "?o" if self.random.random() < 0.5 else ""
        conditions = " ".join(self.soft() for _ in range(self.random.randint(0, 2)))
        effects = " ".join(self.effects())
        takes, self.parameter = self.parameter, ""
        return f"(:action {name} :parameters ({takes}) :precondition (and {conditions}) :effect (and {effects}))"

    def durative(self, name: str, length: int) -> str:
        self.parameter = "?o" if self.random.random() < 0.5 else ""
        both = f"(and (>= ?duration 1) (<= ?duration {length}))"
        bounds = self.random.choice((f"(= ?duration {length})", both, "(at end (<= ?duration (x)))"))
        conditions = " ".join(
            f"({self.random.choice(('at start', 'over all', 'over all', 'at end'))} {self.condition()})"
            for _ in range(self.random.randint(0, 2))
        )
        effects = " ".join(f"({when} {effect})" for when in ("at start", "at end") for effect in self.effects()[:2])
        if self.random.random() < 0.2:
            effects += " (at end (increase (x) ?duration))"
        found = (
            f"(:durative-action {name} :parameters ({self.parameter}) :duration {bounds}"
            f" :condition (and {conditions}) :effect (and {effects}))"
        )
        self.parameter = ""
        return found

    # --- trajectories --------------------------------------------------------------------------

    def trajectory(self) -> str:
        one, other = self.condition(), self.condition()
        time, until = self.random.choice(TIMES), self.random.choice(("2.5", "3", "4", "6"))
        return self.random.choice(
            (
                f"(at end {one})",
                f"(always {one})",
                f"(sometime {one})",
                f"(within {time} {one})",
                f"(at-most-once {one})",
                f"(sometime-after {one} {other})",
                f"(sometime-before {one} {other})",
                f"(always-within {time} {one} {other})",
                f"(hold-during {time} {until} {one})" if float(time) < float(until) else f"(sometime {one})",
                f"(hold-after {time} {one})",
            )
        )

    def constraint(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return self.trajectory()
        name = self.random.choice(("m", "c"))
        if kind < 0.85:
            self.preferences.add(name)
            return f"(preference {name} {self.trajectory()})"
        if kind < 0.93:
            self.preferences.add(name)
            return f"(forall (?u) (preference {name} (sometime (r ?u))))"
        return "(forall (?u) (always (or (r ?u) (p))))"

    # --- the whole -----------------------------------------------------------------------------

    def sample(self, body: str, plan: str, facts: str = "") -> Sample:
        derived = ""
        if self.has_derived:
            derived = "(:derived (d) (and (p) (q))) (:derived (e ?v) (or (r ?v) (q)))"
        declared = " (d) (e ?v)" if self.has_derived else ""
        domain = f"""(define (domain d) (:requirements :adl :numeric-fluents :durative-actions :duration-inequalities
          :timed-initial-literals :constraints :preferences :derived-predicates) (:constants a b)
          (:predicates (p) (q) (r ?v){declared}) (:functions (x) (y) (z ?v))
          {derived}
          {body})"""
        init = " ".join(atom for atom in ATOMS if self.random.random() < 0.5)
        init += "".join(f" (= {value} {self.random.randint(0, 3)})" for value in VALUES if self.random.random() < 0.9)
        goal = " ".join(self.soft() for _ in range(self.random.randint(0, 2)))
        constraints = " ".join(self.constraint() for _ in range(self.random.choice((0, 0, 1, 2))))
        section = f"(:constraints (and {constraints}))" if constraints else ""
        weighed = zip("257", sorted(self.preferences), strict=False)
        costs = ["(x)", *(f"(* {weight} (is-violated {name}))" for weight, name in weighed)]
        costs += ["(total-time)"] if self.is_timed else []
        metric = self.random.choice(costs)
        for cost in costs:
            metric = f"(+ {metric} {cost})" if self.random.random() < 0.5 else metric
        problem = f"""(define (problem n) (:domain d) (:init {init} {facts}) (:goal (and {goal})) {section}
          (:metric minimize {metric}))"""
        return Sample(domain, problem, plan)


def sequential(seed: int) -> Sample:
    """Return a model with numbers, preferences and constraints, and a sequence of steps."""
    model = _Model(seed, is_timed=False)
    body = "\n".join(model.action(f"a{number}") for number in range(3))
    steps = [f"(a{model.random.randrange(3)})" for _ in range(model.random.randint(1, 4))]
    return model.sample(body, "\n".join(_with_arguments(model, body, step) for step in steps))


def timed(seed: int) -> Sample:
    """Return a model with durative actions as well, and a plan whose happenings often meet."""
    model = _Model(seed, is_timed=True)
    random = model.random
    lengths = [random.randint(1, 3) for _ in range(2)]
    body = "\n".join(model.durative(f"a{number}", length) for number, length in enumerate(lengths))
    body += "\n" + model.action("a2")
    lines = []
    for _ in range(random.randint(1, 4)):
        number = random.randrange(3)
        start = random.randint(0, 8) * 500 + random.choice((0, 0, 0, 1, 1, -1)) * random.choice((0, 0.5, 1, 3))
        line = f"{max(start, 0) / 1000:.4f}: {_with_arguments(model, body, f'(a{number})')}"
        if number < 2:
            line += f" [{random.choice((lengths[number], lengths[number], 1, 1.5))}]"
        lines.append(line)
    facts = []
    for _ in range(random.choice((0, 0, 1, 2))):
        time = random.choice((0.5, 1, 1.25, 2, 2.75, 4.2, 9))
        fact = random.choice((model.atom(changes=True), f"(not {model.atom(changes=True)})", "(= (x) 2)"))
        if not any(f"(at {time} " in known for known in facts):
            facts.append(f"(at {time} {fact})")
    return model.sample(body, "\n".join(lines), " ".join(facts))


def _with_arguments(model: _Model, body: str, step: str) -> str:
    name = step.strip("()")
    takes = f"{name} :parameters (?o)" in body
    return f"({name} {model.random.choice('ab')})" if takes else step


# --- continuous change ---------------------------------------------------------------------------


def flowing(seed: int) -> Sample:
    """Return a model with processes, events and continuous effects, whose times are multiples of a power of 1/2."""
    random = Random(seed)

    def comparison() -> str:
        return f"({random.choice(('<', '<=', '>=', '>', '>=', '<='))} ({random.choice('xy')}) {random.randint(-1, 6)})"

    def literal() -> str:
        return random.choice(("(p)", "(q)", "(not (p))", "(not (q))"))

    def condition() -> str:
        return random.choice((literal(), comparison(), f"(and {literal()} {comparison()})", "(and)"))

    def rate(fluent: str) -> str:
        return f"({random.choice(('increase', 'decrease'))} ({fluent}) (* #t {random.choice(('1', '2', '(speed)'))}))"

    parts = [
        f"(:process f{number} :parameters () :precondition {condition()} :effect {rate(fluent)})"
        for number, fluent in enumerate("xy")
        if random.random() < 0.6
    ]
    for number in range(random.choice((0, 1, 1, 2))):
        closed = f"({random.choice(('>=', '<='))} ({random.choice('xy')}) {random.randint(0, 5)})"
        flag = random.choice("pq")
        change = random.choice(("(assign (x) 1)", "(increase (y) 2)", "(assign (speed) 2)", "(decrease (x) 3)", "(q)"))
        parts.append(
            f"(:event e{number} :parameters () :precondition (and {closed} (not ({flag})))"
            f" :effect (and ({flag}) {change}))"
        )
    parts.append(f"(:action set :parameters () :precondition {condition()} :effect (and {literal()} (assign (y) 2)))")
    parts.append(f"(:action flip :parameters () :precondition {condition()} :effect (and {literal()} {literal()}))")
    over_all = f"(over all {condition()})" if random.random() < 0.7 else ""
    at_end = f"(at end {comparison()})" if random.random() < 0.4 else ""
    flow = rate(random.choice("xy")) if random.random() < 0.7 else ""
    parts.append(
        f"(:durative-action run :parameters () :duration (>= ?duration 1) :condition (and {over_all} {at_end})"
        f" :effect (and (at start {literal()}) {flow} (at end {literal()})))"
    )
    body = "\n".join(parts)
    domain = f"""(define (domain d) (:requirements :adl :numeric-fluents :durative-actions :duration-inequalities
      :timed-initial-literals :time :continuous-effects) (:predicates (p) (q)) (:functions (x) (y) (speed))
      {body})"""
    lines = []
    for _ in range(random.randint(1, 3)):
        name = random.choice(("set", "flip", "run", "run"))
        line = f"{random.randint(0, 8) / 2}: ({name})"
        lines.append(f"{line} [{random.choice(('1', '2', '2.5'))}]" if name == "run" else line)
    init = " ".join(atom for atom in ("(p)", "(q)") if random.random() < 0.4)
    init += f" (= (x) {random.randint(0, 4)}) (= (y) {random.randint(0, 4)}) (= (speed) 1)"
    last = max(float(line.split(":")[0]) for line in lines)
    if random.random() < 0.5 and last > 0:
        init += f" (at {random.randint(0, round(2 * last)) / 2} {literal()})"
    problem = f"(define (problem n) (:domain d) (:init {init}) (:goal (and {condition()})))"
    return Sample(domain, problem, "\n".join(lines))
