"""States of a plan as pictures: ``profile`` reads Planimation's, ``scene`` places the objects, ``frames`` draws them.

A profile and a report come in, elements of SVG go out."""
