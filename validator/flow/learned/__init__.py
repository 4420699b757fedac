"""A first flow from tools as they are declared and runs as they were recorded, to be edited by people.

Specifications of tools and recordings come in, a ``Learned`` goes out: the flow, and what was guessed from how many
runs. Open ``learn`` first; ``openapi`` turns an OpenAPI document into tools, ``values`` says where a value was before.
"""
