import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../domain/ids.ts';

/** What the parser of HTTP found, by its code; anything else is malformed. */
const refusals: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
};
const malformed = { status: 400, message: 'The request is not valid HTTP.' };

/**
 * Answers what the parser of HTTP refuses, such as a NUL in a header: no middleware ever sees it, and it gets the error
 * envelope all the same. Then the connection ends, since nobody knows where the next request begins. Where an answer is
 * already on its way, that one is not to be spoilt.
 */
export function refuseUnparsed(error: Error & { code?: string }, socket: Duplex, isAnswering: boolean): void {
  if (isAnswering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, message } = refusals[error.code ?? ''] ?? malformed;
  const request_id = newId('request');
  const body = JSON.stringify({
    error: { message, type: 'invalid_request_error', code: 'bad_request', request_id },
  });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Request-Id: ${request_id}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
