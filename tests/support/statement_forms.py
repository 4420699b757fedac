"""Steps as statements print them (TOML, INI, SQL, CSV, requests, messages), which are not read, and as records do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

__all__ = ["RECORDS", "STATEMENTS", "joined", "named"]

_Steps = Sequence[Sequence[str]]


def joined(steps: _Steps, form: Callable[[int, str, list[str]], str], sign: str = "\n") -> str:
    return sign.join(form(number, name, args) for number, (name, *args) in enumerate(steps, 1))


def named(args: Sequence[str]) -> dict[str, str]:
    return dict(zip("xy", args, strict=False))


STATEMENTS: dict[str, Callable[[_Steps], str]] = {
    "TOML": lambda steps: joined(steps, lambda n, s, a: f'[[steps]]\naction = "{s}"\nargs = {json.dumps(a)}\n'),
    "TOML with a head and remarks": lambda steps: (
        '[plan]\ntitle = "rick"\n\n'
        + joined(
            steps,
            lambda n, s, a: (
                f'[[plan.steps]]  # {n}\nname = "{s}"\n' + "".join(f'{k} = "{v}"\n' for k, v in named(a).items())
            ),
        )
    ),
    "INI": lambda steps: joined(steps, lambda n, s, a: f"[step{n}]\naction={s}\nargs={', '.join(a)}\n"),
    "rows of SQL": lambda steps: joined(
        steps, lambda n, s, a: f"INSERT INTO plan (step, action, args) VALUES ({n}, '{s}', '{' '.join(a)}');"
    ),
    "rows of SQL in one statement": lambda steps: (
        "INSERT INTO steps (id, action, arg1, arg2) VALUES\n"
        + joined(steps, lambda n, s, a: f"({n}, '{s}', '{a[0]}', {repr(a[1]) if a[1:] else 'NULL'})", ",\n")
        + ";"
    ),
    "CSV": lambda steps: (
        "time,action,arguments,duration\n" + joined(steps, lambda n, s, a: f'{n}.0,{s},"{" ".join(a)}",1')
    ),
    "tabs": lambda steps: "step\taction\tparameters\n" + joined(steps, lambda n, s, a: f"{n}\t{s}\t{','.join(a)}"),
    "requests": lambda steps: joined(steps, lambda n, s, a: f"POST /{s} {json.dumps(named(a))}"),
    "requests with answers": lambda steps: joined(
        steps,
        lambda n, s, a: (
            f"POST /api/v1/{s} HTTP/1.1\nContent-Type: application/json\n\n{json.dumps({'args': a})}\nHTTP/1.1 200 OK\n"
        ),
    ),
    "requests of curl": lambda steps: joined(
        steps, lambda n, s, a: f"curl -X POST http://barn.example/{s} -d '{json.dumps(named(a))}'"
    ),
    "messages": lambda steps: joined(
        steps, lambda n, s, a: f'steps {{\n  action: "{s}"\n' + "".join(f'  args: "{x}"\n' for x in a) + "}"
    ),
    "messages in a message": lambda steps: (
        'plan {\n  id: "p"\n'
        + joined(
            steps,
            lambda n, s, a: (
                f'  actions {{\n    action_name: "{s}"\n'
                + "".join(f'    parameters {{\n      symbol: "{x}"\n    }}\n' for x in a)
                + "  }"
            ),
        )
        + "\n}"
    ),
}

RECORDS: dict[str, Callable[[_Steps], str]] = {
    "numbered arguments": lambda steps: json.dumps(
        [{"action": s, **{f"arg{k}": x for k, x in enumerate(a, 1)}} for s, *a in steps]
    ),
    "tuples of Python": lambda steps: joined(steps, lambda n, s, a: f"{s} {tuple(a)!r}"),
}
