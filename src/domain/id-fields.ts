/** By the prefix of an id, the field under which logs and traces have it: the same everywhere, so that one id finds all. */
const fields: Readonly<Record<string, string>> = {
  cus: 'customer_id',
  pm: 'payment_method_id',
  pi: 'payment_intent_id',
  att: 'attempt_id',
  re: 'refund_id',
  pp: 'payment_plan_id',
  clk: 'test_clock_id',
  adv: 'advance_id',
  evt: 'event_id',
  we: 'endpoint_id',
  whd: 'delivery_id',
};

const idInText = /\b([a-z]{2,3})_(?:sandbox_)?[0-9A-Za-z]{32}\b/g;

/** The id under the name of its kind, such as `{ payment_plan_id: 'pp_…' }`; nothing for one of another kind, or none. */
export function idFields(id: string | null): Record<string, string> {
  const field = id === null ? undefined : fields[id.slice(0, id.indexOf('_'))];
  return id === null || field === undefined ? {} : { [field]: id };
}

const wholeId = /^[a-z]{2,3}_(?:sandbox_)?[0-9A-Za-z]{32}$/;

/** Those of the values that are ids, each under the name of its kind: a value that only contains one is not. */
export function idFieldsOf(values: readonly string[]): Record<string, string> {
  return Object.assign({}, ...values.filter((value) => wholeId.test(value)).map(idFields));
}

/** The ids that a text such as a path names, each under the name of its kind. */
export function idFieldsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [id, prefix = ''] of text.matchAll(idInText)) {
    const field = fields[prefix];
    if (field !== undefined) found[field] = id;
  }
  return found;
}
