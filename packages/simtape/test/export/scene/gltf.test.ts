import { validateBytes } from "gltf-validator";
import { describe, expect, it } from "vitest";
import type { ExportOptions, ExportReport } from "../../../src/export/exporter.ts";
import { gltf as exporter } from "../../../src/export/scene/gltf.ts";
import { MemoryFiles, open, type Origin, placesOf, type State } from "../../../src/index.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";
import { ReadScene, type Shown } from "./reader.ts";

const ALL = [...SOUND, ...REAL];
const MOMENTS = 50;

async function exported(
  { bundle }: SoundRecording,
  options: ExportOptions = {},
  name = "run.glb",
): Promise<{ report: ExportReport; files: ReadonlyMap<string, Uint8Array> }> {
  await using recording = await open(bundle());
  const sinks = new MemoryFiles(name);
  return { report: await exporter.write(recording, sinks, options), files: sinks.files };
}

async function sceneOf(recording: SoundRecording, options: ExportOptions = {}): Promise<ReadScene> {
  return ReadScene.ofBinary((await exported(recording, options)).files.get("run.glb")!);
}

/** Recorded times all over the recording, and the state at each. */
async function* momentsOf({ bundle }: SoundRecording): AsyncGenerator<State> {
  await using recording = await open(bundle());
  const times: number[] = [];
  const channels = recording.motion === null ? undefined : [recording.motion];
  for (const query of [{ channels }, {}]) {
    if (times.length > 0) break;
    for await (const batch of recording.batches(query)) times.push(...batch.time.subarray(0, batch.length));
  }
  // a step that meets all of them, in an order that nothing else has
  for (let k = 0; k < MOMENTS; k++) yield recording.state(times[(k * 7919) % times.length]!);
}

function turned([x, y, z, w]: readonly number[], v: readonly number[]): number[] {
  const [a, b, c] = v as [number, number, number];
  const t = [2 * (y! * c - z! * b), 2 * (z! * a - x! * c), 2 * (x! * b - y! * a)];
  return [
    a + w! * t[0]! + y! * t[2]! - z! * t[1]!,
    b + w! * t[1]! + z! * t[0]! - x! * t[2]!,
    c + w! * t[2]! + x! * t[1]! - y! * t[0]!,
  ];
}

function cells(state: State, set: string, column: string, id: number | string): number[] {
  const { ids, columns } = state.sets.get(set)!;
  const { data, width } = columns.get(column)!;
  const row = ids.indexOf(id);
  return Array.from({ length: width }, (_, k) => data[row * width + k] as number);
}

function expectNear(seen: readonly number[], expected: readonly number[], within: number): void {
  for (const [k, value] of expected.entries()) expect(Math.abs(seen[k]! - value)).toBeLessThan(within);
}

/** Things that were judged, by set. */
const judged = new Map<string, number>();

/** Calls `judge` for each thing that is there, and checks that no other is shown. */
async function compare(
  recording: SoundRecording,
  set: string,
  judge: (state: State, shown: Shown) => void,
): Promise<void> {
  const scene = await sceneOf(recording, { set }).catch((error: unknown) => {
    expect(String(error)).toContain(`nothing in ${set} has a place`);
    return null;
  });
  if (scene === null) {
    for await (const state of momentsOf(recording)) expect(state.sets.get(set)?.ids ?? []).toEqual([]);
    return;
  }
  const start = scene.json.extras["start"] as number;
  for await (const state of momentsOf(recording)) {
    // as float32, as the keyframes are
    const shown = scene.at(Math.fround(state.time / 1e9 - start));
    const there = state.sets.get(set);
    const present = there?.columns.has("position") === true ? there.ids : [];
    const seen = shown.filter(({ scale }) => scale === 1).map(({ id }) => id);
    expect(new Set(seen)).toEqual(new Set(present));
    expect(seen).toHaveLength(present.length);
    for (const thing of shown) {
      if (thing.scale !== 1) continue;
      judge(state, thing);
      judged.set(set, (judged.get(set) ?? 0) + 1);
    }
  }
}

describe("a scene in glTF", () => {
  it.each(ALL)("has no errors and no warnings: $format $name", async (recording) => {
    const { fitting } = exporter;
    await using opened = await open(recording.bundle());
    if ((await fitting(opened)).length === 0) {
      await expect(exported(recording)).rejects.toThrow("has no things with a place");
      return;
    }
    const { report, files } = await exported(recording);
    expect(report.count).toBeGreaterThan(0);
    const { issues } = await validateBytes(files.get("run.glb")!, { maxIssues: 10 });
    expect(issues.messages.filter(({ severity }) => severity <= 1)).toEqual([]);
    expect(issues).toMatchObject({ numErrors: 0, numWarnings: 0 });
  });

  it.each(ALL.filter(({ format }) => format === "carla"))(
    "has vehicles of CARLA where they are, as they look, when they are there: $name",
    async (recording) => {
      await compare(recording, "vehicles", (state, { id, place, turn }) => {
        // cm, x forward, y right, z up; glTF is in metres with y up, and x to the east of a map with north at -z
        const [x, y, z] = cells(state, "vehicles", "position", id) as [number, number, number];
        expectNear(place, [x / 100, z / 100, y / 100], 1e-3);
        // Unreal's rotator: pitch raises the nose, yaw turns it to the right
        const [, pitch, yaw] = cells(state, "vehicles", "rotation", id).map((degrees) => (degrees * Math.PI) / 180);
        const level = Math.cos(pitch!);
        const ahead = [level * Math.cos(yaw!), Math.sin(pitch!), level * Math.sin(yaw!)];
        expectNear(turned(turn, [0, 0, 1]), ahead, 1e-4);
      });
    },
  );

  it.each(ALL.filter(({ format }) => format === "hcrp"))(
    "has players as they are recorded: $name",
    async (recording) => {
      await compare(recording, "players", (state, { id, place, turn }) => {
        expectNear(place, cells(state, "players", "position", id), 1e-3);
        const [, pitch, yaw] = cells(state, "players", "rotation", id).map((degrees) => (degrees * Math.PI) / 180);
        const level = Math.cos(pitch!);
        expectNear(turned(turn, [0, 0, 1]), [-level * Math.sin(yaw!), -Math.sin(pitch!), level * Math.cos(yaw!)], 1e-4);
      });
    },
  );

  it.each(ALL.filter(({ format }) => format === "nanover"))("shows nm as metres: $name", async (recording) => {
    await compare(recording, "particles", (state, { id, place }) => {
      const [x, y, z] = cells(state, "particles", "position", id) as [number, number, number];
      expectNear(place, [x, z, -y], 1e-5);
    });
  });

  it.runIf(REAL.length > 0)("was judged by many things of each set", () => {
    for (const set of ["vehicles", "players", "particles"]) expect(judged.get(set)).toBeGreaterThan(100);
  });

  it.each(ALL)("has things of any format where `placesOf` has them: $format $name", async (recording) => {
    await using opened = await open(recording.bundle());
    if ((await exporter.fitting(opened)).length === 0) return;
    const { report, files } = await exported(recording);
    const scene = ReadScene.ofBinary(files.get("run.glb")!);
    const { start, origin } = scene.json.extras as { start: number; origin?: Origin };
    for await (const state of momentsOf(recording)) {
      const plane: Origin = {
        latitude: 0,
        longitude: 0,
        altitude: 0,
        heading: 0,
        ...origin,
        isSet: origin !== undefined,
      };
      const places = new Map(placesOf(state, plane).map((place) => [`${place.set}/${place.id}`, place]));
      const shown = scene.at(Math.fround(state.time / 1e9 - start)).filter(({ scale }) => scale === 1);
      expect(shown.length).toBe([...places.values()].filter(({ set }) => report.of.includes(set)).length);
      for (const { set, id, place, turn } of shown) {
        const { x, y, z, orientation } = places.get(`${set}/${id}`)!;
        const factor = set === "particles" ? 1e9 : 1;
        const within = 1e-5 * Math.max(10, ...[x, y, z].map((value) => Math.abs(value * factor)));
        expectNear(place, [x * factor, z * factor, -y * factor], within);
        if (orientation === null) continue;
        const [forward, left, up] = turned(orientation, [1, 0, 0]) as [number, number, number];
        expectNear(turned(turn, [0, 0, 1]), [forward, up, -left], 1e-3);
      }
    }
  });
});
