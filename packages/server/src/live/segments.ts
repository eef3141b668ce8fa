import { FORMATS, open, RecordingError, StoreError } from "simtape";
import { answerStore, mayBelong, STORE_STATUS, type StoreAnswer, type StoreRequest } from "simtape/serving";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { Problem } from "../problem.ts";
import type { Person } from "../people/person.ts";
import { FOLDER, type Leases, MAIN } from "./leases.ts";

/** Milliseconds between two times at which the database is informed that a recorder is connected. */
const HEARD_EVERY = 1000;
/** Name of the main file before its last change. */
const PREVIOUS = `${MAIN}.bak`;
const MOST_KNOWN = 10_000;

/** Answers as the store does when a file is missing. Throws `Problem`. */
function nothing(name: string | null, method: string): StoreAnswer {
  const empty = new TextEncoder().encode(JSON.stringify({ entries: [], next: null }));
  if (name === null) return { status: 200, headers: { "content-type": "application/json" }, body: empty };
  if (method !== "DELETE") throw new Problem(STORE_STATUS["not-found"], "nothing is there");
  return { status: 204, headers: {}, body: null };
}

/** How many seconds the main file of a recording says that it holds. */
interface Look {
  readonly isFinished: boolean;
  readonly seconds: number;
}

/** Recordings whose recorder runs on another machine and keeps its files here. */
export class SegmentRecordings {
  readonly #context: Context;
  readonly #leases: Leases;
  readonly #store: ReturnType<Context["library"]["store"]>;
  readonly #heard = new Map<string, number>();
  readonly #bytes = new Map<string, number>();
  /** Reads the state of recordings, one after another. */
  readonly #looking = new Map<string, Promise<void>>();

  constructor(context: Context, leases: Leases) {
    this.#context = context;
    this.#leases = leases;
    this.#store = context.library.store(FOLDER);
  }

  /** Answers a request for one file of a recording, or for the list of its files (null). Throws `Problem`. */
  async answer(
    id: string,
    name: string | null,
    person: Person,
    request: Omit<StoreRequest, "key">,
  ): Promise<StoreAnswer> {
    if (name !== null && name !== PREVIOUS && !mayBelong(MAIN, name, FORMATS))
      throw new Problem(400, `${name} is no file of such a recording`);
    if (request.method === "PUT") await this.#begin(id, person);
    else if (!(await this.#leases.mayRead(id, person))) return nothing(name, request.method);
    else if (request.method === "DELETE") await this.#begin(id, person);
    try {
      if (name === null) return await this.#list(id, request);
      const answer = await answerStore(this.#store, { ...request, key: `${id}/${name}` });
      if (request.method === "PUT") {
        await failpoint("live/file-stored");
        this.#bytes.set(id, (this.#bytes.get(id) ?? 0) + (name === MAIN ? 0 : (request.body?.length ?? 0)));
        if (name === MAIN) this.#lookSoon(id);
      }
      return answer;
    } catch (error) {
      if (error instanceof StoreError) throw new Problem(STORE_STATUS[error.code], error.message);
      throw error;
    }
  }

  async #list(id: string, request: Omit<StoreRequest, "key">): Promise<StoreAnswer> {
    const { prefix = "", after = "" } = request.query ?? {};
    const query = { prefix: `${id}/${prefix}`, after: after === "" ? "" : `${id}/${after}` };
    const answer = await answerStore(this.#store, { ...request, key: null, query });
    const page = JSON.parse(new TextDecoder().decode(answer.body!)) as {
      entries: { key: string }[];
      next: string | null;
    };
    const own = (key: string): string => key.slice(id.length + 1);
    const entries = page.entries.map((entry) => ({ ...entry, key: own(entry.key) }));
    const body = JSON.stringify({ entries, next: page.next === null ? null : own(page.next) });
    return { status: 200, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(body) };
  }

  /** The recorder is connected: the recording is live, even when the recorder was away for a long time. */
  async #begin(id: string, person: Person): Promise<void> {
    const now = performance.now();
    const known = `${id} ${person.id}`;
    if (now - (this.#heard.get(known) ?? Number.NEGATIVE_INFINITY) < HEARD_EVERY) return;
    if (await this.#leases.isOver(id)) {
      const look = await this.#look(id);
      await this.#leases.check(id, person, false);
      if (look === null || look.isFinished) throw new Problem(409, "this recording has ended; start another one");
      await this.#leases.revive(id, person);
    }
    await this.#leases.begin({ id, person, via: "segments", started: new Date() });
    await this.#leases.hear(id);
    if (this.#heard.size > MOST_KNOWN) this.#heard.clear();
    this.#heard.set(known, now);
  }

  #lookSoon(id: string): void {
    const before = this.#looking.get(id);
    const work = (before ?? Promise.resolve()).then(async () => {
      const look = await this.#look(id);
      if (look === null) return;
      const bytes = this.#bytes.get(id) ?? 0;
      await this.#leases.noteProgress(id, { seconds: look.seconds, bytes });
      if (!look.isFinished) return;
      for (const known of this.#heard.keys()) if (known.startsWith(`${id} `)) this.#heard.delete(known);
      this.#bytes.delete(id);
      await this.#leases.end(id);
    });
    const settled = work
      .catch((error: unknown) =>
        this.#context.log.warn({ recording: id, error: String(error) }, "reading a live recording failed"),
      )
      .finally(() => {
        if (this.#looking.get(id) === settled) this.#looking.delete(id);
      });
    this.#looking.set(id, settled);
  }

  /** Null: the file cannot be read, because it may be changing at this moment. */
  async #look(id: string): Promise<Look | null> {
    try {
      await using recording = await open(this.#context.library.bundle(`${FOLDER}/${id}/${MAIN}`));
      const { end } = await recording.timeline();
      return { isFinished: recording.info.metadata["finished"] === true, seconds: end / 1e9 };
    } catch (error) {
      if (RecordingError.is(error)) return null;
      throw error;
    }
  }
}
