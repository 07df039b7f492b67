import { Client, Connection } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
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

/** A client that connects when it is first used, and again after an outage: a Temporal that is away keeps nobody from starting. */
export function openTemporal(config: Config): Client {
  const connection = Connection.lazy({ ...temporalAddress(config), connectTimeout: '5s' });
  return new Client({ connection, namespace: config.temporalNamespace });
}
