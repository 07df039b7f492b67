import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { inParallel, range } from '../../lab/parallel.ts';
import { makePayer } from '../../lab/payer.ts';
import { percentile } from '../../lab/statistics.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Bench, Measurement } from '../bench.ts';
import { allWaiting, dueBesideCards } from '../beside-cards.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { type Sender, startSender } from '../flood/job.ts';
import { advance, day, type PlayedScene, setUp, tearDown } from '../scenery.ts';

const namespace = 'payments';
const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;
const unknownPerSecond = 2_000;
const steadyPerSecond = 50;
const linksEach = 30;

/** The pages for payers, and payment links that expire. */
export const pages: Measurement = {
  name: 'pages',
  needs: 'copy',
  async measure(bench) {
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    const [visitors, steady] = await Promise.all([startSender(), startSender()]);
    try {
      const temporal = new Client({ connection, namespace });
      return {
        name: 'pages',
        title: 'Pages for payers, and links that expire',
        how: [
          'Pages: GET of the page of one link and of the page of one session, by a sender in a process of its own, at 1 and at 16 connections; beside each stretch the API reads one customer in the same way.',
          `Unknown tokens: ${unknownPerSecond} GET /pay/… a second, each with another token, over 64 connections, beside ${steadyPerSecond} requests a second to the API, reads and creates in turn. The time of a request runs from the instant at which it was due.`,
          `On a clock: 3 customers with ${linksEach} links each, which expire on ${linksEach} days; one advance of 31 days. Beside it, turn by turn, 14 days with 3 customers and 3 weekly plans each.`,
          `At one instant: ${bench.plans} links in real time whose date is moved by SQL, and whose workflows are poked. Time runs until the events of all are committed. Beside it, in turns, as many weekly plans are charged.`,
        ],
        figures: [
          ...(await rendering(bench, visitors)),
          ...(await unknownTokens(bench, visitors, steady)),
          ...(await onClock(bench)),
          ...(await atOneInstant(bench, temporal)),
        ],
      };
    } finally {
      await Promise.all([visitors.stop(), steady.stop()]);
      await connection.close();
    }
  },
};

/** Starts a session behind a link as a payer does. Returns the paths of both pages. */
async function openPages({ client, copy }: Bench): Promise<{ link: string; session: string }> {
  const made = await client.paymentLinks.create(invoice);
  const link = new URL(made.url ?? '').pathname;
  const text = await (await fetch(`${copy.pagesUrl}${link}`)).text();
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(text) ?? [];
  const body = new URLSearchParams({ form });
  const started = await fetch(`${copy.pagesUrl}${link}`, { method: 'POST', body, redirect: 'manual' });
  const session = started.headers.get('location');
  if (session === null) throw new Error(`the session did not start: ${started.status}`);
  return { link, session };
}

async function rendering(bench: Bench, visitors: Sender): Promise<Figure[]> {
  const { copy, client, quick, log } = bench;
  log('pages: rendering');
  const paths = await openPages(bench);
  const { customerId } = await makePayer(client);
  const rounds = quick ? 1 : 5;
  const milliseconds = quick ? 500 : 3_000;
  const get = (path: string) => [{ method: 'GET' as const, path, body: null }];
  const common = { key: copy.key, customerId, perSecond: null, milliseconds };
  const read = (connections: number) =>
    visitors.run({ ...common, baseUrl: copy.baseUrl, connections, hostile: get(`/customers/${customerId}`) });
  const figures: Figure[] = [];
  for (const [name, path] of Object.entries(paths)) {
    const visit = (connections: number) =>
      visitors.run({ ...common, baseUrl: copy.pagesUrl, below: '', connections, hostile: get(path) });
    for (const warmUp of [visit, read]) await warmUp(16); // the first ones meet cold code
    for (const connections of [1, 16]) {
      const taken = { page: [] as number[], api: [] as number[], rate: [] as number[], apiRate: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        const [page, api] = [await visit(connections), await read(connections)];
        taken.page.push(percentile(page.latencies, 0.5));
        taken.api.push(percentile(api.latencies, 0.5));
        taken.rate.push(page.latencies.length / page.seconds);
        taken.apiRate.push(api.latencies.length / api.seconds);
      }
      const what = `GET of the page of a ${name}, at ${connections}`;
      figures.push(
        figure(`pages.${name}.${connections}.rate`, what, '1/s', taken.rate, {
          target: connections === 16 ? { atLeast: 1_500 } : null,
          beside: besideOf('GET of a customer', taken.rate, taken.apiRate),
        }),
        figure(`pages.${name}.${connections}.p50`, `${what}: p50`, 'ms', taken.page, {
          target: connections === 1 ? { atMost: 3 } : null,
          beside: besideOf('GET of a customer', taken.page, taken.api),
        }),
      );
    }
    const page = await fetch(`${copy.pagesUrl}${path}`);
    if (page.status !== 200) throw new Error(`the page of a ${name} returned ${page.status}`);
    const bytes = (await page.arrayBuffer()).byteLength;
    figures.push(
      figure(`pages.${name}.size`, `the page of a ${name}`, 'kB', [bytes / 1000], { target: { atMost: 30 } }),
    );
  }
  return figures;
}

async function unknownTokens({ copy, client, quick, log }: Bench, visitors: Sender, steady: Sender): Promise<Figure[]> {
  log('pages: unknown tokens');
  const { customerId } = await makePayer(client);
  const milliseconds = quick ? 2_000 : 6_000;
  const calm = { baseUrl: copy.baseUrl, key: copy.key, customerId, perSecond: steadyPerSecond, connections: 16 };
  const unknown = range(5_000).map(() => ({ method: 'GET' as const, path: `/pay/${token()}`, body: null }));
  const taken = { alone: [] as number[], beside: [] as number[], rate: [] as number[] };
  for (let round = -1; round < (quick ? 1 : 5); round += 1) {
    const alone = await steady.run({ ...calm, milliseconds });
    await pause(300);
    const [flood, beside] = await Promise.all([
      visitors.run({
        ...{ baseUrl: copy.pagesUrl, below: '', key: '', customerId, connections: 64 },
        ...{ perSecond: unknownPerSecond, hostile: unknown, milliseconds },
      }),
      steady.run({ ...calm, milliseconds }),
    ]);
    await pause(300);
    if (round < 0) continue; // the first one meets cold code
    taken.alone.push(percentile(alone.latencies, 0.5));
    taken.beside.push(percentile(beside.latencies, 0.5));
    taken.rate.push(flood.latencies.length / flood.seconds);
  }
  const beside = besideOf('alone', taken.beside, taken.alone);
  return [
    figure(
      'pages.unknown.p50',
      `the API's p50 beside ${unknownPerSecond} unknown tokens a second`,
      'ms',
      taken.beside,
      {
        beside,
      },
    ),
    figure('pages.unknown.rate', '  unknown tokens that got their page', '1/s', taken.rate),
    ...(beside === null
      ? []
      : [figure('pages.unknown.ratio', '  the same ÷ alone', 'ratio', [beside.ratio], { target: { atMost: 1.2 } })]),
  ];
}

/** 32 characters of base 62, as a token has. */
function token(): string {
  return randomBytes(64)
    .toString('base64')
    .replace(/[^0-9A-Za-z]/g, '')
    .slice(0, 32)
    .padEnd(32, '0');
}

async function onClock(bench: Bench): Promise<Figure[]> {
  bench.log('pages: links on a clock');
  const taken = { links: [] as number[], plans: [] as number[] };
  for (let round = -1; round < (bench.quick ? 1 : 7); round += 1) {
    const links = await makeLinksOnClock(bench);
    const seconds = await advance(bench, links, 31);
    const { last_advance: last } = await bench.client.testClocks.get(links.clockId);
    const expired = last?.effects_manifest?.links_expired;
    if (expired !== 3 * linksEach) throw new Error(`${expired} of ${3 * linksEach} links have expired`);
    await tearDown(bench, links);
    const plans = await setUp(bench, { customers: 3, plansEach: 3, frequency: 'weekly' });
    const beside = await advance(bench, plans, 14);
    await tearDown(bench, plans);
    if (round < 0) continue; // the first one meets cold code
    taken.links.push(seconds);
    taken.plans.push(beside);
  }
  return [
    figure('pages.clock', `31 days, 3 customers with ${linksEach} links each`, 's', taken.links, {
      target: { atMost: 0.6 },
      beside: besideOf('14 days, 9 weekly plans', taken.links, taken.plans),
    }),
  ];
}

async function makeLinksOnClock({ client }: Bench): Promise<PlayedScene> {
  const time = new Date('2031-01-06T00:00:00.000Z');
  const { id: clockId } = await client.testClocks.create({ frozen_time: time.toISOString() });
  await inParallel(range(3), 3, async () => {
    const { customerId: customer_id } = await makePayer(client, { test_clock: clockId });
    await inParallel(range(linksEach), 4, (nth) => {
      const expires_at = new Date(time.getTime() + (nth + 1) * day).toISOString();
      return client.paymentLinks.create({ ...invoice, customer_id, expires_at });
    });
  });
  return { clockId, time };
}

function atOneInstant(bench: Bench, temporal: Client): Promise<Figure[]> {
  const { plans: count, sql, log } = bench;
  return dueBesideCards(bench, temporal, {
    id: 'pages.expiry',
    title: `from the instant to the last of ${count} links that expire`,
    name: 'links',
    workflowType: 'paymentLink',
    atMost: 10,
    make() {
      log(`pages: making ${count} links`);
      return makeLinks(bench, temporal);
    },
    move: (ids, at) => sql`update payment_links set expires_at = ${at}, wake_at = ${at} where id = any(${[...ids]})`,
    async expectDone(ids) {
      const [row] = await sql<[{ count: number }]>`
        select count(*)::integer as count from payment_links where id = any(${[...ids]}) and status = 'expired'`;
      if (row.count !== count) throw new Error(`${row.count} of ${count} links have expired`);
    },
  });
}

/** Makes links in real time, and waits until the workflow of each has its timer. */
async function makeLinks({ client, plans: count }: Bench, temporal: Client): Promise<string[]> {
  const expires_at = new Date(realNow().getTime() + 7 * day).toISOString();
  const ids = await inParallel(range(count), 12, async () => {
    const { id } = await client.paymentLinks.create({ ...invoice, expires_at });
    return id;
  });
  await allWaiting(temporal, 'paymentLink', count);
  return ids;
}
