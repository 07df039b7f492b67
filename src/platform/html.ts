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

/** A template that escapes its parts, unless they are HTML. Null inserts nothing. A list inserts each of its parts. */
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
