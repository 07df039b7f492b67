import { sleep } from '@temporalio/workflow';

/** Says so, and then thinks for a part of a second at a stretch, in the reaction of a promise. */
export async function thinks(): Promise<string> {
  await sleep(1);
  console.log('thinking');
  let sum = 0;
  for (let step = 0; step < 80_000_000; step += 1) sum = (sum + step) | 0;
  return `thought ${sum}`;
}

/** Never returns to the worker: an endless loop in the reaction of a promise. */
export async function hangs(): Promise<void> {
  await sleep(1);
  console.log('hanging');
  for (;;);
}
