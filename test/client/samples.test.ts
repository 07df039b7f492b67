import assert from 'node:assert/strict';
import { startServer } from '../support/sample-servers.ts';
import { assertRan, blocksIn, runScript, type Script, scriptsIn, typeErrors, whyNotRun } from '../support/samples.ts';

const fence = '```';
const text = (...lines: string[]) => lines.join('\n').replaceAll("'''", fence);

function scripts(...lines: string[]): Script[] {
  return scriptsIn(text(...lines), 'guide.md');
}

async function failureOf(script: Script | undefined): Promise<string> {
  assert.ok(script);
  const ran = await runScript(script, {});
  try {
    assertRan(script, ran);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'none';
}

describe('the samples of a document', () => {
  it('are its fenced blocks, with language, words, line and heading', () => {
    const found = blocksIn(
      text('# Title', '', "'''ts a b", 'one', '', 'two', "'''", '## Part', '~~~', "'''", '# no heading', '~~~'),
    );
    assert.deepEqual(found, [
      { line: 4, language: 'ts', words: ['a', 'b'], code: 'one\n\ntwo', heading: 'Title' },
      { line: 10, language: '', words: [], code: '```\n# no heading', heading: 'Part' },
    ]);
    assert.throws(() => blocksIn(text("'''ts", 'one')), /does not end/);
  });

  it('are joined with their continuations, each part on its line of the document', () => {
    const [script, other, ...none] = scripts(
      "'''ts",
      'a',
      "'''",
      'words',
      "'''ts continued",
      'b',
      "'''",
      "'''sh",
      'c',
      "'''",
      "'''json",
      '{}',
      "'''",
    );
    assert.deepEqual(script?.text.split('\n'), ['', 'a', '', '', '', 'b']);
    assert.deepEqual([other?.language, other?.title, none], ['sh', 'guide.md:9', []]);
    assert.throws(() => scripts("'''ts continued", 'a', "'''"), /guide.md:2 continues nothing/);
    assert.throws(() => scripts("'''text output", 'a', "'''"), /guide.md:2 is the output of nothing/);
  });

  it('continue the last script of the same language', () => {
    const [typed, shell] = scripts(
      ...["'''ts", 'a', "'''", "'''sh", 'b', "'''", "'''text output", 'B', "'''"],
      ...["'''ts continued", 'c', "'''", "'''text output", 'C', "'''"],
    );
    assert.deepEqual(typed?.text.split('\n').filter(Boolean), ['a', 'c']);
    assert.deepEqual([shell?.outputs, typed?.outputs], [['B'], ['C']]);
  });

  it('run in Python and Go too, and fail there as well', async function () {
    this.timeout(360_000);
    const found = scripts(
      ...["'''py", 'print("one")', "'''", "'''text output", 'one', "'''"],
      ...["'''go", 'package main', 'func main() { println("two"); panic("oh") }', "'''"],
      ...["'''py server", 'raise SystemExit("three")', "'''"],
    );
    const [python, go, server] = found;
    assert.deepEqual(
      found.map(({ isRun }) => isRun),
      [true, true, false],
    );
    if (whyNotRun('py') !== null || whyNotRun('go') !== null) return this.skip();
    assert.equal(await failureOf(python), 'none');
    assert.match(await failureOf(go), /guide\.md:8 ended with 2:\ntwo\npanic: oh/);
    assert.ok(server?.isServer);
    await assert.rejects(startServer(server, {}), /guide\.md:12 has ended:\nthree/);
  });

  it('fail with the message and the line of the document', async () => {
    const [thrown, shell] = scripts(
      '# T',
      "'''ts",
      'const a: number = 1;',
      "throw new Error('oh');",
      "'''",
      "'''sh",
      'false | cat',
      "'''",
    );
    assert.match(await failureOf(thrown), /guide\.md:3, T ended with 1:.*sample\.ts:4.*Error: oh/s);
    assert.match(await failureOf(shell), /guide\.md:7, T ended with 1/);
  });

  it('fail if they do not print the documented output, in order', async () => {
    const [right, wrong, order] = scripts(
      ...[
        "'''sh",
        'echo "id cus_1 made"; echo two',
        "'''",
        "'''text output",
        'id …  made'.replace('  ', ' '),
        "'''",
        "'''text output",
        'two',
        "'''",
      ],
      ...["'''sh", 'echo one', "'''", "'''text output", 'on', "'''"],
      ...["'''sh", 'echo one; echo two', "'''", "'''text output", 'two', "'''", "'''text output", 'one', "'''"],
    );
    assert.equal(await failureOf(right), 'none');
    assert.match(await failureOf(wrong), /should have printed\non\nand has printed\none/);
    assert.match(await failureOf(order), /should have printed\none/);
  });

  it('see only the environment that they are given', async () => {
    const [script] = scripts("'''ts", 'console.log(process.env.API_KEY, process.env.TEST_RUN_FOLDER);', "'''");
    assert.ok(script && process.env.TEST_RUN_FOLDER);
    assert.equal((await runScript(script, { API_KEY: 'sk_1' })).stdout, 'sk_1 undefined\n');
  });

  it('are type-checked, even if they are not run', async () => {
    const found = scripts("'''ts", 'const a = 1;', "'''", "'''ts not-run", 'const a: string = 1;', "'''");
    assert.deepEqual(
      found.map(({ isRun }) => isRun),
      [true, false],
    );
    const faults = await typeErrors(found);
    assert.match(faults, /^guide\.md:5\(5,7\): error TS2322/);
    assert.equal(faults.split('\n').length, 1);
  });
});
