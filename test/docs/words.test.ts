import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = [
  'src',
  'docs',
  'clients/typescript/src',
  'clients/typescript/generate',
  'clients/generate',
  'clients/python/generate',
  'clients/go/generate',
  'clients/sandbox',
  'monitoring',
  'temporal',
  'test',
  'faults',
  'lab',
  'bench',
  'dev',
  'demo',
  'fuzz',
  'tools',
];
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'clients/README.md',
  'clients/typescript/README.md',
  'clients/python/README.md',
  'clients/go/README.md',
];
const readable = new Set(['.ts', '.mjs', '.md', '.sql', '.yml', '.yaml', '.json', '.sh', '.cfg', '.env']);
/** Released migrations never change, and generated files follow their sources. */
const fixed =
  /^(src\/db\/migrations\/|clients\/typescript\/src\/generated\/|test\/replay\/histories\/|dev\/programs\/)|\/(node_modules|dist)\/|^test\/docs\/words\.test\.ts$/;

/** Words that readers have to decode, and what to write instead. Add a word when the last use of it is gone. */
const instead: readonly (readonly [word: RegExp, write: string])[] = [
  [/\bwhoever\b/i, 'the person or program: a biller, an operator, the caller'],
  [/\bfor want of\b/i, '“… is not reachable”, “because … is missing”'],
  [/\bof itself\b/i, '“by itself”, or the name of the thing'],
  [/\bstandings? of\b/i, '“status of”'],
  [/\bwhat (came|comes|became|becomes) of\b/i, '“the result of”'],
  [
    /\b(hence|whence|thereof|whereof|therein|wherein|hitherto|lest|nought)\b/i,
    'the everyday word: so, from where, of it, 0',
  ],
  [/\bheard of\b/i, '“received”'],
  [/\bone’s own\b|\bone's own\b/i, '“your own”'],
  [/\b(stage|claim)Intents\b/, '`enqueue`, `claimBatch`: they are outbox entries'],
  [/\btake-turns\b|\bturnTaking\b/, '`limit-concurrency`'],
  [/\brehears/i, '“dry run”'],
  [/\bcalled off\b/i, '“canceled”'],
  [/\bcarryOut(Advance|Debit|Link|Request|Session)\b/, '`execute…`, `takeDebitStep`, `expireDue…`'],
  [/\btake(Back|Effect)\b/, '`recordReturned`, `putIntoEffect`'],
  [/\bgiveBack\b/, '“refund”'],
  [/\b(hold|Held)Payment\b|\bchargeHeld\b/, '`reserve…`, `…Reserved`'],
  [/\b[cC]hargeWay\b/, '`Rail`'],
  [/\bheal(Plan|Subscription|ing)/, '`applyMethodTo…`'],
  [/\bgo(ing)?On[A-Z]/, '`continue…`'],
  [/\bbook(ed|Success|Failure|Return|OnSlot)?\(|\b[bB]ooked/, '`record…`'],
  [/\b(has|have|had) got\b/i, '“has received”, or the state that follows'],
  [/\bany more\b/i, '“no longer”; after “nothing” and “no”, nothing'],
  [/(?<!['/])\b(no|some|any|every)body\b/i, 'the person or program: a biller, a payer, another request'],
  [/\ball the same\b/i, '“still”'],
  [/\bby (itself|themselves)\b/i, '“automatically”, “on its own”, “separately”'],
  [/\bsituation(s|Of)?\b/i, '`PlanWithSlots`, `SubscriptionWithPeriods`; “case” in prose'],
  [/\b(interface|type) (Change|Refusal)\b/, 'the name of the thing: `PlanStepChange`, `SubmissionRefusal`'],
  [
    /\bit(\.\w+)?\(['"`](after|at|by|for|from|in|of|on|to|under|when|while|with|without) /i,
    'a title that begins with its verb: “charges once when …”, not “when …, charges once”',
  ],
];

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => readable.has(extname(name)) && !fixed.test(name) && statSync(join(root, name)).isFile());
}

describe('the words of the code and the docs', () => {
  const files = [...pages, ...folders.flatMap(filesIn)];

  for (const [word, write] of instead) {
    it(`do not include ${word.source}`, () => {
      const uses = files.flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((line, index) => (word.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
      );
      assert.deepEqual(uses, [], `Write instead: ${write}`);
    });
  }

  it('are read in every folder', () => {
    for (const folder of folders)
      assert.ok(
        files.some((file) => file.startsWith(`${folder}/`)),
        folder,
      );
    assert.ok(files.length > 250, String(files.length));
  });
});
