import { eventually } from '../../lab/eventually.ts';
import type { OwnService } from './service.ts';
import { waitsForItsDate } from './waiting-workflow.ts';

/** A clock from 4 to 6 January 2027 whose advance is accepted and was never signaled, and a plan due in between. */
export async function clockWithoutSignal(service: OwnService) {
  const { sql } = service.db;
  const made = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
  await eventually('both run', async () => (await sql`select 1 from workflow_intents`).length === 0);
  await waitsForItsDate(service.temporal, `test-clock/${made.clock.id}`);
  await service.stopDispatcher();
  await made.merchant.beginAdvance(made.clock.id, '2027-01-06T00:00:00Z');
  await sql`delete from workflow_intents where subject_id = ${made.clock.id}`;
  service.startDispatcher();
  return made;
}
