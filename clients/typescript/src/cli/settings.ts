import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from './command.ts';

/** Where the service is, and the key. */
export interface Settings {
  baseUrl: string;
  apiKey: string;
  webUiUrl: string | null;
}

const defaultBaseUrl = 'http://127.0.0.1:8080';

/**
 * Returns the settings of the environment: BASE_URL and API_KEY. Without a key, those of the service that `npm start`
 * runs in this folder: `development.json` in DATA_DIR, or in `.data`.
 * @throws UsageError if there is no key.
 */
export function findSettings(env: NodeJS.ProcessEnv, folder = process.cwd()): Settings {
  const file = resolve(folder, join(env.DATA_DIR ?? '.data', 'development.json'));
  const local = readLocal(file);
  const webUiUrl = local?.temporal_ui_url ?? null;
  if (env.API_KEY) {
    const baseUrl = env.BASE_URL ?? local?.base_url ?? defaultBaseUrl;
    return { baseUrl, apiKey: env.API_KEY, webUiUrl: baseUrl === local?.base_url ? webUiUrl : null };
  }
  if (local?.base_url === undefined || local.keys?.sandbox_secret === undefined) {
    throw new UsageError(
      `There is no key. Set API_KEY to a sandbox key, and BASE_URL to the address of the service (${defaultBaseUrl} ` +
        `without it). In the folder of a service that runs by npm start they are found in ${file}.`,
    );
  }
  if (env.BASE_URL !== undefined && env.BASE_URL !== local.base_url) {
    throw new UsageError('BASE_URL is set, but API_KEY is not.');
  }
  return { baseUrl: local.base_url, apiKey: local.keys.sandbox_secret, webUiUrl };
}

interface Local {
  base_url?: string;
  temporal_ui_url?: string;
  keys?: { sandbox_secret?: string };
}

function readLocal(file: string): Local | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
