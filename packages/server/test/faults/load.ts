import { readFileSync } from "node:fs";
import type { Store } from "simtape";
import WebSocket from "ws";
import { textOf } from "../support/sockets.ts";

/** What goes on while parts of a server are killed, and what was acknowledged of it. */
export interface Load {
  /** Ends it; settles when all that was begun is acknowledged. */
  stop(): Promise<void>;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A simulator that sends twenty ticks a second to one of the nodes, and goes on at another. */
export class LiveLoad implements Load {
  readonly id: string;
  readonly #nodes: readonly string[];
  readonly #running: Promise<void>;
  #isOver = false;
  #tick = 0;
  /** Seconds that survive every crash, as the server has said, and the tick that was to be sent next then. */
  readonly safe: { readonly seconds: number; readonly tick: number }[] = [];
  /** What the server has answered to the end. */
  report: { readonly outcome: string; readonly seconds: number } | null = null;

  constructor(id: string, nodes: readonly string[]) {
    this.id = id;
    this.#nodes = nodes;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let attempt = 0; this.report === null; attempt++) {
      await this.#send(this.#nodes[attempt % this.#nodes.length]!);
      if (this.report === null) await pause(200);
    }
  }

  /** Settles when the connection is over. */
  #send(address: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${address.replace("http", "ws")}/api/live/${this.id}`);
      let timer: NodeJS.Timeout | undefined;
      let isEnding = false;
      const line = (what: object): void => socket.send(JSON.stringify(what));
      socket.on("open", () => {
        line({ simtape: 1, server: "test", sets: { things: { columns: { position: "m" } } } });
        timer = setInterval(() => {
          if (isEnding) return;
          line({ tick: this.#tick });
          line({ entities: { things: { one: { position: [this.#tick, 0, 0] } } } });
          this.#tick++;
          isEnding = this.#isOver;
          if (isEnding) line({ end: "completed" });
        }, 50);
      });
      socket.on("message", (data) => {
        const said = JSON.parse(textOf(data)) as { committedSeconds?: number; outcome?: string; seconds: number };
        if (said.committedSeconds !== undefined) this.safe.push({ seconds: said.committedSeconds, tick: this.#tick });
        if (said.outcome === "completed") this.report = { outcome: said.outcome, seconds: said.seconds };
      });
      socket.on("error", () => undefined);
      socket.on("close", () => {
        clearInterval(timer);
        resolve();
      });
    });
  }
}

/** Something that is asked for again and again, one after the other. */
class Repeated implements Load {
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(every: number, ask: (turn: number) => Promise<void>) {
    this.#running = (async () => {
      for (let turn = 0; !this.#isOver; turn++) {
        await ask(turn).catch(() => undefined);
        await pause(every);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}

async function posted(address: string, body: object): Promise<{ readonly id: string } | null> {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  return answer.status < 300 ? ((await answer.json()) as { id: string }) : null;
}

/** Reports about a recording; each acknowledged one is to have one clip. */
export class ReportLoad extends Repeated {
  readonly acknowledged = new Map<string, string>();

  constructor(nodes: readonly string[], recording: string) {
    const acknowledged = new Map<string, string>();
    super(700, async (turn) => {
      const text = `report ${turn}`;
      const report = { recording, subject: "hero", text, first: 0.5, last: 1.5 };
      const made = await posted(`${nodes[turn % nodes.length]!}/api/reports`, report);
      if (made !== null) acknowledged.set(made.id, text);
    });
    this.acknowledged = acknowledged;
  }
}

/** Recordings that others put into the bucket. */
export class UploadLoad extends Repeated {
  readonly acknowledged: string[];

  constructor(library: Store, file: string) {
    const content = readFileSync(file);
    const acknowledged: string[] = [];
    super(900, async (turn) => {
      const key = `uploaded/run-${turn}.hcrp`;
      await library.put(key, content, { condition: { absent: true }, idempotencyKey: `run-${turn}` });
      acknowledged.push(key);
    });
    this.acknowledged = acknowledged;
  }
}

/** Ranges of a recording whose bytes are known: what is answered is right. */
export class ReadLoad extends Repeated {
  readonly wrong: string[];
  readonly counts: { right: number };

  constructor(nodes: readonly string[], url: string, file: string) {
    const content = readFileSync(file);
    const wrong: string[] = [];
    const counts = { right: 0 };
    super(100, async (turn) => {
      const start = (turn * 7919) % (content.length - 512);
      const answer = await fetch(nodes[turn % nodes.length]! + url, {
        headers: { range: `bytes=${start}-${start + 511}` },
        signal: AbortSignal.timeout(20_000),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.status < 400 && !bytes.equals(content.subarray(start, start + 512)))
        wrong.push(`${answer.status}, ${bytes.length} bytes from ${start}`);
      else if (answer.status === 206) counts.right++;
      else if (answer.status < 500) wrong.push(`${answer.status}`);
    });
    this.wrong = wrong;
    this.counts = counts;
  }
}
