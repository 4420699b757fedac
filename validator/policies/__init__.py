"""Policies: what a run of tool calls must and must not do, decided without a language model and without a model.

A policy (text or Python values) and a trace come in, a ``Conformance`` goes out: each rule kept, broken or not
known, the calls at fault, and the nearest run that keeps them all, with a proof. Open ``conform`` first; ``rules`` says
what each rule means, ``policy`` follows a run call by call, ``language`` reads policies, ``repair`` finds the nearest
run, ``executor`` executes calls on a model, ``product`` follows a run in both. ``conditions`` are one tree, which
``evaluation`` decides over a history of ``events``; ``cedar`` reads the policies of Cedar and Dogwood, ``cedar_export``
writes them.
"""

from validator.policies.cedar_export import to_cedar
from validator.policies.conditions import And, Comparison, Fact, Not, Or, Pattern, Reference
from validator.policies.conform import Conformance, Fault, Finding, conform
from validator.policies.language import read_policy
from validator.policies.policy import Change, Policy
from validator.policies.repair.repair import Edit, EditKind, Repair
from validator.policies.rules import Allow, AtLeast, AtMost, Before, Never, OnlyIf, Order, Then

__all__ = [
    "Allow",
    "And",
    "AtLeast",
    "AtMost",
    "Before",
    "Change",
    "Comparison",
    "Conformance",
    "Edit",
    "EditKind",
    "Fact",
    "Fault",
    "Finding",
    "Never",
    "Not",
    "OnlyIf",
    "Or",
    "Order",
    "Pattern",
    "Policy",
    "Reference",
    "Repair",
    "Then",
    "conform",
    "read_policy",
    "to_cedar",
]
