import { type Html, html } from '../../platform/html.ts';

/** What is coloured: a comment, a string, a number or constant, a word of the language, a variable. */
const kinds = ['comment', 'string', 'number', 'keyword', 'variable'] as const;

/** Patterns by kind. The name of a member of JSON stays as it is. The first pattern that fits at a place wins. */
type Rules = readonly (readonly [(typeof kinds)[number] | 'name', RegExp])[];

const memberName = /"[^"\\\n]*"(?=\s*:)/;
const doubleQuoted = /"(?:[^"\\\n]|\\.)*"/;
const number = /\b\d[\d_]*(?:\.\d+)?\b/;
const slashComment = /(?<!:)\/\/.*/;
const hashComment = /(?<!\S)#.*/;

const json: Rules = [
  ['name', memberName],
  ['string', doubleQuoted],
  ['number', /(?<![\w.-])-?\d+(?:\.\d+)?\b(?!["\w-])|\b(?:true|false|null)\b/],
];

/** What begins with a brace or a double quote inside of single quotes is JSON: it gets the colours of JSON. */
const shell: Rules = [
  ['comment', hashComment],
  ['name', memberName],
  ['string', new RegExp(`(?<=^|[\\s=(])'[^'"{\\n][^'\\n]*'|${doubleQuoted.source}`)],
  ['variable', /\$\w+|\$\{[^}\n]*\}|(?<=^|\s)[A-Z_]+(?==)/],
  ['keyword', /(?<=^\s*|\| |\$\(|&& )(?:[a-z][\w-]*)(?= )|\b(?:then|do|done|fi|else)\b/],
  ['number', /(?<=[:[] ?)-?\d+\b(?!["\w-])|(?<![\w/])(?:true|false|null)\b/],
];

const typescript: Rules = [
  ['comment', new RegExp(`${slashComment.source}|/\\*[^]*?\\*/`)],
  ['string', new RegExp(`${doubleQuoted.source}|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\``)],
  ['number', new RegExp(`${number.source}|\\b(?:true|false|null|undefined)\\b`)],
  [
    'keyword',
    /\b(?:as|async|await|break|case|catch|class|const|continue|default|else|export|extends|finally|for|from|function|if|import|in|instanceof|interface|let|new|of|return|switch|throw|try|type|typeof|while)\b(?!\s*:)/,
  ],
];

const python: Rules = [
  ['comment', hashComment],
  ['name', memberName],
  ['string', new RegExp(`[bfr]?(?:"""[^]*?"""|${doubleQuoted.source}|'(?:[^'\\\\\\n]|\\\\.)*')`)],
  ['number', new RegExp(`${number.source}|\\b(?:True|False|None)\\b`)],
  [
    'keyword',
    /\b(?:and|as|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield)\b(?!=)/,
  ],
];

/** A raw string that begins with a brace is JSON. */
const go: Rules = [
  ['comment', new RegExp(`${slashComment.source}|/\\*[^]*?\\*/`)],
  ['name', memberName],
  ['string', new RegExp(`${doubleQuoted.source}|\`[^{\`][^\`]*\``)],
  ['number', new RegExp(`${number.source}|\\b(?:true|false|nil|null)\\b`)],
  [
    'keyword',
    /\b(?:break|case|chan|const|continue|default|defer|else|for|func|go|if|import|interface|map|package|range|return|select|struct|switch|type|var)\b/,
  ],
];

const languages: Readonly<Record<string, Rules>> = {
  json,
  sh: shell,
  bash: shell,
  curl: shell,
  ts: typescript,
  js: typescript,
  typescript,
  py: python,
  python,
  go,
};
const patterns = new Map<Rules, RegExp>();

/**
 * Code as HTML. What is coloured is in spans; the class is the first letter of its kind. Code in another language
 * stays as it is, but if it begins like JSON, it is JSON. The patterns know words, not grammar, so they never fail.
 */
export function highlighted(code: string, language: string): Html {
  const rules = languages[language.toLowerCase()] ?? (/^[[{]/.test(code) ? json : null);
  if (rules === null) return html`${code}`;
  const parts: Html[] = [];
  let end = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(patternOf(rules))) {
    const kind = kinds.find((one) => groups[one] !== undefined);
    const part = kind === undefined ? html`${text}` : html`<span class="${kind.slice(0, 1)}">${text}</span>`;
    parts.push(html`${code.slice(end, index)}`, part);
    end = index + text.length;
  }
  return html`${parts}${code.slice(end)}`;
}

/** All rules as one pattern, with a group for each kind. */
function patternOf(rules: Rules): RegExp {
  const known = patterns.get(rules);
  if (known !== undefined) return known;
  const made = new RegExp(rules.map(([kind, { source }]) => `(?<${kind}>${source})`).join('|'), 'gm');
  patterns.set(rules, made);
  return made;
}
