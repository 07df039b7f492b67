import { setTimeout as pause } from 'node:timers/promises';
import { unlessRefused } from '../../lab/client.ts';
import { inParallel, range } from '../../lab/parallel.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { payInTab } from './browser.ts';
import { type Actor, type Claim, keepDoing, type LinkUse, type World } from './world.ts';

/** A link and its payers. */
interface Errand {
  weight: number;
  words: string;
  /** How many payments the link takes; null for any number. */
  takes: number | null;
  /** How many tabs open the link at once. If it takes one payment, they share a session. */
  tabs: number;
  /** The card for each form of a session; the last one is for all that follow. */
  cards: (keyof typeof cards)[];
  /** What ends the link while it is being paid. */
  ends?: 'expires' | 'deactivated';
}

const cards = {
  succeed: 'tok_sandbox_visa_succeed',
  decline: 'tok_sandbox_visa_decline_insufficient_funds',
  challenge: 'tok_sandbox_visa_3ds_required',
} as const;

const errands: readonly Errand[] = [
  { weight: 5, words: 'one payment', takes: 1, tabs: 1, cards: ['succeed'] },
  { weight: 5, words: 'one payment, in three tabs', takes: 1, tabs: 3, cards: ['succeed'] },
  { weight: 3, words: 'one payment after a decline, in two tabs', takes: 1, tabs: 2, cards: ['decline', 'succeed'] },
  { weight: 4, words: 'one payment with a challenge, in two tabs', takes: 1, tabs: 2, cards: ['challenge'] },
  { weight: 4, words: 'three payments, of four payers', takes: 3, tabs: 4, cards: ['succeed'] },
  { weight: 2, words: 'any number of payments, of two payers', takes: null, tabs: 2, cards: ['decline', 'succeed'] },
  { weight: 3, words: 'one payment until it expires', takes: 1, tabs: 2, cards: ['succeed'], ends: 'expires' },
  {
    weight: 3,
    words: 'three payments until it is deactivated',
    takes: 3,
    tabs: 3,
    cards: ['succeed'],
    ends: 'deactivated',
  },
];

/** If the clock of the process that opens a challenge is an hour behind, it is over at once. Its payer tries again. */
const lateChallenges = 4;
const restMs = 200;
const expiresAfterMs = [400, 3_000] as const;
const deactivatedAfterMs = [0, 700] as const;
/** Each tab has an address of its own: the pages limit what one address may do. */
let lastAddress = 0;

/** Makes links, and pays behind each of them through the pages, in several tabs at once, until every payer is done. */
export function payer(number: number): Actor {
  return async (world) => {
    const name = `payer ${number}`;
    const chance = world.chance.fork(name);
    await keepDoing(world, name, restMs, () => payBehindLink(world, chance.pickByWeight(errands), chance));
  };
}

async function payBehindLink(world: World, { words, takes, tabs, ends, ...errand }: Errand, chance: World['chance']) {
  const { client } = world.accounts.links;
  const amount = world.nextAmount('payment');
  const claim: Claim = { amount, what: `a link over ${amount}: ${words}`, succeeded: [0, 0], attempts: [0, 0] };
  world.claims.push(() => [claim]);
  const terms = { name: `Invoice over ${amount}`, amount, currency: 'AUD', max_payments: takes } as const;
  const expires_at = new Date(realNow().getTime() + chance.between(...expiresAfterMs)).toISOString();
  const link =
    ends === 'expires'
      ? // A process that is late, or whose clock is ahead, finds the date in the past.
        await client.paymentLinks.create({ ...terms, expires_at }).catch(unlessRefused('validation_failed'))
      : await client.paymentLinks.create(terms);
  if (link === null) return;
  const use: LinkUse = { id: link.id, thanked: new Set() };
  world.links.push(use);
  const most = Math.min(takes ?? tabs, tabs);
  const failures = errand.cards.filter((card) => card === 'decline').length * (takes === 1 ? 1 : tabs);
  const isChallenged = errand.cards.includes('challenge');
  Object.assign(claim, {
    succeeded: [0, isChallenged ? 0 : most],
    attempts: [0, most + failures + (isChallenged ? lateChallenges : 0)],
    ...(isChallenged ? { isChallenged } : {}),
  });
  const { pathname } = new URL(link.url ?? '');
  const cardFor = (version: number) => cards[errand.cards[Math.min(version, errand.cards.length - 1)] ?? 'succeed'];
  const payAll = inParallel(range(tabs), tabs, async (index) => {
    const tab = {
      urls: world.cluster.pages.map(({ url }) => url),
      address: nextAddress(),
      chance: chance.fork(`${amount} ${index}`),
      journal: world.journal,
      signal: world.signal,
    };
    const end = await payInTab(tab, pathname, cardFor);
    if (end.kind === 'paid') use.thanked.add(end.session);
  });
  const deactivate = async () => {
    await pause(chance.between(...deactivatedAfterMs));
    const deactivated = await client.paymentLinks.deactivate(link.id).catch(unlessRefused('invalid_state'));
    if (deactivated !== null) claim.notAfter = realNow().getTime();
  };
  await Promise.all([payAll, ends === 'deactivated' ? deactivate() : null]);
  if (ends !== undefined) return;
  Object.assign(claim, {
    succeeded: isChallenged ? [0, 0] : [most, most],
    attempts: [most + failures, most + failures + (isChallenged ? lateChallenges : 0)],
  });
}

function nextAddress(): string {
  lastAddress += 1;
  return `10.${(lastAddress >> 16) & 255}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}
