import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import { type Answerer, Queue, type Waiting } from "../queue.ts";
import type { Settings } from "../settings.ts";
import type { Answered, FoundTables, FromProcess, Question, ToProcess } from "./question.ts";

/** Number of processes, and most statements that wait for one. */
const MOST_PROCESSES = 2;
const MOST_WAITING = 16;
/** Milliseconds for a process to stop after its statement was cancelled or took too long. */
const GRACE = 3000;
/** Milliseconds after which an idle process ends and gives back its memory. */
const IDLE = 60_000;

type Answer<Q extends Question> = Q["of"] extends "tables" ? FoundTables : Answered;

interface Statement extends Waiting {
  readonly number: number;
  readonly question: Question;
  readonly resolve: (answer: Answered | FoundTables) => void;
}

/** Processes that answer statements; the first statements start them. */
export class SqlProcesses {
  readonly #queue: Queue<Statement>;
  #number = 0;

  constructor(settings: Settings, log: Log) {
    const limits = { answerers: MOST_PROCESSES, waiting: MOST_WAITING, name: "statements" };
    this.#queue = new Queue(limits, (over) => new SqlProcess(settings, log, over));
  }

  /** Rejects with `Problem`, also when too many wait. Aborting `signal` ends the statement. */
  ask<Q extends Question>(question: Q, signal: AbortSignal): Promise<Answer<Q>> {
    return new Promise<Answered | FoundTables>((resolve, reject) => {
      this.#queue.add({ number: this.#number++, question, signal, resolve, reject });
    }) as Promise<Answer<Q>>;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/** One process, and the statement that it answers. */
class SqlProcess implements Answerer<Statement> {
  readonly #process: ChildProcess;
  readonly #log: Log;
  readonly #ended: Promise<void>;
  #current: Statement | null = null;
  #done: (() => void) | null = null;
  /** Why its statement, or the process, is being ended. */
  #reason: Problem | null = null;
  #isOver = false;
  #idle: NodeJS.Timeout | null = null;

  constructor(settings: Settings, log: Log, over: () => void) {
    this.#log = log;
    this.#process = fork(fileURLToPath(new URL("./process.js", import.meta.url)), [], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: [`--max-old-space-size=${settings.sqlMemory}`],
    });
    this.#process.on("message", (message: FromProcess) => this.#hear(message));
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        if (this.#isOver) return;
        this.#isOver = true;
        this.#current?.reject(this.#reason ?? new Problem(422, "the answer needs more memory than the limit", LIMIT));
        this.#settle();
        over();
        resolve();
      };
      this.#process.once("exit", end);
      this.#process.once("error", (error) => {
        log.error({ error: String(error) }, "a process for SQL did not start");
        end();
      });
    });
    this.#send({ settings });
    this.#unref();
  }

  get isFree(): boolean {
    return this.#current === null && !this.#isOver;
  }

  answer(waiting: Statement): Promise<void> {
    const { number, question, signal } = waiting;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#current = waiting;
    this.#reason = null;
    let last: NodeJS.Timeout | null = null;
    const endWith = (reason: Problem): void => {
      this.#reason ??= reason;
      this.#send({ cancel: number });
      last ??= setTimeout(() => this.#process.kill("SIGKILL"), GRACE);
    };
    const cancel = (): void => endWith(new Problem(499, "the request was cancelled"));
    const { time } = question.limits;
    // the process itself ends a statement in time, unless it is not able to
    const late = setTimeout(() => endWith(new Problem(422, `no answer within ${time / 1000} s`, LIMIT)), time + GRACE);
    signal.addEventListener("abort", cancel, { once: true });
    this.#process.ref();
    this.#process.channel?.ref();
    return new Promise((resolve) => {
      this.#done = () => {
        clearTimeout(late);
        if (last !== null) clearTimeout(last);
        signal.removeEventListener("abort", cancel);
        this.#unref();
        resolve();
      };
      this.#send({ number, question });
    });
  }

  end(): Promise<void> {
    this.#reason = new Problem(503, "this node is shutting down");
    this.#process.kill("SIGKILL");
    return this.#ended;
  }

  #hear(message: FromProcess): void {
    if (this.#current?.number !== message.number) return;
    const { resolve, reject } = this.#current;
    if ("answer" in message) resolve(message.answer);
    else {
      const { status, message: text, more } = message.refusal;
      const problem = this.#reason !== null && status === CANCELLED ? this.#reason : new Problem(status, text, more);
      if (status === 500) this.#log.error({ error: text }, "a statement failed");
      reject(status === 500 ? new Error(text) : problem);
    }
    this.#settle();
  }

  #send(message: ToProcess): void {
    // a process that has ended says so itself
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  #unref(): void {
    this.#process.unref();
    this.#process.channel?.unref();
  }

  #settle(): void {
    this.#current = null;
    this.#done?.();
    this.#done = null;
    if (!this.#isOver) this.#idle = setTimeout(() => this.#process.kill(), IDLE).unref();
  }
}

const CANCELLED = 499;
const LIMIT = { code: "limit" };
