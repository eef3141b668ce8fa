import { type ByteSource, memory, openZip, zipContent, type ZipMember } from "simtape/kit";

/** Bytes of all that is inflated. */
const MOST_INFLATED = 256 << 20;

/** Reads members of a zip, which is not trusted: each has a limit, and so have all of them. */
export class Pack {
  readonly #source: ByteSource;
  readonly #members: ReadonlyMap<string, ZipMember>;
  /** What of it is damaged, in words: the first of them. */
  readonly damage: string[] = [];
  readonly #most: number;
  #inflated = 0;

  private constructor(source: ByteSource, members: readonly ZipMember[], most: number) {
    this.#source = source;
    this.#most = most;
    this.#members = new Map(members.map((member) => [member.name, member]));
  }

  /** Null: it is no zip. `most`: bytes that are inflated before it is given up. */
  static async open(bytes: Uint8Array, most: number = MOST_INFLATED): Promise<Pack | null> {
    const source = memory(bytes);
    const zip = await openZip(source);
    return zip === null ? null : new Pack(source, zip.members, most);
  }

  get names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** Null: it is missing, damaged or longer than `most` bytes. Rejects with `Error` when all that was read is too much. */
  async read(name: string, most: number): Promise<Uint8Array | null> {
    const member = this.#members.get(name);
    if (member === undefined || (member.stated?.size ?? 0) > most) return null;
    const parts: Uint8Array[] = [];
    let length = 0;
    let isSound = true;
    for await (const piece of zipContent(this.#source, member, () => (isSound = false))) {
      length += piece.length;
      this.#inflated += piece.length;
      if (this.#inflated > this.#most) throw new Error(`it has more than ${this.#most >> 20} MiB inside`);
      if (length > most) return null;
      // pieces may be views of memory that is used again
      parts.push(piece.slice());
    }
    if (!isSound) {
      if (this.damage.length < 10) this.damage.push(`${name} is damaged`);
      return null;
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
