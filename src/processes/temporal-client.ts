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
 * How to reach the Temporal server of the configuration: plain on loopback, with TLS and an API key elsewhere.
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
 * A client that connects when it is first used, and again after an outage: a Temporal that is away keeps nobody from starting.
 * A call fails when it has no answer after four seconds, its repetitions included.
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
 * The same, for a process whose every promise counts. The connection keeps what it adds to a call, such as the header that
 * names the namespace, in an AsyncLocalStorage, and in Node 20 one use of that makes all promises of the process dearer for
 * good: an eighth of the processor time of each request to the API. Here it is kept while the call is being made, no longer:
 * of `withDeadline`, `withAbortSignal` and `withMetadata` only those calls know that are made before their function waits.
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

/** These wait at the server for what is to happen, for as long as the server lets them. */
const waiting = /\/(UpdateWorkflowExecution|PollWorkflowExecutionUpdate)$/;

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/** The connection's own `withDeadline` would set a limit too, at the price that `openLeanTemporal` saves. */
const retryInTime: typeof retry = (options, next) => {
  if (waiting.test(options.method_definition.path)) return retry(options, next);
  return retry({ ...options, deadline: realNow().getTime() + callTimeoutMs }, next);
};
