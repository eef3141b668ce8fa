import type { Participant } from "../../../model/query/event.ts";
import type { Palettes } from "../chunk/context.ts";
import { PALETTE } from "../layout/chunk.ts";
import type { Subject } from "../layout/metadata.ts";
import { MIRROR_PREFIX } from "../layout/own.ts";

/** Players and entities that are present, by entity id: from spawns, joins and snapshots; recorded subjects always. */
export class People {
  readonly #subjects: ReadonlyMap<number, Participant>;
  #here = new Map<number, Participant>();

  constructor(subjects: readonly Subject[]) {
    this.#subjects = new Map(
      subjects.map(({ entity, name }) => [entity, { set: "players", id: entity, label: name }] as const),
    );
  }

  /** One that is not present has no label, but a subject has its own. */
  readonly who = (entity: number): Participant =>
    this.#here.get(entity) ?? this.#subjects.get(entity) ?? { set: "entities", id: entity, label: "" };

  has(entity: number): boolean {
    return this.#here.has(entity);
  }

  /**
   * `type` and `profile` are indices of palettes; null: not recorded. A thing that only pictures one of another format's sets is in none of ours:
   * its type is `simtape:SET/KIND`.
   */
  come(entity: number, type: number | null, profile: number | null, palettes: Palettes): Participant {
    const subject = this.#subjects.get(entity);
    const name = subject?.label || (profile === null ? null : palettes.name(PALETTE.profile, profile));
    const kind = type === null ? null : palettes.name(PALETTE.entityType, type);
    const isPlayer = profile !== null || subject !== undefined;
    return this.put(
      kind?.startsWith(MIRROR_PREFIX) === true
        ? { set: null, id: entity, label: kind.slice(kind.indexOf("/") + 1) + (name ? ` (${name})` : "") }
        : { set: isPlayer ? "players" : "entities", id: entity, label: name || kind || "" },
    );
  }

  put(participant: Participant): Participant {
    this.#here.set(Number(participant.id), participant);
    return participant;
  }

  go(entity: number): void {
    this.#here.delete(entity);
  }

  /** All go; a snapshot names those who stay. */
  clear(): void {
    this.#here = new Map();
  }
}
