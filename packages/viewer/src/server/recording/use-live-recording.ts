import { useCallback, useEffect, useRef } from "react";
import { useSession } from "../../hooks.ts";
import { type Lag, type Listen, type Live, type LiveNews, useLive } from "../../live/use-live.ts";
import { at } from "../api.ts";
import type { Details } from "../shapes.ts";

/** Milliseconds until a connection that broke is made again, and until the server is asked again. */
const AGAIN = 1000;
const LAG: Lag = { near: 3e9, aside: 1e9 };

/** The recording of a server's page while it is being made; null: it is not. */
export function useLiveRecording(details: Pick<Details, "id" | "state">, onEnd: () => void): Live | null {
  const { id, state } = details;
  const session = useSession();
  const isLive = state === "live";
  const listen = useCallback<Listen>(
    (hear) => {
      let isLeft = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let socket: WebSocket | null = null;
      const connect = (): void => {
        const url = new URL(at(`api/recordings/${encodeURIComponent(id)}/socket`), location.origin);
        url.protocol = url.protocol.replace("http", "ws");
        const made = new WebSocket(url);
        socket = made;
        made.onmessage = ({ data }) => hear(JSON.parse(data as string) as LiveNews);
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
    },
    [id],
  );
  const live = useLive(isLive ? listen : null, LAG, onEnd);

  // behind the end it is looked at by the server, and is whole then
  const isOver = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer; what is done at the end may be another function
  useEffect(() => {
    if (isLive) isOver.current = false;
    if (isLive || isOver.current) return;
    if (state === "new") {
      const timer = setTimeout(onEnd, AGAIN);
      return () => clearTimeout(timer);
    }
    isOver.current = true;
    void session.grow();
  }, [session, details]);
  return isLive ? live : null;
}
