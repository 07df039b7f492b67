import { signWebhook } from '../webhooks.ts';
import { type CliContext, type Command, exactly, parse, typeFilter, UsageError, wholeNumber } from './command.ts';
import { EventFeed, startOf } from './feed.ts';
import { createForwarder, type Forwarded } from './forwarder.ts';
import { type Place, PlaceFile, placeFileFor } from './place.ts';
import { print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments listen --forward URL [options]

Reads events by the API, in order, and posts each to URL as the service would: the same body, signed by Standard
Webhooks. Nothing has to reach this machine from outside. An event that your receiver does not accept is sent again
until it does; the events after it wait. The place is kept in a file, so a listener that was ended or killed continues
where it was. Your receiver may then get the last event a second time.

  --forward URL      where your receiver listens, such as http://127.0.0.1:3000/webhooks
  --types LIST       only these events: types and groups, separated by commas (payment_plan.*,refund.failed)
  --clock ID         only events of this test clock
  --since WHERE      begin after this event (evt_…), after this sequence, or at the "beginning";
                     otherwise at the kept place, or with the next event the first time
  --place FILE       keep place and secret in this file, not in ~/.local/state/payments
  --skip-after N     give up an event after N attempts, report it, and continue; by default never
  --json             a line of JSON for each attempt

WEBHOOK_SECRET signs instead of the secret that is made for this listener and printed at its start.`;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    forward: { type: 'string' },
    types: { type: 'string' },
    clock: { type: 'string' },
    since: { type: 'string' },
    place: { type: 'string' },
    'skip-after': { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const url = receiverUrl(values.forward);
  const isWanted = typeFilter(values.types);
  const skipAfter = values['skip-after'];
  const attempts = skipAfter === undefined ? Number.POSITIVE_INFINITY : wholeNumber('skip-after', skipAfter, 1);
  const context = connect();
  const { payments, signal, env } = context;

  const parts = [context.baseUrl, url.href, values.types ?? '', values.clock ?? ''];
  const file = await PlaceFile.open(values.place ?? placeFileFor(parts, env));
  const secret = env.WEBHOOK_SECRET ?? file.secret;
  signWebhook('', secret); // a malformed secret is refused before anything is sent
  const feed = new EventFeed(payments, {
    signal,
    clock: values.clock,
    onOutage: (reason) =>
      printNote(reason === null ? 'The service responds again.' : `The service does not respond; waiting. ${reason}`),
  });
  const since = values.since === undefined ? null : await startOf(values.since, payments);
  const begin = since === null ? await resume(feed, file) : { sequence: since, event_id: null };
  await file.keep(begin);
  report(values.json, { url: url.href, secret, place: file.path, sequence: begin.sequence });

  const forward = createForwarder({ url, secret, signal, attempts });
  for await (const event of feed.follow(begin.sequence)) {
    if (isWanted(event.event_type)) {
      for await (const attempt of forward(event)) (values.json ? printJson : printAttempt)(attempt);
    }
    await file.keep({ sequence: event.sequence, event_id: event.id });
  }
  return 0;
}

function receiverUrl(text: string | undefined): URL {
  if (text === undefined) throw new UsageError('--forward is missing.');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError('--forward must be an http or https URL.');
  return url;
}

/** Returns the kept place. If the service's data was replaced since, its first event is the next one. */
async function resume(feed: EventFeed, file: PlaceFile): Promise<Place> {
  const newest = await feed.newest();
  const now: Place = { sequence: newest?.sequence ?? 0, event_id: newest?.id ?? null };
  const { place } = file;
  if (place === null) return now;
  if (place.event_id === null ? place.sequence <= now.sequence : await feed.has(place.event_id)) return place;
  printNote('The service has other data than before, so this begins with its first event.');
  return { sequence: 0, event_id: null };
}

interface Start {
  url: string;
  secret: string;
  place: string;
  sequence: number;
}

function report(isJson: boolean, start: Start): void {
  if (isJson) {
    printJson({ ready: true, ...start });
    return;
  }
  print(`Ready. Events after ${start.sequence} go to ${start.url}. Ctrl-C ends it; the place is in ${start.place}.`);
  print(`Signing secret: ${start.secret}`);
}

function printAttempt({ event_type, event_id, status, error, duration_ms, next_attempt_ms, skipped }: Forwarded): void {
  const outcome = status === null ? (error ?? 'no response') : `${status} in ${duration_ms} ms`;
  const next = next_attempt_ms === null ? '' : `, again in ${(next_attempt_ms / 1000).toFixed(1)} s`;
  const time = new Date().toTimeString().slice(0, 8);
  print(`${time}  ${event_type.padEnd(30)}  ${event_id}  ${outcome}${next}${skipped ? ', given up' : ''}`);
}

export const listen: Command = { usage, run };
