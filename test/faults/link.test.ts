import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { readCommits } from '../../faults/net/commit-reader.ts';
import { type Link, openLink } from '../../faults/net/link.ts';
import { useDatabase } from '../support/database.ts';

const settleMs = 60;

describe('a link of a fault run', () => {
  let server: Server;
  let link: Link;
  let heard = '';

  before(async () => {
    // Sends two bytes for each.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString();
        socket.write(chunk.toString() + chunk.toString());
      });
      socket.on('end', () => socket.end('bye'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(async () => {
    const address = server.address();
    heard = '';
    link = await openLink('test', typeof address === 'object' && address !== null ? address.port : 0);
  });
  afterEach(() => link.close());
  after(() => server.close());

  /** A client of the link; what it has read, and how its connection ended, if it has. */
  async function client(): Promise<{ socket: Socket; read(): string; ended(): 'no' | 'in order' | 'reset' }> {
    const socket = connect({ port: link.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    let ended: 'no' | 'in order' | 'reset' = 'no';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('end', () => {
      ended = 'in order';
    });
    socket.on('error', () => {
      ended = 'reset';
    });
    await once(socket, 'connect');
    return { socket, read: () => text, ended: () => ended };
  }

  it('passes bytes both ways, and the end of each side', async () => {
    const { socket, read, ended } = await client();
    socket.write('ab');
    await pause(settleMs);
    assert.equal(read(), 'abab');
    socket.end();
    await pause(settleMs);
    assert.equal(read(), 'ababbye');
    assert.equal(ended(), 'in order');
    assert.equal(link.connections, 0);
  });
  it('drops replies and lets requests through, and resets a connection that has lost some when it is restored', async () => {
    const { socket, read, ended } = await client();
    link.swallowReplies();
    socket.write('x');
    await pause(settleMs);
    assert.equal(heard, 'x');
    assert.equal(read(), '');
    link.heal();
    await pause(settleMs);
    assert.equal(ended(), 'reset');
  });
  it('cuts a connection at the very byte', async () => {
    const { socket, ended } = await client();
    const cutting = link.cutAfter(3, 'requests', 1_000);
    socket.write('abcdef');
    assert.equal(await cutting, true);
    await pause(settleMs);
    assert.equal(heard, 'abc');
    assert.equal(ended(), 'reset');
  });
});

describe('a link that loses the reply to a commit', () => {
  const database = useDatabase();

  it('lets PostgreSQL commit, and the client see neither success nor failure', async () => {
    const url = new URL(database.url);
    const link = await openLink('postgres', Number(url.port), readCommits);
    url.port = String(link.port);
    const sql = postgres(url.href, { max: 1, onnotice: () => {} });
    const direct = database.sql;
    try {
      await direct`create table marks (name text)`;
      // Twice before, so that the commit is a prepared statement by then.
      for (const name of ['first', 'second']) await sql.begin((tx) => tx`insert into marks values (${name})`);
      const losing = link.swallowNextCommit(2_000);
      await assert.rejects(sql.begin((tx) => tx`insert into marks values ('third')`));
      assert.equal(await losing, true);
      const rows = await direct`select name from marks`;
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['first', 'second', 'third'],
      );
    } finally {
      await sql.end({ timeout: 1 });
      await link.close();
    }
  });
});
