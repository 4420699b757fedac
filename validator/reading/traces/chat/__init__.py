"""Chats: messages with a role, whose parts are texts, calls that are asked for, and results that come back.

In: the objects of a trace. Out: ``Message`` values with texts, calls and answers. Open ``parts`` first: what each part
of a message is, told by its structure. ``messages`` tells a message by its role in any provider's wrapping, ``items``
OpenAI's items; ``conversation`` reads them in order, knows a history that comes again, and joins answers to calls;
``stream`` puts the pieces of a streamed answer together.
"""
