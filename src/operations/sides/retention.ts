import type { Client } from '@temporalio/client';
import { nameOf, type WorkflowSide, type WorkflowSides } from './workflow-sides.ts';

/** How long the histories of ended workflows stay readable in a namespace that the service makes. */
export const retentionDays = 3;

const daySeconds = 86_400;
/** An operator who looks does not wait longer for this. */
const askTimeoutMs = 2_000;

/**
 * Returns, of each Temporal that keeps ended workflows for less than three days, a sentence with the command that
 * changes it. A Temporal that does not respond in time is left out.
 */
export async function findShortRetention(sides: WorkflowSides): Promise<string[]> {
  const found = await Promise.all(
    sides.map(async (side) => {
      const { connection, workflowService, options } = side.temporal;
      const ask = () => workflowService.describeNamespace({ namespace: options.namespace });
      const description = await connection.withAbortSignal(AbortSignal.timeout(askTimeoutMs), ask).catch(() => null);
      return description && retentionOf(side, description);
    }),
  );
  return found.filter((words) => words !== null);
}

/**
 * Returns a sentence with the command if a Temporal keeps ended workflows for less than three days; null otherwise. The
 * service itself needs none of them, but people do: to read what an ended workflow did, to reset it, and to remove a
 * patch (docs/upgrades.md).
 */
export function retentionOf(side: Pick<WorkflowSide, 'temporal' | 'livemode'>, { config }: Description): string | null {
  const { namespace } = side.temporal.options;
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? Number.NaN);
  if (!(seconds < retentionDays * daySeconds)) return null;
  return (
    `${nameOf(side)} keeps ended workflows of the namespace "${namespace}" for ${Math.round(seconds / 3_600)} h only: what ` +
    `they did cannot be read later. To keep them for ${retentionDays} days: temporal operator namespace update ` +
    `--namespace ${namespace} --retention ${retentionDays * 24}h`
  );
}

type Description = Awaited<ReturnType<Client['workflowService']['describeNamespace']>>;
