import { type FromServer, LONGEST, type Pointer, type RoomClient } from "simtape-server/rooms";
import { type Watcher, watcherColors, MOST_WATCHERS, type Pointing } from "../../company.ts";
import type { Session } from "../../session.ts";
import { chosenName, thingNamed } from "../../subject.ts";

/** Between two looks at where the user points, milliseconds. */
const LOOK_EVERY = 100;
/** A camera alone is sent no more often, milliseconds: it moves with what is followed. */
const CAMERA_EVERY = 1000;
/** What has not changed is sent again after so many milliseconds, for those who came later. */
const AGAIN_EVERY = 5000;
/** Milliseconds without news after which a watcher is not shown. */
const SILENT = 12_000;
/** Decimals of degrees and metres that are sent: a millimetre on the ground. */
const DECIMALS = 8;

/** Tells a room where the user of this page points, and the page where the others do. */
export class Company {
  readonly #session: Session;
  readonly #client: RoomClient;
  readonly #heard = new Map<string, { readonly pointer: Pointer; readonly at: number }>();
  readonly #timer: ReturnType<typeof setInterval>;
  #sent = "";
  #sentAt = Number.NEGATIVE_INFINITY;
  #sentCamera = "";
  #shown = "[]";

  constructor(session: Session, client: RoomClient) {
    this.#session = session;
    this.#client = client;
    this.#timer = setInterval(() => {
      this.#tell(performance.now());
      this.#show(performance.now());
    }, LOOK_EVERY);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#session.company.set([]);
  }

  hear(message: FromServer): void {
    if (message.type !== "pointer") return;
    const now = performance.now();
    for (const { member, ...pointer } of message.pointers) {
      if (member !== this.#client.you) this.#heard.set(member, { pointer, at: now });
    }
    this.#regard();
    this.#show(now);
  }

  /** What the leader has chosen is the subject of those who follow and have chosen nothing. */
  #regard(): void {
    const { leader } = this.#client.lead ?? { leader: null };
    const { frame } = this.#session;
    if (leader === null || this.#client.isLeader || frame === null) return;
    if (this.#client.members.some(({ id, isFree }) => isFree && id === this.#client.you)) return;
    const name = this.#heard.get(leader)?.pointer.thing ?? null;
    const thing = name === null ? null : thingNamed(frame.recorded, name);
    if (thing !== null) this.#session.regard(thing);
  }

  #tell(now: number): void {
    if (this.#client.state !== "connected") return;
    const { at, camera } = rounded(this.#session.pointing());
    const name = chosenName(this.#session.state.value);
    const thing = name !== null && name.length <= LONGEST.thing ? name : null;
    const text = JSON.stringify([at, thing]);
    const view = JSON.stringify(camera);
    const since = now - this.#sentAt;
    const isDue =
      text !== this.#sent ||
      (view !== this.#sentCamera && since >= CAMERA_EVERY && this.#client.count <= MOST_WATCHERS) ||
      ((at !== null || thing !== null) && since >= AGAIN_EVERY);
    if (!isDue) return;
    this.#sent = text;
    this.#sentCamera = view;
    this.#sentAt = now;
    this.#client.point({ at, thing, camera });
  }

  /** Those who are here and were heard of lately; the camera of those who look around alone. */
  #show(now: number): void {
    const members = new Map(this.#client.members.map((member) => [member.id, member]));
    const watchers: Watcher[] = [];
    const colors = watcherColors(this.#client.members);
    for (const [id, { pointer, at }] of this.#heard) {
      const member = members.get(id);
      if (member === undefined || now - at > SILENT) this.#heard.delete(id);
      else if (watchers.length < MOST_WATCHERS) {
        const camera = member.isFree ? pointer.camera : null;
        watchers.push({ id, name: member.name, color: colors.get(id)!, ...pointer, camera });
      }
    }
    const shown = JSON.stringify(watchers);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#session.company.set(watchers);
  }
}

function rounded(pointing: Pointing | null): Pointing {
  const round = <T extends readonly number[]>(numbers: T): T =>
    numbers.map((value) => Number(value.toFixed(DECIMALS))) as unknown as T;
  const { at = null, camera = null } = pointing ?? {};
  const isKnown = (numbers: readonly number[] | null): boolean => numbers?.every(Number.isFinite) ?? false;
  return { at: isKnown(at) ? round(at!) : null, camera: isKnown(camera) ? round(camera!) : null };
}
