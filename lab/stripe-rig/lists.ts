// Pages of a list as Stripe documents them (https://docs.stripe.com/api/pagination), over all rows of localstripe.

export interface Listed {
  id: string;
  created: number;
  [name: string]: unknown;
}

type Page = { data: Listed[]; has_more: boolean } | { refused: { param: string; message: string } };

const mostRows = 100;
const fewRows = 10;

/** Filters that a row has to equal. */
const equal = ['customer', 'payment_intent', 'charge'];

const comparisons: Record<string, (created: number, bound: number) => boolean> = {
  gt: (created, bound) => created > bound,
  gte: (created, bound) => created >= bound,
  lt: (created, bound) => created < bound,
  lte: (created, bound) => created <= bound,
};

/** The page of rows, newest first, that the parameters of a request ask for; or what is wrong with them. */
export function listOf(rows: readonly Listed[], form: URLSearchParams): Page {
  const limit = Number(form.get('limit') ?? fewRows);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRows) {
    return { refused: { param: 'limit', message: `This value must be from 1 to ${mostRows}.` } };
  }
  const tests: ((row: Listed) => boolean)[] = [];
  for (const [name, value] of form) {
    const comparison = comparisons[/^created\[(\w+)\]$/.exec(name)?.[1] ?? ''];
    if (comparison !== undefined) tests.push(({ created }) => comparison(created, Number(value)));
    if (name === 'created') tests.push(({ created }) => created === Number(value));
    if (equal.includes(name)) tests.push((row) => row[name] === value);
  }
  // Those of one second in the order in which they were made; localstripe gives them so.
  const oldestFirst = [...rows].sort((one, other) => one.created - other.created);
  const found = oldestFirst.reverse().filter((row) => tests.every((test) => test(row)));
  const [after, before] = [form.get('starting_after'), form.get('ending_before')];
  if (before !== null) {
    const end = found.findIndex(({ id }) => id === before);
    if (end < 0) return { refused: { param: 'ending_before', message: `No such object: ${before}` } };
    return { data: found.slice(Math.max(0, end - limit), end), has_more: end > limit };
  }
  const begin = after === null ? 0 : found.findIndex(({ id }) => id === after) + 1;
  if (after !== null && begin === 0)
    return { refused: { param: 'starting_after', message: `No such object: ${after}` } };
  return { data: found.slice(begin, begin + limit), has_more: found.length > begin + limit };
}
