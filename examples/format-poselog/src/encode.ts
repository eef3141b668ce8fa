import type { Account, Kit, Origin, Place, State, StateEncoder, Writer } from "simtape/kit";
import { type Dialect, type Pose, rotationWidth, writePose } from "./layout.ts";
import { AXES } from "./state.ts";

/** Columns that a pose holds, in one form or another. */
const CARRIED: ReadonlySet<string> = new Set(["position", "geodetic", "orientation", "rotation"]);
const NO_ROOM = "a pose log holds poses only";

/**
 * Writes states of any format as poses. It numbers things in the order in which they appear, since ids of other formats
 * may be text.
 */
export function encoderOf(
  kit: Kit,
  writer: Writer,
  account: Account,
  origin: Origin = kit.unsetOrigin(),
): StateEncoder {
  const [poses, gone] = ["pose", "gone"].map((name) => writer.channel({ name }));
  const dialect = poses!.metadata["dialect"] as Dialect;
  const out = new kit.ByteBuilder();
  /** Number and last pose of each thing, by its key; null: it is gone. `round` is the step that had it last. */
  const things = new Map<string, { readonly id: number; last: Uint8Array | null; round: number }>();
  let before: Pick<State, "values" | "sets"> = { values: new Map(), sets: new Map() };
  let round = 0;

  /** Accounts for changes that no pose can hold. */
  const accountFor = ({ values, sets }: State): void => {
    for (const [path, value] of values) if (before.values.get(path) !== value) account.lost(path, NO_ROOM);
    for (const path of before.values.keys()) if (!values.has(path)) account.lost(path, NO_ROOM);
    for (const [name, { ids, columns }] of sets) {
      for (const [key, column] of columns) {
        const isOther = before.sets.get(name)?.columns.get(key) !== column;
        if (isOther && !CARRIED.has(key) && ids.length > 0) account.lost(`${name}/${key}`, NO_ROOM, ids.length);
      }
    }
    before = { values, sets };
  };

  const step = (state: State): void => {
    round++;
    for (const place of kit.placesOf(state, origin)) {
      const key = kit.thingKey(place.set, place.id);
      const thing = things.get(key) ?? { id: things.size + 1, last: null, round };
      things.set(key, thing);
      thing.round = round;
      writePose(out, poseOf(kit, thing.id, place, dialect));
      const payload = out.take();
      if (thing.last !== null && payload.every((byte, i) => byte === thing.last![i])) continue;
      writer.write(poses!, state.time, payload);
      account.carried(place.set);
      thing.last = payload;
    }
    for (const thing of things.values()) {
      if (thing.round === round || thing.last === null) continue;
      writer.write(gone!, state.time, out.u32le(thing.id).take());
      thing.last = null;
    }
    accountFor(state);
  };

  return {
    step,
    end: () => undefined,
    witness: () => ({
      timeOf: (time) => time,
      value: () => undefined,
      hasSets: false,
      things: (state, source) => {
        const byId = new Map(kit.placesOf(state, kit.unsetOrigin()).map((place) => [place.id, place]));
        const keys = source.map(({ set, id }) => kit.thingKey(set, id));
        const found = keys.map((key) => [key, byId.get(things.get(key)?.id ?? 0)] as const);
        return new Map(found.filter((entry): entry is [string, Place] => entry[1] !== undefined));
      },
      origin: kit.unsetOrigin(),
    }),
  };
}

/** A place, which is in standard axes, in those of a log. */
function poseOf({ radiansPer, transformOf }: Kit, thing: number, place: Place, dialect: Dialect): Pose {
  const axes = transformOf(AXES);
  const position = [0, 0, 0];
  axes.vectorBack(place.x, place.y, place.z, position, 0);
  const rotation = new Array<number>(rotationWidth(dialect)).fill(Number.NaN);
  if (place.orientation === null) return { thing, position, rotation };
  if (dialect === "quaternion") axes.orientationBack(...place.orientation, rotation, 0);
  else axes.anglesBack(...place.orientation, radiansPer("deg"), rotation, 0);
  return { thing, position, rotation };
}
