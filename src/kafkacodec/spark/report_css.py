"""The style sheet of the report's page: light and dark, wide and narrow, screen and paper."""

from __future__ import annotations

from typing import Final

__all__ = ["CSS"]

CSS: Final = """
:root { color-scheme: light dark;
  --ground: #f3f6f9; --paper: #ffffff; --ink: #1b2733; --muted: #5b6b7b; --line: #dfe5eb; --pale: #e9eef3;
  --records: #0072b2; --size: #009e73; --bad: #c24f00; --odd: #9a6700; --good: #00734f;
  --bad-ground: #fdeee4; --odd-ground: #fdf4dc; --good-ground: #e2f5ee; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ground: #0d1319; --paper: #151c24; --ink: #e8eef4; --muted: #98a8b8; --line: #2b3743; --pale: #26313c;
  --records: #56b4e9; --size: #2cc295; --bad: #ff9558; --odd: #f2b632; --good: #4fd6ad;
  --bad-ground: #33221a; --odd-ground: #2f2815; --good-ground: #12302a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0; letter-spacing: -.005em; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .4rem 0 0; max-width: 46rem; }
.muted { color: var(--muted); }
.subject { color: var(--muted); margin: 0; overflow-wrap: anywhere; }
.small { font-size: .875rem; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; margin: 1.75rem 0 1.25rem;
  background: var(--line); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
.figure { background: var(--paper); padding: 1rem 1.1rem .95rem; min-width: 0; }
.figure .name { display: block; color: var(--muted); font-size: .8125rem; }
.figure .amount { display: block; font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figure .amount.words { font-size: 1.15rem; line-height: 1.35; padding: .2rem 0 .22rem; letter-spacing: 0; }
.figure .more { display: block; color: var(--muted); font-size: .8125rem; overflow-wrap: anywhere; }
.figure.double { grid-column: span 2; }
.figure.bad .amount { color: var(--bad); } .figure.odd .amount { color: var(--odd); }
.figure.note .amount { color: var(--good); }
ul.findings { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; }
ul.findings li { display: grid; grid-template-columns: 4.6rem 1fr; gap: .9rem; align-items: baseline;
  padding: .55rem .9rem; border-radius: 8px; background: var(--paper); border: 1px solid var(--line); }
ul.findings .tag { font-size: .75rem; font-weight: 650; text-align: center; border-radius: 99px; padding: .1rem .5rem;
  color: var(--muted); background: var(--pale); }
ul.findings .bad .tag { color: var(--bad); background: var(--bad-ground); }
ul.findings .odd .tag { color: var(--odd); background: var(--odd-ground); }
ul.findings .words { overflow-wrap: anywhere; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
  margin-top: 1.25rem; padding: 1.35rem 1.4rem 1.5rem; }
picture { display: block; margin-top: 1.1rem; }
picture img { display: block; width: 100%; height: auto; }
.scroll { overflow-x: auto; margin-top: 1rem; border-radius: 4px; }
.scroll:focus-visible { outline: 2px solid var(--records); outline-offset: 3px; }
table { border-collapse: separate; border-spacing: 0; width: 100%;
  font-size: .875rem; font-variant-numeric: tabular-nums; }
th { font-weight: 500; color: var(--muted); vertical-align: bottom; line-height: 1.3; }
th, td { padding: .42rem .6rem; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; }
th:first-child, td:first-child { padding-left: 0; } th:last-child, td:last-child { padding-right: 0; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper); }
tbody tr:last-child td { border-bottom: 0; }
.text { text-align: left; } .number { text-align: right; }
td.text:first-child { font-weight: 600; }
td.long { white-space: normal; overflow-wrap: anywhere; min-width: 11rem; }
td .wrap { white-space: normal; display: block; min-width: 16rem; overflow-wrap: anywhere; font-weight: 400; }
td .warn { color: var(--bad); font-weight: 650; } td .none { color: var(--muted); }
code { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.bar { display: inline-block; width: 4.5rem; height: .55rem; margin-left: .5rem; border-radius: 2px;
  background: var(--pale); overflow: hidden; vertical-align: .02rem; }
.bar span { display: block; height: 100%; background: var(--records); }
.bar.bad span { background: #d55e00; } .bar.open span { background: #e69f00; }
details summary { cursor: pointer; } details summary h2 { display: inline; }
footer { margin-top: 1.75rem; color: var(--muted); font-size: .875rem; }
footer p { max-width: none; }
@media (max-width: 720px) {
  main { padding: 1.5rem .8rem 3rem; }
  h1 { font-size: 1.5rem; }
  .figures { grid-template-columns: repeat(2, 1fr); }
  .figure { padding: .8rem .85rem .75rem; } .figure .amount { font-size: 1.3rem; }
  .figure .amount.words { font-size: 1.05rem; }
  section { padding: 1.1rem .9rem 1.2rem; border-radius: 10px; }
  ul.findings li { grid-template-columns: 1fr; gap: .3rem; justify-items: start; }
  picture img { max-width: 30rem; margin: 0 auto; }
}
@media print {
  :root { --ground: #ffffff; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  section { border: 0; padding: .6rem 0; border-top: 1px solid var(--line); border-radius: 0; }
  h2, h2 + p { break-after: avoid; } tr, .figure, li { break-inside: avoid; }
  .scroll { overflow: visible; } table { font-size: 7.5pt; }
  th, td { padding: .25rem .35rem; } td { white-space: normal; }
  .bar { display: none; } td .wrap { min-width: 0; }
}
"""
