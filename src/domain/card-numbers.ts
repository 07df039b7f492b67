/** Runs of digits, with any separators between them. */
const runs = /\d(?:[ ,./_-]*\d)*/g;

/**
 * Spaces, commas, dots, slashes, hyphens and digits of other scripts become those of ASCII, and what is invisible alone
 * (combining marks, invisible characters) is removed, so that no spelling hides a number.
 */
function inAscii(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu, (hidden) => (/\s/.test(hidden) ? ' ' : ''))
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitOf(digit)))
    .replace(/[\s\u2800]+/gu, ' ')
    .replace(/[\p{Pd}\u2212]+/gu, '-')
    .replace(/[\\|\u2044\u2215\u29f8]+/gu, '/')
    .replace(/[\u060c\u066b\u066c\u3001]+/gu, ',')
    .replace(/[\u00b7\u2022\u2027\u2219\u22c5\u3002\u30fb\u06d4]+/gu, '.');
}

/** The value of a decimal digit: in every script they are ten code points in a row, from 0 on. */
function digitOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}

/**
 * Whether a text may contain the number of a card: 13 to 19 digits in a row that pass the check of Luhn
 * (ISO/IEC 7812-1), also with spaces, hyphens, dots, commas or slashes between them, and next to other groups of
 * digits, such as a date. Some 10 % of other numbers of this length pass it too.
 */
export function hasCardNumber(text: string): boolean {
  for (const [run] of inAscii(text).matchAll(runs)) {
    const groups = run.split(/[ ,./_-]+/);
    for (const start of groups.keys()) {
      let digits = '';
      // At most 19 groups from each start, so the check takes a time in proportion to the text.
      for (let index = start; index < groups.length; index += 1) {
        digits += groups[index];
        if (digits.length > 19) break;
        if (digits.length >= 13 && passesLuhn(digits)) return true;
      }
    }
  }
  return false;
}

/**
 * Whether a token may contain the number of a card. Unlike in a text, digits that touch a letter are no number: those
 * of a random token in hexadecimal pass the check of Luhn now and then.
 */
export function isCardNumberInToken(token: string): boolean {
  const words = token.normalize('NFKC').replace(/[\p{L}\d]+/gu, (word) => (/\p{L}/u.test(word) ? ' x ' : word));
  return hasCardNumber(words);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const weighted = place % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
