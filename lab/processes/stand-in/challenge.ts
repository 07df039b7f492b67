import type { KeptCall, LedgerFile, Reserved } from './ledger-file.ts';

/**
 * The metadata of a payment that chooses what its payer does at the bank, one word for each attempt: `passed`, `failed`
 * or `left`, after some milliseconds as in `passed_500`; `nowhere`: the payer is not told where to go. Without a word,
 * the payer decides on the page.
 */
const challengeKey = '_stand_in_challenge';

const known = /^(passed|failed|left|nowhere)(?:_(\d{1,7}))?$/;

function wordOf({ body }: Reserved): { word: string; afterMs: number } | null {
  const [, word, ms = '0'] = known.exec(body.metadata[challengeKey]?.split(',')[body.attempt - 1] ?? '') ?? [];
  return word === undefined ? null : { word, afterMs: Number(ms) };
}

/** Where the payer of a charge goes, as the answer has it; undefined if the payer cannot come back, or is not told. */
export function nextAction(reserved: Reserved, bankUrl: string): KeptCall['next_action'] {
  const { attended, return_url: returnUrl } = reserved.body;
  if (attended !== true || returnUrl === undefined || wordOf(reserved)?.word === 'nowhere') return undefined;
  return { redirect_url: `${bankUrl}/challenge/${reserved.reference}` };
}

/** Returns the charge as it is now: the payer may have done what the metadata says. */
export async function playedOut(kept: KeptCall, reserved: Reserved, ledger: LedgerFile): Promise<KeptCall> {
  const chosen = wordOf(reserved);
  if (kept.outcome !== 'requires_action' || chosen === null) return kept;
  const isDue = Date.now() >= Date.parse(reserved.body.opened_at) + chosen.afterMs;
  if (!isDue || (chosen.word !== 'passed' && chosen.word !== 'failed')) return kept;
  await decide(kept, chosen.word === 'passed', ledger);
  return (await ledger.keptUnder('charge', reserved.reference)) ?? kept;
}

async function decide(kept: KeptCall, isPassed: boolean, ledger: LedgerFile): Promise<void> {
  const { next_action: _next, ...charge } = kept;
  const outcome = isPassed ? ({ outcome: 'succeeded' } as const) : failed;
  await ledger.endChallenge(kept.reference ?? '', { ...charge, ...outcome, after_challenge: true });
}

const failed = { outcome: 'failed', code: 'authentication_required' } as const;

/** What the page of the bank responds: a page with the question, a way back (303), or null if there is no such page. */
export type BankPage = { html: string } | { goTo: string } | null;

/** The page of the bank: it asks, and leads back when it was answered. It has no secret, as no such page has. */
export async function bankPage(reference: string, answer: string | null, ledger: LedgerFile): Promise<BankPage> {
  const returnUrl = ledger.reservedAs(reference)?.body.return_url;
  const kept = await ledger.keptUnder('charge', reference);
  if (returnUrl === undefined || kept === null) return null;
  if (answer === 'pass' || answer === 'fail') await decide(kept, answer === 'pass', ledger);
  const present = await ledger.keptUnder('charge', reference);
  if (present?.outcome !== 'requires_action' || ledger.isCanceled(reference)) return { goTo: returnUrl };
  return { html: question };
}

const question = `<!doctype html><html lang="en"><title>Your bank</title><h1>Confirm this payment</h1>
<form method="post"><button name="answer" value="pass">Pass</button>
<button name="answer" value="fail">Fail</button></form></html>`;
