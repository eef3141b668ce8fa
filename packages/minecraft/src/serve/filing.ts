import { basename, dirname, relative } from "node:path";
import { Client, ServerProblem } from "simtape-client";
import { UsageError } from "simtape/command";
import type { Stored } from "../stored/recordings.ts";
import { reportText } from "../stored/report.ts";
import { type Point, REPORT } from "./points.ts";

/** A viewer's report about a player. */
export interface FiledReport {
  readonly subject: string;
  readonly words: string;
  /** The viewer who reports. */
  readonly reporter: string;
  /** Seconds since the start of the recording. */
  readonly at: number;
}

/** Seconds before and after its moment that a report covers. */
const AROUND = 30;
/** Most recordings of one name that are examined, and most reviews of one recording. */
const MOST = 500;
const MOST_REVIEWS = 50;

/** The server of a library that these recordings are in: it gets reports, and the staff mark reviews on its pages. */
export class Filing {
  readonly #client: Client;
  readonly #store: string;

  /** `token`: has the scopes `read` and `report:trusted`, and belongs to an account of the staff. */
  constructor(address: string, token: string | undefined, store: string, fetch = globalThis.fetch) {
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw new UsageError(`--server takes the address of a server, as http://127.0.0.1:8000, not ${address}`);
    this.#client = new Client(address, { fetch, ...(token === undefined ? {} : { token }) });
    this.#store = store;
  }

  /** Settles when the staff has the report. Throws `UsageError` with the reason when the server does not take it. */
  async file(stored: Stored, { subject, words: text, reporter, at }: FiledReport): Promise<void> {
    await said("the server does not take the report", async () => {
      const recording = await this.#idOf(stored);
      const range = { first: Math.max(0, at - AROUND), last: at + AROUND };
      await this.#client.ask("POST /api/reports", { body: { recording, subject, text, reporter, ...range } });
    });
  }

  /**
   * Reports that wait for a verdict, and the marks of their reviews; reviews with a verdict have them in the recording.
   * Each read of a review is in the server's audit. Throws `UsageError` with the reason when they cannot be read.
   */
  pointsOf(stored: Stored): Promise<readonly Point[]> {
    return said("the server does not give what staff have marked", async () => {
      const query = { recording: await this.#idOf(stored), state: "pending", limit: MOST_REVIEWS } as const;
      const { reviews } = await this.#client.ask("GET /api/reviews", { query });
      const points: Point[] = [];
      for (const { id } of reviews) {
        const { subject, text, first, marks } = await this.#client.ask("GET /api/reviews/{id}", { params: { id } });
        const add = (seconds: number, kind: string, words: string): number =>
          points.push({ at: seconds * 1e9, kind, text: words, about: subject, isOpen: true });
        if (first !== null) add(first, REPORT, reportText(subject, text));
        for (const { time, label } of marks) add(time, "review", label);
      }
      return points;
    });
  }

  /** The server's library may be a folder above this one. */
  async #idOf({ path, root, title }: Stored): Promise<string> {
    const key = relative(this.#store, path).replaceAll("\\", "/") || basename(path);
    const name = basename(root === path ? path : dirname(path)).replace(/\.\w+$/, "");
    const query = { q: `"${name}"`, limit: MOST };
    const { recordings } = await this.#client.ask("GET /api/recordings", { query });
    const found = recordings.filter((one) => one.key === key || one.key.endsWith(`/${key}`));
    const exact = found.find((one) => one.key === key) ?? (found.length === 1 ? found[0] : undefined);
    if (exact === undefined)
      throw new UsageError(`the server has ${found.length === 0 ? "no" : "several"} recordings ${title}`);
    return exact.id;
  }
}

/** Describes the refusal of a server to a viewer. */
async function said<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${what}: ${error instanceof ServerProblem ? error.message : "it cannot be reached"}`);
  }
}
