import { useEffect, useMemo, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import type { Listed } from "../open/listed.ts";
import { saidIn } from "../said.ts";
import type { Shown } from "./shown.ts";
import { type Lag, type Listen, type LiveNews, useLive } from "./use-live.ts";

/** What a program does is folded and committed before it can be seen. */
const LAG: Lag = { near: 4e9, aside: 2e9 };

/** What `simtape view` says of the recording that plays: it may be recording it now. */
export function useLiveView(): Shown {
  const session = useSession();
  const place = useViewer(({ decks }) => decks[0]?.place);
  const url = place?.kind === "url" ? place.url : null;
  const [source, setSource] = useState<string | null>(null);
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    setSource(null);
    setName(null);
    const list = saidIn("recordings");
    if (url === null || list === "") return;
    const controller = new AbortController();
    const find = async (): Promise<void> => {
      const listed = (await (await fetch(list, { signal: controller.signal })).json()) as readonly Listed[];
      const found = listed.find((one) => one.live !== undefined && new URL(one.url, document.baseURI).href === url);
      setSource(found?.live ?? null);
      setName(found?.name ?? null);
    };
    find().catch(() => undefined);
    return () => controller.abort();
  }, [url]);
  const listen = useMemo<Listen | null>(() => (source === null ? null : (hear) => heard(source, hear)), [source]);
  const live = useLive(listen, LAG, () => {
    setSource(null);
    void session.grow();
  });
  return { live: listen === null ? null : live, name };
}

function heard(address: string, hear: (news: LiveNews) => void): () => void {
  // it connects again by itself
  const events = new EventSource(address);
  events.onmessage = ({ data }) => {
    const news = JSON.parse(data as string) as LiveNews;
    if (news.state === "ended") events.close();
    hear(news);
  };
  return () => events.close();
}
