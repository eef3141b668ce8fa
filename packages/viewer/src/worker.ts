import { buffersOf } from "./blocks/chunk-mesh.ts";
import { charts } from "./engine/charts.ts";
import { damage } from "./engine/damage.ts";
import { density } from "./engine/density.ts";
import { Engine } from "./engine/engine.ts";
import { events } from "./engine/events.ts";
import { marks } from "./engine/marks.ts";
import { message, messages } from "./engine/messages.ts";
import { passings } from "./engine/passings.ts";
import { outline, record } from "./engine/records.ts";
import { series, table } from "./engine/series.ts";
import { spread } from "./engine/spread.ts";
import { accompany, chunk, world } from "./engine/world.ts";
import type { Ask, ChunkSight, PageMessage, QueryName, WorkerMessage } from "./protocol.ts";
import type { Query } from "./engine/query.ts";

const QUERIES: { readonly [K in QueryName]: Query<K> } = {
  open: (engine, { place, given, modules, isOffered }, signal, report) =>
    engine.open(place, signal, report, given, modules, isOffered),
  close: (engine, { recording }) => engine.close(recording),
  play: (engine, ask) => engine.play(ask),
  findings: async (engine, { recording }) => engine.recording(recording).findings,
  statistics: (engine, { recording }, signal) => engine.recording(recording).statistics(signal),
  state: (engine, { recording, time, interpolate }, signal) =>
    engine.recording(recording).state(time, { interpolate, signal }),
  units: async (engine, { recording, values }) => {
    const { unitOf } = await engine.recording(recording).traits();
    return values.map((value) => unitOf?.(value) ?? null);
  },
  charts,
  damage,
  density,
  spread,
  marks,
  events,
  passings,
  messages,
  message,
  outline,
  record,
  series,
  table,
  world,
  accompany,
  chunk,
  when: async (...asked) => (await import("./engine/when.ts")).when(...asked),
  complete: async (...asked) => (await import("./engine/when.ts")).complete(...asked),
  compare: async (...asked) => (await import("./engine/compare.ts")).compareTwo(...asked),
  race: async (...asked) => (await import("./engine/race.ts")).raceAll(...asked),
  stats: async (...asked) => (await import("./engine/stats.ts")).stats(...asked),
  targets: async (...asked) => (await import("./engine/export.ts")).targets(...asked),
  columns: async (...asked) => (await import("./engine/export.ts")).columns(...asked),
  export: async (...asked) => (await import("./engine/export.ts")).files(...asked),
};

const engine = new Engine();
const running = new Map<number, AbortController>();

addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
  if (data.type === "cancel") running.get(data.id)?.abort();
  else void answer(data.id, data.name, data.ask);
});

async function answer<K extends QueryName>(id: number, name: K, ask: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const query = QUERIES[name] as Query<K>;
    const found = await query(engine, ask as Ask<K>, controller.signal, (progress) =>
      say({ type: "progress", id, progress }),
    );
    const { mesh = null } = name === "chunk" ? (found as ChunkSight) : {};
    const moved = mesh === null ? [] : buffersOf(mesh);
    say({ type: "answer", id, answer: found }, moved);
  } catch (error) {
    const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
    say({ type: "failed", id, code, message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

function say(message: WorkerMessage, moved: Transferable[] = []): void {
  postMessage(message, { transfer: moved });
}
