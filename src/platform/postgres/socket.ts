import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SecureSocket, type Security } from './secure-socket.ts';

/**
 * Makes a socket report its end in the way that the PostgreSQL client handles best: an error, then a close without one.
 * If a connection ends without an error before it is ready, the client reconnects for ever while the caller waits.
 * After a "close with error", the client waits up to 20 s before it reconnects, even if the server is back.
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
 * Returns the function that makes the pool's connections, without TLS or as `security` requires. It connects to the
 * first host only. The socket itself emits connection errors. The client's own TLS sends no host name (SNI) on a socket
 * that it did not make.
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
