"""Reading flows: the project's own format, NL2Flow's, and sketches; what a flow must be before it means anything."""
