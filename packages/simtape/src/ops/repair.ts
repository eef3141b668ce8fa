import { HeldFiles } from "../io/sink/held.ts";
import type { SinkBundle } from "../io/sink/sink.ts";
import type { SourceBundle } from "../io/source/source.ts";
import { type Finding, Findings, RecordingError, unwritable } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { RepairNote, WritingFormat } from "../model/writer.ts";
import { check } from "./check.ts";
import { copyExactly } from "./copy.ts";
import { readBack } from "./sound.ts";

/** How often what was repaired is repaired in turn, when repairing one thing shows another. */
const PASSES = 6;
/** Findings that are no damage, but that a format writes without. */
const REPAIRED: ReadonlySet<string> = new Set(["private-event"]);
/** What is lost or written again is listed one by one up to so many of a kind; the rest of the kind is counted. */
const LISTED = 10_000;
const FAULTS: ReadonlySet<Finding["severity"]> = new Set(["damage", "loss"]);

/** How much of a channel repair kept. */
export interface ChannelAccount {
  readonly channel: string;
  /** Messages in the repaired recording. */
  readonly messages: number;
}

/** What repair kept of a recording, what it left out, and what it made again. */
export interface RepairReport {
  /** `sound`: nothing was wrong, and the copy is exact; `repaired`: what is left is whole again. */
  readonly status: "sound" | "repaired";
  /** Bytes of the file (of what inflates from a compressed one) that went into the result, and that did not. */
  readonly bytesKept: number;
  readonly bytesLost: number;
  /** What was left out: place, length, reason. Of more than 10,000 of a kind the last entry says how many more. */
  readonly lost: readonly Finding[];
  /** What was written again: indexes, counts, ends. */
  readonly rebuilt: readonly Finding[];
  readonly messagesKept: number;
  readonly channels: readonly ChannelAccount[];
  /** Everything found wrong with the source. */
  readonly findings: readonly Finding[];
}

/**
 * Makes a sound recording of a damaged one, and copies a sound one exactly. The source never changes. The result is
 * opened with `reopen` and checked, and gets its name only when it is sound; `to` must let it be read back. Content
 * that only a newer reader can read (`unsupported-…`) is kept as it is.
 * Throws `RecordingError` when nothing sound can be made.
 */
export async function repair(
  recording: Recording,
  from: SourceBundle,
  writing: WritingFormat,
  to: SinkBundle,
  reopen: (written: SourceBundle) => Promise<Recording>,
): Promise<RepairReport> {
  try {
    const { status, findings } = await check(recording);
    const account = new Account(await bytesOf(recording));
    const isSound = status === "sound" && !findings.some(({ code }) => REPAIRED.has(code));
    if (isSound) await copyExactly(recording, from, to);
    const content = isSound ? await contentOf(recording) : await repairInTurn(recording, writing, to, reopen, account);
    return { status: isSound ? "sound" : "repaired", ...account.result(), ...content, findings };
  } catch (error) {
    throw unwritable(error, recording.info.format);
  }
}

/** Writes what is left, and repairs that in turn until nothing is wrong with it: behind one fault may lie another. */
async function repairInTurn(
  recording: Recording,
  writing: WritingFormat,
  to: SinkBundle,
  reopen: (written: SourceBundle) => Promise<Recording>,
  account: Account,
): Promise<Content> {
  let damaged = recording;
  let files: HeldFiles | null = null;
  try {
    for (let pass = 1; ; pass++) {
      const before: HeldFiles | null = files;
      files = new HeldFiles(to);
      try {
        await writing.repair(damaged.reader, files, account.pass(pass));
      } finally {
        await before?.abort();
      }
      if (damaged !== recording) await damaged.close();
      damaged = await readBack(reopen(files.written));
      const { findings } = await check(damaged);
      const fault = findings.find(({ severity, code }) => FAULTS.has(severity) && !code.startsWith("unsupported-"));
      if (fault === undefined) {
        const content = await contentOf(damaged);
        await files.release();
        return content;
      }
      if (pass === PASSES) {
        throw new RecordingError("malformed", `cannot make a sound recording of it: ${fault.message}`, {
          format: recording.info.format,
        });
      }
    }
  } catch (error) {
    await files?.abort();
    throw error;
  } finally {
    if (damaged !== recording) await damaged.close();
  }
}

type Content = Pick<RepairReport, "messagesKept" | "channels">;

async function contentOf(recording: Recording): Promise<Content> {
  const statistics = await recording.statistics();
  return {
    messagesKept: statistics.reduce((sum, { messages }) => sum + messages, 0),
    channels: recording.channels
      .map(({ id, name }) => ({ channel: name, messages: statistics[id]!.messages }))
      .filter(({ messages }) => messages > 0),
  };
}

async function bytesOf(recording: Recording): Promise<number> {
  let total = 0;
  for await (const records of recording.records()) for (const { bytes } of records) total += bytes.length;
  return total;
}

/** What is kept, lost and made in all passes. */
class Account {
  #total: number;
  #lostBytes = 0;
  readonly #lost = new Findings(LISTED);
  readonly #rebuilt = new Findings(LISTED);

  /** `total`: bytes of the source. */
  constructor(total: number) {
    this.#total = total;
  }

  /** Places that a later pass tells are of what an earlier one wrote, and no places of the source. */
  pass(pass: number): RepairNote {
    const placed = ({ offset, ...rest }: Finding): Finding =>
      pass === 1 ? { ...rest, offset } : { ...rest, message: `in what was left: ${rest.message}` };
    return {
      lost: (finding) => {
        this.#lostBytes += finding.length ?? 0;
        this.#lost.report(placed(finding));
      },
      rebuilt: (finding) => this.#rebuilt.report(placed(finding)),
      content: (bytes) => {
        if (pass === 1) this.#total = bytes;
      },
    };
  }

  result(): Pick<RepairReport, "bytesKept" | "bytesLost" | "lost" | "rebuilt"> {
    // Records may share bytes, and a later pass may lose what an earlier one made.
    const bytesLost = Math.min(this.#lostBytes, this.#total);
    const [lost, rebuilt] = [this.#lost.list(), this.#rebuilt.list()];
    return { bytesKept: this.#total - bytesLost, bytesLost, lost, rebuilt };
  }
}
