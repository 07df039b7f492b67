// Requests and answers as the links of the chain to localstripe pass them on.

import type { OutgoingHttpHeaders } from 'node:http';
import { request as send } from 'node:http';
import type { Received } from '../loopback-server.ts';

export interface Answer {
  readonly status: number;
  /** Without those of the connection: the body is whole. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** What a link may pass on otherwise. */
export type Request = Pick<Received, 'method' | 'path' | 'headers' | 'body'>;

/** Headers that are about one connection, or about the length of a body. */
const ofTheConnection = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'expect'];

/** Sends a request on to a server and returns its whole answer. @throws what the connection says */
export function ask(target: string, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
    const out = send(new URL(path, target), { method, headers: { ...passedOn(headers), ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: passedOn(response.headers), body: text });
      });
    });
    out.once('error', reject);
    out.end(method === 'GET' ? undefined : body);
  });
}

/** A response whose body is this value as JSON. */
export function json(status: number, value: unknown, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** The bytes of the head of a request, for a server that closes the connection after it. */
export function headOf({ method, path, headers, body }: Request): string {
  const lines = Object.entries(passedOn(headers)).map(([name, value]) => `${name}: ${value}`);
  const own = ['host: localhost', 'connection: close', `content-length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, ...lines, ...own, '', ''].join('\r\n');
}

/** All bytes of an answer. */
export function textOfAnswer({ status, headers, body }: Answer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Answer`, ...lines, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}

function passedOn(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name)));
}
