/** Where an operation is in every client: `payments.paymentPlans.create` in TypeScript. In words, lower case. */
export interface ClientMethod {
  resource: readonly string[];
  method: readonly string[];
}

/** What of an operation names it. */
export interface NamedOperation {
  operationId: string;
  tag: string;
  path: string;
}

/**
 * Returns the resource and the method of an operation in the clients. The resource is the collection or folder that
 * the tag names, or else the first collection of the path, or else the tag. The method is the operation id without the
 * words of the resource. `test/docs/reference-samples.test.ts` compares the names with the clients.
 */
export function clientMethodOf({ operationId, tag, path }: NamedOperation, paths: readonly string[]): ClientMethod {
  const collections = new Set(paths.flatMap((one) => [...one.matchAll(/\/(\w+)\/\{/g)].map(([, name]) => name)));
  const words = wordsOf(tag);
  const first = path.split('/').find((segment) => collections.has(segment));
  const name = words.join('_');
  const isOfTag = collections.has(name) || path.startsWith(`/api/v1/${name}/`);
  const resource = isOfTag || first === undefined ? words : wordsOf(first);
  const [verb = '', ...noun] = wordsOf(operationId);
  const known = new Set([...resource.map(singular), resource.at(-1)]);
  const firstNew = noun.findIndex((word) => !known.has(word));
  return { resource, method: [verb, ...(firstNew === -1 ? [] : noun.slice(firstNew))] };
}

/** Returns the words of `payment_methods`, `Payment methods` or `createPaymentMethod`, in lower case. */
export function wordsOf(name: string): string[] {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_-]+/);
  return words.map((word) => word.toLowerCase());
}

export function camel(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : capital(word))).join('');
}

/** Returns an exported name of Go: `CustomerID`. */
export function pascal(words: readonly string[]): string {
  return words.map((word) => (initialisms.has(word) ? word.toUpperCase() : capital(word))).join('');
}

/** As in `clients/go/generate/naming.ts`. */
const initialisms: ReadonlySet<string> = new Set(['id', 'url', 'ip', 'html', 'api']);

function singular(word: string): string {
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
