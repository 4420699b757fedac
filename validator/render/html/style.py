"""The style of reports and of the service's pages, for light and dark, wide and narrow."""

from __future__ import annotations

__all__ = ["REPORT_STYLE"]

REPORT_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c2024; --soft: #5b636b; --line: #d5d9de; --card: #f6f7f9;
  --yes: #1d6b3f; --no: #b3202a; --unknown: #7a5200; --link: #1753a8; --add: #e3f4e8; --del: #fbe7e8;
  --miss: #fdf0cf; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --text: #e6e8ea; --soft: #a3acb5; --line: #363d45;
  --card: #1d2227; --yes: #74cc98; --no: #f5949a; --unknown: #e6b24d; --link: #86b6f7; --add: #17301f;
  --del: #3a1c1f; --miss: #3d3014; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: .7rem 1rem; border-bottom: 1px solid var(--line); }
nav b { margin-right: 1rem; }
h1 { font-size: 1.4rem; margin: .4rem 0 .8rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; }
a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .3rem; }
p, li, dd, td { overflow-wrap: anywhere; }
code, pre, textarea { font: .88rem/1.45 ui-monospace, monospace; }
ul { list-style: none; padding: 0; margin: .4rem 0; } li { padding: .1rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: .4rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.verdict { border: 2px solid; border-radius: .5rem; padding: .7rem 1rem; background: var(--card); }
.verdict strong { font-size: 1.3rem; } .verdict p { margin: .2rem 0 0; color: var(--text); }
.yes { color: var(--yes); } .no { color: var(--no); } .unknown { color: var(--unknown); }
li.no, li.yes, li.unknown { color: var(--text); } li.unknown > b { color: var(--unknown); }
li.no > b, details.no > summary > b { color: var(--no); }
li.yes > b { color: var(--yes); }
table { border-collapse: collapse; width: 100%; margin: .3rem 0; }
th, td { text-align: left; padding: .1rem .5rem; vertical-align: top; }
.diff { border: 1px solid var(--line); } .diff td:not(:last-child) { width: 2.6rem; color: var(--soft);
  text-align: right; font-variant-numeric: tabular-nums; }
.diff.wide { table-layout: fixed; } .diff.wide td { width: auto; text-align: left; }
.diff.wide td:nth-child(odd) { width: 2.6rem; }
.beside td { border-top: 1px solid var(--line); } .beside td:first-child { color: var(--soft); text-align: right;
  font-variant-numeric: tabular-nums; width: 3rem; } .beside td:nth-child(2) { width: 50%; }
.beside code { white-space: pre-wrap; } .wide { overflow-x: auto; }
.beside span { border-radius: .2rem; } .beside span.step { background: var(--add); }
.beside span.missed { background: var(--miss); text-decoration: underline wavy var(--unknown); }
.beside .passed { color: var(--soft); } .beside div.missed b { color: var(--unknown); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.add, td.add { background: var(--add); } .del, td.del { background: var(--del); }
ins { text-decoration: none; } .add ins { font-weight: 600; } del { text-decoration: line-through; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .3rem 0; padding: .2rem .7rem; }
details details { border-style: dashed; } summary { cursor: pointer; padding: .15rem 0; }
details:target, li:target { outline: 3px solid var(--link); }
details.no { border-color: var(--no); color: var(--text); }
.atoms { display: flex; flex-wrap: wrap; gap: .25rem .5rem; } .atoms li { padding: 0 .4rem; border-radius: .3rem;
  border: 1px solid var(--line); }
.picture { overflow-x: auto; } .timeline { display: block; width: 100%; min-width: 40rem; height: auto; }
.links { display: block; width: 100%; max-width: 42rem; min-width: 34rem; height: auto; fill: currentColor;
  font: 13px ui-monospace, monospace; }
.links path { fill: none; stroke: var(--link); stroke-width: 1.5; opacity: .75; }
.links path.start { stroke: var(--soft); stroke-dasharray: 3 3; opacity: .45; }
.links path:hover { stroke-width: 4; opacity: 1; } .links .no { fill: var(--no); }
.changes { padding: .3rem 0; } .changes span { display: block; padding: 0 .6rem; }
.changes .at { color: var(--soft); }
.bar { width: 6rem; height: .7rem; background: var(--card); border: 1px solid var(--line); }
.bar rect { fill: var(--link); }
.ranking td, .ranking th { border-top: 1px solid var(--line); } .ranking .number { text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.ranking td { overflow-wrap: normal; } .ranking td:nth-child(2) { min-width: 11rem; }
.fields td:not(:last-child) { white-space: nowrap; } .scroll { overflow-x: auto; }
.timeline a { text-decoration: none; } .timeline .when { opacity: 0; } .timeline a:hover .when,
.timeline a:focus-visible .when { opacity: .35; } .timeline a.bar-of:hover rect, .timeline a.bar-of:hover path,
.timeline a.bar-of:focus-visible rect { stroke: currentColor; stroke-width: 2; fill-opacity: 1; }
tr:target td { background: var(--miss); }
.why { color: var(--soft); font-size: .9rem; }
.pddl { padding: .3rem 0; overflow-x: auto; }
.pddl span.line { display: block; padding: 0 .6rem; white-space: pre; }
.pddl span.line::before { content: attr(data-line); display: inline-block; width: 2.5rem;
  margin-right: .8rem; text-align: right; color: var(--soft); }
.pddl span.line.wrong { background: var(--del); } .pddl .key { color: var(--link); } .pddl .var { color: var(--yes); }
.pddl .rem { color: var(--soft); font-style: italic; }
.pddl mark { background: none; color: var(--no); font-weight: 700; }
.course td, .causes td { border-top: 1px solid var(--line); }
.course td:first-child { font-variant-numeric: tabular-nums; }
form { margin: .5rem 0; } fieldset { border: 1px solid var(--line); border-radius: .4rem; margin: .8rem 0; }
label { display: block; margin: .5rem 0 .2rem; font-weight: 600; } label.inline { display: inline; font-weight: 400; }
select, input { font: inherit; }
textarea, select, input[type=text] { width: 100%; color: inherit; background: var(--card);
  border: 1px solid var(--soft); border-radius: .3rem; padding: .4rem; }
.editor { position: relative; }
.editor pre, .editor textarea { --gutter: calc(var(--digits, 2) * 1ch + 1.6rem); white-space: pre;
  overflow-wrap: normal; padding: .4rem .4rem .4rem var(--gutter); tab-size: 8; }
.editor pre { position: absolute; inset: 0; margin: 0; border-color: transparent; border-radius: .3rem;
  overflow: hidden; padding-bottom: 3rem; padding-right: 3rem; pointer-events: none; }
.editor pre > div { display: inline-block; min-width: 100%; counter-reset: line; }
.editor textarea { display: block; position: relative; background: none; color: transparent; overflow: auto;
  caret-color: var(--text); resize: vertical; }
.editor textarea::selection { color: transparent; background: color-mix(in srgb, var(--link) 35%, transparent); }
.editor .line { display: block; min-height: 1.45em; counter-increment: line; }
.editor .line::before { content: counter(line); display: inline-block; position: sticky;
  left: calc(-1 * var(--gutter)); margin-left: calc(-1 * var(--gutter)); box-sizing: border-box; width: var(--gutter);
  padding-right: .8rem; text-align: right; background: var(--card); color: var(--soft); }
.editor .key { color: var(--link); } .editor .var { color: var(--yes); } .editor .rem { color: var(--soft);
  font-style: italic; }
.editor.plain textarea { color: inherit; background: var(--card); padding-left: .4rem; }
.editor.plain pre { display: none; }
@media (forced-colors: active) { .editor pre { display: none; } .editor textarea { color: inherit; } }
.row { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; } .row > div { flex: 1 1 10rem; }
.row > div.whole { flex-basis: 100%; }
.options { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .6rem 1.2rem; }
button, .button { font: inherit; padding: .45rem 1.1rem; border-radius: .4rem; border: 1px solid var(--link);
  background: var(--link); color: var(--back); cursor: pointer; text-decoration: none; display: inline-block; }
button.plain { background: none; color: var(--link); }
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; }
@media (max-width: 44rem) { .columns { grid-template-columns: 1fr; } main { padding: .7rem; }
  th, td { padding: .1rem .3rem; } .diff td:not(:last-child) { width: 1.8rem; } }
@media print { nav, form { display: none; } }
"""
