import type { Event } from '../generated/models.ts';
import { pause } from '../pause.ts';
import { type CliContext, type Command, CommandFailure, exactly, parse, UsageError } from './command.ts';
import { EventFeed } from './feed.ts';
import { Made } from './made.ts';
import { recipes } from './recipes.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments trigger EVENT [--cleanup] [--json]
       payments trigger --list

Makes the objects that cause an event of this type in the sandbox, such as a customer, a card and a payment, and waits
for the event. Your endpoints and payments listen get it, and every event on the way. --cleanup deletes the customers,
test clocks and endpoints afterwards; events stay. Status 1 means that the event did not come within 30 seconds.
payment_link.throttled takes a minute or two, because the pages limit the failures of one address.`;

const eventTimeoutMs = 30_000;
const lookAgainAfterMs = 100;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    cleanup: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  if (values.list) {
    exactly(positionals);
    print(Object.keys(recipes).join('\n'));
    return 0;
  }
  const [type = ''] = exactly(positionals, 'EVENT');
  const recipe = Object.hasOwn(recipes, type) ? recipes[type as Event['event_type']] : undefined;
  if (recipe === undefined) throw new UsageError(`"${type}" cannot be triggered. trigger --list shows what can.`);
  const context = connect();
  if (context.livemode) throw new UsageError('The key is one of live mode. Events are triggered in the sandbox alone.');

  const made = new Made(context.payments);
  const feed = new EventFeed(context.payments, { signal: context.signal, onOutage: () => {} });
  const start = (await feed.newest())?.sequence ?? 0;
  try {
    const event = await eventAbout(await recipe(made, context.signal), type, feed, start, context.signal);
    if (values.json) printJson(event);
    else print(columns([[event.event_type, event.id, 'id' in event.data ? String(event.data.id) : '']]));
  } finally {
    if (values.cleanup) await made.remove();
  }
  if (values.cleanup && !values.json) printNote('What was made is deleted.');
  return 0;
}

/** Waits for the event about this object. @throws CommandFailure if it does not come in time. */
async function eventAbout(
  id: string,
  type: string,
  feed: EventFeed,
  start: number,
  signal: AbortSignal,
): Promise<Event> {
  const giveUpAt = performance.now() + eventTimeoutMs;
  for (;;) {
    for await (const event of feed.after(start)) {
      if (event.event_type === type && 'id' in event.data && event.data.id === id) return event;
    }
    if (performance.now() > giveUpAt) {
      throw new CommandFailure(`${type} of ${id} has not come within ${eventTimeoutMs / 1000} seconds.`);
    }
    await pause(lookAgainAfterMs, signal);
  }
}

export const trigger: Command = { usage, run };
