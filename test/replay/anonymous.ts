/** Ids of this service; which of them it is does not matter to a replay, only that the same one stays the same. */
const ids = /\b([a-z]+(?:_sandbox)?)_[0-9A-Za-z]{32}\b/g;

/**
 * The JSON of a history without what would tell where and when it was recorded: ids are numbered, workers, queues and
 * requests have neither host nor process, receivers no address, and stack traces are cut.
 */
export function anonymous(history: unknown): unknown {
  const known = new Map<string, string>();
  const renamed = (text: string): string =>
    text
      .replace(ids, (id, prefix: string) => {
        const number = known.get(id) ?? `${prefix}_${String(known.size + 1).padStart(32, '0')}`;
        known.set(id, number);
        return number;
      })
      .replace(/\btest-[0-9a-f]{12}\b/g, 'payments')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'the receiver');

  function clean(value: unknown, key: string): unknown {
    if (typeof value === 'string') return cleanText(value, key);
    if (Array.isArray(value)) return value.map((item) => clean(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, clean(member, name === 'name' ? nameKey(value) : name)]),
    );
  }

  function cleanText(text: string, key: string): string {
    if (key === 'identity' || key === 'stickyName') return key === 'identity' ? 'worker' : 'sticky';
    if (key === 'stackTrace') return '';
    if (key === 'data') return Buffer.from(renamed(Buffer.from(text, 'base64').toString())).toString('base64');
    return renamed(text);
  }
  return clean(history, '');
}

/** The name of a sticky queue is that of a host. */
function nameKey(owner: object): string {
  return 'kind' in owner && owner.kind === 'TASK_QUEUE_KIND_STICKY' ? 'stickyName' : 'name';
}
