/**
 * Returns the values of all promises after the last one has settled. If the caller closed the connection after the
 * first failure, the other statements would be cut off, and the client's retries would end the process.
 * @throws the first failure.
 */
export async function all<T>(promises: readonly (T | Promise<T>)[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
