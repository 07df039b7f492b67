import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SecureSocket, type Security } from './secure-socket.ts';

/** Long enough for the client's own last writes (they wait for a turn of the event loop), short for everybody else. */
const graceMs = 5;

/**
 * Lets the client of PostgreSQL be told of the end of its connection in two steps. Version 3.4.9 drops its socket on `close`
 * and writes to it once more (the rollback of the transaction that was cut off), which ends the whole process:
 * https://github.com/porsager/postgres/issues/1208. So it first hears of an error, which fails what it is at, its last
 * writes go into this dead socket, and `close` comes when they have.
 */
export function endPatiently<S extends Duplex>(socket: S): S {
  const emit = socket.emit.bind(socket);
  let hasFailed = false;
  socket.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event === 'error') hasFailed = true;
    if (event !== 'close') return emit(event, ...rest);
    if (!hasFailed) emit('error', closedError());
    // Never "with error": the client would then leave the rollback unanswered, and the connection unusable.
    setTimeout(() => emit('close', false), graceMs);
    return true;
  };
  return socket;
}

/**
 * Makes the connections of a pool, in the clear or as secure as `security` wants: to the first host; what goes wrong is told
 * by the socket itself. The client would make its own TLS on top of such a socket, and then be told of its end in one step.
 */
export function socketsFor(security: Security | null) {
  return ({ host, port, path }: { host: string[]; port: number[]; path?: string | false }): Duplex => {
    const wire = new Socket();
    wire.setNoDelay(true);
    const name = host[0] ?? 'localhost';
    if (path) return endPatiently(wire.connect(path));
    wire.connect(port[0] ?? 5432, name);
    return endPatiently(security === null ? wire : new SecureSocket(wire, name, security));
  };
}

function closedError(): Error {
  return Object.assign(new Error('the connection to the database was closed'), { code: 'CONNECTION_CLOSED' });
}
