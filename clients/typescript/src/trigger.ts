import { CommandFailure } from './cli/command.ts';
import { EventFeed } from './cli/feed.ts';
import { Made } from './cli/made.ts';
import { recipes } from './cli/recipes.ts';
import type { Event } from './generated/models.ts';
import { pause } from './pause.ts';

export { Made };

const eventTimeoutMs = 30_000;
const lookAgainAfterMs = 100;

/** Whether `triggerEvent` can bring an event of this type about. */
export function isTriggerable(type: string): type is Event['event_type'] {
  return Object.hasOwn(recipes, type);
}

/**
 * Makes the objects that cause an event of this type in the sandbox, and returns the event. The signal ends it early.
 * @throws CommandFailure if the event does not come within 30 seconds.
 */
export async function triggerEvent(made: Made, type: Event['event_type'], signal: AbortSignal): Promise<Event> {
  const recipe = recipes[type];
  if (recipe === undefined) throw new CommandFailure(`"${type}" cannot be triggered.`);
  const feed = new EventFeed(made.payments, { signal, onOutage: () => {} });
  const start = (await feed.newest())?.sequence ?? 0;
  const id = await recipe(made, signal);
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
