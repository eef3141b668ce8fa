import { once } from "node:events";
import { type ClientRequest, request } from "node:http";

/** A simulator that sends lines to a server while it runs: one thing that moves along x, a block a second. */
export interface TestSender {
  /** Sends the ticks of so many seconds at once. */
  seconds(count: number): void;
  /** As a clock: 20 ticks a second until it is stopped. */
  run(): void;
  line(line: object): void;
  /** Ends the recording; the answer. */
  end(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Breaks the connection. */
  cut(): void;
  readonly answer: Promise<{ status: number; body: Record<string, unknown> }>;
}

/** Begins to send to `POST /api/live/{id}`; `from`: the tick that it goes on with. */
export function startSender(address: string, id: string, headers: Record<string, string> = {}, from = 0): TestSender {
  const sent: ClientRequest = request(`${address}/api/live/${id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", ...headers },
    agent: false,
  });
  const answer = (async () => {
    const [response] = await once(sent, "response");
    let text = "";
    for await (const piece of response.setEncoding("utf8")) text += piece;
    return { status: response.statusCode as number, body: JSON.parse(text) as Record<string, unknown> };
  })();
  answer.catch(() => undefined);
  sent.on("error", () => undefined);
  let tick = from;
  let timer: NodeJS.Timeout | undefined;
  const line = (what: object): void => void sent.write(`${JSON.stringify(what)}\n`);
  const next = (): void => {
    line({ tick });
    line({ entities: { things: { one: { position: [tick / 20, 0, 0], wall: Date.now() } } } });
    tick++;
  };
  line({ simtape: 1, server: "test", sets: { things: { columns: { position: "m" } } } });
  return {
    seconds: (count) => {
      for (let n = 0; n < count * 20; n++) next();
    },
    run: () => {
      timer = setInterval(next, 50);
    },
    line,
    end: async () => {
      clearInterval(timer);
      sent.end(`${JSON.stringify({ end: "completed" })}\n`);
      return answer;
    },
    cut: () => {
      clearInterval(timer);
      sent.destroy();
    },
    answer,
  };
}
