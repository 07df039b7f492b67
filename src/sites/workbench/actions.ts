import { html } from '../../platform/html.ts';
import { TimeSkippingUnavailable, ValidationFailed } from '../../services/errors.ts';
import { getTestClock } from '../../services/test-clocks/test-clocks.ts';
import { apiRoute } from '../account/api-route.ts';
import { parseTime, targetIn } from './move-form.ts';
import { time } from './words.ts';
import type { Answer, WorkbenchRequest } from './workbench-request.ts';

const nameLength = 255;

function assertTimeSkipping({ canSkipTime }: WorkbenchRequest): void {
  if (canSkipTime() === false) throw new TimeSkippingUnavailable();
}

export async function createClock(request: WorkbenchRequest): Promise<Answer> {
  const { form, context, perform } = request;
  assertTimeSkipping(request);
  const at = parseTime(form.get('frozen_time'));
  if (at === null) throw ValidationFailed.of('/frozen_time', 'invalid_value', 'Choose a time for the clock.');
  const name = (form.get('name') ?? '').trim().slice(0, nameLength);
  const made = await perform({
    route: apiRoute('createTestClock'),
    params: {},
    body: { frozen_time: at.toISOString(), ...(name === '' ? {} : { name }) },
    audit: { action: 'test_clock.created', subjectId: context.billerId, changes: {} },
  });
  return { goTo: `clocks/${memberOf(made, 'id')}` };
}

export async function advanceClock(request: WorkbenchRequest): Promise<Answer> {
  const { id, form, perform } = request;
  assertTimeSkipping(request);
  const target = targetIn(form);
  if (target === null)
    throw ValidationFailed.of('/frozen_time', 'invalid_value', 'Choose the time to move the clock to.');
  const to = target.toISOString();
  await perform({
    route: apiRoute('advanceTestClock'),
    params: { id },
    body: { frozen_time: to },
    audit: { action: 'test_clock.advanced', subjectId: id, changes: { frozen_time: { from: null, to } } },
  });
  return { goTo: `clocks/${id}` };
}

export async function askForDeletion({ sql, context, id, up, formField }: WorkbenchRequest): Promise<Answer> {
  const clock = await getTestClock(sql, context, id);
  return {
    status: 200,
    title: 'Delete this clock?',
    main: html`<h1>Delete this clock?</h1>
<p><strong>${clock.name ?? 'Clock'}</strong> at ${time(clock.frozen_time)} UTC, with its customers and all their objects.
This cannot be undone. Its events stay.</p>
<form method="post" action="delete">${formField(`clocks/${clock.id}/delete`)}<button class="danger">Delete it</button> <a href="${up}clocks/${id}">Keep it</a></form>`,
  };
}

export async function deleteClock({ id, perform }: WorkbenchRequest): Promise<Answer> {
  await perform({
    route: apiRoute('deleteTestClock'),
    params: { id },
    audit: { action: 'test_clock.deleted', subjectId: id, changes: {} },
  });
  return { goTo: '' };
}

export async function retryDelivery({ id, perform }: WorkbenchRequest): Promise<Answer> {
  const delivery = await perform({
    route: apiRoute('retryWebhookDelivery'),
    params: { webhook_delivery_id: id },
    audit: { action: 'webhook_delivery.sent_again', subjectId: id, changes: {} },
  });
  return { goTo: `events/${memberOf(delivery, 'event_id')}` };
}

function memberOf(body: unknown, name: string): string {
  return typeof body === 'object' && body !== null ? String(Reflect.get(body, name)) : '';
}
