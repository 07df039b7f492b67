import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../../domain/ids.ts';
import { securityFields } from './security-fields.ts';

/** Why a request never comes to the app. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
}

/**
 * What the parser of HTTP has found, by its code: too much in the headers, too late, or no HTTP. Null when the client has
 * gone.
 */
export function refusalOf(error: Error & { code?: string }, headerBytes: number): Refusal | null {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return null;
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge(`The request line and the headers must be at most ${headerBytes} bytes together.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'request_timeout', 'The request took too long to arrive.');
    default:
      return refusal(400, 'bad_request', 'The request is not valid HTTP.');
  }
}

export function tooManyHeaders(most: number): Refusal {
  return headersTooLarge(`A request may have at most ${most} headers.`);
}

function headersTooLarge(message: string): Refusal {
  return refusal(431, 'headers_too_large', message);
}

function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message };
}

/**
 * Answers a request that no middleware ever sees, such as one with a NUL in a header, with the error envelope all the same,
 * under the request's id if it has one. Then the connection ends, since nobody knows where the next request begins.
 */
export function refuseParseError(
  socket: Duplex,
  { status, code, message }: Refusal,
  requestId = newId('request'),
): void {
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', code, request_id: requestId } });
  const fields = {
    'Request-Id': requestId,
    ...securityFields,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (const [name, value] of Object.entries(fields)) head.push(`${name}: ${value}`);
  // Nothing more is read, so a client that goes on sending is cut off as soon as it has its answer.
  socket.end([...head, '', body].join('\r\n'), () => socket.destroy());
}
