/** The page's style sheet. Colours are named once, for light and for dark. */
export const styles = String.raw`
:root {
  color-scheme: light dark;
  --page: #f7f6f3;
  --sheet: #ffffff;
  --sunk: #f2f1ed;
  --line: #e2e0d9;
  --text: #22252a;
  --quiet: #63676f;
  --link: #1f5f99;
  --pass: #1c7a4f;
  --fail: #b3261e;
  --inconclusive: #8a5a00;
  --not-run: #6b6f78;
  --pass-tint: #e4f3ea;
  --fail-tint: #fbe9e7;
  --inconclusive-tint: #fbf0d9;
  --not-run-tint: #eeeeec;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15171a;
    --sheet: #1c1f23;
    --sunk: #16181b;
    --line: #30343a;
    --text: #e4e5e7;
    --quiet: #9ca1a9;
    --link: #84b9ea;
    --pass: #6fcf9b;
    --fail: #ff8f85;
    --inconclusive: #e5b45b;
    --not-run: #a0a5ad;
    --pass-tint: #183327;
    --fail-tint: #42201d;
    --inconclusive-tint: #3a2d14;
    --not-run-tint: #2a2d32;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
code, pre, .id { font-family: var(--mono); font-size: 0.88em; }
.id { white-space: nowrap; }
h1, h2, h3, h4, h5, p, ul, dl { margin: 0; }
ul { padding: 0; list-style: none; }
summary { cursor: pointer; }
.quiet { color: var(--quiet); font-weight: 400; }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--sheet); padding: 0.5rem 1rem; }
.page { max-width: 78rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; }

.top {
  background: var(--sheet); border: 1px solid var(--line); border-top: 4px solid var(--tone);
  border-radius: 12px; padding: 1.75rem 2rem 1.5rem;
}
.top.passed { --tone: var(--pass); }
.top.failed { --tone: var(--fail); }
.top.undecided { --tone: var(--inconclusive); }
.brand { font-weight: 650; letter-spacing: 0.01em; }
.brand .quiet { margin-left: 0.4em; }
h1 { font-size: clamp(1.25rem, 2.2vw, 1.5rem); line-height: 1.3; font-weight: 600; margin: 0.35rem 0 1.25rem; }
.bar { display: flex; gap: 2px; height: 10px; border-radius: 5px; overflow: hidden; background: var(--sunk); }
.bar span { min-width: 4px; }
.bar .pass { background: var(--pass); }
.bar .fail { background: var(--fail); }
.bar .inconclusive { background: var(--inconclusive); }
.bar .not-run { background: var(--line); }
.counts { display: flex; flex-wrap: wrap; gap: 0.4rem 2rem; margin: 0.85rem 0 1.5rem; }
.counts strong { font-size: 1.15rem; font-weight: 650; font-variant-numeric: tabular-nums; margin-right: 0.15em; }
.counts .glyph { vertical-align: 0.12em; }
.counts .quiet { font-size: 0.85em; margin-left: 0.3em; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0.75rem 1.5rem; }
.facts dt { color: var(--quiet); font-size: 0.8rem; }
.facts dd { margin: 0; }

.glyph {
  display: inline-flex; align-items: center; justify-content: center; width: 1.15rem; height: 1.15rem; flex: none;
  border-radius: 50%; font-size: 0.72rem; font-weight: 700; line-height: 1; margin-right: 0.4rem;
  color: var(--tone); background: var(--tint);
}
.pass { --tone: var(--pass); --tint: var(--pass-tint); }
.fail { --tone: var(--fail); --tint: var(--fail-tint); }
.inconclusive { --tone: var(--inconclusive); --tint: var(--inconclusive-tint); }
.not-run { --tone: var(--not-run); --tint: var(--not-run-tint); }
.mark { display: inline-flex; align-items: center; color: var(--tone); font-weight: 600; font-size: 0.85rem; white-space: nowrap; }

.failures, .undecided, .load { background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 2rem; margin-top: 1rem; }
.failures h2 { color: var(--fail); }
.failures li { display: grid; grid-template-columns: 5.5rem 1fr; gap: 0.1rem 0.75rem; padding: 0.6rem 0; border-top: 1px solid var(--line); }
.failures ul { margin-top: 0.75rem; }
.failures .why { grid-column: 2; color: var(--fail); font-family: var(--mono); font-size: 0.82rem; }
.undecided { padding: 0.9rem 2rem; }
.undecided dt { margin-top: 0.9rem; }
.undecided dd { margin: 0.15rem 0 0; line-height: 1.8; }
.undecided .id { margin-right: 0.35rem; }
h2 { font-size: 1.1rem; font-weight: 650; }

.toolbar {
  position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem 1rem;
  margin: 1.5rem 0 0; padding: 0.7rem 0; background: var(--page); border-bottom: 1px solid var(--line);
}
.toolbar[hidden] { display: none; }
fieldset { display: flex; flex-wrap: wrap; gap: 0.4rem; border: 0; margin: 0; padding: 0; }
.toggle {
  display: inline-flex; align-items: center; gap: 0; padding: 0.25rem 0.75rem 0.25rem 0.45rem; border: 1px solid var(--line);
  border-radius: 999px; background: var(--sheet); cursor: pointer; font-size: 0.9rem; user-select: none;
}
.toggle .quiet { margin-left: 0.4em; font-variant-numeric: tabular-nums; }
.toggle input { position: absolute; opacity: 0; pointer-events: none; }
.toggle:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
.toggle:not(:has(:checked)) { background: transparent; color: var(--quiet); text-decoration: line-through; opacity: 0.75; }
.search { flex: 1 1 14rem; }
.search input {
  width: 100%; font: inherit; padding: 0.35rem 0.75rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--sheet); color: var(--text);
}
output:empty { display: none; }
output { color: var(--quiet); font-size: 0.9rem; font-variant-numeric: tabular-nums; }

.columns { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 2.5rem; margin-top: 1.5rem; }
.areas ul { position: sticky; top: 4.5rem; }
.areas li { display: flex; align-items: center; justify-content: space-between; padding: 0.2rem 0; }
.areas a { text-decoration: none; color: inherit; }
.areas a:hover { text-decoration: underline; }
.tally { display: inline-flex; gap: 0.55rem; color: var(--quiet); font-size: 0.82rem; font-weight: 400; font-variant-numeric: tabular-nums; }
.tally .glyph { width: 0.95rem; height: 0.95rem; font-size: 0.6rem; margin-right: 0.2rem; }
.tally > span { display: inline-flex; align-items: center; }
.areas .tally .not-run, .areas .tally .pass { opacity: 0.8; }
.area { margin-bottom: 2rem; }
.area h2 { display: flex; align-items: center; gap: 1rem; margin-bottom: 0.6rem; }

.requirement { background: var(--sheet); border: 1px solid var(--line); border-bottom-width: 0; }
.requirement:first-of-type { border-radius: 10px 10px 0 0; }
.requirement:last-of-type { border-radius: 0 0 10px 10px; border-bottom-width: 1px; }
.requirement:first-of-type:last-of-type { border-radius: 10px; }
.requirement[data-verdict="fail"] { box-shadow: inset 3px 0 0 var(--fail); }
.requirement:target { outline: 2px solid var(--link); outline-offset: -2px; }
.requirement > summary {
  display: grid; grid-template-columns: 7.6rem 5.2rem minmax(0, 1fr) auto; gap: 0.75rem; align-items: baseline;
  padding: 0.6rem 1rem; list-style: none;
}
.requirement > summary::-webkit-details-marker { display: none; }
.requirement > summary:hover { background: var(--sunk); }
.requirement[open] > summary { border-bottom: 1px solid var(--line); }
.level { color: var(--quiet); font-size: 0.8rem; }
.reading { display: inline-block; margin-left: 0.4rem; padding: 0 0.55rem; border-radius: 999px; background: var(--sunk); border: 1px solid var(--line); font-size: 0.85rem; }
.inside { padding: 1rem 1.25rem 1.25rem; }
.checks { margin-top: 1rem; }
.check { padding: 0.65rem 0; border-top: 1px solid var(--line); }
.check-head { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; }
.check-title { font-weight: 550; }
.reason { margin-top: 0.35rem; }
h3, h4 { font-size: 0.95rem; font-weight: 600; margin-top: 1rem; }
h5 { font-size: 0.8rem; font-weight: 600; color: var(--quiet); }
.scroll { overflow-x: auto; margin-top: 0.6rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th { text-align: left; font-weight: 500; color: var(--quiet); font-size: 0.8rem; padding: 0.2rem 1rem 0.2rem 0; }
td { vertical-align: top; padding: 0.35rem 1rem 0.35rem 0; border-top: 1px solid var(--line); font-family: var(--mono); font-size: 0.82rem; white-space: pre-wrap; }
.mismatches td:nth-child(2) { color: var(--pass); }
.mismatches td:nth-child(3) { color: var(--fail); }
.steps { margin: 0.4rem 0 0; padding-left: 1.5rem; font-size: 0.9rem; }
.exchange, .repeat { border: 1px solid var(--line); border-radius: 8px; margin-top: 0.5rem; background: var(--sunk); }
.exchange > summary, .repeat > summary { padding: 0.4rem 0.8rem; }
.arrow { color: var(--quiet); margin: 0 0.25rem; }
.exchange .quiet { margin-left: 0.6rem; font-size: 0.85rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); border-top: 1px solid var(--line); }
.side { padding: 0.75rem 0.9rem; min-width: 0; }
.side + .side { border-left: 1px solid var(--line); }
.side .quiet { margin: 0.4rem 0 0; }
.headers { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: 0.05rem 0.75rem; font-family: var(--mono); font-size: 0.78rem; margin: 0.35rem 0; }
.headers dt { color: var(--quiet); }
.headers dd { margin: 0; }
pre {
  margin: 0.4rem 0 0; padding: 0.6rem 0.75rem; max-height: 26rem; overflow: auto; white-space: pre-wrap;
  background: var(--sheet); border: 1px solid var(--line); border-radius: 6px; font-size: 0.8rem; line-height: 1.45;
}
.copyable { position: relative; padding: 0 0.8rem 0.8rem; }
.copy {
  position: absolute; right: 1.3rem; top: 0.9rem; font: inherit; font-size: 0.82rem; padding: 0.15rem 0.7rem;
  border: 1px solid var(--line); border-radius: 6px; background: var(--sunk); color: var(--text); cursor: pointer;
}
.copy[hidden] { display: none; }
footer { margin-top: 2rem; color: var(--quiet); font-size: 0.85rem; }

@media (max-width: 60rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .areas { display: none; }
  html { scroll-padding-top: 1rem; }
  .toolbar { position: static; }
  .top, .failures, .undecided { padding-left: 1.1rem; padding-right: 1.1rem; }
  .requirement > summary { grid-template-columns: auto auto 1fr; }
  .requirement > summary .text { grid-column: 1 / -1; grid-row: 2; }
  .requirement > summary .level { justify-self: end; }
}
@media print {
  .toolbar, .areas, .copy { display: none; }
  body { background: none; }
  .columns { display: block; }
}
`;
