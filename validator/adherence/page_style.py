"""The style of the page, for light and dark, wide and narrow."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { --back: #fff; --text: #1c2024; --soft: #60676f; --line: #d5d9de; --card: #f6f7f9; --row: 3.6rem;
  --matched: #2e7d4f; --changed: #a15c00; --moved: #1d5fbf; --missing: #c0262d; --extra: #7a3fb0; --retried: #6b7280;
  --failed: #6b7280; --unrecorded: #6b7280; --harmless: #2e7d4f; --forced: #a15c00; --harmful: #c0262d;
  --unknown: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --text: #e6e8ea; --soft: #9aa3ad; --line: #363d45;
  --card: #1d2227; --matched: #6cc48f; --changed: #e6a64d; --moved: #79aef5; --missing: #f2888d; --extra: #c79bf0;
  --retried: #9aa3ad; --failed: #9aa3ad; --unrecorded: #9aa3ad; --harmless: #6cc48f; --forced: #e6a64d;
  --harmful: #f2888d; --unknown: #9aa3ad; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.45 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
.score { font-variant-numeric: tabular-nums; }
p, li, dd, pre { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
.changes span { display: block; } .changes .add { background: color-mix(in srgb, var(--matched) 18%, transparent); }
.changes .del { background: color-mix(in srgb, var(--missing) 18%, transparent); } .changes .at { color: var(--soft); }
ul { padding: 0; margin: .4rem 0; list-style: none; } section > ul > li { padding: .25rem 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: .4rem 0;
  white-space: pre-wrap; font-size: .85rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
td:nth-child(2) { font-variant-numeric: tabular-nums; text-align: right; } .about { color: var(--soft); }
meter { width: 6rem; height: .9rem; vertical-align: middle; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .9rem; }
.lanes { display: grid; grid-template-columns: minmax(0, 1fr) 4rem minmax(0, 1fr);
  grid-template-rows: auto; grid-auto-rows: var(--row); }
.lanes .head { grid-row: 1; align-self: end; color: var(--soft); padding-bottom: .3rem; }
.lanes .plan { grid-column: 1; } .lanes .execution { grid-column: 3; }
.lanes svg { grid-column: 2; width: 100%; height: 100%; }
.lanes line { stroke: var(--soft); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.lanes line.moved { stroke: var(--moved); stroke-dasharray: 5 3; stroke-width: 2; }
.lanes line.changed { stroke: var(--changed); stroke-width: 2; }
.cell { margin: .2rem 0; padding: .2rem .5rem; border: 1px solid var(--line);
  border-left: 4px solid var(--tint, var(--line));
  border-radius: .4rem; background: var(--card); overflow: hidden; display: grid; align-content: center;
  font-size: .9rem;
  grid-template-columns: auto minmax(0, 1fr) auto; column-gap: .5rem; align-items: center; line-height: 1.2; }
.cell.gap { border: 1px dashed var(--line); background: none; opacity: .6; }
.cell .number { color: var(--soft); font-variant-numeric: tabular-nums; }
.cell .text { overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  overflow: hidden; }
.cell small { color: var(--tint); white-space: nowrap; }
.matched { --tint: var(--matched); } .changed { --tint: var(--changed); } .moved { --tint: var(--moved); }
.missing { --tint: var(--missing); } .extra { --tint: var(--extra); } .retried { --tint: var(--retried); }
.failed { --tint: var(--failed); } .unrecorded { --tint: var(--unrecorded); }
li b { color: var(--tint); display: inline-block; min-width: 1em; }
.effect { border: 1px solid; border-radius: 1em; padding: 0 .6em; font-size: .85rem; }
.harmless { color: var(--harmless); } .forced { color: var(--forced); } .harmful { color: var(--harmful); }
.unknown { color: var(--unknown); }
@media (max-width: 40rem) { :root { --row: 5rem; } main { padding: .7rem; }
  .lanes { grid-template-columns: minmax(0, 1fr) 1.6rem minmax(0, 1fr); }
  .cell { font-size: .78rem; padding: .15rem .35rem; column-gap: .3rem; grid-template-columns: auto minmax(0, 1fr); }
  .cell .text { -webkit-line-clamp: 3; } .cell small { grid-column: 2; } .about { display: none; } }
"""
