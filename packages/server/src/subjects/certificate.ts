import { counted } from "simtape/command";
import type { Mention } from "./elsewhere.ts";

/** The result for one recording. */
export interface Outcome {
  readonly recording: string;
  readonly did: "deleted" | "redacted" | "kept";
  readonly why: string;
  /** The recording no longer contains any data of the subject. */
  readonly isWhole: boolean;
}

/** An item that the search after an erasure has found. */
export interface Remainder {
  /** `file`, `folder`, or a column: `rooms.name` */
  readonly where: string;
  /** Id of the row or file, without the name; null: it has none. */
  readonly id: string | null;
  readonly recording: string | null;
  readonly count: number;
  readonly why: string;
  readonly next: string;
}

/** The stored result of an erasure; it contains no name and no UUID. */
export interface EraseReport {
  readonly outcomes: readonly Outcome[];
  /**
   * Rows in which other users named the subject: an opaque id replaces the name, unless the row is listed as remaining.
   */
  readonly mentions: readonly Mention[];
  /** Number of values in which an opaque id has replaced a name, by column. */
  readonly changed: Readonly<Record<string, number>>;
  readonly renamed: number;
  readonly remains: readonly Remainder[];
  readonly searched: { readonly columns: number; readonly recordings: number; readonly files: number };
  /** The opaque id. */
  readonly token: string;
  /** Whether the search has found nothing. */
  readonly isComplete: boolean;
}

/** The proof of an erasure. */
export interface Certificate extends Omit<EraseReport, "outcomes" | "mentions"> {
  readonly request: string;
  readonly asked: string;
  readonly ended: string;
  readonly removed: readonly Outcome[];
  readonly backups: readonly { readonly made: string; readonly what: string }[];
  /** Places that the search of the server does not reach. */
  readonly outside: readonly string[];
}

const OUTSIDE = [
  "Earlier backups: they contain the data until they are deleted. After a restore, erase again.",
  "Copies that were downloaded, and logs of the server and of proxies.",
  "Pages of the database that are free and not yet written again.",
  "The audit keeps ids of accounts and addresses of requests.",
];

interface Request {
  readonly id: string;
  readonly made: Date;
  readonly ended: Date | null;
  readonly report: EraseReport;
}

export function certificateOf(
  { id, made, ended, report }: Request,
  backups: readonly { readonly at: Date; readonly details: { readonly recordings?: unknown } }[],
): Certificate {
  const { outcomes, mentions: _, ...rest } = report;
  return {
    request: id,
    asked: made.toISOString(),
    ended: (ended ?? made).toISOString(),
    ...rest,
    removed: outcomes.filter(({ did }) => did !== "kept"),
    backups: backups.map(({ at, details }) => ({
      made: at.toISOString(),
      what: details.recordings === true ? "rows and recordings" : "rows",
    })),
    outside: OUTSIDE,
  };
}

/** The certificate as text, to read and to print. */
export function certificateText(certificate: Certificate): string {
  const { request, asked, ended, token, removed, changed, renamed, remains, searched, backups, outside } = certificate;
  const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}\n`).join("") || "- nothing\n";
  const parts = [
    `Erasure ${request}\n\nAsked ${asked}, ended ${ended}. `,
    certificate.isComplete
      ? "It is complete: nothing was found afterwards.\n"
      : `It is NOT complete. ${counted(remains.length, "thing")} left.\n`,
    `Searched afterwards: ${[counted(searched.columns, "column"), counted(searched.recordings, "recording"), counted(searched.files, "file")].join(", ")}.\n`,
    `\nRemoved\n\n${list([
      ...removed.map(({ recording, did, why }) => `recording ${recording}: ${did}, ${why}`),
      ...Object.entries(changed).map(
        ([column, count]) => `${column}: ${counted(count, "value")}, ${token} is in place of the name`,
      ),
      ...(renamed === 0 ? [] : [`${counted(renamed, "file")} renamed: ${token} is in place of the name`]),
    ])}`,
    `\nRemains\n\n${list(
      remains.map(({ where, id, recording, count, why, next }) => {
        const of = recording === null || recording === id ? "" : ` of recording ${recording}`;
        const which = id === null || id === "" ? "" : ` ${id}`;
        return `${where}${which}${of}${count > 1 ? ` (${count} times)` : ""}: ${why}. ${next}`;
      }),
    )}`,
    `\nBackups that the server has made\n\n${list(backups.map(({ made, what }) => `${made}: ${what}`))}`,
    `\nNot reached by the search\n\n${list(outside)}`,
  ];
  return parts.join("");
}
