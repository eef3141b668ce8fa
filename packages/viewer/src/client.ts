import { startWorker } from "./start-worker.ts";
import address from "./worker.ts?worker&url";
import type { Answer, Ask, PageMessage, Progress, QueryName, WorkerMessage } from "./protocol.ts";

/** A query that the worker could not answer. `code` is that of a `RecordingError`, when it was one. */
export class QueryError extends Error {
  readonly code: string | null;

  constructor(code: string | null, message: string) {
    super(message);
    this.name = "QueryError";
    this.code = code;
  }
}

export interface QueryOptions {
  /** Calls the query off: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface Asked {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The page's end of the worker. */
export class Client {
  readonly #worker: Worker;
  readonly #asked = new Map<number, Asked>();
  #count = 0;
  /** Why the worker cannot answer. */
  #failure: QueryError | null = null;

  constructor() {
    this.#worker = startWorker(address);
    this.#worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => this.#hear(data));
    this.#worker.addEventListener("error", ({ message }) => this.#fail(message));
  }

  async query<K extends QueryName>(
    name: K,
    ask: Ask<K>,
    { signal, onProgress }: QueryOptions = {},
    transfer: Transferable[] = [],
  ): Promise<Answer<K>> {
    signal?.throwIfAborted();
    if (this.#failure !== null) throw this.#failure;
    const id = this.#count++;
    const cancel = (): void => {
      this.#say({ type: "cancel", id });
      this.#asked.get(id)?.reject(signal?.reason);
      this.#asked.delete(id);
    };
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, onProgress });
    });
    this.#say({ type: "ask", id, name, ask }, transfer);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return (await answered) as Answer<K>;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Ends the worker. What was asked gets no answer. */
  end(): void {
    this.#asked.clear();
    this.#worker.terminate();
  }

  #say(message: PageMessage, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #hear(message: WorkerMessage): void {
    const asked = this.#asked.get(message.id);
    if (asked === undefined) return;
    if (message.type === "progress") {
      asked.onProgress?.(message.progress);
      return;
    }
    this.#asked.delete(message.id);
    if (message.type === "answer") asked.resolve(message.answer);
    else asked.reject(new QueryError(message.code, message.message));
  }

  /** Without a message it could not be loaded, and will never answer. */
  #fail(message: string): void {
    const failure = new QueryError(null, message || "this page could not start its worker: reload the page");
    if (message === "") this.#failure = failure;
    for (const { reject } of this.#asked.values()) reject(failure);
    this.#asked.clear();
  }
}
