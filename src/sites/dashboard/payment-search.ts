import { PaymentIntentQuery } from '../../api/http/payment-filter.ts';
import { compileQuery } from '../../api/validation/query.ts';
import { addDays, isPlainDate, startOfDay } from '../../domain/calendar.ts';
import { currencies } from '../../domain/currencies.ts';
import { isId } from '../../domain/ids.ts';
import { parseAmount, readsTwoWays } from '../../domain/words/money.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { BadParameters } from '../../services/errors.ts';
import type { RequestContext } from '../../services/request-context.ts';

const perPage = 50;

/** What the ids in the field "Plan, subscription or link" are filtered by. */
const objects = [
  { kind: 'payment_plan', parameter: 'payment_plan_id' },
  { kind: 'subscription', parameter: 'subscription_id' },
  { kind: 'payment_link', parameter: 'payment_link_id' },
] as const;

/** Parameters that name payers. Without them, what is on test clocks is left out. */
const naming = ['customer_id', 'payment_plan_id', 'subscription_id', 'payment_link_id', 'test_clock'];

/**
 * Returns the query of `GET /payment_intents` for a list of the dashboard. It takes the same parameters, and those that
 * a form fills: empty ones, dates of the biller (the last one included), an `amount` such as `49.00`, and the id of a
 * plan, subscription or link as `for`. What is on test clocks is left out, unless it is named.
 * @throws BadParameters as the API does, and for an amount or an id that is none.
 */
export function readSearch(
  typed: URLSearchParams,
  { timeZone, livemode }: Pick<RequestContext, 'timeZone' | 'livemode'>,
): PaymentIntentQuery {
  const sent = new URLSearchParams();
  for (const [name, text] of typed) {
    const value = text.trim();
    if (value !== '') sent.append(...parameterOf(name, value, typed, timeZone));
  }
  if (!sent.has('limit')) sent.set('limit', String(perPage));
  if (!livemode && !naming.some((name) => sent.has(name))) sent.set('test_clock', 'none');
  return compileQuery(PaymentIntentQuery)(sent.toString()) as PaymentIntentQuery;
}

/** The parameter of the API for what a field of the form has. */
function parameterOf(name: string, value: string, typed: URLSearchParams, timeZone: string): [string, string] {
  if (name === 'amount') return ['total_amount', String(totalIn(value, typed.get('currency')))];
  if (name === 'for') return [objectIn(value), value];
  if (/_(?:from|to)$/.test(name) && isPlainDate(value)) {
    const first = name.endsWith('_to') ? addDays(value, 1) : value;
    return [name, startOfDay(first, timeZone).toISOString()];
  }
  return [name, value];
}

/** An amount in the currency that is chosen, or else with two decimals. Minor units. */
function totalIn(typed: string, chosen: string | null): number {
  const currency = currencies.find((each) => each === chosen);
  const possible = currency === undefined ? currencies.filter((each) => each !== 'JPY') : [currency];
  const totals = possible.flatMap((each) => (readsTwoWays(typed, each) ? [] : (parseAmount(typed, each) ?? [])));
  const [total] = totals;
  if (total !== undefined) return total;
  throw refused('amount', 'The amount must be one such as 49.00, in the currency that you choose.');
}

function objectIn(id: string): string {
  const found = objects.find(({ kind }) => isId(kind, id));
  if (found !== undefined) return found.parameter;
  throw refused('for', 'This must be the id of a plan (pp_…), a subscription (sub_…) or a link (lnk_…).');
}

function refused(name: string, message: string): BadParameters {
  return new BadParameters([fieldError(`query/${name}`, 'invalid_value', message)]);
}

/** What was typed, without what says which page: for the links to the next page and to the CSV. */
export function filterTyped(typed: URLSearchParams, more: Record<string, string> = {}): string {
  const kept = [...typed].filter(([name, value]) => value !== '' && !['starting_after', 'limit', 'sum'].includes(name));
  return new URLSearchParams([...kept, ...Object.entries(more)]).toString();
}
