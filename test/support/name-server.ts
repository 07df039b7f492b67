import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const typeA = 1;
const headerBytes = 12;

/** A name server on loopback. */
export interface NameServer {
  /** `host:port`, over UDP. */
  readonly address: string;
  close(): void;
}

/** Resolves the names to the IPv4 addresses that they have at that moment; every other query has an empty reply. */
export async function startNameServer(names: Readonly<Record<string, readonly string[]>>): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const addresses = type === typeA ? (names[name] ?? []) : [];
    const head = Buffer.alloc(headerBytes);
    query.copy(head, 0, 0, 2); // its id
    head.writeUInt16BE(0x8180, 2); // an answer, without error
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    const answers = addresses.map((each) =>
      Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 1, 0, 4, ...bytesOf(each)]),
    );
    socket.send(Buffer.concat([head, query.subarray(headerBytes, end), ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function bytesOf(address: string): number[] {
  return address.split('.').map(Number);
}
