import { readFileSync } from "node:fs";
import { open as openRecording, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { query, type SqlOptions, type SqlSource } from "../../src/sql/index.ts";
import { sample, samplesDirectory } from "../samples.ts";

export const corpus = (path: string): string => new URL(`../../../corpus/cases/${path}`, import.meta.url).pathname;

export const MADE = {
  carla: corpus("carla/0.9.15/town.log"),
  flightgear: corpus("flightgear/continuous/flight.fgtape"),
  hcrp: corpus("hcrp/walk/run.hcrp"),
  mira: corpus("mira/recommended/robot.tape"),
  nanover: corpus("nanover/zip/run.nanover.zip"),
} as const;

export const REAL: readonly string[] =
  samplesDirectory === null
    ? []
    : [
        "carla/2020-DistanceBetweenVehicles.log",
        "flightgear/c172p-continuous-full-compressed.fgtape",
        "nanover/nanotube-methane-01.nanover.zip",
      ].map(sample);

export function opened(path: string): Promise<Recording> {
  return openRecording(fromFile(path));
}

export function source(path: string, name = path.slice(path.lastIndexOf("/") + 1)): SqlSource {
  return { name, file: path, open: () => opened(path) };
}

/** A source that counts what is read of it. */
export function counted(own: SqlSource): {
  readonly source: SqlSource;
  readonly bytes: () => number;
  readonly open: () => number;
} {
  let bytes = 0;
  let open = 0;
  return {
    bytes: () => bytes,
    open: () => open,
    source: {
      ...own,
      open: async () => {
        const recording = await own.open();
        open++;
        const reader = recording.reader as { batches: typeof recording.reader.batches };
        const batches = reader.batches.bind(reader);
        reader.batches = async function* (...given) {
          for await (const batch of batches(...given)) {
            for (let i = 0; i < batch.length; i++) bytes += batch.end[i]! - batch.start[i]!;
            yield batch;
          }
        };
        const close = recording.close.bind(recording);
        return Object.assign(recording, {
          close: async () => {
            open--;
            await close();
          },
        });
      },
    },
  };
}

export type Row = Readonly<Record<string, unknown>>;

/** An answer as rows of objects; whole numbers as numbers. */
export async function rowsOf(
  sources: readonly (SqlSource | Recording)[],
  sql: string,
  options?: SqlOptions,
): Promise<Row[]> {
  const { length, columns } = await query(sources, sql, options);
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(
      columns.map(({ name, kind, data, valid }) => {
        const value = data[row];
        if (valid[row] === 0) return [name, null];
        if (kind === "bool") return [name, value === 1];
        return [name, typeof value === "bigint" ? Number(value) : value];
      }),
    ),
  );
}

export function bytesOf(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}
