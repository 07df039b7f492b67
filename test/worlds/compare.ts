import type { Body } from './place.ts';
import type { Fault, Happening, Telling } from './telling.ts';

const rule = 'one story, however time is cut';

/** The first difference between two tellings, in words; null if there is none. */
export function differenceOf(one: Telling, other: Telling): Fault | null {
  return (
    happeningsDiffer(one, other) ??
    listsDiffer('answer', one, other, (telling) => telling.answers) ??
    resourcesDiffer(one, other) ??
    listsDiffer('effect', one, other, (telling) => telling.effects.toSorted(byCustomer))
  );
}

/** Of equal customers, in the order of the list. Customers may come in any order at one instant. */
function byCustomer(a: Body, b: Body): number {
  const [left, right] = [customerOf(a), customerOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const customerOf = (effect: Body): string => String(effect.object_id ?? '').split('/')[0] ?? '';

/** The order of the events of one customer is a part of the story; that of two customers is not. */
function happeningsDiffer(one: Telling, other: Telling): Fault | null {
  const customers = new Set([...one.happenings, ...other.happenings].map(({ customer }) => customer));
  for (const customer of [...customers].sort()) {
    const of = ({ happenings }: Telling) => happenings.filter((happening) => happening.customer === customer);
    const [left, right] = [of(one), of(other)];
    const index = firstDifference(left.map(textOf), right.map(textOf));
    if (index === null) continue;
    const [a, b] = [left[index], right[index]];
    const isSame = a !== undefined && b !== undefined && lineOf(a) === lineOf(b);
    const words = [
      `Event ${index + 1} of ${customer}`,
      `  ${one.way}: ${a === undefined ? 'none' : lineOf(a)}`,
      `  ${other.way}: ${b === undefined ? 'none' : lineOf(b)}`,
      ...(isSame ? pathsOf(a.data, b.data, one.way, other.way) : []),
    ];
    return { rule, words };
  }
  return null;
}

function listsDiffer(what: string, one: Telling, other: Telling, of: (telling: Telling) => Body[]): Fault | null {
  const [left, right] = [of(one), of(other)];
  const index = firstDifference(
    left.map((item) => JSON.stringify(item)),
    right.map((item) => JSON.stringify(item)),
  );
  if (index === null) return null;
  const [a, b] = [left[index], right[index]];
  const about = a?.what ?? a?.event_type ?? b?.what ?? b?.event_type ?? '';
  return { rule, words: [`The ${what} ${index + 1}: ${about}`, ...pathsOf(a, b, one.way, other.way)] };
}

function resourcesDiffer(one: Telling, other: Telling): Fault | null {
  for (const name of new Set([...Object.keys(one.resources), ...Object.keys(other.resources)])) {
    const [a, b] = [one.resources[name], other.resources[name]];
    if (JSON.stringify(a) === JSON.stringify(b)) continue;
    return { rule, words: [`At the end, ${name}`, ...pathsOf(a, b, one.way, other.way)] };
  }
  return null;
}

function firstDifference(left: string[], right: string[]): number | null {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    if (left[index] !== right[index]) return index;
  }
  return null;
}

export const lineOf = ({ at, type, subject }: Happening): string => `${at} ${type} of ${subject}`;
const textOf = (happening: Happening): string => lineOf(happening) + JSON.stringify(happening.data);

const mostPaths = 6;

/** Each member in which two values differ, such as `  items/0/quantity: by the day 1, in strides 2`. */
function pathsOf(a: Body, b: Body, left: string, right: string): string[] {
  const lines: string[] = [];
  const visit = (one: Body, two: Body, path: string): void => {
    if (JSON.stringify(one) === JSON.stringify(two)) return;
    const areObjects = [one, two].every((value) => typeof value === 'object' && value !== null);
    if (!areObjects || Array.isArray(one) !== Array.isArray(two)) {
      lines.push(`  ${path}: ${left} ${JSON.stringify(one)}, ${right} ${JSON.stringify(two)}`);
      return;
    }
    for (const name of new Set([...Object.keys(one), ...Object.keys(two)]))
      visit(one[name], two[name], `${path}/${name}`);
  };
  visit(a, b, '');
  return lines.slice(0, mostPaths);
}
