/**
 * Control characters (C0, DEL, C1), characters that reorder text (bidi), line breaks, and invisible characters
 * (zero-width and other default-ignorable ones). With these, a name could clear the screen, make a link or look like
 * another name.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the text on one line, safe for a terminal: unsafe characters become `\uXXXX`. For every value from outside:
 * the database, a request, another program. JSON stays JSON with the same values.
 */
export function safeLine(text: string): string {
  return text.replace(unsafe, escaped);
}

/** The same for our own text: line breaks stay. Pass foreign values in it through `safeLine` first. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

/** One escape for each UTF-16 code unit, as in JSON. */
function escaped(symbol: string): string {
  return symbol
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
