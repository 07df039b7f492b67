/** Returns the words of `payment_methods`, `Payment methods` or `createPaymentMethod`, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .map((word) => word.toLowerCase());
}

export function camel(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : capital(word))).join('');
}

export function pascal(words: readonly string[]): string {
  return words.map(capital).join('');
}

/**
 * Returns the method name of an operation: its id without the words of its resource. For payment plans,
 * `createPaymentPlan` is `create` and `listPlanPayments` is `listPayments`. For webhook endpoints,
 * `rotateWebhookSecret` is `rotateSecret`.
 */
export function methodName(operationId: string, resource: readonly string[]): string {
  const [verb = '', ...noun] = wordsOf(operationId);
  const said = new Set([...resource.map(singular), resource.at(-1)]);
  const firstNew = noun.findIndex((word) => !said.has(word));
  return camel([verb, ...(firstNew === -1 ? [] : noun.slice(firstNew))]);
}

function singular(word: string): string {
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
