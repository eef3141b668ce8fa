import type { IncomingMessage, ServerResponse } from "node:http";

/** How far a recording is that is being made, for the pages that show it. */
export interface GrowthNews {
  /** `ended`: all of it can be read. */
  readonly state: "live" | "ended";
  /** Seconds that can be read. */
  readonly seconds: number;
  /** Why the connection to the program is gone, while it is; null: it is there. */
  readonly failure: string | null;
}

/** A recording that is being made. */
export class Growth {
  #news: GrowthNews = { state: "live", seconds: 0, failure: null };
  readonly #watchers = new Set<(news: GrowthNews) => void>();

  get news(): GrowthNews {
    return this.#news;
  }

  /** Tells it to those who watch, unless it is what they know. */
  tell(news: GrowthNews): void {
    const { state, seconds, failure } = this.#news;
    if (news.state === state && news.seconds === seconds && news.failure === failure) return;
    this.#news = news;
    for (const watcher of [...this.#watchers]) watcher(news);
  }

  /** Calls `watcher` with what is known now and with each change, until the function given back is called. */
  watch(watcher: (news: GrowthNews) => void): () => void {
    this.#watchers.add(watcher);
    watcher(this.#news);
    return () => void this.#watchers.delete(watcher);
  }
}

/** Bytes that may wait for a page that does not read: it gets the next news then. */
const MOST_WAITING = 64 << 10;
/** Milliseconds after which a word is sent, so that nothing between takes the connection for dead. */
const WORD_EVERY = 15_000;

/** Server-sent events (HTML, section 9.2): one with each news, as JSON. Ends behind the last one. */
export function sendGrowth(growth: Growth, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Content-Type", "text/event-stream");
  response.setHeader("Cache-Control", "no-store");
  response.writeHead(200);
  if (request.method === "HEAD") return void response.end();
  const say = (text: string): void => {
    if (response.writableLength < MOST_WAITING) response.write(text);
  };
  const words = setInterval(() => say(":\n\n"), WORD_EVERY);
  let unwatch = (): void => undefined;
  const end = (): void => {
    clearInterval(words);
    unwatch();
  };
  response.once("close", end);
  unwatch = growth.watch((news) => {
    // the last word is never left out
    if (news.state === "ended") response.end(`data: ${JSON.stringify(news)}\n\n`);
    else say(`data: ${JSON.stringify(news)}\n\n`);
  });
}
