import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { retentionDays } from '../../operations/sides/retention.ts';
import { grpcDetailsOf, grpcStatusOf } from '../../platform/grpc-status.ts';

/** A server that restarts on other ports within 20 s looks for its former self for that long. */
const visibleTimeoutMs = 60_000;
/** The time-out of one call. Shorter than the client's own, which retries with growing pauses. */
const askTimeoutMs = 2_000;
const pollMs = 50;

const attributeTypes = ['KEYWORD', 'BOOL', 'DATETIME', 'INT'] as const;

type AttributeType = NonNullable<ReturnType<typeof encodeSearchAttributeIndexedValueType>>;

/**
 * Creates the namespace (retention 3 days) if it does not exist, and waits until workflows can be started in it. An
 * existing one is not changed. `signal` cancels the wait.
 * @throws when it can neither be found nor created, and when it is not usable after 60 s.
 */
export async function ensureNamespace(connection: Connection, namespace: string, signal?: AbortSignal): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (grpcStatusOf(error) !== 'NOT_FOUND') {
      throw error;
    }
    await registerNamespace(connection, namespace);
  }
  // The frontend responds for a namespace before history and matching have read it. Matching handles the first of these
  // two calls, and history the second.
  await untilAccepted(connection, `namespace ${namespace}`, signal, async () => {
    await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: 'readiness' },
      taskQueueType: 1,
    });
    await connection.workflowService
      .describeWorkflowExecution({ namespace, execution: { workflowId: 'readiness' } })
      .catch((error: unknown) => {
        // An unknown namespace is NOT_FOUND too, but its message says so.
        if (grpcStatusOf(error) !== 'NOT_FOUND' || /namespace/i.test(grpcDetailsOf(error))) {
          throw error;
        }
      });
  });
}

async function registerNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      description: 'Payment plans, scheduled payments, test clocks and webhook deliveries',
      workflowExecutionRetentionPeriod: msToTs(`${retentionDays} days`),
    });
  } catch (cause) {
    if (grpcStatusOf(cause) === 'ALREADY_EXISTS') {
      return; // another process was quicker
    }
    throw new Error(
      `The Temporal namespace "${namespace}" does not exist and could not be made: ${grpcDetailsOf(cause)}. ` +
        'Make it by hand, or set TEMPORAL_NAMESPACE to one that exists.',
      { cause },
    );
  }
}

/**
 * Adds the search attributes of `temporal/search-attributes.json` that the namespace lacks, and waits until the server
 * accepts them. `signal` cancels the wait.
 * @throws when one has another type, cannot be added, or is not known after 60 s.
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  signal?: AbortSignal,
): Promise<void> {
  const wanted = await readSearchAttributes();
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  for (const [name, type] of Object.entries(wanted)) {
    const found = customAttributes?.[name];
    if (found !== undefined && found !== type) {
      throw new Error(
        `The search attribute ${name} of namespace ${namespace} is of type ${nameOf(found)}, ` +
          `but ${nameOf(type)} is needed. Rename it with "temporal operator search-attribute rename".`,
      );
    }
  }
  const missing = Object.fromEntries(Object.entries(wanted).filter(([name]) => customAttributes?.[name] === undefined));
  if (Object.keys(missing).length > 0) {
    await addSearchAttributes(connection, namespace, missing);
  }
  // A query that names all attributes is refused until the frontend has reloaded the namespace.
  const query = Object.keys(wanted)
    .map((name) => `${name} is not null`)
    .join(' and ');
  await untilAccepted(connection, 'search attributes', signal, async () => {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
  });
}

async function addSearchAttributes(
  connection: Connection,
  namespace: string,
  searchAttributes: Record<string, AttributeType>,
): Promise<void> {
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (cause) {
    const status = grpcStatusOf(cause);
    if (status === 'ALREADY_EXISTS') {
      return;
    }
    const advice =
      status === 'PERMISSION_DENIED' || status === 'UNIMPLEMENTED'
        ? ' Add them by hand, with "temporal operator search-attribute create" or, on Temporal Cloud, with tcld.'
        : '';
    throw new Error(
      `The search attributes ${Object.keys(searchAttributes).join(', ')} could not be added to namespace ` +
        `${namespace}: ${grpcDetailsOf(cause)}.${advice}`,
      { cause },
    );
  }
}

async function readSearchAttributes(): Promise<Record<string, AttributeType>> {
  const file = new URL('../../../temporal/search-attributes.json', import.meta.url);
  const listed: unknown = JSON.parse(await readFile(file, 'utf8'));
  const wanted: Record<string, AttributeType> = {};
  for (const [name, typeName] of Object.entries(listed ?? {})) {
    const known = attributeTypes.find((candidate) => candidate === String(typeName).toUpperCase());
    const type = encodeSearchAttributeIndexedValueType(known);
    if (type === undefined) {
      throw new Error(`${file.pathname}: ${name} has the type ${String(typeName)}, which is none of ${attributeTypes}`);
    }
    wanted[name] = type;
  }
  return wanted;
}

function nameOf(type: AttributeType): string {
  return attributeTypes.find((name) => encodeSearchAttributeIndexedValueType(name) === type) ?? `number ${type}`;
}

/** Repeats the call until it succeeds. @throws with the last error as its cause when it does not. */
async function untilAccepted(
  connection: Connection,
  what: string,
  signal: AbortSignal | undefined,
  ask: () => Promise<void>,
): Promise<void> {
  const giveUpAt = performance.now() + visibleTimeoutMs;
  for (;;) {
    try {
      const timeout = AbortSignal.timeout(askTimeoutMs);
      return await connection.withAbortSignal(signal ? AbortSignal.any([signal, timeout]) : timeout, ask);
    } catch (cause) {
      signal?.throwIfAborted();
      if (performance.now() > giveUpAt) {
        throw new Error(
          `Temporal does not know its ${what} after ${visibleTimeoutMs / 1000} s: ${grpcDetailsOf(cause)}. ` +
            "The server's log says why (DATA_DIR/logs/temporal.log where it is the embedded one).",
          { cause },
        );
      }
    }
    await sleep(pollMs, undefined, { signal });
  }
}
