import { type Origin, unsetOrigin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import { areSameSets, type State } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import { type Account, type StateEncoder, thingKey, type Witness, type Writer } from "../../../model/writer.ts";
import { ENTITIES } from "../meaning/scene.ts";
import { jsonOf } from "./json.ts";

const SCENE = "/scene";
const ORIGIN = "/origin";
/** Frame of all things. */
const FRAME = "map";
/** Columns that entities hold, in one form or another. */
const CARRIED: ReadonlySet<string> = new Set(["position", "geodetic", "orientation", "rotation", "kind", "label"]);
const NO_ROOM = "entities of a scene hold poses, kinds and labels only";
const NO_JSON = "JSON cannot say the value";
const NO_GOING = "a topic cannot take back its value";

const TEXT = new TextEncoder();

/**
 * State as messages (spec §7): things with places are entities of `/scene`, values are JSON on the topic of their path.
 * Where places are on the earth, `/origin` says where the plane of the scene touches it.
 */
export function encoder(writer: Writer, account: Account, origin: Origin = unsetOrigin()): StateEncoder {
  return new McapEncoder(writer, account, origin);
}

/** An entity as it was written last. */
interface Thing {
  readonly id: string;
  last: string;
  /** The step that had it last. */
  step: number;
}

class McapEncoder implements StateEncoder {
  readonly #writer: Writer;
  readonly #account: Account;
  readonly #origin: Origin;
  readonly #things = new Map<string, Thing>();
  readonly #topics = new Map<string, ChannelInfo | null>();
  #before: Pick<State, "values" | "sets"> = { values: new Map(), sets: new Map() };
  #step = 0;
  #isOriginWritten = false;

  constructor(writer: Writer, account: Account, origin: Origin) {
    this.#writer = writer;
    this.#account = account;
    this.#origin = origin;
  }

  step(state: State): void {
    this.#step++;
    if (!areSameSets(this.#before.sets, state.sets)) this.#scene(state);
    for (const [path, value] of state.values) {
      if (this.#before.values.get(path) !== value || !this.#before.values.has(path))
        this.#value(path, value, state.time);
    }
    for (const path of this.#before.values.keys()) if (!state.values.has(path)) this.#account.lost(path, NO_GOING);
    this.#before = state;
  }

  end(): void {}

  witness(): Witness {
    return {
      timeOf: (time) => time,
      value: ({ values }, path) => values.get(topicOf(path)),
      hasSets: false,
      things: (state, source) => {
        const found = new Map<string, Place>();
        const places = placesOf(state, unsetOrigin()).filter(({ set }) => set === ENTITIES);
        const byId = new Map(places.map((place) => [place.id, place]));
        for (const { set, id } of source) {
          const place = byId.get(thingKey(set, id));
          if (place !== undefined) found.set(thingKey(set, id), place);
        }
        return found;
      },
      origin: unsetOrigin(),
    };
  }

  #scene(state: State): void {
    const entities: string[] = [];
    const { time } = state;
    for (const place of placesOf(state, this.#origin)) {
      const key = thingKey(place.set, place.id);
      const text = entityOf(key, place);
      let thing = this.#things.get(key);
      if (thing === undefined) {
        thing = { id: key, last: "", step: 0 };
        this.#things.set(key, thing);
      }
      thing.step = this.#step;
      if (thing.last === text) continue;
      thing.last = text;
      entities.push(text);
      this.#account.carried(place.set);
    }
    const deletions: string[] = [];
    for (const [key, { id, step }] of this.#things) {
      if (step === this.#step) continue;
      this.#things.delete(key);
      deletions.push(`{"timestamp":{"sec":0,"nsec":0},"type":0,"id":${JSON.stringify(id)}}`);
    }
    this.#accountFor(state);
    if (this.#origin.isSet && !this.#isOriginWritten) this.#writeOrigin(time);
    if (entities.length + deletions.length === 0) return;
    const text = `{"deletions":[${deletions.join(",")}],"entities":[${entities.join(",")}]}`;
    this.#write(SCENE, "foxglove.SceneUpdate", time, text);
  }

  #writeOrigin(time: Time): void {
    this.#isOriginWritten = true;
    const { latitude, longitude, altitude } = this.#origin;
    const timestamp = { sec: 0, nsec: 0 };
    const fix = { timestamp, frame_id: FRAME, latitude, longitude, altitude, position_covariance_type: 0 };
    this.#write(ORIGIN, "foxglove.LocationFix", time, JSON.stringify(fix));
  }

  /** Accounts for columns that no entity holds. */
  #accountFor({ sets }: State): void {
    for (const [name, { ids, columns }] of sets) {
      for (const [key, column] of columns) {
        const isOther = this.#before.sets.get(name)?.columns.get(key) !== column;
        if (isOther && !CARRIED.has(key) && ids.length > 0) this.#account.lost(`${name}/${key}`, NO_ROOM, ids.length);
      }
    }
  }

  #value(path: string, value: Value, time: Time): void {
    const text = jsonOf(value);
    if (text === null) {
      this.#account.lost(path, NO_JSON);
      return;
    }
    if (this.#write(topicOf(path), undefined, time, text)) this.#account.carried(path);
    else this.#account.lost(path, "the file has as many topics as it can");
  }

  #write(topic: string, schema: string | undefined, time: Time, text: string): boolean {
    let channel = this.#topics.get(topic);
    if (channel === undefined) {
      channel = this.#channel(topic, schema);
      this.#topics.set(topic, channel);
    }
    if (channel === null) return false;
    this.#writer.write(channel, time, TEXT.encode(text));
    return true;
  }

  #channel(name: string, schema: string | undefined): ChannelInfo | null {
    try {
      return this.#writer.channel({ name, schema, metadata: { encoding: "json" } });
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }
}

/** The topic of a value; those of the scene are taken. */
function topicOf(path: string): string {
  return path === SCENE || path === ORIGIN ? `value:${path}` : path;
}

/** One entity: a cube of a metre, since a place says nothing of a size. */
function entityOf(id: string, { x, y, z, orientation, kind, label }: Place): string {
  const [qx, qy, qz, qw] = orientation ?? [0, 0, 0, 1];
  const pose = { position: { x, y, z }, orientation: { x: qx, y: qy, z: qz, w: qw } };
  const metadata = [
    { key: "kind", value: kind },
    { key: "label", value: label },
    ...(orientation === null ? [{ key: "orientation", value: "unknown" }] : []),
  ];
  const size = { x: 1, y: 1, z: 1 };
  return JSON.stringify({
    timestamp: { sec: 0, nsec: 0 },
    frame_id: FRAME,
    id,
    lifetime: { sec: 0, nsec: 0 },
    frame_locked: true,
    metadata,
    cubes: [{ pose, size, color: { r: 0.3, g: 0.6, b: 1, a: 1 } }],
  });
}
