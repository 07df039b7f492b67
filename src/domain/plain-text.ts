/**
 * The JSON Schema pattern of a text that banks print on statements or read as a name: no control characters (C0, DEL,
 * C1), and no invisible characters that change the direction of the text around them (`Bidi_Control` of Unicode). Go
 * and Python read it too: they have no property for the latter.
 */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$';

/** What such a text is without, to follow "must be text" in an error message. */
export const plainTextInWords = 'without control characters and without marks that change the direction of text';

const pattern = new RegExp(plainText);

/** Whether a bank can print the text as it is. */
export function isPlainText(text: string): boolean {
  return pattern.test(text);
}
