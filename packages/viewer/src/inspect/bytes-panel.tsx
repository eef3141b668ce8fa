import "./inspect.css";
import { useEffect, useMemo, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import type { Answer, Opened, Outline, RecordBytes } from "../protocol.ts";
import { clock } from "../time.ts";
import { dissect } from "./dissect/dissect.ts";
import type { Field } from "./dissect/fields.ts";
import { classOf, Hex } from "./hex.tsx";
import { VirtualList } from "./virtual-list.tsx";

/** Records that are listed. */
const MOST = 1_000_000;

/** What is looked at: a record, what is compressed in it, or the message that is selected. */
type Source = "record" | "contents" | "message";

interface Shown {
  readonly title: string;
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly fields: readonly Field[];
}

/** The file as it is: its records, and their bytes with the fields named. */
export function BytesPanel() {
  const opened = useViewer(({ decks }) => decks[0]?.opened);
  return opened === undefined ? null : <Bytes key={opened.recording} opened={opened} />;
}

function Bytes({ opened }: { readonly opened: Opened }) {
  const records = useOutline(opened.recording);
  const [index, setIndex] = useState(0);
  const [source, setSource] = useState<Source>("record");
  const record = useRecord(opened.recording, index);
  const message = useMessage(opened.recording);
  useEffect(() => {
    if (message !== null) setSource("message");
  }, [message]);
  const shown = useMemo(() => shownOf(opened, source, record, message), [opened, source, record, message]);
  const [field, setField] = useState<number | null>(null);
  const [of, setOf] = useState(shown);
  if (of !== shown) {
    setOf(shown);
    setField(null);
  }
  const choices: readonly (readonly [Source, string, boolean])[] = [
    ["record", "Record", true],
    ["contents", "Inflated", record?.contents != null],
    ["message", "Selected message", message !== null],
  ];
  return (
    <div className="inspect">
      <div className="inspect-bar" role="toolbar" aria-label="What is shown">
        {choices.map(([kind, text, isThere]) => (
          <button
            key={kind}
            type="button"
            className="button button-plain"
            aria-pressed={source === kind}
            disabled={!isThere}
            onClick={() => setSource(kind)}
          >
            {text}
          </button>
        ))}
        <output>{shown?.title}</output>
      </div>
      <div className="bytes">
        <section className="bytes-records" aria-label="Records of the file">
          <VirtualList
            label="Records"
            role="listbox"
            count={records.kind.length}
            active={index}
            onActive={(next) => {
              setIndex(next);
              setSource((kind) => (kind === "message" ? "record" : kind));
            }}
            onChoose={() => undefined}
            row={(i) => ({
              key: `${i}`,
              content: (
                <>
                  <span className="record-offset">{records.offset[i]!.toLocaleString("en")}</span>
                  <span className="record-kind">{records.kind[i]}</span>
                  <span className="message-size">{records.length[i]!.toLocaleString("en")}</span>
                </>
              ),
            })}
          />
          <p className="bytes-foot">
            {records.kind.length.toLocaleString("en")} records{records.isEnd ? "" : " so far"}
          </p>
        </section>
        {shown !== null && (
          <section className="bytes-shown" aria-label="Bytes of what is chosen">
            <Hex
              key={shown.title}
              bytes={shown.bytes}
              offset={shown.offset}
              fields={shown.fields}
              chosen={field}
              onChoose={setField}
            />
            <div className="bytes-fields">
              <VirtualList
                label="Fields"
                role="listbox"
                count={shown.fields.length}
                active={field ?? -1}
                onActive={setField}
                onChoose={setField}
                row={(i) => {
                  const { name, start, end, text } = shown.fields[i]!;
                  return {
                    key: `${i}`,
                    content: (
                      <>
                        <span className={`field-swatch ${classOf(shown.fields[i], i + 1)}`} aria-hidden />
                        <span className="field-name">{name}</span>
                        <span className="message-text">{text}</span>
                        <span className="field-range">
                          {start}–{end}
                        </span>
                      </>
                    ),
                  };
                }}
              />
            </div>
          </section>
        )}
      </div>
    </div>
  );
}

function shownOf(
  { info, channels }: Opened,
  source: Source,
  record: RecordBytes | null,
  message: { readonly title: string; readonly payload: Uint8Array } | null,
): Shown | null {
  if (source === "message" && message !== null) {
    const { title, payload } = message;
    const field = { name: "payload", start: 0, end: payload.length, text: "", role: "payload" } as const;
    return { title, bytes: payload, offset: 0, fields: [field] };
  }
  if (record === null) return null;
  const { kind, offset, length, bytes, signals, contents } = record;
  if (source === "contents" && contents !== null) {
    const fields = Array.from(contents.start, (start, i): Field => {
      const text = clock(contents.time[i]!);
      return { name: channels[contents.channel[i]!]!.name, start, end: contents.end[i]!, text, role: "payload" };
    });
    return { title: `${kind} at ${offset}, inflated`, bytes: contents.bytes, offset: 0, fields };
  }
  const fields = dissect(kind, bytes, { format: info.format, metadata: info.metadata, signals });
  const cut = bytes.length < length ? `, the first ${bytes.length.toLocaleString("en")} bytes` : "";
  return { title: `${kind} at ${offset}${cut}`, bytes, offset, fields };
}

/** The records of the file as they are found. */
function useOutline(recording: number): {
  readonly kind: readonly string[];
  readonly offset: readonly number[];
  readonly length: readonly number[];
  readonly isEnd: boolean;
} {
  const session = useSession();
  const [outline, setOutline] = useState({
    kind: [] as string[],
    offset: [] as number[],
    length: [] as number[],
    isEnd: false,
  });
  useEffect(() => {
    const controller = new AbortController();
    const found = { kind: [] as string[], offset: [] as number[], length: [] as number[] };
    const add = ({ kind, offset, length, isEnd }: Outline): void => {
      for (let i = 0; i < kind.length; i++) {
        found.kind.push(kind[i]!);
        found.offset.push(offset[i]!);
        found.length.push(length[i]!);
      }
      setOutline({ ...found, isEnd });
    };
    session
      .query(
        "outline",
        { recording, limit: MOST },
        { signal: controller.signal, onProgress: ({ partial }) => add(partial as Outline) },
      )
      .then(add)
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording]);
  return outline;
}

function useRecord(recording: number, index: number): RecordBytes | null {
  const session = useSession();
  const [record, setRecord] = useState<RecordBytes | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    session
      .query("record", { recording, index }, { signal: controller.signal })
      .then(setRecord)
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording, index]);
  return record;
}

/** The message that is selected. */
function useMessage(recording: number): { readonly title: string; readonly payload: Uint8Array } | null {
  const session = useSession();
  const selection = useViewer((state) => state.selection);
  const [message, setMessage] = useState<{ readonly title: string; readonly payload: Uint8Array } | null>(null);
  useEffect(() => {
    if (selection?.kind !== "message") return;
    const controller = new AbortController();
    const { time, sequence } = selection;
    session
      .query("message", { recording, time, sequence }, { signal: controller.signal })
      .then((found: Answer<"message">) => {
        if (found === null) return;
        const { payload } = found;
        setMessage({ title: `message ${sequence} at ${clock(time)}, ${payload.length} bytes`, payload });
      })
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording, selection]);
  return message;
}
