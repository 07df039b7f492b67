import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';

/** What of TLS a connection to PostgreSQL has to have, as libpq's `sslmode` says it. */
export interface Security {
  /** Goes on in the clear with a server that has no TLS. */
  mayBePlain: boolean;
  /** The certificate has to come from an authority that is trusted. */
  checksAuthority: boolean;
  /** It has to be that of the host that was asked for. */
  checksName: boolean;
  /** The authorities that are trusted, PEM; null: those of Node.js, with NODE_EXTRA_CA_CERTS. */
  authorities: string | null;
}

const levels: Record<string, Omit<Security, 'authorities'>> = {
  allow: { mayBePlain: true, checksAuthority: false, checksName: false },
  prefer: { mayBePlain: true, checksAuthority: false, checksName: false },
  require: { mayBePlain: false, checksAuthority: false, checksName: false },
  'verify-ca': { mayBePlain: false, checksAuthority: true, checksName: false },
  'verify-full': { mayBePlain: false, checksAuthority: true, checksName: true },
};

const parameters = ['sslmode', 'ssl', 'sslrootcert'] as const;

/**
 * Takes what a database's URL says about TLS out of it: `sslmode` (or `ssl`), and `sslrootcert`, a file of authorities, or
 * `system`. Null: in the clear, which is what a URL means that says nothing.
 * @throws for a mode that does not exist, and for a file that cannot be read.
 */
export function takeSecurity(databaseUrl: string): { url: string; security: Security | null } {
  const url = new URL(databaseUrl);
  const [sslmode, ssl, file] = parameters.map((name) => url.searchParams.get(name));
  for (const name of parameters) url.searchParams.delete(name);
  const hasFile = typeof file === 'string';
  const mode = sslmode ?? (ssl === 'true' ? 'verify-full' : ssl) ?? (hasFile ? 'verify-full' : 'disable');
  if (mode === 'disable' || mode === 'false') return { url: url.href, security: null };
  const level = levels[mode];
  if (level === undefined) throw new Error(`DATABASE_URL: sslmode must be disable, ${Object.keys(levels).join(', ')}`);
  const authorities = hasFile && file !== 'system' ? readFileSync(file, 'utf8') : null;
  return { url: url.href, security: { ...level, authorities } };
}

/** Asks a server for TLS (protocol 3.2, "SSLRequest"): the length of the message, and the code. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const yes = 'S'.charCodeAt(0);
const no = 'N'.charCodeAt(0);

/**
 * A connection to PostgreSQL over TLS: asks the server for it, names the host (SNI) and holds the certificate against that
 * very host, be it a name or an address. What is written before waits until the server has proven who it is.
 */
export class SecureSocket extends Duplex {
  readonly #raw: Socket;
  #wire: Socket | null = null;
  /** The write that waits for the connection; a stream has one under way at a time. */
  #waiting: (() => void) | null = null;

  constructor(raw: Socket, host: string, security: Security) {
    super({ allowHalfOpen: false });
    this.#raw = raw;
    const onEarlyEnd = () => this.destroy(connectionError('the server ended the connection before it was secure'));
    const onError = (error: Error) => this.destroy(error);
    raw.on('error', onError);
    raw.once('close', onEarlyEnd);
    raw.write(sslRequest);
    raw.once('data', (reply: Buffer) => {
      raw.off('close', onEarlyEnd);
      // More than the one byte was put there by somebody who hopes that it is read as the server's.
      if (reply.length !== 1) return onError(connectionError('the server said more than it was asked for'));
      if (reply[0] === yes) return this.#negotiate(host, security);
      if (reply[0] === no && security.mayBePlain) return this.#use(raw);
      onError(connectionError('the server has no TLS, and DATABASE_URL wants it'));
    });
  }

  #negotiate(host: string, { checksAuthority, checksName, authorities }: Security): void {
    const options: ConnectionOptions = {
      socket: this.#raw,
      host,
      rejectUnauthorized: checksAuthority,
      ...(isIP(host) ? {} : { servername: host }), // an address is no server name (RFC 6066)
      ...(authorities === null ? {} : { ca: authorities }),
      ...(checksName ? {} : { checkServerIdentity: () => undefined }),
    };
    const secure = connect(options);
    secure.on('error', (error) => this.destroy(error));
    const onEarlyEnd = () => this.destroy(connectionError('the server ended the connection before it was secure'));
    secure.once('close', onEarlyEnd);
    secure.once('secureConnect', () => {
      secure.off('close', onEarlyEnd);
      this.#use(secure);
    });
  }

  #use(wire: Socket): void {
    this.#wire = wire;
    wire.on('data', (chunk) => {
      if (!this.push(chunk)) wire.pause();
    });
    wire.once('end', () => this.push(null));
    wire.once('close', () => this.destroy());
    this.#waiting?.();
    this.#waiting = null;
  }

  /** As a plain socket says it: the client takes leave only of a connection that is open. */
  get readyState(): 'opening' | 'open' | 'closed' {
    if (this.destroyed) return 'closed';
    return this.#wire === null ? 'opening' : 'open';
  }

  setKeepAlive(on: boolean, afterMs: number): this {
    this.#raw.setKeepAlive(on, afterMs);
    return this;
  }

  override _read(): void {
    this.#wire?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const write = () => void this.#wire?.write(chunk, encoding, done);
    if (this.#wire === null) this.#waiting = write;
    else write();
  }

  override _final(done: () => void): void {
    if (this.#wire === null) done();
    else this.#wire.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wire?.destroy();
    this.#raw.destroy();
    done(error);
  }
}

/** Named as the client names its own, so that it counts as an outage of the database. */
function connectionError(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
}
