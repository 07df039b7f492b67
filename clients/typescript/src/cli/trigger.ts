import { isTriggerable, triggerEvent } from '../trigger.ts';
import { type CliContext, type Command, exactly, parse, UsageError } from './command.ts';
import { Made } from './made.ts';
import { recipes } from './recipes.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments trigger EVENT [--cleanup] [--json]
       payments trigger --list

Makes the objects that cause an event of this type in the sandbox, such as a customer, a card and a payment, and waits
for the event. Your endpoints and payments listen get it, and every event on the way. --cleanup deletes the customers,
test clocks and endpoints afterwards; events stay. Status 1 means that the event did not come within 30 seconds.
payment_link.throttled takes a minute or two, because the pages limit the failures of one address.`;

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
  if (!isTriggerable(type)) throw new UsageError(`"${type}" cannot be triggered. trigger --list shows what can.`);
  const context = connect();
  if (context.livemode) throw new UsageError('The key is one of live mode. Events are triggered in the sandbox alone.');

  const made = new Made(context.payments);
  try {
    const event = await triggerEvent(made, type, context.signal);
    if (values.json) printJson(event);
    else print(columns([[event.event_type, event.id, 'id' in event.data ? String(event.data.id) : '']]));
  } finally {
    if (values.cleanup) await made.remove();
  }
  if (values.cleanup && !values.json) printNote('What was made is deleted.');
  return 0;
}

export const trigger: Command = { usage, run };
