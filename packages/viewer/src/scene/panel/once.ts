import type { Session } from "../../session.ts";

/** Follows something of a session, calls `tell` with what it is now and then, until the function given back is called. */
type Follow<T> = (session: Session, tell: (value: T) => void) => () => void;

interface Run<T> {
  readonly watchers: Set<(value: T) => void>;
  /** Given last; or nothing. */
  given: readonly T[];
  stop: () => void;
}

/** As `follow`, but once for all who watch the same session: it begins with the first of them, and ends with the last. */
export function once<T>(follow: Follow<T>): Follow<T> {
  const runs = new WeakMap<Session, Run<T>>();
  return (session, tell) => {
    // each has an entry of its own, also where functions are the same
    const watcher = (value: T): void => tell(value);
    let run = runs.get(session);
    if (run === undefined) {
      const begun: Run<T> = { watchers: new Set([watcher]), given: [], stop: () => undefined };
      runs.set(session, begun);
      begun.stop = follow(session, (value) => {
        begun.given = [value];
        for (const each of [...begun.watchers]) each(value);
      });
      run = begun;
    } else {
      run.watchers.add(watcher);
      for (const value of run.given) tell(value);
    }
    const { watchers, stop } = run;
    return () => {
      if (!watchers.delete(watcher) || watchers.size > 0) return;
      runs.delete(session);
      stop();
    };
  };
}
