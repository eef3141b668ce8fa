import { LayoutError } from "../../bytes/error.ts";
import { nanover } from "../../formats/nanover/format.ts";
import { partsOf } from "../../formats/nanover/write/entries.ts";
import type { Link } from "../../io/sink/link.ts";
import type { Feed, Intake } from "../feed.ts";

/** Connects to a server; `connectLink` of `simtape/node` does. */
export type Connect = (signal: AbortSignal) => Promise<Link>;

/** Kinds of messages of one take, and letters of the name of one: the protocol has three, garbage has any. */
const MOST = 1000;
const LONGEST_NAME = 1000;

/**
 * What a running NanoVer server sends, as NanoVer's own recorder takes it: every binary message with its bytes, and the
 * time of its arrival. Nothing is sent to the server (NanoVer semantics §1, §5.5).
 */
export function nanoverFeed(address: string, connect: Connect): Feed {
  const names = new Set<string>();
  return {
    name: `the NanoVer server at ${address}`,
    format: nanover,
    run: async (intake, signal) => {
      const link = await connect(signal);
      await taken(link, intake, names, signal);
    },
  };
}

/** Resolves when the server has ended the connection in order, or with the signal; rejects when it broke. */
function taken(link: Link, intake: Intake, names: Set<string>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      // nothing is taken while both say goodbye: the recording may be closed by then
      link.onMessage = () => undefined;
      link.close();
      resolve();
    };
    signal.addEventListener("abort", stop);
    if (signal.aborted) {
      stop();
      return;
    }
    link.onMessage = (message) => {
      if (typeof message === "string") return intake.lost("text, which the protocol does not have");
      try {
        // one message may have several parts: it is written once, on the channel of the first
        const [first] = partsOf(message);
        if (first === undefined) return intake.lost("a message without content");
        const wrong = names.has(first.key) ? null : refusal(first.key, names.size);
        if (wrong !== null) return intake.lost(wrong);
        names.add(first.key);
        intake.write(intake.channel({ name: first.key }), message);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        intake.lost(`no NanoVer message: ${error.message}`);
      }
      const { ready } = intake;
      if (ready === null) return;
      link.pause();
      void ready.then(
        () => link.resume(),
        () => link.close(),
      );
    };
    link.onEnd = (failure) => {
      signal.removeEventListener("abort", stop);
      if (failure === null || signal.aborted) resolve();
      else reject(failure);
    };
  });
}

/** Why a message with this first part is not taken; null: it is. */
function refusal(name: string, kinds: number): string | null {
  if (name.length > LONGEST_NAME) return "a message whose name is too long";
  return kinds >= MOST ? `more than ${MOST} kinds of messages` : null;
}
