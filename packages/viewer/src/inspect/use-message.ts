import { useEffect, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import type { NamedBytes } from "../protocol.ts";
import { clock } from "../time.ts";

/** Bytes of a message with what they mean. */
export interface SelectedMessage extends NamedBytes {
  readonly title: string;
  readonly sequence: number;
}

/** The message that was selected last; null: none was. */
export function useMessage(recording: number): SelectedMessage | null {
  const session = useSession();
  const selection = useViewer((state) => state.selection);
  const [message, setMessage] = useState<SelectedMessage | null>(null);
  useEffect(() => {
    if (selection?.kind !== "message") return;
    const controller = new AbortController();
    const { time, sequence } = selection;
    session
      .query("message", { recording, time, sequence }, { signal: controller.signal })
      .then((found) => {
        if (found === null) return;
        const bytes = found.length.toLocaleString("en");
        setMessage({
          ...found,
          sequence,
          title: `message ${sequence} at ${clock(time)}, ${bytes} bytes${cutOf(found)}`,
        });
      })
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording, selection]);
  return message;
}

/** What is said of bytes of which only the first are here. */
export function cutOf({ bytes, length }: NamedBytes): string {
  return bytes.length < length ? `, the first ${bytes.length.toLocaleString("en")} bytes` : "";
}
