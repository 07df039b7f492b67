import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { downloadFile, IndexError } from '../../dev/python-index.ts';
import { type PackageIndex, servePackage } from '../support/package-index.ts';
import { packProgram } from '../support/wheel.ts';

/** Generous, since the machine may be busy: a search that takes the square of the page's length needs minutes. */
const mostMs = 2_000;

describe('a page of a package index', () => {
  const packed = packProgram('#!/bin/sh\necho served\n');
  const file = packed.pinned.wheels['linux-x64']?.file ?? '';
  const what = { package: packed.pinned.package, file, most: 1_000_000 };
  const servers: PackageIndex[] = [];
  afterEach('end the servers', async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function download(page: string): Promise<Buffer> {
    const server = await servePackage(packed, {
      page: (_, response) => response.setHeader('Content-Type', 'text/html').end(page),
    });
    servers.push(server);
    const index = await server.configured();
    assert.ok(index);
    return downloadFile(index, what, () => {});
  }
  const link = `<a class="x" href="../../files/${file}#sha256=0&amp;x">\n ${file} </A>`;

  it('takes time in proportion to its length, whatever is in it', async () => {
    const spaces = ' '.repeat(100_000);
    const hostile = [
      `<a href="x">${spaces}`,
      `<a href="x">${spaces}<b>${spaces}</a>`,
      `<a ${spaces}href${spaces}=${spaces}"x"${spaces}>x${spaces}x</a>`,
      `<a${spaces}`,
      '<a href="x" '.repeat(20_000),
      `<a href="${'<a '.repeat(30_000)}>${file}</a>`,
      `<a${' href="'.repeat(20_001)}>${file}</a>`,
      '</a>'.repeat(50_000),
    ];
    for (const page of hostile) {
      const begun = performance.now();
      await download(page).catch((error: unknown) => assert.ok(error instanceof IndexError));
      assert.ok(performance.now() - begun < mostMs, page.slice(0, 40));
    }
  });

  it('leads to the file whose name is the text of a link, and to none if no link has it', async () => {
    const others = `<a href='other'>other.whl</a><a>${file}</a><!-- <a href="x">${file}.metadata</a> -->`;
    assert.deepEqual(await download(others + link.replaceAll('"', "'")), await download(link));
    await assert.rejects(download(others), IndexError);
  });
});
