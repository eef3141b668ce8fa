import { join } from "node:path";
import { opensDoors } from "../../io/source/shown-url.ts";
import type { ViewEntry } from "./entries.ts";
import { factsOf } from "./facts.ts";

const NATURAL = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** What a page is shown: recordings under numbers that stay theirs, those too that came later. */
export class ViewList {
  readonly #entries: ViewEntry[];
  readonly #find: (() => Promise<readonly ViewEntry[]>) | undefined;
  /** By number: of those that are there. */
  #there: ReadonlySet<number>;
  #looking: Promise<void> | null = null;
  /** By number and size. */
  readonly #facts = new Map<string, Promise<string>>();
  #last: Promise<unknown> = Promise.resolve();

  /** `find` looks what there is now; absent: it stays as it is. */
  constructor(entries: readonly ViewEntry[], find?: () => Promise<readonly ViewEntry[]>) {
    this.#entries = [...entries];
    this.#find = find;
    this.#there = new Set(this.#entries.keys());
  }

  entry(index: number): ViewEntry | undefined {
    return this.#entries[index];
  }

  /** As the page asks for it, relative to the page. */
  urlOf(entry: ViewEntry): string {
    const index = this.#entries.indexOf(entry);
    if (!("url" in entry))
      return `files/${index}/${isFolder(entry) ? `${encodeURIComponent(entry.name)}/` : ""}${encodeURIComponent(entry.main)}`;
    // Its secrets are for this process only, not for addresses, histories and links.
    return opensDoors(new URL(entry.url)) ? `relayed/${index}/${encodeURIComponent(entry.name)}` : entry.url;
  }

  /** A path that a page asks for, without the name of the folder where the recording is one. */
  pathInside(path: string): string {
    const [start = "", index, name] = /^files\/(\d+)\/([^/]+)\//.exec(path) ?? [];
    const entry = this.#entries[Number(index)];
    if (entry === undefined || "url" in entry || !isFolder(entry) || entry.name !== name) return path;
    return `files/${index}/${path.slice(start.length)}`;
  }

  /** For the page, by name as people sort: what is there now. */
  async json(): Promise<string> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
    const listed = [...this.#entries.entries()].filter(([index]) => this.#there.has(index));
    return JSON.stringify(
      listed
        .toSorted(([, a], [, b]) => NATURAL.compare(a.name, b.name))
        .map(([index, entry]) => ({
          name: entry.name,
          url: this.urlOf(entry),
          ...("url" in entry ? { bytes: null, facts: null } : ownFacts(entry, index)),
        })),
    );
  }

  /** What it is, as JSON, `null` where that cannot be found out; null: there is no such entry. One recording is read at a time. */
  async facts(index: number): Promise<string | null> {
    const entry = this.#entries[index];
    if (entry === undefined || "url" in entry) return null;
    const key = `${index} ${entry.bytes}`;
    let found = this.#facts.get(key);
    if (found === undefined) {
      found = this.#last.then(async () => JSON.stringify(await factsOf(entry)));
      this.#last = found.catch(() => undefined);
      this.#facts.set(key, found);
    }
    return found.catch(() => "null");
  }

  async #look(): Promise<void> {
    // A folder that is gone, or empty for a moment, has nothing new.
    const found = (await this.#find?.().catch(() => undefined)) ?? this.#entries.filter((_, i) => this.#there.has(i));
    const numbers = new Map(this.#entries.map((entry, index) => [identityOf(entry), index]));
    const there = new Set<number>();
    for (const entry of found) {
      const index = numbers.get(identityOf(entry)) ?? this.#entries.length;
      this.#entries[index] = entry;
      there.add(index);
    }
    this.#there = there;
  }
}

/** One that grows has neither size nor facts, but an address where a page hears how far it is. */
function ownFacts({ bytes, growth }: Extract<ViewEntry, { folder: string }>, index: number): object {
  if (growth === undefined) return { bytes, facts: `facts/${index}.json` };
  return { bytes: null, facts: null, live: growth.news.state === "live" ? `live/${index}` : null };
}

/** Whether it is a folder of files, by the name of which people know it. */
function isFolder({ folder, store }: Extract<ViewEntry, { folder: string }>): boolean {
  return folder !== store;
}

function identityOf(entry: ViewEntry): string {
  return "url" in entry ? entry.url : join(entry.folder, entry.main);
}
