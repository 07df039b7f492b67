import { BadRequest, type Fault } from '../services/errors.ts';
import { childPath, nameOf } from './paths.ts';

/** Deeper bodies are refused: nothing of the API has more than a handful of levels. */
const maxDepth = 32;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The value that a JSON body holds. @throws BadRequest for what is not UTF-8 or not JSON, nests more than 32 levels deep,
 * or names a member twice (which of the two counts differs from one reader to the next) or `__proto__`.
 */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new BadRequest('The body is not valid UTF-8.', 'invalid_json');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw new BadRequest('The body is not valid JSON.', 'invalid_json');
  }
  checkStructure(text);
  return value;
}

/**
 * The strings and numbers of a value that PostgreSQL or JSON cannot hold: a NUL character, half of a surrogate pair, a
 * number beyond the range of a double. Member names count too.
 */
export function unstorable(value: unknown, path: string): Fault[] {
  if (typeof value === 'string') {
    if (isStorable(value)) return [];
    return [{ path, code: 'invalid_value', message: `${nameOf(path)} must be valid text without NUL characters.` }];
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return [{ path, code: 'out_of_range', message: `${nameOf(path)} is too large a number.` }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorable(item, childPath(path, String(index))));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if (isStorable(name)) return unstorable(item, childPath(path, name));
    const message = `${nameOf(path)} has a member whose name is not valid text without NUL characters.`;
    return [{ path, code: 'invalid_value', message }];
  });
}

/** Walks the text of what is known to be JSON, once and without recursion. */
function checkStructure(text: string): void {
  // For each object that is open the names seen in it; for each array null.
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        const names = open.at(-1);
        if (names && isName(text, end)) noteName(names, text.slice(at, end));
        at = end - 1;
        break;
      }
      case 0x7b:
        open.push(new Set());
        break;
      case 0x5b:
        open.push(null);
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
    }
    if (open.length > maxDepth) {
      throw new BadRequest(`The body is nested more than ${maxDepth} levels deep.`, 'invalid_json');
    }
  }
}

/** The position after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

/** Whether a colon follows: then the string was a name, and not a value. */
function isName(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) return true;
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
  return false;
}

function noteName(names: Set<string>, quoted: string): void {
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (name === '__proto__') throw new BadRequest('The body must not name a member __proto__.', 'invalid_json');
  if (names.has(name)) throw new BadRequest(`The body names ${name.slice(0, 100)} twice.`, 'invalid_json');
  names.add(name);
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
