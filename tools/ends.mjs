// The tables of the guide "What an end does to payments", in words: for each kind of subject, what happens to a payment
// at every end. They are those of test/ends/payments-at-ends.ts. Usage: node tools/ends.mjs [--write] [PAGE], by
// default docs/api/13a-what-an-end-does.md. Without `--write` it compares the page with the tables. Ends with 1 if they
// differ, or if a cell is empty.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endsOf, fates, paymentStates, paymentsAtEnds, subjectKinds } from '../test/ends/payments-at-ends.ts';

const [begin, end] = ['<!-- ends: written by tools/ends.mjs -->', '<!-- end of ends -->'];
const isWriting = process.argv.includes('--write');
const page =
  process.argv.slice(2).find((word) => !word.startsWith('--')) ??
  fileURLToPath(new URL('../docs/api/13a-what-an-end-does.md', import.meta.url));

const line = (cells) => `| ${cells.join(' | ')} |`;
const capitalized = (text) => text[0].toUpperCase() + text.slice(1);

/** What a cell says, and why, if the end is refused. @throws Error if the cell is empty. */
function read(kind, end, state) {
  const cell = paymentsAtEnds[kind][end]?.[state];
  if (typeof cell === 'string' && cell in fates) return { word: cell };
  if (cell?.refused) return { word: '422', why: cell.refused };
  if (cell?.cannot) return { word: '–' };
  throw new Error(`The cell is empty: ${kind}, ${end}, ${state}. Fill it in test/ends/payments-at-ends.ts.`);
}

/** The table of a kind of subject: rows are the states of a payment, columns the ends. Then why some are refused. */
function sectionOf(kind) {
  const ends = Object.entries(endsOf[kind]);
  const cells = Object.keys(paymentStates).flatMap((state) =>
    ends.map(([end]) => ({ words: paymentStates[state], ...read(kind, end, state) })),
  );
  const rows = Map.groupBy(cells, ({ words }) => capitalized(words));
  const reasons = Map.groupBy(
    cells.filter(({ why }) => why !== undefined),
    ({ word, why }) => `${word} ${why}`,
  );
  const notes = [...reasons.values()].map((alike) => {
    const [{ word, why }] = alike;
    return line([`**${word}**`, capitalized([...new Set(alike.map(({ words }) => words))].join('; ')), why]);
  });
  return [
    `## ${subjectKinds[kind]}`,
    '',
    line(['', ...ends.map(([, words]) => words)]),
    line(['---', ...ends.map(() => '---')]),
    ...[...rows].map(([words, row]) => line([words, ...row.map(({ word }) => word)])),
    ...(notes.length === 0 ? [] : ['', '| | | Why |', '|---|---|---|', ...notes]),
  ].join('\n');
}

const words = ['| | |', '|---|---|', ...Object.entries(fates).map(([fate, sentence]) => line([`**${fate}**`, sentence]))];
const written = [words.join('\n'), ...Object.keys(subjectKinds).map(sectionOf)].join('\n\n');

const text = readFileSync(page, 'utf8');
const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
const present = `${text.slice(0, from)}\n\n${written}\n\n${text.slice(to)}`;
if (isWriting) writeFileSync(page, present);
else if (present !== text) {
  console.error('docs/api/13a-what-an-end-does.md has other tables. Run: npm run ends -- --write');
  process.exitCode = 1;
}
