import type { Member } from "./protocol.ts";

/** Milliseconds after which those of another node are gone of whom it says nothing more. */
const SILENT = 3500;

/** Who is in a room: those with a connection to this node, and those of other nodes. */
export class Presence {
  readonly #here = new Map<string, { member: Member; connections: number }>();
  readonly #elsewhere = new Map<string, { member: Member; node: string; heard: number }>();

  get(id: string): Member | undefined {
    return this.#here.get(id)?.member ?? this.#elsewhere.get(id)?.member;
  }

  isHere(id: string): boolean {
    return this.#here.has(id);
  }

  here(): readonly Member[] {
    return [...this.#here.values()].map(({ member }) => member);
  }

  get count(): number {
    let count = this.#here.size;
    for (const id of this.#elsewhere.keys()) if (!this.#here.has(id)) count++;
    return count;
  }

  /** `most` of all, those who came first. */
  first(most: number): readonly Member[] {
    const all = new Map([...this.#elsewhere].map(([id, { member }]) => [id, member]));
    for (const [id, { member }] of this.#here) all.set(id, member);
    return [...all.values()].sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1)).slice(0, most);
  }

  /** A connection of a member, who may have several. */
  come(member: Member): Member {
    const known = this.get(member.id);
    const present = known === undefined ? member : { ...member, since: known.since, isFree: known.isFree };
    const connections = this.#here.get(member.id)?.connections ?? 0;
    this.#here.set(member.id, { member: present, connections: connections + 1 });
    return present;
  }

  change(member: Member): void {
    const known = this.#here.get(member.id);
    if (known !== undefined) known.member = member;
  }

  /** A connection is over. True: the member has no other one, here or elsewhere. */
  go(id: string): boolean {
    const known = this.#here.get(id);
    if (known === undefined) return false;
    known.connections--;
    if (known.connections > 0) return false;
    this.#here.delete(id);
    return !this.#elsewhere.has(id);
  }

  /** What another node says; those of them who are new here. */
  hear(node: string, members: readonly Member[], now: number): readonly Member[] {
    const fresh = members.filter((member) => {
      const known = this.get(member.id);
      return known === undefined || known.isFree !== member.isFree || known.name !== member.name;
    });
    for (const member of members) this.#elsewhere.set(member.id, { member, node, heard: now });
    return fresh.filter(({ id }) => !this.#here.has(id));
  }

  /** Another node says that they left it; those who are gone for good. */
  hearGone(node: string, ids: readonly string[]): readonly string[] {
    return ids.filter((id) => {
      if (this.#elsewhere.get(id)?.node !== node) return false;
      this.#elsewhere.delete(id);
      return !this.#here.has(id);
    });
  }

  /** Those of nodes that have said nothing for too long. */
  expire(now: number): readonly string[] {
    const gone: string[] = [];
    for (const [id, { heard }] of this.#elsewhere) {
      if (now - heard < SILENT) continue;
      this.#elsewhere.delete(id);
      if (!this.#here.has(id)) gone.push(id);
    }
    return gone;
  }
}
