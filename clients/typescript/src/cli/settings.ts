import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isOnThisMachine, isPlainElsewhere } from '../address.ts';
import { UsageError } from './command.ts';
import { isOwnFile } from './own-file.ts';

/** Where the service is, and the key. */
export interface Settings {
  baseUrl: string;
  apiKey: string;
  /** Whether plain http is accepted for another machine: ALLOW_PLAIN_HTTP=true. */
  allowPlainHttp: boolean;
  webUiUrl: string | null;
  /** The folder whose `development.json` has the key; null if the environment has it. */
  dataDir: string | null;
}

const defaultBaseUrl = 'http://127.0.0.1:8080';

/**
 * Returns the settings of the environment: API_KEY, and BASE_URL or the default address. Without a key, those of the
 * service that `npm start` runs in this folder: `development.json` in DATA_DIR, or in `.data`. A key of the environment
 * never goes to an address of that file, because another user may have written it.
 * @throws UsageError if there is no key, if others on the network could read it, or if another user could have written
 * the file that has it.
 */
export function findSettings(env: NodeJS.ProcessEnv, folder = process.cwd()): Settings {
  const file = resolve(folder, join(env.DATA_DIR ?? '.data', 'development.json'));
  const isOwn = isOwnFile(file);
  const local = isOwn ? readLocal(file) : null;
  const allowPlainHttp = env.ALLOW_PLAIN_HTTP === 'true';
  if (env.API_KEY) {
    const baseUrl = env.BASE_URL || defaultBaseUrl;
    if (!allowPlainHttp && URL.canParse(baseUrl) && isPlainElsewhere(new URL(baseUrl))) {
      throw new UsageError(
        'BASE_URL must begin with https://, because the key is sent to it. With ALLOW_PLAIN_HTTP=true, http:// is ' +
          'accepted too.',
      );
    }
    const webUiUrl = baseUrl === local?.baseUrl ? local.webUiUrl : null;
    return { baseUrl, apiKey: env.API_KEY, allowPlainHttp, webUiUrl, dataDir: null };
  }
  if (!isOwn) {
    throw new UsageError(
      `${file} could have been written by another user, so its key and address are not used. Make the file and its ` +
        'folder yours alone (chown, chmod go-w), or set API_KEY and BASE_URL.',
    );
  }
  if (local === null) {
    throw new UsageError(
      `There is no key, and no service runs from ${dirname(file)}. Set API_KEY to a sandbox key, and BASE_URL to the ` +
        `address of the service (${defaultBaseUrl} without it). While npm start runs, they are found in ${file}.`,
    );
  }
  if (env.BASE_URL && env.BASE_URL !== local.baseUrl) throw new UsageError('BASE_URL is set, but API_KEY is not.');
  return { ...local, allowPlainHttp, dataDir: dirname(file) };
}

/** What `npm start` has written, which listens on this machine alone. Null if there is no such file. */
function readLocal(file: string): Pick<Settings, 'baseUrl' | 'apiKey' | 'webUiUrl'> | null {
  try {
    const { base_url: baseUrl, temporal_ui_url: webUi, keys } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof keys?.sandbox_secret !== 'string' || !isLocal(baseUrl)) return null;
    return { baseUrl, apiKey: keys.sandbox_secret, webUiUrl: isLocal(webUi) ? webUi : null };
  } catch {
    return null;
  }
}

function isLocal(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) && isOnThisMachine(url);
}
