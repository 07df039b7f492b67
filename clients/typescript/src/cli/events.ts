import type { Event, WebhookDelivery, WebhookEndpoint } from '../generated/models.ts';
import { pause } from '../pause.ts';
import { type CliContext, type Command, CommandFailure, exactly, parse, typeFilter, UsageError } from './command.ts';
import { EventFeed, startOf } from './feed.ts';
import { createForwarder } from './forwarder.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments events tail [--types LIST] [--clock ID] [--since WHERE] [--once] [--json]
       payments events resend EVENT [--endpoint ID | --forward URL] [--json]

tail    shows events as they come, in order. --since begins after an event (evt_…), after a sequence, or at the
        "beginning"; otherwise with the next event. --once ends when all that exist are shown.
resend  sends one event again: by the service to each endpoint that got it, or to one (--endpoint we_…). With --forward
        it is posted from here, signed by WEBHOOK_SECRET. Ends with 1 if it was not received.`;

/** How long the result of a delivery that was sent again is waited for. */
const resultTimeoutMs = 20_000;
const lookAgainAfterMs = 200;
/** An endpoint with more deliveries than this since the event is not searched further. */
const searchedDeliveries = 10_000;

async function run([word, ...args]: string[], connect: () => CliContext): Promise<number> {
  if (word === 'tail') return tail(args, connect);
  if (word === 'resend') return resend(args, connect);
  throw new UsageError(word === undefined ? 'Use tail or resend.' : `There is no "events ${word}".`);
}

async function tail(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    types: { type: 'string' },
    clock: { type: 'string' },
    since: { type: 'string' },
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const isWanted = typeFilter(values.types);
  const { payments, signal } = connect();
  const feed = new EventFeed(payments, {
    signal,
    clock: values.clock,
    failsWhenAway: values.once,
    onOutage: (reason) =>
      printNote(reason === null ? 'The service responds again.' : `The service does not respond; waiting. ${reason}`),
  });
  const start =
    values.since === undefined ? ((await feed.newest())?.sequence ?? 0) : await startOf(values.since, payments);
  if (!values.json && !values.once) printNote(`Waiting for events after ${start}. Ctrl-C ends it.`);
  for await (const event of values.once ? feed.after(start) : feed.follow(start)) {
    if (isWanted(event.event_type)) (values.json ? printJson : printEvent)(event);
  }
  return 0;
}

function printEvent({ sequence, created_at, event_type, id, data }: Event): void {
  const about = 'id' in data ? String(data.id) : '';
  print(columns([[String(sequence), created_at, event_type, about, id]], [6, 24, 30, 43]));
}

async function resend(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    endpoint: { type: 'string' },
    forward: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const [id = ''] = exactly(positionals, 'EVENT');
  if (values.endpoint !== undefined && values.forward !== undefined) {
    throw new UsageError('--endpoint and --forward exclude each other.');
  }
  const context = connect();
  const event = await context.payments.events.get(id);
  return values.forward === undefined
    ? resendByService(event, values.endpoint, values.json, context)
    : resendFromHere(event, values.forward, values.json, context);
}

async function resendFromHere(event: Event, to: string, json: boolean, { env, signal }: CliContext): Promise<number> {
  if (!URL.canParse(to)) throw new UsageError('--forward must be an http or https URL.');
  if (!env.WEBHOOK_SECRET) throw new UsageError('Set WEBHOOK_SECRET to the secret that your receiver verifies with.');
  const forward = createForwarder({ url: new URL(to), secret: env.WEBHOOK_SECRET, signal, attempts: 1 });
  for await (const attempt of forward(event)) {
    if (json) printJson(attempt);
    else print(`${event.event_type}  ${event.id}  ${attempt.status ?? attempt.error}`);
    if (attempt.skipped) return 1;
  }
  return 0;
}

async function resendByService(
  event: Event,
  endpointId: string | undefined,
  json: boolean,
  { payments, signal }: CliContext,
): Promise<number> {
  const endpoints: WebhookEndpoint[] =
    endpointId === undefined
      ? await payments.webhookEndpoints.list({ limit: 100 }).toArray()
      : [await payments.webhookEndpoints.get(endpointId)];
  const deliveries: WebhookDelivery[] = [];
  for (const endpoint of endpoints) {
    const found = await deliveryTo(endpoint.id);
    if (found !== null) deliveries.push(found);
  }
  if (deliveries.length === 0) {
    throw new CommandFailure(`No endpoint was sent ${event.id}. With --forward URL it is posted from here.`);
  }
  let status = 0;
  for (const former of deliveries) {
    await payments.webhookDeliveries.retry(former.id);
    const done = await result(former);
    if (done.status !== 'delivered') status = 1;
    const last = done.attempts.at(-1);
    if (json) printJson(done);
    else print([done.endpoint_id, done.id, done.status, last?.status_code ?? last?.error ?? ''].join('  '));
  }
  return status;

  async function deliveryTo(endpoint: string): Promise<WebhookDelivery | null> {
    let seen = 0;
    for await (const delivery of payments.webhookEndpoints.listDeliveries(endpoint, { limit: 100 })) {
      if (delivery.event_id === event.id) return delivery;
      seen += 1;
      if (seen >= searchedDeliveries) break;
    }
    return null;
  }

  /** Waits for an attempt that was not there before. */
  async function result(former: WebhookDelivery): Promise<WebhookDelivery> {
    const giveUpAt = performance.now() + resultTimeoutMs;
    for (;;) {
      const now = await payments.webhookDeliveries.get(former.id);
      if (now.attempts.length > former.attempts.length || performance.now() > giveUpAt) return now;
      await pause(lookAgainAfterMs, signal);
    }
  }
}

export const events: Command = { usage, run };
