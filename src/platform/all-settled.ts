/**
 * The values of all promises, once the last of them has settled: who closes a connection after the first failure would cut
 * off the others, and the client's retries end the process then.
 * @throws the first failure.
 */
export async function all<T>(promises: readonly (T | Promise<T>)[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
