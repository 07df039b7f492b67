import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { before } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import type { Service } from '../support/service.ts';
import { anonymous } from './anonymous.ts';

const folder = new URL('histories/current/', import.meta.url);

/**
 * What the recordings of a `describe` need. Before its first test the former histories are deleted of which `isOurs`
 * says by their name that they are recorded again.
 */
export function useRecorder(service: Service, isOurs: (name: string) => boolean) {
  before('forget the former ones', async () => {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) if (isOurs(name)) await rm(new URL(name, folder));
  });

  return {
    /** Keeps the history of a workflow's last run, or of the run named, once it has ended. */
    async keep(name: string, workflowId: string, runId?: string): Promise<void> {
      const handle = service.temporal.workflow.getHandle(workflowId, runId);
      await eventually('it has ended', async () => {
        const description = await handle.describe().catch(() => null); // its start may be on its way
        return description !== null && description.status.name !== 'RUNNING';
      });
      const history = anonymous(JSON.parse(historyToJSON(await handle.fetchHistory())));
      await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(history, null, 1)}\n`);
    },

    signal: (workflowId: string, name: string): Promise<true> =>
      eventually(`${workflowId} takes ${name}`, async () => {
        const handle = service.temporal.workflow.getHandle(workflowId);
        return handle.signal(name).then(
          () => true,
          () => false,
        );
      }),

    send: (workflowId: string, command: string, input?: unknown): Promise<string> =>
      service.temporal.workflow.getHandle(workflowId).executeUpdate<string, [unknown]>(command, { args: [input] }),
  };
}
