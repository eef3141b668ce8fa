import { useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../hooks.ts";
import { keptIn } from "../kept.ts";

/** A recording that is being made, as a page shows it. */
export interface Live {
  /** Whether what is happening now is shown; to be taken for "as soon as it is there". */
  readonly isNow: boolean;
  readonly goNow: () => void;
  /** Why nothing more comes for now; null: it does. */
  readonly failure: string | null;
}

/** What a server tells of a recording that is being made. */
export interface LiveNews {
  readonly state: "live" | "ended";
  /** How much can be read. */
  readonly seconds: number;
  /** Why the connection to what is recorded is gone; null, or absent: it is there. */
  readonly failure?: string | null;
}

/** Listens to what a server tells, until the function that is given back is called. */
export type Listen = (hear: (news: LiveNews) => void) => () => void;

/** How near to the end a page stays with what is happening now. */
export interface Lag {
  /** Nanoseconds from the end within which it is now. */
  readonly near: number;
  /** Nanoseconds from the end where it goes on. */
  readonly aside: number;
}

/** Milliseconds from one opening to the next. */
const LEAST = 1000;
/** Where the address keeps that what is happening now is shown: the page does so when it is loaded again. */
const KEY = "live";

/**
 * Lets what is open grow as long as it is being made, and stays with the present unless the user leaves it. `listen` null:
 * it is not being made. `onEnd` is called when all of it is there. `lag` is the same object each time.
 */
export function useLive(listen: Listen | null, lag: Lag, onEnd: () => void): Live {
  const session = useSession();
  const [isNow, setNow] = useState(() => {
    const { t, shared } = keptIn(location.hash);
    return t === undefined || shared?.[KEY] === true;
  });
  const [failure, setFailure] = useState<string | null>(null);
  const now = useRef(isNow);
  const isLive = listen !== null;
  const stay = useCallback(
    (is: boolean): void => {
      now.current = is;
      setNow(is);
      session.share(KEY, is ? true : undefined);
    },
    [session],
  );
  const toNow = useCallback((): void => {
    const { time, bounds } = session;
    if (!now.current || time === null) return;
    if (bounds.end - time > lag.near) void session.seek(bounds.end - lag.aside);
    // at the very end it goes on by itself when there is more
    if (!session.isPlaying && (session.time ?? 0) < bounds.end) session.play();
  }, [session, lag]);

  useEffect(() => {
    if (!isLive) return;
    session.isGrowing = true;
    stay(now.current);
    const unwatch = session.onMove((move) => {
      if (move.move === "seek") stay(move.time >= session.bounds.end - lag.near);
      else if (move.move === "rate") stay(now.current && move.rate === 1);
      else if (move.move === "loop") stay(now.current && move.range === null);
      else if (move.move !== "play") stay(false);
    });
    return () => {
      unwatch();
      session.isGrowing = false;
      // a link to what has ended is one to the time shown
      session.share(KEY, undefined);
    };
  }, [session, lag, isLive, stay]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done at the end may be another function each time
  useEffect(() => {
    if (listen === null) return;
    let [isLeft, reached] = [false, 0];
    let growing: Promise<void> | null = null;
    const grow = async (): Promise<void> => {
      let has = true;
      while (!isLeft && has && reached > session.bounds.end) {
        const began = performance.now();
        has = await session.grow();
        if (!isLeft) toNow();
        await new Promise((resolve) => setTimeout(resolve, LEAST - (performance.now() - began)));
      }
    };
    const hear = async ({ state, seconds, failure: why = null }: LiveNews): Promise<void> => {
      reached = seconds * 1e9;
      if (!isLeft) setFailure(why);
      growing ??= grow().finally(() => {
        growing = null;
      });
      await growing;
      if (state === "ended" && !isLeft) onEnd();
    };
    const stop = listen((news) => void hear(news));
    return () => {
      isLeft = true;
      stop();
    };
  }, [session, listen, toNow]);

  return {
    isNow,
    failure,
    goNow: () => {
      stay(true);
      session.setLoop(null);
      if (session.state.value.status.rate !== 1) session.setRate(1);
      stay(true);
      toNow();
    },
  };
}
