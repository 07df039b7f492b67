import type { ClientInterceptors } from '@temporalio/client';
import type { WorkflowSide, WorkflowSides } from '../../operations/sides/workflow-sides.ts';
import type { Config } from '../config/config.ts';
import type { TemporalServer } from '../config/temporal.ts';
import { isRemoteAddress } from '../config/transport.ts';
import { openTemporal } from './client.ts';

/** As in temporal/dynamic-config.yaml, `matching.longPollExpirationInterval`. */
const embeddedPollSeconds = 20;

/** A side, and how its Temporal is reached. */
export interface OpenSide extends WorkflowSide {
  server: TemporalServer;
}

/**
 * Opens the Temporal of both modes, or those of live mode and of the sandbox. Each connects on first use.
 * @throws when no address is configured.
 */
export function openSides(
  { temporal, sandboxTemporal, temporalTaskQueue }: Pick<Config, 'temporal' | 'sandboxTemporal' | 'temporalTaskQueue'>,
  interceptors?: ClientInterceptors,
): WorkflowSides<OpenSide> {
  const open = (server: TemporalServer, livemode: boolean | null): OpenSide => ({
    server,
    livemode,
    taskQueue: temporalTaskQueue,
    temporal: openTemporal(server, interceptors),
    ...(isOnThisMachine(server) ? { longestPollSeconds: embeddedPollSeconds } : {}),
  });
  if (sandboxTemporal === null) return [open(temporal, null)];
  return [open(temporal, true), open(sandboxTemporal, false)];
}

function isOnThisMachine({ address }: TemporalServer): boolean {
  return address !== null && !isRemoteAddress(address);
}

/** Closes the connections of all sides. */
export async function closeSides(sides: WorkflowSides): Promise<void> {
  await Promise.all(sides.map(({ temporal }) => temporal.connection.close()));
}
