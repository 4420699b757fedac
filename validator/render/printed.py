"""How results print: in full as their command prints them, in one line in a list, as text in a notebook."""

from __future__ import annotations

from typing import Any, ClassVar


class Printed:
    """A result: ``str`` is what the command prints, ``repr`` its first line. ``text`` is both, with its line ends.

    ``printer`` names what makes the text, which is loaded when a result is first printed, as ``module:function``;
    ``headliner`` what makes the one line where that is not the first of the text, and ``drawer`` the elements that a
    notebook shows where they are not the text.
    """

    __slots__ = ()
    printer: ClassVar[str]
    headliner: ClassVar[str] = ""
    drawer: ClassVar[str] = ""

    @property
    def text(self) -> str:
        """Return the result as lines of text, each with its end."""
        return str(_named(self.printer)(self))

    def _headline(self) -> str:
        return str(_named(self.headliner)(self)) if self.headliner else self.text.partition("\n")[0]

    def __str__(self) -> str:
        return self.text.removesuffix("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._headline()}>"

    def _repr_html_(self) -> str:
        from validator.render.html.elements import element, fragment, html

        if self.drawer:
            return fragment(list(_named(self.drawer)(self)))
        return html(element("pre", str(self), style="text-align: left; white-space: pre-wrap"))


def _named(name: str) -> Any:
    from pkgutil import resolve_name

    return resolve_name(name)
