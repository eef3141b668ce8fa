import type { MutableState } from "../../../model/state.ts";
import type { Value } from "../../../model/value.ts";
import { AXES, ORIENTATION, putPose, SIZE, TEXT } from "./columns.ts";
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

/** Folds a scene update; `idOf` makes the id in the set of an id in the message. */
export function applyScene(state: MutableState, value: Members, idOf: (id: string) => string): void {
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
    putPose(set, row, membersIn(primitive["pose"]));
    const orientation = set.column("orientation", ORIENTATION);
    if (texts.get("orientation") === "unknown") for (let k = 0; k < 4; k++) orientation.put(row, Number.NaN, k);
    const { x, y, z } = membersIn(primitive["size"] ?? primitive["scale"]);
    set.column("size", SIZE).put3(row, numberIn(x), numberIn(y), numberIn(z));
    set.column("kind", TEXT).putText(row, texts.get("kind") ?? found?.[1] ?? "");
    set.column("label", TEXT).putText(row, texts.get("label") ?? textIn(primitive["text"]));
    set.column("frame", TEXT).putText(row, frameIn(entity));
  }
}

/** What a scene update speaks of; null: of everything that was before it. */
export function mentionedInScene(value: Members): readonly string[] | null {
  const deletions = itemsIn(value["deletions"]).map(membersIn);
  if (deletions.some(({ type = 0 }) => ALL.has(type))) return null;
  return [...deletions, ...itemsIn(value["entities"]).map(membersIn)].map(({ id }) => textIn(id));
}

function textsOf(entity: Members): ReadonlyMap<string, string> {
  return new Map(
    itemsIn(entity["metadata"]).map((pair) => [textIn(membersIn(pair)["key"]), textIn(membersIn(pair)["value"])]),
  );
}
