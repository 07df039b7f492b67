import {
  Client,
  type ClientInterceptors,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { realNow } from '../platform/real-time.ts';
import type { Config } from './config.ts';

type Address = Pick<NativeConnectionOptions, 'address' | 'tls' | 'apiKey'>;

/**
 * How to reach the configured Temporal server, with TLS and an API key as configured.
 * @throws when no address is configured.
 */
export function temporalAddress(config: Pick<Config, 'temporalAddress' | 'temporalTls' | 'temporalApiKey'>): Address {
  if (config.temporalAddress === null) {
    throw new Error('TEMPORAL_ADDRESS is not set: give the host:port of a Temporal server, or use `npm start`.');
  }
  return {
    address: config.temporalAddress,
    ...(config.temporalTls ? { tls: true } : {}),
    ...(config.temporalApiKey === null ? {} : { apiKey: config.temporalApiKey }),
  };
}

type Reached = Parameters<typeof temporalAddress>[0] & Pick<Config, 'temporalNamespace'>;

/**
 * A client that connects on first use, and again after an outage, so a process can start while Temporal is away. A call
 * fails if it has no response after four seconds, retries included.
 */
export function openTemporal(config: Reached, interceptors?: ClientInterceptors): Client {
  const connection = Connection.lazy({
    ...temporalAddress(config),
    connectTimeout: '5s',
    interceptors: [retryInTime],
  });
  return new Client({ connection, namespace: config.temporalNamespace, ...(interceptors ? { interceptors } : {}) });
}

/**
 * The same, for a process in which the cost of every promise counts. The connection keeps the context of a call, such
 * as the header that names the namespace, in an AsyncLocalStorage. In Node 20, using one makes all promises of the
 * process slower from then on: it costs an eighth of the processor time of each API request. This client keeps the
 * context only while the call is being made. So `withDeadline`, `withAbortSignal` and `withMetadata` apply only to
 * calls made before their function first awaits.
 */
export function openLeanTemporal(config: Reached, interceptors?: ClientInterceptors): Client {
  const client = openTemporal(config, interceptors);
  const { callContextStorage } = client.connection as Connection;
  type Context = ReturnType<typeof callContextStorage.getStore>;
  let current: Context;
  Object.assign(callContextStorage, {
    getStore: () => current,
    run<T>(context: Context, makeCall: () => T): T {
      const before = current;
      current = context;
      try {
        return makeCall();
      } finally {
        current = before;
      }
    },
  });
  return client;
}

/** Shorter than the dispatcher's claims. */
const callTimeoutMs = 4_000;

/** These calls wait at the server for an event, as long as the server allows. */
const waiting = /\/(UpdateWorkflowExecution|PollWorkflowExecutionUpdate)$/;

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/** The connection's `withDeadline` could set the limit too, but at the cost that `openLeanTemporal` avoids. */
const retryInTime: typeof retry = (options, next) => {
  if (waiting.test(options.method_definition.path)) return retry(options, next);
  return retry({ ...options, deadline: realNow().getTime() + callTimeoutMs }, next);
};
