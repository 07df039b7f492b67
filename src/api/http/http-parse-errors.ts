import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../../domain/ids.ts';
import { securityFields } from './response.ts';

/** Why the server refuses a request before it reaches the app. */
export interface HttpRefusal {
  status: number;
  code: string;
  message: string;
}

/**
 * Maps an error of Node's HTTP parser to a refusal: headers too large, request too slow, or invalid HTTP. Returns null
 * if the client has disconnected.
 */
export function httpRefusalOf(error: Error & { code?: string }, headerBytes: number): HttpRefusal | null {
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

export function tooManyHeaders(most: number): HttpRefusal {
  return headersTooLarge(`A request may have at most ${most} headers.`);
}

function headersTooLarge(message: string): HttpRefusal {
  return refusal(431, 'headers_too_large', message);
}

function refusal(status: number, code: string, message: string): HttpRefusal {
  return { status, code, message };
}

/**
 * Responds to a request that never reaches the middleware, such as one with a NUL in a header. The body is the usual
 * error envelope, with the request's id if it has one. Then the connection closes: the start of the next request is
 * unknown.
 */
export function refuseParseError(
  socket: Duplex,
  { status, code, message }: HttpRefusal,
  requestId: string = newId('request'),
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
  // The socket is destroyed once the response is sent, so a client that keeps sending is cut off.
  socket.end([...head, '', body].join('\r\n'), () => socket.destroy());
}
