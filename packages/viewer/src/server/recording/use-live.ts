import { useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../../hooks.ts";
import { keptIn } from "../../kept.ts";
import { at } from "../api.ts";
import type { Details } from "../shapes.ts";

/** Whether a page shows what is happening now, and goes there. */
export interface Live {
  readonly isNow: boolean;
  readonly goNow: () => void;
}

/** What the server tells of a recording that is being made: how much can be read. */
interface LiveMessage {
  readonly state: "live" | "ended";
  readonly seconds: number;
}

/** Nanoseconds from the end within which it is now; how far from the end it goes on there. */
const [NEAR, ASIDE] = [3e9, 1e9];
/** Milliseconds from one opening to the next; until a connection that broke is made again. */
const [LEAST, AGAIN] = [1000, 1000];

/** Lets the recording grow in the page as long as it is being made, and stays with the present unless the user leaves it. */
export function useLive(details: Pick<Details, "id" | "state">, onEnd: () => void): Live {
  const { id, state } = details;
  const session = useSession();
  const [isNow, setNow] = useState(() => keptIn(location.hash).t === undefined);
  const now = useRef(isNow);
  const isLive = state === "live";
  const stay = useCallback((is: boolean): void => {
    now.current = is;
    setNow(is);
  }, []);
  const toNow = useCallback((): void => {
    const { time, bounds } = session;
    if (!now.current || time === null) return;
    if (bounds.end - time > NEAR) void session.seek(bounds.end - ASIDE);
    // at the very end it goes on by itself when there is more
    if (!session.isPlaying && (session.time ?? 0) < bounds.end) session.play();
  }, [session]);

  useEffect(() => {
    if (!isLive) return;
    return session.onMove((move) => {
      if (move.move === "seek") stay(move.time >= session.bounds.end - NEAR);
      else if (move.move === "rate") stay(now.current && move.rate === 1);
      else if (move.move === "loop") stay(now.current && move.range === null);
      else if (move.move !== "play") stay(false);
    });
  }, [session, isLive, stay]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done at the end may be another function each time
  useEffect(() => {
    if (!isLive) return;
    let [isLeft, reached] = [false, 0];
    let growing: Promise<void> | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let socket: WebSocket | null = null;
    const grow = async (): Promise<void> => {
      let has = true;
      while (!isLeft && has && reached > session.bounds.end) {
        const began = performance.now();
        has = await session.grow();
        if (!isLeft) toNow();
        await new Promise((resolve) => setTimeout(resolve, LEAST - (performance.now() - began)));
      }
    };
    const hear = async ({ state: is, seconds }: LiveMessage): Promise<void> => {
      reached = seconds * 1e9;
      growing ??= grow().finally(() => {
        growing = null;
      });
      await growing;
      if (is === "ended" && !isLeft) onEnd();
    };
    const connect = (): void => {
      const url = new URL(at(`api/recordings/${encodeURIComponent(id)}/socket`), location.origin);
      url.protocol = url.protocol.replace("http", "ws");
      const made = new WebSocket(url);
      socket = made;
      made.onmessage = ({ data }) => void hear(JSON.parse(data as string) as LiveMessage);
      made.onclose = () => {
        if (!isLeft) timer = setTimeout(connect, AGAIN);
      };
    };
    connect();
    return () => {
      isLeft = true;
      clearTimeout(timer);
      socket?.close();
    };
  }, [session, id, isLive, toNow]);

  // behind the end it is looked at by the server, and is whole then
  const isOver = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer; what is done at the end may be another function
  useEffect(() => {
    if (isLive) isOver.current = false;
    if (isLive || isOver.current) return;
    if (state === "new") {
      const timer = setTimeout(onEnd, LEAST);
      return () => clearTimeout(timer);
    }
    isOver.current = true;
    void session.grow();
  }, [session, details]);

  return {
    isNow,
    goNow: () => {
      stay(true);
      session.setLoop(null);
      if (session.state.value.status.rate !== 1) session.setRate(1);
      stay(true);
      toNow();
    },
  };
}
