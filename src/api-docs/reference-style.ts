/** Style sheet of the reference pages; loads no fonts or images. Colours meet WCAG AA in light and dark. */
export const DOCS_CSS = `:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #14171c);
  --raised: light-dark(#f5f6f8, #1c2027);
  --line: light-dark(#d9dde3, #343a45);
  --ink: light-dark(#1b2028, #e6e9ee);
  --soft: light-dark(#535c69, #a3adba);
  --link: light-dark(#0b57b8, #83b8ff);
  --get: light-dark(#0b57b8, #83b8ff);
  --post: light-dark(#1a6b35, #74d38f);
  --put: light-dark(#8a4b00, #f0b25e);
  --delete: light-dark(#a8201a, #ff9a92);
  --code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', sans-serif;
}
a { color: var(--link); text-underline-offset: 0.15em; }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100vw; top: 0; background: var(--ground); padding: 0.75rem 1rem; z-index: 2; }
.skip:focus { left: 0; }
header { padding: 2rem 1.25rem 1rem; border-bottom: 1px solid var(--line); }
header p { margin: 0.25rem 0 0; color: var(--soft); }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 3rem 0 0.5rem; font-size: 1.4rem; line-height: 1.25; }
h3 { margin: 0; font-size: 1.05rem; line-height: 1.4; }
h4 { margin: 1.25rem 0 0.4rem; font-size: 0.8rem; letter-spacing: 0.04em; text-transform: uppercase; color: var(--soft); }
p { margin: 0.5rem 0; max-width: 70ch; }
code, pre { font-family: var(--code); font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre {
  margin: 0;
  padding: 0.85rem 1rem;
  overflow-x: auto;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: 6px;
  line-height: 1.5;
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 0.3rem 0; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
nav > ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
nav ul ul { display: none; }
.page { padding: 0 1.25rem 4rem; }
.operation { margin: 1.25rem 0; padding: 1rem 1.1rem 1.2rem; border: 1px solid var(--line); border-radius: 8px; }
.operation h3 { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: baseline; }
.operation h3 a { color: inherit; text-decoration: none; font-family: var(--code); overflow-wrap: anywhere; }
.operation h3 a:hover { text-decoration: underline; }
.method { font: 700 0.8rem/1.4 var(--code); letter-spacing: 0.03em; padding: 0.05rem 0.45rem; border: 1.5px solid currentcolor; border-radius: 4px; }
.get { color: var(--get); }
.post { color: var(--post); }
.put { color: var(--put); }
.delete { color: var(--delete); }
.id { color: var(--soft); font-size: 0.85rem; }
.fields { margin: 0; }
.field { padding: 0.45rem 0; border-top: 1px solid var(--line); }
.field:first-child { border-top: 0; }
.field dt { font-weight: 600; }
.field dd { margin: 0; }
.field dd p { margin: 0.15rem 0 0; color: var(--soft); }
.field .fields { margin: 0.3rem 0 0 0.25rem; padding-left: 0.9rem; border-left: 2px solid var(--line); }
.required { font-size: 0.78rem; font-weight: 500; color: var(--delete); }
.limit { color: var(--soft); font-size: 0.9rem; }
.limit::before { content: '· '; }
.none { color: var(--soft); }
.shape { padding: 0.9rem 0; border-top: 1px solid var(--line); }
.shape h3 { font-family: var(--code); }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
table { border-collapse: collapse; width: 100%; max-width: 60rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.9rem 0.4rem 0; border-top: 1px solid var(--line); }
th { font-weight: 600; }
.operation td code { white-space: nowrap; }
thead th { border-top: 0; color: var(--soft); font-size: 0.85rem; }
.search { margin-bottom: 0.8rem; }
.search label, .token label, .try label { display: block; font-size: 0.9rem; color: var(--soft); }
.search input, .token input, .try input:not([type='checkbox']), .try textarea {
  display: block; width: 100%; max-width: 40rem; margin: 0.2rem 0 0.5rem; padding: 0.45rem 0.6rem; box-sizing: border-box;
  font: inherit; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: 6px;
}
.try textarea { font-family: var(--code); font-size: 0.85rem; }
.try summary { cursor: pointer; padding: 0.4rem 0; font-weight: 600; }
.try button { font: inherit; padding: 0.45rem 1rem; border: 1px solid currentColor; border-radius: 6px; background: transparent; color: var(--get); cursor: pointer; }
.try button:disabled { color: var(--soft); cursor: not-allowed; }
.try pre { max-height: 30rem; overflow: auto; }
.try .sure { margin: 0.3rem 0 0.6rem; }
[hidden] { display: none !important; }
@media (min-width: 64rem) {
  .page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 3rem; max-width: 84rem; margin: 0 auto; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1rem 0; }
  nav > ul { display: block; border: 0; }
  nav > ul > li { margin-bottom: 0.6rem; }
  nav > ul > li > a { font-weight: 600; }
  nav ul ul { display: block; }
  nav ul ul a { padding: 0.1rem 0; color: var(--soft); font-size: 0.9rem; }
  .field { display: grid; grid-template-columns: minmax(10rem, 16rem) minmax(0, 1fr); gap: 1rem; }
}
@media print {
  nav, .skip, .try, .token { display: none; }
  .operation { break-inside: avoid; }
}
`
