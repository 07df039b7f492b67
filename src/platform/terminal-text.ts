/**
 * What a terminal obeys (C0, DEL, C1), what reorders text (bidi), what breaks lines, and what cannot be seen (zero-width and
 * other default-ignorable characters): with these a name could clear the screen, make a link or read as another name.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text on one line as a terminal may show it: unsafe characters as `\uXXXX`. For every value that others have written: the
 * database, a request, another program. JSON stays JSON with the same values.
 */
export function safeLine(text: string): string {
  return text.replace(unsafe, escaped);
}

/** The same for a text of ours with line breaks, which stay. Values in it have passed `safeLine`. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeLine).join('\n');
}

/** As JSON has it: one escape for each UTF-16 code unit. */
function escaped(symbol: string): string {
  return symbol
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
