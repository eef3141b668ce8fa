import type { Member } from "./protocol.ts";

/** Milliseconds after which members of another node count as gone when the node no longer mentions them. */
const SILENT = 3500;

/** The members of a room: those connected to this node, and those of other nodes. */
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

  /** At most `most` of all members, the earliest first. */
  first(most: number): readonly Member[] {
    const all = new Map([...this.#elsewhere].map(([id, { member }]) => [id, member]));
    for (const [id, { member }] of this.#here) all.set(id, member);
    return [...all.values()].sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1)).slice(0, most);
  }

  /** Adds a connection of a member, who may have several. */
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

  /** Removes a connection. True: the member has no other connection, to this node or another. */
  go(id: string): boolean {
    const known = this.#here.get(id);
    if (known === undefined) return false;
    known.connections--;
    if (known.connections > 0) return false;
    this.#here.delete(id);
    return !this.#elsewhere.has(id);
  }

  /** Adds the members that another node has published; returns those who are new here. */
  hear(node: string, members: readonly Member[], now: number): readonly Member[] {
    const fresh = members.filter((member) => {
      const known = this.get(member.id);
      return known === undefined || known.isFree !== member.isFree || known.name !== member.name;
    });
    for (const member of members) this.#elsewhere.set(member.id, { member, node, heard: now });
    return fresh.filter(({ id }) => !this.#here.has(id));
  }

  /** Removes members who left another node; returns those who have no other connection. */
  hearGone(node: string, ids: readonly string[]): readonly string[] {
    return ids.filter((id) => {
      if (this.#elsewhere.get(id)?.node !== node) return false;
      this.#elsewhere.delete(id);
      return !this.#here.has(id);
    });
  }

  /** Removes and returns the members of nodes that have published nothing for too long. */
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
