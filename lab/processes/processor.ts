// A processor service that stands in for a live one: the protocol of docs/processors.md, the rules of the sandbox, a
// ledger on the disk, and bad weather on request. In a process of its own, which can be killed like the service's.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, answerTo, movementsAfter, noticesAfter } from './stand-in/answer.ts';
import { openBooks } from './stand-in/books.ts';
import { bankPage } from './stand-in/challenge.ts';
import { openLedgerFile } from './stand-in/ledger-file.ts';
import type { CallKind } from './stand-in/weather.ts';

const [ledgerPath = '', climatePath = '', port = ''] = process.argv.slice(2);
/** An argument would be seen in the list of processes. */
const secret = process.env.LIVE_PROCESSOR_SECRET ?? '';
const ledger = await openLedgerFile(ledgerPath, openBooks());
const bankUrl = `http://127.0.0.1:${port}`;

const kinds: Record<string, CallKind> = {
  '/prepare': 'prepare',
  '/charges': 'charge',
  '/inquire': 'inquire',
  '/cancel': 'cancel',
  '/refunds': 'refund',
  '/refunds/inquire': 'inquireRefund',
};

/** Calls that take nothing without an Idempotency-Key. */
const keyed: readonly CallKind[] = ['prepare', 'charge', 'refund', 'inquireRefund'];
const mostBytes = 1024 * 1024;

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await textOf(request);
  const asked = /^\/challenge\/(\w+)$/.exec(request.url ?? '')?.[1];
  if (asked !== undefined) return sendBankPage(response, asked, new URLSearchParams(text ?? '').get('answer'));
  if (request.headers.authorization !== `Bearer ${secret}`) return send(response, { status: 401, body: {} });
  if (request.method !== 'POST') return send(response, { status: 404, body: {} });
  if (text === null) return send(response, { status: 413, body: { error: 'the body is too large' } });
  const body = parsed(text);
  if (body === null) return send(response, { status: 400, body: { error: 'the body is not JSON' } });
  if (request.url === '/movements') return send(response, movementsAfter(body.after, ledger));
  if (request.url === '/notices') return send(response, await noticesAfter(body.after, ledger));
  const kind = kinds[request.url ?? ''];
  const ownKey = request.headers['idempotency-key'];
  if (kind !== undefined && keyed.includes(kind) && ownKey === undefined) {
    return send(response, { status: 400, body: { error: 'the Idempotency-Key is missing' } });
  }
  const key = ownKey ?? ledger.reservedAs(body.reference)?.idempotency_key;
  if (kind === undefined || typeof key !== 'string') return send(response, { status: 404, body: {} });
  await deliver(response, await answerTo({ kind, key, body }, ledger, { climateFile: climatePath, bankUrl }));
}

async function sendBankPage(response: ServerResponse, reference: string, answer: string | null): Promise<void> {
  const page = await bankPage(reference, answer, ledger);
  if (page === null) response.writeHead(404).end();
  else if ('goTo' in page) response.writeHead(303, { location: page.goTo }).end();
  else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
}

/** Returns the body; null if it is too large. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= mostBytes) chunks.push(chunk);
  }
  return length > mostBytes ? null : Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends the answer, or what the weather makes of it. */
async function deliver(response: ServerResponse, answer: Answer): Promise<void> {
  const { weather } = answer;
  if (weather === 'reset_before' || weather === 'answer_lost') {
    response.socket?.resetAndDestroy();
  } else if (weather === 'error_500') {
    send(response, { status: 500, body: { error: 'something went wrong' } });
  } else if (weather === 'refused_after') {
    send(response, { status: 422, body: { ...answer.body, outcome: 'rejected' } });
  } else if (weather === 'failed_after') {
    send(response, { status: 402, body: { ...answer.body, outcome: 'failed', code: 'card_declined' } });
  } else if (weather === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome to this network</body></html>');
  } else if (weather === 'truncated') {
    const text = JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, -5), () => response.socket?.resetAndDestroy());
  } else {
    if (weather?.startsWith('slow_')) await pause(Number(weather.slice('slow_'.length)));
    send(response, answer);
  }
}

function send(response: ServerResponse, answer: Pick<Answer, 'status' | 'body' | 'retryAfterSeconds'>): void {
  const { status, body, retryAfterSeconds } = answer;
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  response.on('error', () => {});
  handle(request, response).catch(() => response.socket?.destroy());
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
for (const name of ['SIGTERM', 'disconnect'] as const) process.once(name, () => process.exit(0));
