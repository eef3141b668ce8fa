/** What comments call the formats, by the names of their pages and folders. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["NanoVer", "nanover"],
  ["CARLA", "carla"],
  ["MIRA", "mira"],
  ["FlightGear", "flightgear"],
  ["HCRP", "hcrp"],
  ["MCAP", "mcap"],
]);

/** One section that a text cites. */
export interface Citation {
  /** The page without its ending, as `hcrp-events`; null: a document that is not of ours, as an RFC. */
  readonly page: string | null;
  readonly section: string;
  /** Counted from 1. */
  readonly line: number;
}

/** What a text cites, and what in it cannot be resolved. */
export interface Cited {
  readonly citations: readonly Citation[];
  /** A sentence for each `§` that names no document. */
  readonly wrong: readonly string[];
}

/** A page's text and the sections that its headings have. */
export interface Page {
  readonly sections: ReadonlySet<string>;
  /** Numbers that two headings have. */
  readonly twice: readonly string[];
  /** Targets of links to headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>;
}

export function readPage(text: string): Page {
  const sections = new Set<string>();
  const twice: string[] = [];
  const anchors = new Set<string>();
  for (const [, title] of withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)) {
    anchors.add(anchorOf(title!, anchors));
    const number = /^(\d+(?:\.\d+)*)\.? /.exec(title!)?.[1];
    if (number === undefined) continue;
    if (sections.has(number)) twice.push(number);
    sections.add(number);
  }
  return { sections, twice, anchors };
}

/** Paths and anchors that a page links to on this machine, as written. */
export function linksOf(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

/**
 * The citations in a source file. `format` is the one that the file belongs to, whose name may be left out; null: the
 * file belongs to none. `page` is the page that the file itself is, where a bare number is a section of its own.
 */
export function citationsIn(text: string, format: string | null, page: string | null = null): Cited {
  const plain = joined(text);
  const citations: Citation[] = [];
  const wrong: string[] = [];
  const seen = new Set<number>();
  for (const found of plain.matchAll(CITATION)) {
    const { name, kind, foreign, list } = found.groups!;
    const at = found.index + found[0].length - list!.length;
    for (const section of list!.matchAll(/§(\d+(?:\.\d+)*)/g)) {
      const place = at + section.index;
      seen.add(place);
      const line = lineAt(plain, place);
      if (foreign !== undefined) {
        citations.push({ page: null, section: section[1]!, line });
        continue;
      }
      const of = name === undefined ? format : FORMATS.get(name)!;
      if (of === null) wrong.push(`line ${line}: "${found[0]}" does not name its format`);
      else citations.push({ page: pageOf(of, kind!.toLowerCase()), section: section[1]!, line });
    }
  }
  for (const { index } of plain.matchAll(/§/g)) {
    if (seen.has(index)) continue;
    const line = lineAt(plain, index);
    const section = /^§(\d+(?:\.\d+)*)/.exec(plain.slice(index))?.[1];
    if (page !== null && section !== undefined) citations.push({ page, section, line });
    else wrong.push(`line ${line}: "${plain.slice(index, index + 12).trim()}" names no document`);
  }
  return { citations, wrong };
}

/** `spec §4.2`, `HCRP spec §4, §5 and §7`, `RFC 8878 §3.1`; only white space, commas and words of a list between. */
const CITATION = new RegExp(
  String.raw`(?:\b(?:(?<name>${[...FORMATS.keys()].join("|")})\s+)?(?<kind>[Ss]pec|[Ss]emantics|[Ee]vents)|(?<foreign>RFC \d+))\s+` +
    String.raw`(?<list>§\d[\d.]*(?:(?:,|;)?\s+(?:(?:and|or|to)\s+)?§\d[\d.]*)*)`,
  "g",
);

function pageOf(format: string, kind: string): string {
  if (kind === "spec") return format;
  return kind === "events" ? `${format}-events` : `${format}-semantics`;
}

/** Lines of one comment in a row, of the same length as before: what stands between them becomes white space. */
function joined(text: string): string {
  return text.replace(/\n[ \t]*(?:\/\/+|\*(?!\/))/g, (mark) => `\n${" ".repeat(mark.length - 1)}`);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

/** As GitHub and most generators make it; of equal ones the second ends with `-1`. */
function anchorOf(title: string, taken: ReadonlySet<string>): string {
  const anchor = title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
  for (let number = 0; ; number++) {
    const numbered = number === 0 ? anchor : `${anchor}-${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
