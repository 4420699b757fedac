"""The tasks: VirtualHome's scene graphs and BEHAVIOR's problems as states of the bundled domains."""
