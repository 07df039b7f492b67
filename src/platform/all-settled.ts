/**
 * Returns the values of all promises after the last one has settled. If the caller closed the connection after the
 * first failure, the other statements would be cut off, and the client's retries would end the process.
 * @throws the failure that comes first in the list.
 */
export async function all<T extends readonly unknown[]>(
  promises: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
