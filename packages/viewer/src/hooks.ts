import type { Frame } from "simtape";
import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import type { Session, ViewerState } from "./session.ts";
import type { Observable } from "./observable.ts";

export const SessionContext: React.Context<Session | null> = createContext<Session | null>(null);

/** Id of the panel that a component is in: of several of a kind, each has its own. Null: it is in none. */
export const PanelContext: React.Context<string | null> = createContext<string | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("a component outside of SessionContext");
  return session;
}

/** What `select` picks; the component renders again only when that is another object. `select` must pick, not make. */
export function useObservable<T, S>(observable: Observable<T>, select: (value: T) => S): S {
  const subscribe = useCallback((listener: () => void) => observable.subscribe(listener), [observable]);
  return useSyncExternalStore(subscribe, () => select(observable.value));
}

/** A part of the viewer's state. `select` picks something that is there; it makes no new object. */
export function useViewer<S>(select: (state: ViewerState) => S): S {
  return useObservable(useSession().state, select);
}

/** Calls `watcher` for every frame, as `Session.onFrame` does, without rendering. The newest `watcher` counts. */
export function useFrames(watcher: (frame: Frame) => void): void {
  const session = useSession();
  const newest = useRef(watcher);
  useEffect(() => {
    newest.current = watcher;
  });
  useEffect(() => session.onFrame((frame) => newest.current(frame)), [session]);
}

/**
 * The frame shown, at most `hz` times a second; the last one of a movement always comes. For text, not for pictures.
 * It is rendered together with the pictures of the same frame, so that neither falls behind the other.
 */
export function useFrame(hz = 10): Frame | null {
  const session = useSession();
  const [frame, setFrame] = useState(session.frame);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let shown = 0;
    let came = 0;
    const show = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      shown = performance.now();
      flushSync(() => setFrame(session.frame));
    };
    const unsubscribe = session.onFrame(() => {
      const now = performance.now();
      const wait = shown + 1000 / hz - now;
      // Pictures that come no faster than that each bring their text along: waiting would put it behind every one of them.
      const isSlow = now - came >= 1000 / hz;
      came = now;
      if (wait <= 0 || isSlow) show();
      else timer ??= setTimeout(show, wait);
    });
    return () => {
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    };
  }, [session, hz]);
  return frame;
}

/** As long as it is there, has the values of these groups in what is shown, as `Session.read` does. */
export function useValues(groups: readonly string[] | null): void {
  const session = useSession();
  const text = groups === null ? null : groups.join("\n");
  useEffect(() => session.read(text === null ? null : text.split("\n")), [session, text]);
}

/** Something kept in the address under `key`, and how to keep another; `fallback` when nothing is. */
export function useShared<T>(key: string, fallback: T): readonly [T, (value: T | undefined) => void] {
  const session = useSession();
  const value = useViewer(({ shared }) => shared[key]) as T | undefined;
  return [value ?? fallback, (next) => session.share(key, next)];
}
