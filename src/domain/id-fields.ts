/**
 * The field for each id prefix in logs and traces. The same name everywhere, so a search for one id finds all its
 * lines.
 */
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

/** Returns the id under its field, such as `{ payment_plan_id: 'pp_…' }`. Empty for null and for an unknown prefix. */
export function idFields(id: string | null): Record<string, string> {
  const field = id === null ? undefined : fields[id.slice(0, id.indexOf('_'))];
  return id === null || field === undefined ? {} : { [field]: id };
}

const wholeId = /^[a-z]{2,3}_(?:sandbox_)?[0-9A-Za-z]{32}$/;

/** Returns the values that are whole ids, each under its field. A value that only contains an id is skipped. */
export function idFieldsOf(values: readonly string[]): Record<string, string> {
  return Object.assign({}, ...values.filter((value) => wholeId.test(value)).map(idFields));
}

/** Returns the ids in a text such as a path, each under its field. */
export function idFieldsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [id, prefix = ''] of text.matchAll(idInText)) {
    const field = fields[prefix];
    if (field !== undefined) found[field] = id;
  }
  return found;
}
