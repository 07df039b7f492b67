import {
  Client,
  type ClientInterceptors,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { realNow } from '../domain/real-time.ts';
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

/**
 * A client that connects when it is first used, and again after an outage: a Temporal that is away keeps nobody from starting.
 * A call fails when it has no answer after four seconds, its repetitions included.
 */
export function openTemporal(
  config: Parameters<typeof temporalAddress>[0] & Pick<Config, 'temporalNamespace'>,
  interceptors?: ClientInterceptors,
): Client {
  const connection = Connection.lazy({
    ...temporalAddress(config),
    connectTimeout: '5s',
    interceptors: [retryInTime],
  });
  return new Client({ connection, namespace: config.temporalNamespace, ...(interceptors ? { interceptors } : {}) });
}

/** Shorter than the dispatcher's claims. */
const callTimeoutMs = 4_000;

/** These wait at the server for what is to happen, for as long as the server lets them. */
const waiting = /\/(UpdateWorkflowExecution|PollWorkflowExecutionUpdate)$/;

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());

/**
 * The client's own `withDeadline` would set a limit too, by an AsyncLocalStorage. In Node 20 one use of that makes every
 * promise of the process dearer for good: a fifth of the processor time of each request to the API.
 */
const retryInTime: typeof retry = (options, next) => {
  if (waiting.test(options.method_definition.path)) return retry(options, next);
  return retry({ ...options, deadline: realNow().getTime() + callTimeoutMs }, next);
};
