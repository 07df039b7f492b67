import {
  Client,
  type ClientInterceptors,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { realNow } from '../../platform/real-time.ts';
import type { TemporalServer } from '../config/temporal.ts';

type Address = Pick<NativeConnectionOptions, 'address' | 'tls' | 'apiKey' | 'metadata'>;

/**
 * How to reach a configured Temporal server, with TLS, API key and metadata as configured.
 * @throws when no address is configured.
 */
export function addressOf({ address, tls, apiKey, metadata }: TemporalServer): Address {
  if (address === null) {
    throw new Error('TEMPORAL_ADDRESS is not set: give the host:port of a Temporal server, or use `npm start`.');
  }
  return { address, tls, metadata: { ...metadata }, ...(apiKey === null ? {} : { apiKey }) };
}

/**
 * A client that connects on first use, and again after an outage, so a process can start while Temporal is away. A call
 * fails if it has no response after four seconds, retries included.
 */
export function openTemporal(server: TemporalServer, interceptors?: ClientInterceptors): Client {
  const connection = Connection.lazy({ ...addressOf(server), connectTimeout: '5s', interceptors: [retryInTime] });
  return new Client({ connection, namespace: server.namespace, ...(interceptors ? { interceptors } : {}) });
}

/** Shorter than the dispatcher's claims. */
const callTimeoutMs = 4_000;

/** These calls wait at the server for an event, as long as the server allows. */
const waiting = /\/(UpdateWorkflowExecution|PollWorkflowExecutionUpdate)$/;

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/** Sets the time limit of a call. The connection's `withDeadline` would have to be around each call. */
const retryInTime: typeof retry = (options, next) => {
  if (waiting.test(options.method_definition.path)) return retry(options, next);
  return retry({ ...options, deadline: realNow().getTime() + callTimeoutMs }, next);
};
