/** What each digit of an ABN weighs. Source: Australian Business Register, "Format of the ABN". */
const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];

/** Returns the Australian business number in a text such as `ABN 51 824 753 556`, as 11 digits. Null if it has none. */
export function abnIn(text: string): string | null {
  const [, found = ''] = /^\s*(?:abn)?[\s:.]*((?:\d\s*){11})$/i.exec(text) ?? [];
  const digits = found.replaceAll(/\s/g, '');
  return isAbn(digits) ? digits : null;
}

/** Whether a text says that it is an Australian business number. It may be a wrong one. */
export function claimsAbn(text: string): boolean {
  return /^\s*abn(?![a-z])/i.test(text);
}

/** Writes an Australian business number as people read it, such as `51 824 753 556`. */
export function inGroups(abn: string): string {
  return abn.replace(/^(\d\d)(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}

/** Whether 11 digits are a valid ABN: its first digit less 1, the weighted sum is a multiple of 89. */
function isAbn(digits: string): boolean {
  if (!/^\d{11}$/.test(digits)) return false;
  const sum = weights.reduce((all, weight, index) => all + weight * (Number(digits[index]) - (index === 0 ? 1 : 0)), 0);
  return sum % 89 === 0;
}
