import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';

/** The TLS requirements of a connection to PostgreSQL, as in libpq's `sslmode`. */
export interface Security {
  /** Continue without TLS if the server has none. */
  mayBePlain: boolean;
  /** The certificate must come from a trusted authority. */
  checksAuthority: boolean;
  /** The certificate must be for the requested host. */
  checksName: boolean;
  /** The trusted authorities (PEM). Null: those of Node.js and NODE_EXTRA_CA_CERTS. */
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
 * Takes the TLS parameters out of a database URL: `sslmode` (or `ssl`), and `sslrootcert`, which is a file of
 * authorities or `system`. Returns the URL without them. `security` is null for a connection without TLS, which is the
 * default.
 * @throws for an unknown mode, and for a file that cannot be read.
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

/** Asks the server for TLS ("SSLRequest" of protocol 3.2): the length of the message, then the code. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const yes = 'S'.charCodeAt(0);
const no = 'N'.charCodeAt(0);

/**
 * A connection to PostgreSQL over TLS. It asks the server for TLS, sends the host name (SNI) and checks the certificate
 * against that host name or address, as far as `security` requires. Data that is written earlier waits until the
 * handshake is complete.
 */
export class SecureSocket extends Duplex {
  readonly #raw: Socket;
  #wire: Socket | null = null;
  /** The write that waits for the connection. A stream has at most one write under way. */
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
      // More than one byte: an attacker may have injected data to be read as the server's.
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
      ...(isIP(host) ? {} : { servername: host }), // SNI does not allow addresses (RFC 6066)
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

  /** The same states as a plain socket's. The client sends its Terminate message only if the state is `open`. */
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

/** Uses the same code as the client's own errors, so that it counts as an outage of the database. */
function connectionError(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
}
