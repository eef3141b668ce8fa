import { useCallback, useSyncExternalStore } from "react";

/** An immutable value that is replaced as a whole; who listens is told of every other one. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Replaces some of its fields. */
  update(changes: Partial<T>): void {
    this.set({ ...this.#value, ...changes });
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** What `select` picks; the component renders again only when that is another object. `select` must pick, not make. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener), [store]);
  return useSyncExternalStore(subscribe, () => select(store.value));
}
