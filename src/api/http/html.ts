/** A text that is HTML already: everything else is escaped where it is put into one. */
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

/** A template whose parts are escaped, unless they are HTML; null is nothing, and a list is its parts. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const [first = '', ...rest] = strings;
  return new Html(first + rest.map((text, index) => written(parts[index] ?? null) + text).join(''));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null) return '';
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (symbol) => entities[symbol] ?? '');
  if (typeof part === 'number') return String(part);
  return part.map(written).join('');
}
