"""Questions in English: a text and what it is asked of come in, a ``Question`` goes out, or what was not understood.

Open ``read`` first. ``sentences`` has the sentences that are known, ``words`` the classes of words in them,
``meanings`` what they ask; ``steps`` reads steps and objects in words, ``facts`` facts and values,
``numbers`` numbers.
"""
