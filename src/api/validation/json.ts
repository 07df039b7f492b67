import { type FieldError, fieldError, maxFieldErrors } from '../../resources/field-errors.ts';
import { BadRequest } from '../../services/errors.ts';
import { childPath, nameOf } from './paths.ts';

/** Deeper bodies are refused. No schema of the API has more than a handful of levels. */
const maxDepth = 32;
/**
 * The limit on object members plus list items, over all levels. The largest body without free-form fields has about
 * 200. Each member costs more to parse and check than its bytes suggest: 20,000 of them took 150 to 220 ms.
 */
const maxMembers = 1_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body. The text's structure is checked first. The check stops at the first error, so a body with too
 * many members is never parsed.
 * @throws BadRequest for a body that is not UTF-8 or not JSON, has more than 1,000 members, or nests more than 32
 *   levels deep. Also for a member named `__proto__` or named twice: parsers differ on which duplicate counts.
 */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new BadRequest('The body is not valid UTF-8.', 'invalid_json');
  }
  checkStructure(text);
  return parse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** The message of JSON.parse is left out: it quotes the body, which may hold a secret. */
function notJson(): BadRequest {
  return new BadRequest('The body is not valid JSON.', 'invalid_json');
}

/**
 * Returns a field error for each string or number that PostgreSQL or JSON cannot hold: a NUL character, half of a
 * surrogate pair, a number beyond the range of a double. Member names are checked too. Stops at 100 field errors.
 */
export function unstorable(value: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  collectUnstorable(value, path, errors);
  return errors;
}

function collectUnstorable(value: unknown, path: string, errors: FieldError[]): void {
  if (errors.length >= maxFieldErrors) return;
  if (typeof value === 'string') {
    if (isStorable(value)) return;
    errors.push(fieldError(path, 'invalid_value', `${nameOf(path)} must be valid text without NUL characters.`));
  } else if (typeof value === 'number') {
    if (Number.isFinite(value)) return;
    errors.push(fieldError(path, 'out_of_range', `${nameOf(path)} is too large a number.`));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectUnstorable(item, childPath(path, String(index)), errors);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (isStorable(name)) {
        collectUnstorable(item, childPath(path, name), errors);
      } else {
        const message = `${nameOf(path)} has a member whose name is not valid text without NUL characters.`;
        errors.push(fieldError(path, 'invalid_value', message));
      }
    }
  }
}

/**
 * Checks depth, number of members and member names in one pass without recursion. It does not validate the JSON: the
 * parser does so later.
 */
function checkStructure(text: string): void {
  // A stack of the open containers: the names seen so far for an object, null for an array.
  const open: (Set<string> | null)[] = [];
  let members = 0;
  // Whether the next token begins a new array item.
  let isNewItem = false;
  const countMember = () => {
    members += 1;
    if (members > maxMembers) {
      throw new BadRequest(`The body has more than ${maxMembers} members, on all levels together.`, 'invalid_json');
    }
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    if (code === 0x7d || code === 0x5d) {
      open.pop();
      isNewItem = false;
      continue;
    }
    const names = open.at(-1);
    if (code === 0x2c) {
      isNewItem = names === null;
      continue;
    }
    if (isNewItem) countMember();
    isNewItem = false;
    if (code === 0x22) {
      const end = endOfString(text, at);
      if (names && isName(text, end)) {
        countMember();
        noteName(names, text.slice(at, end));
      }
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) {
      open.push(code === 0x7b ? new Set() : null);
      isNewItem = code === 0x5b;
      if (open.length > maxDepth) {
        throw new BadRequest(`The body is nested more than ${maxDepth} levels deep.`, 'invalid_json');
      }
    }
  }
}

/**
 * Returns the position after the closing quote of the string at `start`. @throws BadRequest if the string does not end.
 */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  throw notJson();
}

/** Whether a colon follows, which makes the preceding string a member name. */
function isName(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) return true;
    if (!isSpace(code)) return false;
  }
  return false;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function noteName(names: Set<string>, quoted: string): void {
  const name = quoted.includes('\\') ? String(parse(quoted)) : quoted.slice(1, -1);
  if (name === '__proto__') throw new BadRequest('The body must not name a member __proto__.', 'invalid_json');
  if (names.has(name)) throw new BadRequest(`The body names ${name.slice(0, 100)} twice.`, 'invalid_json');
  names.add(name);
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
