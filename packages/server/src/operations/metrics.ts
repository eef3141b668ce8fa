import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { Remembered } from "../remembered.ts";

/** Milliseconds for which the counts of rows are used again: counting a million takes a while. */
const KEPT = 15_000;

declare module "fastify" {
  interface FastifyRequest {
    /** Bytes that the connection had counted when the request came. */
    bytesBefore: number;
  }
}

/** What was counted of one route and status: a number of our own costs less than a counter, which looks up its labels. */
interface Seen {
  readonly labels: Readonly<Record<"method" | "route" | "status", string>>;
  readonly seconds: Histogram.Internal<string>;
  requests: number;
  bytes: number;
}

/** The counters of a node, in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #seen = new Map<string, Seen>();
  readonly #seconds: Histogram;

  constructor(app: FastifyInstance, { query, bus }: Pick<Context, "query" | "bus">) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const labelNames = ["method", "route", "status"];
    const all = (): Iterable<Seen> => this.#seen.values();
    const counted: Counter = new Counter({
      name: "simtape_requests_total",
      help: "Requests answered",
      labelNames,
      registers,
      collect: () => {
        counted.reset();
        for (const { labels, requests } of all()) counted.inc(labels, requests);
      },
    });
    const sent: Counter = new Counter({
      name: "simtape_sent_bytes_total",
      help: "Bytes of answers, with their headers",
      labelNames: ["route"],
      registers,
      collect: () => {
        sent.reset();
        for (const { labels, bytes } of all()) sent.inc({ route: labels.route }, bytes);
      },
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
      this.#count(request, reply);
      done();
    });
  }

  /** Resolves to all metrics as text; `type` is its content type. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get type(): string {
    return this.#registry.contentType;
  }

  #count(request: FastifyRequest, reply: FastifyReply): void {
    const { method, raw } = request;
    const route = routeOf(request);
    const key = `${method} ${route} ${reply.raw.statusCode}`;
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      const labels = { method, route, status: String(reply.raw.statusCode) };
      seen = { labels, seconds: this.#seconds.labels(route), requests: 0, bytes: 0 };
      this.#seen.set(key, seen);
    }
    seen.requests++;
    seen.bytes += Math.max(0, raw.socket.bytesWritten - request.bytesBefore);
    seen.seconds.observe(reply.elapsedTime / 1000);
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
