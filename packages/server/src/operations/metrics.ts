import type { FastifyInstance, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import type { Answered } from "../bytes/passes.ts";
import { Remembered } from "../remembered.ts";

/** Milliseconds for which the counts of rows are used again: counting a million takes a while. */
const KEPT = 15_000;

declare module "fastify" {
  interface FastifyRequest {
    /** Bytes that the connection had counted when the request came. */
    bytesBefore: number;
  }
}

/**
 * The counters of one route and status; they are looked up once, because a look-up by labels costs more than counting.
 */
interface Seen {
  readonly requests: Counter.Internal;
  readonly seconds: Histogram.Internal<string>;
  readonly bytes: Counter.Internal;
}

/** The counters of a node, in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #seen = new Map<string, Seen>();
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  readonly #bytes: Counter;

  constructor(app: FastifyInstance, { query, bus }: Pick<Context, "query" | "bus">) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const labelNames = ["method", "route", "status"];
    this.#requests = new Counter({ name: "simtape_requests_total", help: "Requests answered", labelNames, registers });
    this.#bytes = new Counter({
      name: "simtape_sent_bytes_total",
      help: "Bytes of answers, with their headers",
      labelNames: ["route"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "simtape_request_seconds",
      help: "From the first byte of a request to the last of its answer",
      labelNames: ["route"],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    });
    rowsBy(query, "recordings", registers);
    rowsBy(query, "jobs", registers);
    const rooms = new Remembered(KEPT, 1, () => countOf(query));
    const gauge: Gauge = new Gauge({
      name: "simtape_rooms",
      help: "Rooms of all nodes",
      registers,
      collect: async () => gauge.set(await rooms.get("")),
    });
    const reached: Gauge = new Gauge({
      name: "simtape_bus_connected",
      help: "1: the bus is reached; 0: what other nodes change is seen a second later",
      registers,
      collect: () => reached.set(bus.isConnected ? 1 : 0),
    });
    app.decorateRequest("bytesBefore", 0);
    app.addHook("onRequest", (request, _, done) => {
      request.bytesBefore = request.raw.socket.bytesWritten;
      done();
    });
    app.addHook("onResponse", (request, reply, done) => {
      this.#count({
        method: request.method,
        route: routeOf(request),
        status: reply.raw.statusCode,
        milliseconds: reply.elapsedTime,
        bytes: request.raw.socket.bytesWritten - request.bytesBefore,
      });
      done();
    });
    app.passes.onAnswer((answered) => this.#count(answered));
  }

  /** Resolves to all metrics as text; `type` is its content type. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get type(): string {
    return this.#registry.contentType;
  }

  #count({ method, route, status, milliseconds, bytes }: Answered): void {
    const key = `${method} ${route} ${status}`;
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      seen = {
        requests: this.#requests.labels(method, route, String(status)),
        seconds: this.#seconds.labels(route),
        bytes: this.#bytes.labels(route),
      };
      this.#seen.set(key, seen);
    }
    seen.requests.inc();
    seen.seconds.observe(milliseconds / 1000);
    seen.bytes.inc(Math.max(0, bytes));
  }
}

/** The route as it was added, `/api/recordings/:id`: the address itself may hold a secret. */
export function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? "none";
}

/** A gauge of the number of rows in each state. */
function rowsBy(query: Query, table: "recordings" | "jobs", registers: Registry[]): void {
  const counts = new Remembered(KEPT, 1, () =>
    query
      .selectFrom(table)
      .select(["state", (builder) => builder.fn.countAll<number>().as("count")])
      .groupBy("state")
      .execute(),
  );
  const gauge: Gauge = new Gauge({
    name: `simtape_${table}`,
    help: "By state, of all nodes",
    labelNames: ["state"],
    registers,
    collect: async () => {
      const rows = await counts.get("");
      gauge.reset();
      for (const { state, count } of rows) gauge.set({ state }, count);
    },
  });
}

async function countOf(query: Query): Promise<number> {
  const { count } = await query
    .selectFrom("rooms")
    .select((builder) => builder.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}
