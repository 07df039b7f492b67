import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Ran } from '../../lab/run-program.ts';
import { commandOf, type Script, withFolder } from './samples.ts';

const longestPasteMs = 90_000;

/** A shell into which samples are pasted, one after another, as a reader does. */
export interface Shell {
  /**
   * Pastes a sample in shell as it stands, or runs a sample in another language with the variables that the shell
   * exports. The code is 0, or that of the last command that failed; the shell goes on.
   * @throws Error if it has not ended after 90 s.
   */
  run(script: Script): Promise<Ran>;
  close(): Promise<void>;
}

/** Starts a bash in this folder, with this environment and no more of ours than it takes to run. */
export function openShell(folder: string, env: Readonly<Record<string, string>>): Shell {
  const environment = { PATH: process.env.PATH, ...env };
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: environment });
  const closed = once(child, 'close');
  const texts = { stdout: '', stderr: '' };
  let look = () => {};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      look();
    });
  }
  child.stdin.on('error', () => {}); // the shell has ended: `paste` says so
  // Notes the first command that fails, and goes on, as an interactive shell does.
  child.stdin.write("set -E -o pipefail; _failed=0; trap '_failed=$?' ERR\n");

  async function paste(text: string): Promise<Ran> {
    texts.stdout = texts.stderr = '';
    const mark = `pasted-${randomBytes(8).toString('hex')}`;
    const end = new RegExp(`^${mark} (\\d+)\n`, 'm');
    const ended = new Promise<boolean>((resolve) => {
      look = () => end.test(texts.stdout) && texts.stderr.includes(mark) && resolve(true);
      setTimeout(resolve, longestPasteMs, false).unref();
      closed.then(() => resolve(false));
    });
    child.stdin.write(`${text}\n{ echo; echo "${mark} $_failed"; echo ${mark} >&2; _failed=0; } 2>&2\n`);
    if (!(await ended)) throw new Error(`the shell does not go on after\n${text}\n${texts.stdout}${texts.stderr}`);
    return {
      code: Number(end.exec(texts.stdout)?.[1]),
      stdout: texts.stdout.replace(end, ''),
      stderr: texts.stderr.replace(`${mark}\n`, ''),
    };
  }

  return {
    run(script) {
      if (script.language === 'sh') return paste(script.text);
      return withFolder(async (scripts) => {
        const command = await commandOf(script, scripts);
        return paste(command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '));
      });
    },
    async close() {
      child.stdin.end('exit\n');
      const late = setTimeout(() => child.kill('SIGKILL'), 2000);
      await closed;
      clearTimeout(late);
    },
  };
}
