import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from './options.ts';
import { makeScenery, type Scenery } from './scenery.ts';
import type { Target, Tenant } from './target.ts';

/** One run of schemathesis, with one key. */
export interface Pass {
  readonly title: string;
  /** The key that all requests carry. */
  readonly key: string;
  /** A key of another biller, to whom nothing of the first one's may ever be shown. */
  readonly stranger: string | null;
  /** What the key has a right to; all else has to be refused with 4xx. Null: everything. */
  readonly rights: Rights | null;
  readonly scenery: Scenery;
  readonly phases: readonly string[];
  readonly maxExamples: number;
  /** Seconds after which it ends, going on until then; null: when every operation has had its examples. */
  readonly seconds: number | null;
}

/**
 * Ids of operations. Written down here and not read off the document, which the service makes of the same source as its
 * checks.
 */
interface Rights {
  readonly may: readonly string[];
  /** Only with the client secret of the payment intent in question. */
  readonly withClientSecret: readonly string[];
}

const needNoKey = ['getOpenApiDocument', 'getReferencePage', 'getReferenceAsset', 'getHealth', 'getReadiness'];
const ofPublishable: Rights = {
  may: [...needNoKey, 'createPaymentMethod'],
  withClientSecret: ['getPaymentIntent', 'confirmPaymentIntent', 'createMandate', 'acceptMandate'],
};
/** A secret key that has one scope, customers:read. */
const ofRestricted: Rights = { may: [...needNoKey, 'listCustomers', 'getCustomer'], withClientSecret: [] };

const configuration = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const hooks = fileURLToPath(new URL('hooks.py', import.meta.url));

/** What a run takes of its minutes for each pass. */
const shares = { browser: 0.1, restricted: 0.1, live: 0.15, server: 0.4, chains: 0.25 };
/** Chains come to an end when one of them cannot be repeated exactly, which here is soon: so they are given a time. */
const chainSeconds = { quick: 15, whole: 180 };

/**
 * Four callers: a browser with the publishable key, and a program with a restricted key, which are refused nearly
 * everything; a server in live mode, where no charge can be made; and a biller's server in sandbox, which reaches
 * everything, first by single requests and then by chains of them.
 */
export async function makePasses(target: Target, tenant: Tenant, stranger: Tenant, options: Options): Promise<Pass[]> {
  const { maxExamples, minutes, quick } = options;
  const { sandboxSecret, sandboxPublishable, sandboxRestricted, liveSecret, billerId } = tenant;
  const scenery = await makeScenery(target.baseUrl, sandboxSecret, billerId, 'sandbox');
  const live = await makeScenery(target.baseUrl, liveSecret, billerId, 'live');
  // Of one intent only, so that its id and its secret mostly come together.
  const ofOneIntent = { ...scenery, intents: unconfirmed(scenery.intents), secrets: unconfirmed(scenery.secrets) };
  const browser = { key: sandboxPublishable, stranger: null, rights: ofPublishable, scenery: ofOneIntent };
  const restricted = { key: sandboxRestricted, stranger: null, rights: ofRestricted, scenery };
  const liveServer = { key: liveSecret, stranger: stranger.liveSecret, rights: null, scenery: live };
  const server = { key: sandboxSecret, stranger: stranger.sandboxSecret, rights: null, scenery, maxExamples };
  // The boundary values of each field, most of all requests, tell no key from another. The examples are requests as
  // they are meant to be, which nothing but the key refuses.
  const fewer = { phases: ['fuzzing'], maxExamples: Math.ceil(maxExamples / 3) };
  const withExamples = { ...fewer, phases: ['examples', 'fuzzing'] };
  const secondsOf = (share: number) => (minutes === null ? null : Math.ceil(minutes * 60 * share));
  return [
    { title: 'publishable key', ...browser, ...withExamples, seconds: secondsOf(shares.browser) },
    { title: 'restricted key', ...restricted, ...withExamples, seconds: secondsOf(shares.restricted) },
    { title: 'live secret key', ...liveServer, ...fewer, seconds: secondsOf(shares.live) },
    {
      title: 'sandbox secret key',
      ...server,
      phases: ['examples', 'coverage', 'fuzzing'],
      seconds: secondsOf(shares.server),
    },
    {
      title: 'sandbox secret key, chains of requests',
      ...server,
      phases: ['stateful'],
      seconds: secondsOf(shares.chains) ?? (quick ? chainSeconds.quick : chainSeconds.whole),
    },
  ];
}

/** Writes what schemathesis reads for a pass into a folder of its own. */
export async function writeConfiguration(folder: string, pass: Pass): Promise<void> {
  const { key, stranger, rights, scenery, maxExamples } = pass;
  await mkdir(folder, { recursive: true });
  await copyFile(hooks, join(folder, 'hooks.py'));
  await writeFile(join(folder, 'rights.json'), JSON.stringify(rights));
  const keys = [entry('tenant', key), ...(stranger === null ? [] : [entry('stranger', stranger)])];
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ auth: keys }), { mode: 0o600 });
  const peers = stranger === null ? '' : 'peers = ["tenant", "stranger"]\n';
  const dictionaries = Object.entries(scenery)
    .map(
      ([name, values]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(values.length > 0 ? values : ['none'])}\n`,
    )
    .join('\n');
  const auth = `[auth.wfc]\npath = "keys.json"\nuser = "tenant"\n${peers}`;
  const counts = `[phases.fuzzing.generation]\nmax-examples = ${maxExamples}\n`;
  const text = [await readFile(configuration, 'utf8'), auth, counts, dictionaries].join('\n');
  await writeFile(join(folder, 'schemathesis.toml'), text);
}

/** Of the last customer's four intents the first, which is not confirmed. */
function unconfirmed(values: readonly string[] = []): string[] {
  return values.slice(-4, -3);
}

function entry(name: string, key: string) {
  return { name, fixedHeaders: [{ name: 'Authorization', value: `Bearer ${key}` }] };
}
