import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { TickActivities } from './worker.ts';

const byTask = proxyActivities<TickActivities>({ startToCloseTimeout: '1 minute' });
const inProcess = proxyLocalActivities<TickActivities>({ startToCloseTimeout: '1 minute' });

/** One timer until an instant (epoch ms) and one activity that comes as a task of its own. */
export async function tickByActivity(id: string, dueAt: number): Promise<void> {
  await sleep(Math.max(1, dueAt - Date.now()));
  await byTask.insertTick(id);
}

/** The same with a local activity, which costs the server about half as much. */
export async function tickByLocalActivity(id: string, dueAt: number): Promise<void> {
  await sleep(Math.max(1, dueAt - Date.now()));
  await inProcess.insertTick(id);
}
