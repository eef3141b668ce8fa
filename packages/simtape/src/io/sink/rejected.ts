/** A promise that rejects with `cause`, and that callers may leave alone: nothing unhandled comes of it. */
export function rejected(cause: unknown): Promise<never> {
  const promise = Promise.reject(cause);
  promise.catch(() => undefined);
  return promise;
}
