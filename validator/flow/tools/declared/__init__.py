"""What tools declare: specifications of any provider in, ``Tool`` with the schemas of what it takes and yields out.

Open ``specifications`` first: ``read_tools``; ``schema`` reads one schema, ``fitting`` says whether a value, or the
result of another tool, fits one.
"""
