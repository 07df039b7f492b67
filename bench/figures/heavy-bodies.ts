import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clientOf } from '../../lab/client.ts';
import { type HostileForm, hostileForms } from '../../lab/hostile-forms.ts';
import { inParallel, range } from '../../lab/parallel.ts';
import { type ServiceCopy, startService } from '../../lab/service.ts';
import { median } from '../../lab/statistics.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createKey } from '../../src/services/accounts/api-keys.ts';
import { createBiller } from '../../src/services/accounts/billers.ts';
import type { Measurement } from '../bench.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { type Sender, type Sending, type Sent, startSender } from '../flood/job.ts';
import { eventLoopMs } from '../heavy/processor-time.ts';
import { fullCustomer, fullIntent, type Shape, shapes } from '../heavy/shapes.ts';
import { recordedProcesses } from '../processes.ts';

/**
 * The service's own defaults, which the other figures raise. The pages limit an address, so each form comes from
 * another one: this machine counts as the proxy that names it.
 */
const limits = { RATE_LIMIT_PER_SECOND: '', RATE_LIMIT_BURST: '', TRUSTED_PROXY: '127.0.0.1' };
const steadyPerSecond = 50;
const restMs = 300;
const warmUps = 5;
/** So many of the largest bodies use up the burst of a key. */
const bodiesPerKey = 50;

/** What is promised: milliseconds of processor time for a request, and a neighbour's median beside what it is alone. */
const mostMs = 20;
const mostRatio = 2;

/** What the attacker sends, and how fast. */
interface Attack {
  id: string;
  what: string;
  requests: readonly Sending[];
  perSecond: number | null;
  /** Without one it is a flood, of which `flood` tells more: no ratio is promised. */
  mostRatio?: number;
}

const ofTwentyThousand = shapes.filter(({ id }) => id === 'unknown' || id === 'metadata');
const attacks: readonly Attack[] = [
  { id: 'members', what: '5 bodies a second of 20,000 members', requests: ofTwentyThousand, perSecond: 5, mostRatio },
  { id: 'shapes', what: 'all shapes in turn, 5 a second', requests: shapes, perSecond: 5, mostRatio },
  { id: 'flat-out', what: 'all shapes in turn, as fast as the responses come', requests: shapes, perSecond: null },
];

/** What requests cost the API that are made to cost much, and what they do to the requests of another key. */
export const heavyBodies: Measurement = {
  name: 'heavy-bodies',
  needs: 'nothing',
  async measure({ folder, quick, log }) {
    const samples = quick ? 10 : 40;
    const rounds = quick ? 1 : 5;
    const milliseconds = quick ? 2_000 : 6_000;
    const copy = await startService(join(folder, 'heavy'), { environment: limits });
    const [hostile, steady] = await Promise.all([startSender(), startSender()]);
    try {
      const newKey = await attackerOf(copy);
      log('heavy-bodies: filling the lists');
      await fillLists(copy, newKey);
      const costs = await measureCosts(copy, newKey, samples, log);
      const figures = costs.map(({ shape, spent }) =>
        figure(`heavy-bodies.${shape.id}`, shape.what, 'ms', spent, { target: { atMost: mostMs } }),
      );
      const forms = await measureForms(copy, samples, log);
      figures.push(
        ...forms.map(({ form, spent }) =>
          figure(`heavy-bodies.form-${form.id}`, `on a page: ${form.what}`, 'ms', spent, {
            target: { atMost: mostMs },
          }),
        ),
      );
      const dearest = Math.max(...[...costs, ...forms].flatMap(({ spent }) => spent));
      figures.push(
        figure('heavy-bodies.dearest', 'the dearest of all', 'ms', [dearest], { target: { atMost: mostMs } }),
      );
      for (const attack of attacks) {
        log(`heavy-bodies: ${attack.what}`);
        figures.push(...(await besideAttack(copy, attack, newKey, { hostile, steady }, rounds, milliseconds)));
      }
      return {
        name: 'heavy-bodies',
        title: 'Requests that are made to cost much: processor time of the API process, and a neighbour beside them',
        how: [
          `Each shape ${samples} times, one by one, after ${warmUps} that are not counted: what the main thread of the API process (of the pages, for their forms), its event loop, has run from before the request to its response, by the kernel's count.`,
          `Then a steady key sends reads and creates in turn at ${steadyPerSecond} a second for ${milliseconds / 1000} s in each of ${rounds} rounds, alone and beside one other key that sends hostile requests. Rate limit as configured by default.`,
        ],
        figures,
      };
    } finally {
      await Promise.all([hostile.stop(), steady.stop()]);
      await copy.stop();
    }
  },
};

type NewKey = () => Promise<string>;

/** Another biller, with as many keys as needed. */
async function attackerOf(copy: ServiceCopy): Promise<NewKey> {
  const by = { by: { kind: 'service', id: 'benchmark' } as const, now: realNow() };
  const inDatabase = async <T>(work: (sql: ReturnType<typeof openPool>) => Promise<T>): Promise<T> => {
    const sql = openPool(copy.databaseUrl, { max: 1, name: 'bench' });
    try {
      return await work(sql);
    } finally {
      await sql.end();
    }
  };
  const { id: billerId } = await inDatabase((sql) => createBiller(sql, { name: 'An attacker', ...by }));
  return async () =>
    (await inDatabase((sql) => createKey(sql, { billerId, livemode: false, kind: 'secret', ...by }))).key;
}

async function fillLists(copy: ServiceCopy, newKey: NewKey): Promise<void> {
  for (const _ of range(2)) {
    const key = await newKey();
    await inParallel(range(bodiesPerKey), 4, async () => {
      await send(copy, key, { method: 'POST', path: '/customers', body: fullCustomer });
      await send(copy, key, { method: 'POST', path: '/payment_intents', body: fullIntent });
    });
  }
}

async function send(copy: ServiceCopy, key: string, { method, path, body, headers }: Sending): Promise<void> {
  const response = await fetch(`${copy.baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
  if (response.status === 429 || response.status >= 500)
    throw new Error(`${method} ${path} returned ${response.status}`);
}

/** A GET of a page, and each hostile form posted to the page of a session whose payer chooses the amount. */
async function measureForms(copy: ServiceCopy, samples: number, log: (line: string) => void) {
  const pages = await processOf(copy, 'pages');
  const donation = { name: 'Donation', currency: 'AUD', amount_range: { min: 500, max: 10_000 } } as const;
  const { url } = await clientOf({ baseUrl: copy.baseUrl, key: copy.key }).paymentLinks.create(donation);
  const link = `${copy.pagesUrl}${new URL(url ?? '').pathname}`;
  const started = await fetch(link, { method: 'POST', body: await formOf(link), redirect: 'manual' });
  const page = new URL(started.headers.get('location') ?? '', copy.pagesUrl).href;
  const costs: { form: HostileForm; spent: number[] }[] = [];
  for (const form of hostileForms) {
    log(`heavy-bodies: on a page: ${form.what}`);
    const body = await formOf(page);
    body.set('method', 'tok_sandbox_visa_succeed');
    for (const [name, value] of Object.entries(form.fields)) body.set(name, value);
    const spent: number[] = [];
    for (const nth of range(warmUps + samples)) {
      const address = `198.51.${hostileForms.indexOf(form)}.${nth}`;
      const before = await eventLoopMs(pages);
      const response = await fetch(page, { method: 'POST', body, headers: { 'x-forwarded-for': address } });
      await response.arrayBuffer();
      if (response.status < 400 || response.status === 429) throw new Error(`a form returned ${response.status}`);
      if (nth >= warmUps) spent.push((await eventLoopMs(pages)) - before);
    }
    costs.push({ form, spent });
  }
  return costs;
}

/** The hidden fields of the form of a page. */
async function formOf(page: string): Promise<URLSearchParams> {
  const text = await (await fetch(page)).text();
  const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return new URLSearchParams([...fields].map(([, name = '', value = '']): [string, string] => [name, value]));
}

async function processOf(copy: ServiceCopy, name: string): Promise<number> {
  const [pid] = [...(await recordedProcesses(copy.dataDir))].find(([, part]) => part === name) ?? [];
  if (pid === undefined) throw new Error(`the process ${name} has recorded no process id`);
  return pid;
}

async function measureCosts(copy: ServiceCopy, newKey: NewKey, samples: number, log: (line: string) => void) {
  const api = await processOf(copy, 'api');
  const costs: { shape: Shape; spent: number[] }[] = [];
  for (const shape of shapes) {
    log(`heavy-bodies: ${shape.what}`);
    const key = await newKey();
    const spent: number[] = [];
    for (const nth of range(warmUps + samples)) {
      const before = await eventLoopMs(api);
      await send(copy, key, shape);
      if (nth >= warmUps) spent.push((await eventLoopMs(api)) - before);
    }
    costs.push({ shape, spent });
  }
  return costs;
}

async function besideAttack(
  { baseUrl, key: neighbour }: ServiceCopy,
  { id, what, requests, perSecond, mostRatio: atMost }: Attack,
  newKey: NewKey,
  { hostile, steady }: { hostile: Sender; steady: Sender },
  rounds: number,
  milliseconds: number,
): Promise<Figure[]> {
  const { id: customerId } = await clientOf({ baseUrl, key: neighbour }).customers.create({ name: 'Ada Example' });
  const calm = { baseUrl, key: neighbour, customerId, perSecond: steadyPerSecond, connections: 16, milliseconds };
  const measured: { alone: Sent; beside: Sent }[] = [];
  for (let round = -1; round < rounds; round++) {
    const key = await newKey();
    const alone = await steady.run(calm);
    await pause(restMs);
    const [beside] = await Promise.all([
      steady.run(calm),
      hostile.run({ baseUrl, key, customerId, perSecond, connections: 8, milliseconds, hostile: requests }),
    ]);
    await pause(restMs);
    if (round >= 0) measured.push({ alone, beside }); // the first one meets cold code
  }
  const beside = measured.map((one) => median(one.beside.latencies));
  const alone = measured.map((one) => median(one.alone.latencies));
  const ratios = beside.map((ms, round) => ms / (alone[round] ?? Number.NaN));
  return [
    figure(`heavy-bodies.${id}.p50`, `${what}: p50 of the steady key`, 'ms', beside, {
      beside: besideOf('alone', beside, alone),
    }),
    figure(`heavy-bodies.${id}.ratio`, '  the ratio of the two', 'ratio', ratios, {
      target: atMost === undefined ? null : { atMost },
    }),
  ];
}
