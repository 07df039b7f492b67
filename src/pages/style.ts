/** The colour of a biller that has named none. */
const defaultColor = '#1a4f9c';

const rules = `
:root { color-scheme: light dark; --ink: #1a202c; --paper: #fff; --ground: #f3f5f8; --faint: #4a5568; --line: #94a3b8;
  --soft: #dde3ea; --link: #1a4f9c; --alert: #9b1c1c; --alert-paper: #fdf2f2; --good: #166534; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf4; --paper: #18202c; --ground: #0e131a; --faint: #a9b6c8; --line: #64748b; --soft: #2c3848;
    --link: #8ab8ff; --alert: #ffb4b4; --alert-paper: #2a1416; --good: #86efac; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 17px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 30rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; align-items: center; gap: .75rem; padding-top: 1.25rem; padding-bottom: 1rem; }
header img { max-height: 3rem; max-width: 9rem; background: #fff; border-radius: .4rem; }
header p { margin: 0; font-weight: 600; font-size: 1.1rem; }
main { background: var(--paper); border-top: .35rem solid var(--brand); border-radius: .6rem; padding: 1.25rem 1.25rem 1.5rem;
  box-shadow: 0 1px 4px rgb(0 0 0 / .15); }
@media (max-width: 30rem) { main { border-radius: 0; } }
.frame { min-height: 0; background: none; }
.frame main { max-width: none; border: 0; box-shadow: none; }
.frame h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
footer { color: var(--faint); font-size: .875rem; padding-top: 1rem; padding-bottom: 2rem; }
footer p { margin: .2rem 0; }
h1 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
p { margin: .4rem 0 .8rem; }
a { color: var(--link); }
.amount { font-size: 2rem; font-weight: 650; line-height: 1.2; margin: .25rem 0 .75rem; font-variant-numeric: tabular-nums; }
.faint { color: var(--faint); font-size: .9rem; }
.sandbox { background: #fff3cd; color: #5c4400; margin: 0; padding: .35rem 1rem; text-align: center; font-size: .875rem; }
.alert { border-left: .35rem solid var(--alert); background: var(--alert-paper); color: var(--alert); padding: .6rem .8rem;
  margin: 0 0 1rem; }
.good { color: var(--good); font-weight: 600; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem 0; border-bottom: 1px solid var(--soft); }
th { font-weight: 500; color: var(--faint); padding-right: 1rem; overflow-wrap: normal; }
td:last-child { text-align: right; }
tr.total th, tr.total td { font-weight: 650; color: var(--ink); border-bottom: 0; border-top: 2px solid var(--line); }
.money { white-space: nowrap; }
fieldset { border: 0; padding: 0; margin: 0 0 1rem; }
legend { font-weight: 600; padding: 0; margin-bottom: .3rem; }
/* Without :has(), the fields of an account are always there, and their title says when they count. */
@supports selector(:has(*)) {
  form:has([name=method][value=au_becs_debit]:not(:checked)) .account, .only { display: none; }
}
.field { margin: 0 0 .9rem; }
.choice + .field { margin-top: .6rem; }
#card { border: 1px solid var(--line); border-radius: .4rem; padding: .7rem; }
#card:empty { display: none; }
button:disabled { opacity: .6; cursor: progress; }
.field label { display: block; font-weight: 600; margin-bottom: .2rem; }
.choice { display: flex; gap: .6rem; align-items: flex-start; padding: .45rem 0; }
.choice input { margin-top: .3rem; width: 1.15rem; height: 1.15rem; flex: none; accent-color: var(--brand); }
input:not([type=radio], [type=checkbox]) { width: 100%; font: inherit; padding: .6rem .7rem; color: inherit;
  background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; }
input[aria-invalid=true] { border: 2px solid var(--alert); }
.wrong { color: var(--alert); font-size: .9rem; display: block; margin-top: .2rem; }
button, a.button { display: block; width: 100%; font: inherit; font-weight: 650; text-align: center; text-decoration: none;
  padding: .75rem 1rem; margin: .6rem 0 0; border: 2px solid transparent; border-radius: .4rem; cursor: pointer;
  background: var(--brand); color: var(--on-brand); }
button.quiet { display: inline; width: auto; margin: 0; padding: 0; border: 0; background: none; color: var(--link);
  font-weight: inherit; text-decoration: underline; }
button.other, a.other { background: transparent; color: var(--ink); border-color: var(--line); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
details { margin: .5rem 0 1rem; }
summary { cursor: pointer; }
.text { max-height: 16rem; overflow: auto; border: 1px solid var(--line); border-radius: .4rem; padding: 0 .8rem; font-size: .9rem; }
@page { margin: 2cm; }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --ground: #fff; --faint: #333; --soft: #bbb; --link: #000; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  main { box-shadow: none; border-radius: 0; }
  button, .button, .screen { display: none; }
  tr, p { break-inside: avoid; }
}
`;

/** The path of the style sheet in a biller's colour (`#rrggbb`; null: ours). */
export function stylePath(color: string | null): string {
  return `/assets/style-${(color ?? defaultColor).slice(1)}.css`;
}

/** Returns the style sheet in a colour of six hexadecimal digits. Text on the colour is black or white. */
export function styleSheet(hex: string): string {
  const onBrand = luminance(hex) > 0.179 ? '#000' : '#fff';
  return `:root { --brand: #${hex}; --on-brand: ${onBrand}; }${rules}`;
}

/**
 * The relative luminance of WCAG 2, 0 to 1. Above 0.179, black on the colour has more contrast than white. The contrast
 * of the better one is at least 4.5 : 1.
 */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
