import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from './command.ts';

/** The last event that was forwarded. */
export interface Place {
  sequence: number;
  /** Null before the first event of the account. */
  event_id: string | null;
}

interface Content {
  /** Signs what is forwarded. */
  secret: string;
  place: Place | null;
}

/**
 * Returns the default file of a listener: another one for each service, key, receiver and selection, so that none of
 * them misses what another one has forwarded.
 */
export function placeFileFor(parts: readonly string[], env: NodeJS.ProcessEnv): string {
  const state = env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  return join(state, 'payments', `listen-${name}.json`);
}

/** The file in which a listener keeps its place and its signing secret, readable by its owner alone. */
export class PlaceFile {
  readonly path: string;
  #content: Content;

  private constructor(path: string, content: Content) {
    this.path = path;
    this.#content = content;
  }

  /** Reads the file, or creates it. @throws CommandFailure if it is not a file of this program. */
  static async open(path: string): Promise<PlaceFile> {
    await mkdir(dirname(path), { recursive: true });
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new CommandFailure(`${path} cannot be read: ${error.message}`);
    });
    if (text === null) {
      const file = new PlaceFile(path, { secret: `whsec_${randomBytes(32).toString('base64')}`, place: null });
      await file.#write();
      return file;
    }
    return new PlaceFile(path, contentIn(path, text));
  }

  get secret(): string {
    return this.#content.secret;
  }

  get place(): Place | null {
    return this.#content.place;
  }

  /** Keeps the place. The file has the former place or this one, whenever the process is killed. */
  async keep(place: Place): Promise<void> {
    this.#content = { ...this.#content, place };
    await this.#write();
  }

  async #write(): Promise<void> {
    const fresh = `${this.path}.${process.pid}`;
    await writeFile(fresh, `${JSON.stringify(this.#content)}\n`, { mode: 0o600 });
    await chmod(fresh, 0o600);
    await rename(fresh, this.path);
  }
}

function contentIn(path: string, text: string): Content {
  try {
    const { secret, place } = JSON.parse(text);
    if (typeof secret === 'string' && (place === null || Number.isInteger(place.sequence))) return { secret, place };
  } catch {
    // Reported below.
  }
  throw new CommandFailure(`${path} is not a file of payments listen. Delete it, or name another one with --place.`);
}
