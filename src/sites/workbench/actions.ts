import { html } from '../../platform/html.ts';
import { TimeSkippingUnavailable, ValidationFailed } from '../../services/errors.ts';
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  getTestClock,
} from '../../services/test-clocks/test-clocks.ts';
import { retryWebhookDelivery } from '../../services/webhooks/deliveries.ts';
import { parseTime, targetIn } from './move-form.ts';
import { time } from './words.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

const nameLength = 255;

function assertTimeSkipping({ canSkipTime }: WorkbenchRequest): void {
  if (canSkipTime() === false) throw new TimeSkippingUnavailable();
}

export async function createClock(request: WorkbenchRequest): Promise<Answer> {
  const { sql, context, form } = request;
  assertTimeSkipping(request);
  const at = parseTime(form.get('frozen_time'));
  if (at === null) throw ValidationFailed.of('/frozen_time', 'invalid_value', 'Choose a time for the clock.');
  const name = (form.get('name') ?? '').trim().slice(0, nameLength);
  const { id } = await createTestClock(sql, context, {
    frozen_time: at.toISOString(),
    ...(name === '' ? {} : { name }),
  });
  return { goTo: `clocks/${id}` };
}

export async function advanceClock(request: WorkbenchRequest): Promise<Answer> {
  const { sql, context, id, form } = request;
  assertTimeSkipping(request);
  const target = targetIn(form);
  if (target === null)
    throw ValidationFailed.of('/frozen_time', 'invalid_value', 'Choose the time to move the clock to.');
  await advanceTestClock(sql, context, id, target.toISOString());
  return { goTo: `clocks/${id}` };
}

export async function askForDeletion({ sql, context, id, up }: WorkbenchRequest): Promise<Answer> {
  const clock = await getTestClock(sql, context, id);
  return {
    status: 200,
    title: 'Delete this clock?',
    main: html`<h1>Delete this clock?</h1>
<p><strong>${clock.name ?? 'Clock'}</strong> at ${time(clock.frozen_time)} UTC, with its customers and all their objects.
This cannot be undone. Its events stay.</p>
<form method="post" action="delete"><button class="danger">Delete it</button> <a href="${up}clocks/${id}">Keep it</a></form>`,
  };
}

export async function deleteClock({ sql, context, id }: WorkbenchRequest): Promise<Answer> {
  await deleteTestClock(sql, context, id);
  return { goTo: '' };
}

export async function retryDelivery({ sql, context, id }: WorkbenchRequest): Promise<Answer> {
  const { event_id: eventId } = await retryWebhookDelivery(sql, context, id);
  return { goTo: `events/${eventId}` };
}
