/** Text that is already HTML. All other text is escaped when it is inserted into a template. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | null | Html | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Invisible characters that change the direction of the text around them. */
const directionMarks = /\p{Bidi_Control}/gu;
/** Letters and digits of the scripts that are written from right to left: the blocks that Unicode keeps for them. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** A text between the marks of `isolated`. */
const isolates = /\u2068([^\p{Bidi_Control}]*)\u2069/gu;

/**
 * Returns a foreign text, such as a name, for a sentence: whatever is in it, the rest of the sentence keeps its order.
 * Marks of direction are left out. A text from right to left is enclosed in those of Unicode (FSI and PDI), which
 * `html` writes as `<bdi>`.
 */
export function isolated(text: string): string {
  const plain = text.replace(directionMarks, '');
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/**
 * A template that escapes its parts, unless they are HTML. Null inserts nothing. A list inserts each of its parts. No
 * part changes the direction of the text around it: marks of direction are left out, and text from right to left stands
 * in a `<bdi>`. A value of an attribute stays as it is.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const [first = '', ...rest] = strings;
  let before = '';
  let text = first;
  for (const [index, next] of rest.entries()) {
    // A part that came before is not seen, only that there was one.
    before += `${strings[index] ?? ''}…`;
    text += written(parts[index] ?? null, placeAfter(before)) + next;
  }
  return new Html(text);
}

type Place = 'attribute' | 'title' | 'content';

/** Where a part stands that follows this text of a template. A title has no elements in it. */
function placeAfter(before: string): Place {
  const value = before.lastIndexOf('="');
  if (value >= 0 && !before.includes('"', value + 2)) return 'attribute';
  return before.lastIndexOf('<title>') > before.lastIndexOf('</title>') ? 'title' : 'content';
}

function written(part: Part, place: Place): string {
  if (part instanceof Html) return part.text;
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part !== 'string') return part.map((each) => written(each, place)).join('');
  if (place === 'attribute') return escaped(part);
  if (place === 'title') return escaped(part.replace(directionMarks, ''));
  // Every second piece stood between the marks of `isolated`.
  const pieces = part.split(isolates).map((piece, index) => {
    const plain = escaped(piece.replace(directionMarks, ''));
    return index % 2 === 1 || rightToLeft.test(plain) ? `<bdi>${plain}</bdi>` : plain;
  });
  return pieces.join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (symbol) => entities[symbol] ?? '');
}
