import type { ColumnSpec } from "../../../model/state/column.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import { AXES, ORIENTATION, SIZE, TEXT } from "./columns.ts";
import { OWN_ORIENTATION, placePoses, putOwnPose } from "./frames.ts";
import { frameIn, itemsIn, type Members, membersIn, numberIn, textIn } from "./members.ts";

/** Name of the set. */
export const ENTITIES = "scene";

/** Lists of primitives in an entity, the first that is not empty says where it is (spec §7). */
const PRIMITIVES: readonly (readonly [list: string, kind: string])[] = [
  ["cubes", "cube"],
  ["models", "model"],
  ["spheres", "sphere"],
  ["cylinders", "cylinder"],
  ["arrows", "arrow"],
  ["triangles", "triangles"],
  ["lines", "lines"],
  ["texts", "text"],
];

/** Deletions: by id, or of all (spec §7). Protobuf gives numbers, JSON numbers or names. */
const ALL: ReadonlySet<Value> = new Set<Value>([1, "ALL"]);

/** Column of the fold's own: the time at which an entity ends; infinite where no lifetime is stated. */
const END = ".end";
const TIME: ColumnSpec = { kind: "f64", width: 1, unit: "ns" };

/** Takes out entities whose lifetime has ended at `time`, the earliest first. */
export function endEntities(state: MutableState, time: Time): void {
  const set = state.sets.get(ENTITIES);
  const column = set?.columns.get(END);
  if (set === undefined || column === undefined) return;
  const ended: (readonly [end: Time, id: number | string])[] = [];
  for (let row = 0; row < set.size; row++) {
    // no number: it was added before any entity had an end
    const end = column.number(row, 0);
    if (end <= time) ended.push([end, set.ids[row]!]);
  }
  ended.sort((a, b) => a[0] - b[0] || (String(a[1]) < String(b[1]) ? -1 : 1));
  for (const [, id] of ended) set.remove(id);
}

/** Nanoseconds that an entity stays; 0: until it is deleted. JSON and ROS have `sec`, protobuf `seconds`. */
export function lifetimeOf(entity: Members): number {
  const { sec, seconds, nsec, nanos, nanosec } = membersIn(entity["lifetime"]);
  const [whole, part] = [numberIn(sec ?? seconds), numberIn(nsec ?? nanos ?? nanosec)];
  const lifetime = (whole || 0) * 1e9 + (part || 0);
  return lifetime > 0 && Number.isFinite(lifetime) ? lifetime : 0;
}

/**
 * Folds a scene update of that time; `idOf` makes the id in the set of an id in the message. A lifetime counts from the
 * time of the message.
 */
export function applyScene(state: MutableState, value: Members, time: Time, idOf: (id: string) => string): void {
  const set = state.set(ENTITIES, AXES);
  for (const deletion of itemsIn(value["deletions"])) {
    const { type = 0, id } = membersIn(deletion);
    if (!ALL.has(type)) set.remove(idOf(textIn(id)));
    else {
      const [begin, end] = idOf("\0").split("\0");
      for (const one of set.ids.map(String)) if (one.startsWith(begin!) && one.endsWith(end!)) set.remove(one);
    }
  }
  for (const item of itemsIn(value["entities"])) {
    const entity = membersIn(item);
    const row = set.row(idOf(textIn(entity["id"])));
    const found = PRIMITIVES.find(([list]) => itemsIn(entity[list]).length > 0);
    const primitive = membersIn(found === undefined ? undefined : itemsIn(entity[found[0]])[0]);
    const texts = textsOf(entity);
    putOwnPose(set, row, membersIn(primitive["pose"]));
    const orientation = set.column(OWN_ORIENTATION, ORIENTATION);
    if (texts.get("orientation") === "unknown") for (let k = 0; k < 4; k++) orientation.put(row, Number.NaN, k);
    const { x, y, z } = membersIn(primitive["size"] ?? primitive["scale"]);
    set.column("size", SIZE).put3(row, numberIn(x), numberIn(y), numberIn(z));
    set.column("kind", TEXT).putText(row, texts.get("kind") ?? found?.[1] ?? "");
    set.column("label", TEXT).putText(row, texts.get("label") ?? textIn(primitive["text"]));
    set.column("frame", TEXT).putText(row, frameIn(entity));
    placePoses(state, set, row, row + 1);
    const lifetime = lifetimeOf(entity);
    if (lifetime > 0 || set.columns.has(END)) {
      set.column(END, TIME).put(row, lifetime > 0 ? time + lifetime : Number.POSITIVE_INFINITY);
    }
  }
}

/**
 * What a scene update of `time` speaks of; null: of everything that was before it. `hasLiving`: something in it has not
 * ended at `now`.
 */
export function mentionedInScene(
  value: Members,
  time: Time,
  now: Time,
): { readonly ids: readonly string[] | null; readonly hasLiving: boolean } {
  const entities = itemsIn(value["entities"]).map(membersIn);
  const isLiving = (entity: Members): boolean => lifetimeOf(entity) === 0 || time + lifetimeOf(entity) > now;
  const hasLiving = entities.length === 0 || entities.some(isLiving);
  return { ids: idsIn(value), hasLiving };
}

function idsIn(value: Members): readonly string[] | null {
  const deletions = itemsIn(value["deletions"]).map(membersIn);
  if (deletions.some(({ type = 0 }) => ALL.has(type))) return null;
  return [...deletions, ...itemsIn(value["entities"]).map(membersIn)].map(({ id }) => textIn(id));
}

function textsOf(entity: Members): ReadonlyMap<string, string> {
  return new Map(
    itemsIn(entity["metadata"]).map((pair) => [textIn(membersIn(pair)["key"]), textIn(membersIn(pair)["value"])]),
  );
}
