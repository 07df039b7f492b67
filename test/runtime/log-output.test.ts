import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, afterEach, before, describe, it } from 'mocha';
import { type Disk, mountDisk } from '../../lab/disks.ts';
import { eventually } from '../../lab/eventually.ts';
import { describeLoss, type Loss, openLogOutput } from '../../src/platform/log-output.ts';
import { subscribe } from '../../src/platform/telemetry.ts';
import { useFolder } from './support.ts';

const LOGGER = new URL('../../src/platform/logger.ts', import.meta.url).href;
const report = (loss: Loss) => `${describeLoss(loss)}\n`;
const linesOf = (text: string) => text.split('\n').slice(0, -1);

describe('the output of a log', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let counted = 0;
  let stopCounting = (): void => {};
  before('count the lines that are lost', () => {
    stopCounting = subscribe((event) => {
      if (event.kind === 'log lines lost') counted += event.lines;
    });
  });
  after(() => stopCounting());
  afterEach(() => {
    counted = 0;
  });

  it('has all lines in order, however many come at once', async () => {
    const file = join(folder.path, 'in-order');
    const { fd, close } = await opened(file);
    const output = openLogOutput(fd, report);
    const lines = Array.from({ length: 5_000 }, (_, nth) => `line ${nth}`);
    for (const [nth, line] of lines.entries()) {
      output.write(`${line}\n`);
      if (nth % 1_000 === 0) await pause(1);
    }
    await eventually('all are written', async () => (await readFile(file, 'utf8')).endsWith('line 4999\n'));
    assert.deepEqual(linesOf(await readFile(file, 'utf8')), lines);
    assert.equal(counted, 0);
    await close();
  });

  it('drops what a full disk refuses, counts it at once, and says how much when there is space again', async function () {
    const place = join(folder.path, 'small');
    const disk: Disk | null = await mountDisk(place, 1);
    if (disk === null) this.skip();
    try {
      const file = join(place, 'log');
      const { fd, close } = await opened(file);
      const output = openLogOutput(fd, report);
      output.write('before\n');
      await eventually('it is written', async () => (await readFile(file, 'utf8')) === 'before\n');
      await writeFile(join(place, 'ballast'), Buffer.alloc(4 * 1024 * 1024)).catch(() => {});
      assert.equal(await disk.isFull(), true);
      let sent = 0;
      const large = 'x'.repeat(2_000);
      // The last block of the file has some space still.
      await eventually('lines are lost', async () => {
        output.write(`${large} ${sent++}\n`);
        await pause(5);
        return counted > 10;
      });
      await disk.free();
      await writeFile(join(place, 'ballast'), '');
      await eventually('it says so', async () => /lost/.test(await readFile(file, 'utf8')));
      output.write('after\n');
      await eventually('it goes on', async () => (await readFile(file, 'utf8')).endsWith('after\n'));
      const lines = linesOf(await readFile(file, 'utf8'));
      assert.deepEqual(lines.slice(-2), [`log: ${counted} lines were lost while the disk was full`, 'after']);
      const whole = lines.filter((line) => line.startsWith(`${large} `));
      assert.equal(whole.length + counted, sent, 'each is written or counted');
      await close();
    } finally {
      await disk.unmount();
    }
  });

  it('counts what no reader takes, and continues', async () => {
    const fifo = join(folder.path, 'left');
    await once(spawn('mkfifo', [fifo]), 'exit');
    const reader = await open(fifo, 'r+');
    const { fd, close } = await opened(fifo);
    await reader.close();
    const output = openLogOutput(fd, report);
    await eventually('lines are lost', async () => {
      output.write('a line\n');
      await pause(5);
      return counted >= 3;
    });
    const next = await open(fifo, 'r+');
    const { bytesRead, buffer } = await next.read();
    assert.equal(buffer.toString('utf8', 0, bytesRead), report({ lines: counted, code: 'EPIPE' }));
    output.write('after\n');
    const more = await next.read();
    assert.equal(more.buffer.toString('utf8', 0, more.bytesRead), 'after\n');
    // Nothing waits now: lines that still wait would go to the next file or connection that gets this number.
    await close();
    await next.close();
  });

  it('keeps a bounded number of lines for a reader that is slow, and says in their place how many were lost', async () => {
    const fifo = join(folder.path, 'fifo');
    await once(spawn('mkfifo', [fifo]), 'exit');
    const reader = await open(fifo, 'r+');
    const { fd, close } = await opened(fifo);
    const output = openLogOutput(fd, report);
    const large = 'y'.repeat(10_000);
    for (let nth = 0; nth < 300; nth++) output.write(`${large} ${nth}\n`);
    await eventually('some wait, some are lost', () => counted > 0);
    const lost = counted;
    let text = '';
    const reading = (async () => {
      const buffer = Buffer.alloc(65_536);
      while (!text.endsWith('after\n')) {
        const { bytesRead } = await reader.read(buffer, 0, buffer.length, null);
        text += buffer.toString('utf8', 0, bytesRead);
      }
    })();
    await eventually('it says so', () => text.includes('lost'));
    output.write('after\n');
    await reading;
    const lines = linesOf(text);
    assert.equal(lines.at(-2), `log: ${lost} lines were lost because the reader of the log was too slow`);
    assert.equal(lines.length - 2 + lost, 300);
    assert.deepEqual(
      lines.slice(0, 2).map((line) => line.split(' ')[1]),
      ['0', '1'],
    );
    await close();
    await reader.close();
  });

  /** Runs a program with a logger, whose log goes to this file. */
  async function run(work: string, fd: number | 'pipe', { isRead = true } = {}) {
    const program = join(folder.path, 'program.mts');
    await writeFile(
      program,
      `import { createLogger } from ${JSON.stringify(LOGGER)};
      const logger = createLogger('info', 'test');
      ${work}`,
    );
    const child = spawn(process.execPath, [program], { stdio: ['ignore', fd, 'ignore'] });
    let out = '';
    if (isRead) {
      child.stdout?.on('data', (chunk) => {
        out += chunk;
      });
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [code] = await once(child, isRead ? 'close' : 'exit');
    clearTimeout(timer);
    return { code, out };
  }

  it('does not end its process, nor keep it from ending, when every write fails', async () => {
    const { fd, close } = await opened('/dev/full');
    const { code } = await run(
      `for (let nth = 0; nth < 10; nth++) {
        logger.info('a line');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      logger.fatal('the last one');
      process.exit(7);`,
      fd,
    );
    assert.equal(code, 7);
    await close();
  });

  it('has the last lines of a process, those of its last moment too', async () => {
    const { code, out } = await run(
      `for (let nth = 0; nth < 1000; nth++) logger.info({ nth }, 'a line');
      logger.fatal('the last one');
      process.exit(7);`,
      'pipe',
    );
    const lines = linesOf(out).map((line) => JSON.parse(line));
    assert.deepEqual([code, lines.length, lines.at(-1).msg], [7, 1001, 'the last one']);
    assert.deepEqual(
      lines.slice(0, 1000).map(({ nth }) => nth),
      Array.from({ length: 1000 }, (_, nth) => nth),
    );
  });

  it('does not keep a process from ending if it logs to a pipe or a socket without a reader', async () => {
    const fifo = join(folder.path, 'unread');
    await once(spawn('mkfifo', [fifo]), 'exit');
    const reader = await open(fifo, 'r+');
    const { fd, close } = await opened(fifo);
    const work = `
      for (let nth = 0; nth < 100; nth++) logger.info({ text: 'z'.repeat(10_000) }, 'a line');
      await new Promise((resolve) => setTimeout(resolve, 500));
      process.exit(7);`;
    assert.equal((await run(work, fd)).code, 7);
    await close();
    await reader.close();
    // Node.js makes a socket of what it calls a pipe.
    assert.equal((await run(work, 'pipe', { isRead: false })).code, 7);
  });

  async function opened(file: string): Promise<{ fd: number; close(): Promise<void> }> {
    const handle = await open(file, 'a');
    return { fd: handle.fd, close: () => handle.close() };
  }
});
