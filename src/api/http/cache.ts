/**
 * Caches the result of `load` for each key, for `ms`. Keeps at most `max` results. Concurrent calls share one load.
 * Failures are not cached, nor results that `isKept` refuses.
 */
export function cached<K, V>(
  { ms, max, isKept = () => true }: { ms: number; max: number; isKept?: (value: V) => boolean },
  load: (key: K) => Promise<V>,
): (key: K) => Promise<V> {
  const entries = new Map<K, { result: Promise<V>; until: number }>();
  return (key) => {
    const known = entries.get(key);
    if (known !== undefined && known.until > performance.now()) return known.result;
    const entry = { until: performance.now() + ms, result: load(key) };
    entries.delete(key);
    entries.set(key, entry);
    // A Map keeps insertion order, so the first entry is the oldest.
    const [oldest] = entries.size > max ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    entry.result.then((value) => isKept(value) || drop(), drop);
    return entry.result;
  };
}
