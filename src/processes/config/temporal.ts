import type { ConnectionOptions } from '@temporalio/client';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { temporalTransportFault } from './transport.ts';

/** How to reach a Temporal server, and the namespace of the service's workflows there. */
export interface TemporalServer {
  /** `host:port` of the frontend; null: the embedded Temporal. */
  readonly address: string | null;
  readonly namespace: string;
  /** False on a remote address only if TEMPORAL_TLS is false. An object holds the certificates that are set. */
  readonly tls: NonNullable<ConnectionOptions['tls']>;
  readonly apiKey: string | null;
  /** Sent as metadata with every call (TEMPORAL_GRPC_META_…). */
  readonly metadata: Readonly<Record<string, string>>;
}

type Variables = Record<string, string>;
type Prefix = '' | 'SANDBOX_';

/**
 * The variables of a connection, for the sandbox with the prefix SANDBOX_. TEMPORAL_PORT and others of this service are
 * not among them.
 */
export const connectionVariable =
  /^TEMPORAL_(ADDRESS|NAMESPACE|API_KEY|TLS|TLS_\w+|GRPC_META_\w+|PROFILE|CONFIG_FILE)$/;
/** Where the package looks for a configuration file that is not named. */
const homeVariables = ['HOME', 'XDG_CONFIG_HOME', 'APPDATA'];

/** The Temporal of live mode; also the sandbox's, unless that has its own. Errors are added to `faults`. */
export function readTemporal(env: NodeJS.ProcessEnv, faults: string[]): TemporalServer {
  return readServer(env, { given: variablesOf(env, ''), prefix: '' }, faults);
}

/**
 * The sandbox's own Temporal, from the same variables with the prefix SANDBOX_. Null if it is that of live mode. What
 * the prefixed variables leave out is as for live mode. A server of its own, by address or profile, gets nothing of
 * live mode: no key, no certificate.
 */
export function readSandboxTemporal(
  env: NodeJS.ProcessEnv,
  live: TemporalServer,
  faults: string[],
): TemporalServer | null {
  const own = variablesOf(env, 'SANDBOX_');
  if (Object.keys(own).length === 0) return null;
  const isElsewhere = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'].some((name) => name in own);
  const shared = variablesOf(env, '');
  const given: Variables = isElsewhere ? { ...own } : { ...shared, ...own };
  // One file may have the profiles of both.
  if (shared.TEMPORAL_CONFIG_FILE) given.TEMPORAL_CONFIG_FILE ??= shared.TEMPORAL_CONFIG_FILE;
  const server = readServer(env, { given, prefix: 'SANDBOX_' }, faults);
  if (isElsewhere && server.address === null)
    faults.push('SANDBOX_TEMPORAL_ADDRESS must be set, or the profile have it');
  return server.address === live.address && server.namespace === live.namespace ? null : server;
}

function readServer(
  env: NodeJS.ProcessEnv,
  { given, prefix }: { given: Variables; prefix: Prefix },
  faults: string[],
): TemporalServer {
  const named = (name: string) => `${prefix}${name}`;
  const { TEMPORAL_TLS: flag } = given;
  if (flag !== undefined && flag !== 'true' && flag !== 'false') {
    faults.push(`${named('TEMPORAL_TLS')} must be true or false, not "${flag}"`);
  }
  const { address, namespace, tls, apiKey, metadata } = load(env, given, named, faults);
  if (address !== null && !(/^[^\s/:]+:\d{1,5}$/.test(address) && URL.canParse(`http://${address}`))) {
    faults.push(`${named('TEMPORAL_ADDRESS')} must be a host and a port, such as 127.0.0.1:7233, not "${address}"`);
  } else if (address !== null) {
    const fault = temporalTransportFault(address, tls !== undefined, prefix);
    if (fault !== null) faults.push(fault);
  }
  if (!/^[A-Za-z0-9][\w.-]*$/.test(namespace)) {
    faults.push(`${named('TEMPORAL_NAMESPACE')} must be letters, digits, dots and hyphens, not "${namespace}"`);
  }
  if (apiKey !== null && tls === false) {
    faults.push(
      `${named('TEMPORAL_TLS')} must not be false while ${named('TEMPORAL_API_KEY')} is set: the key would travel in the clear`,
    );
  }
  return { address, namespace, tls: tls ?? false, apiKey, metadata };
}

/** `tls` is undefined where nothing chooses between TLS and plain text. */
type Loaded = Omit<TemporalServer, 'tls'> & { tls: TemporalServer['tls'] | undefined };

/**
 * Reads the variables, and the profile of a configuration file if one is named. The file in the user's home, which the
 * `temporal` CLI uses, is not read without that: it may name another service's server.
 */
function load(env: NodeJS.ProcessEnv, given: Variables, named: (name: string) => string, faults: string[]): Loaded {
  const isFileNamed = given.TEMPORAL_PROFILE !== undefined || given.TEMPORAL_CONFIG_FILE !== undefined;
  const homes = Object.fromEntries(homeVariables.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  try {
    const profile = loadClientConfigProfile({
      overrideEnvVars: { ...homes, ...given },
      // With the name of a profile, a file that is missing is an error.
      ...(isFileNamed ? { profile: given.TEMPORAL_PROFILE ?? 'default' } : { disableFile: true }),
      configFileStrict: true,
    });
    if ((profile.tls?.clientCert === undefined) !== (profile.tls?.clientKey === undefined)) {
      faults.push(`${named('TEMPORAL_TLS_CLIENT_CERT_…')} and ${named('TEMPORAL_TLS_CLIENT_KEY_…')} need each other`);
    }
    return {
      address: profile.address ?? null,
      namespace: profile.namespace ?? 'payments',
      tls: toClientOptions(profile).connectionOptions.tls ?? undefined,
      apiKey: profile.apiKey ?? null,
      metadata: profile.grpcMeta ?? {},
    };
  } catch (error) {
    // A file that cannot be read, a profile that does not exist, a certificate that is given twice.
    // Further lines of the message quote the file, which may hold a key.
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
    faults.push(`The connection that ${named('TEMPORAL_…')} describes cannot be used: ${message}`);
    return { address: null, namespace: 'payments', tls: undefined, apiKey: null, metadata: {} };
  }
}

/** The variables of one connection that are set, without the prefix. */
function variablesOf(env: NodeJS.ProcessEnv, prefix: Prefix): Variables {
  const found: Variables = {};
  for (const [name, text] of Object.entries(env)) {
    const bare = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const value = text?.trim();
    if (value && connectionVariable.test(bare)) found[bare] = value;
  }
  return found;
}
