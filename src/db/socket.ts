import { Socket } from 'node:net';

/** Long enough for the client's own last writes (they wait for a turn of the event loop), short for everybody else. */
const graceMs = 5;

/**
 * A connection to PostgreSQL whose end the client is told of in two steps. Version 3.4.9 of the client drops its socket on
 * `close` and writes to it once more (the rollback of the transaction that was cut off), which ends the whole process:
 * https://github.com/porsager/postgres/issues/1208. So it first hears of an error, which fails what it is at, its last
 * writes go into this dead socket, and `close` comes when they have.
 */
export class PatientSocket extends Socket {
  override emit(event: string | symbol, ...rest: unknown[]): boolean {
    if (event !== 'close') return super.emit(event, ...rest);
    const [hadError] = rest;
    if (hadError !== true) super.emit('error', closedError());
    // Never "with error": the client would then leave the rollback unanswered, and the connection unusable.
    setTimeout(() => super.emit('close', false), graceMs);
    return true;
  }
}

/** Connects to the first host; what goes wrong is told by the socket itself. */
export function connectSocket({ host, port, path }: { host: string[]; port: number[]; path?: string | false }): Socket {
  const socket = new PatientSocket();
  socket.setNoDelay(true);
  return path ? socket.connect(path) : socket.connect(port[0] ?? 5432, host[0] ?? 'localhost');
}

function closedError(): Error {
  return Object.assign(new Error('the connection to the database was closed'), { code: 'CONNECTION_CLOSED' });
}
