import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SecureSocket, type Security } from './secure-socket.ts';

/**
 * Tells the client of PostgreSQL of the end of its connection as it takes it best. An end without an error, before the
 * connection is ready, would have it connect anew for ever while the caller waits; and after a "close with error" it would
 * wait for up to 20 s before it connects again, however long the server has been back.
 */
function failingAtItsEnd<S extends Duplex>(socket: S): S {
  const emit = socket.emit.bind(socket);
  let hasFailed = false;
  socket.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event === 'error') hasFailed = true;
    if (event !== 'close') return emit(event, ...rest);
    if (!hasFailed) emit('error', closedError());
    return emit('close', false);
  };
  return socket;
}

/**
 * Makes the connections of a pool, in the clear or as secure as `security` wants: to the first host; what goes wrong is told
 * by the socket itself. The client's own TLS names no host (SNI) on a socket that it has not made.
 */
export function socketsFor(security: Security | null) {
  return ({ host, port, path }: { host: string[]; port: number[]; path?: string | false }): Duplex => {
    const wire = new Socket();
    wire.setNoDelay(true);
    const name = host[0] ?? 'localhost';
    if (path) return failingAtItsEnd(wire.connect(path));
    wire.connect(port[0] ?? 5432, name);
    return failingAtItsEnd(security === null ? wire : new SecureSocket(wire, name, security));
  };
}

function closedError(): Error {
  return Object.assign(new Error('the connection to the database was closed'), { code: 'CONNECTION_CLOSED' });
}
