import { readdir, readFile, readlink } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { familyOf } from '../../lab/process-table.ts';

/** What is silent for this long speaks no HTTP. */
const silenceMs = 5_000;

/** A TCP socket on which a process waits for connections. */
export interface Listener {
  pid: number;
  address: string;
  port: number;
}

/** Every TCP socket on which a process and its descendants listen, as the kernel of Linux says, by port. */
export async function listenersOf(pid: number): Promise<Listener[]> {
  const found = await Promise.all((await familyOf(pid)).map(listenersOfOne));
  const byPort = new Map(found.flat().map((listener) => [`${listener.address} ${listener.port}`, listener]));
  return [...byPort.values()].sort((a, b) => a.port - b.port);
}

export interface Attempt {
  /** 127.0.0.1 by default. */
  address?: string;
  port: number;
  method?: string;
  path?: string;
  /** The Host header; the port's own address by default. */
  host?: string;
  headers?: Record<string, string>;
  body?: string;
  /** How long the listener may be silent, in milliseconds. */
  patienceMs?: number;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** One request as any program of this machine may send it, or null where nothing that is HTTP comes back. */
export function ask({
  address = '127.0.0.1',
  port,
  method = 'GET',
  path = '/',
  host,
  headers = {},
  body,
  patienceMs = silenceMs,
}: Attempt): Promise<HttpAnswer | null> {
  return new Promise((resolve) => {
    const sent = request(
      {
        ...{ host: address, port, method, path, agent: false, setHost: false, timeout: patienceMs },
        headers: { ...headers, Host: host ?? `${address}:${port}` },
      },
      (answer) => resolve(readAnswer(answer)),
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(null));
    sent.end(body);
  });
}

/** Reads the whole of an answer. */
export async function readAnswer(answer: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() };
}

async function listenersOfOne(pid: number): Promise<Listener[]> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  const own = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]));
  const tables = ['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8').catch(() => ''));
  return (await Promise.all(tables))
    .flatMap((table) => table.split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode))
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':');
      return { pid, address: addressOf(address), port: Number.parseInt(port, 16) };
    });
}

/** Four bytes in the order of the processor, which is the reverse; longer ones are left as the kernel writes them. */
function addressOf(hex: string): string {
  if (hex.length > 8) return hex;
  return (hex.match(/../g) ?? [])
    .map((byte) => Number.parseInt(byte, 16))
    .reverse()
    .join('.');
}
