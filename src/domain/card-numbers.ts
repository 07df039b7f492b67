/** Runs of digits, with single spaces or hyphens between them. */
const runs = /\d(?:[ -]?\d)*/g;

/** Spaces, hyphens and digits of other scripts become those of ASCII, so that no spelling hides a number. */
function inAscii(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit)))
    .replace(/[\s\u200b-\u200d\u2060\ufeff]+/gu, ' ')
    .replace(/\p{Pd}+/gu, '-');
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
 * (ISO/IEC 7812-1), also with a space or a hyphen between them, and beside other groups of digits, such as a date. Some
 * 10 % of other numbers of this length pass it too.
 */
export function hasCardNumber(text: string): boolean {
  for (const [run] of inAscii(text).matchAll(runs)) {
    const groups = run.split(/[ -]/);
    for (const start of groups.keys()) {
      let digits = '';
      for (const group of groups.slice(start)) {
        digits += group;
        if (digits.length > 19) break;
        if (digits.length >= 13 && passesLuhn(digits)) return true;
      }
    }
  }
  return false;
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
