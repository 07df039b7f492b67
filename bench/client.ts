import { Pool } from 'undici';

export type Json = Record<string, unknown>;

/** The API as a merchant's program sees it. */
export interface Client {
  get(path: string): Promise<Json>;
  post(path: string, body?: object): Promise<Json>;
  delete(path: string): Promise<Json>;
  close(): Promise<void>;
}

/** A client with keep-alive connections. Whatever is not a success throws, with the answer in the message. */
export function openClient(baseUrl: string, key: string): Client {
  const pool = new Pool(baseUrl, { connections: 16, pipelining: 1, keepAliveTimeout: 60_000 });

  async function send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Json> {
    const answer = await pool.request({
      method,
      path: `/api/v1${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return asJson(JSON.parse(text));
  }

  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    delete: (path) => send('DELETE', path),
    close: () => pool.close(),
  };
}

/** A member that has to be a string. */
export function stringIn(body: Json, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}: ${JSON.stringify(body)}`);
  return value;
}

function asJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error(`no object: ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
}
