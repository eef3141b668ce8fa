import "./inspect.css";
import { useEffect, useMemo, useState } from "react";
import type { FieldRole } from "simtape";
import { isTooFar } from "../afar.ts";
import { useSession, useViewer } from "../hooks.ts";
import type { NamedBytes, Outline, RecordBytes } from "../protocol.ts";
import type { Deck } from "../session.ts";
import { fieldClasses, sayingAt } from "./field-colors.ts";
import { FieldList } from "./field-list.tsx";
import { Hex } from "./hex.tsx";
import { cutOf, type SelectedMessage, useMessage } from "./use-message.ts";
import { VirtualList } from "./virtual-list.tsx";

/** Records that are listed. */
const MOST = 1_000_000;
/** Of a recording far away, the bytes whose records are listed at first. */
const FIRST = 4 << 20;

/** The file as it is: its records, and their bytes with the fields named. */
export function BytesPanel() {
  const deck = useViewer(({ decks }) => decks[0]);
  return deck === undefined ? null : <Bytes key={deck.opened.recording} deck={deck} />;
}

/** What is looked at: a record, what is compressed in it, or the message that is selected. */
type Source = "record" | "contents" | "message";

interface Shown extends NamedBytes {
  readonly title: string;
  /** Of the first byte. */
  readonly offset: number;
}

const ROLES: readonly (readonly [FieldRole, text: string, title: string])[] = [
  ["value", "value", "Each field has a colour, and its parts have two shades of it"],
  ["frame", "framing", "Data of the format itself: types, lengths, counts, keys"],
  ["payload", "opaque", "Compressed, or of another format"],
  ["unknown", "not understood", "Damaged, or of a type that is not published"],
];

function Bytes({ deck }: { readonly deck: Deck }) {
  const { opened } = deck;
  const [end, setEnd] = useState(isTooFar(deck) ? FIRST : Number.POSITIVE_INFINITY);
  const records = useOutline(opened.recording, end);
  const [index, setIndex] = useState(0);
  const [source, setSource] = useState<Source>("record");
  const record = useRecord(opened.recording, index);
  const message = useMessage(opened.recording);
  useEffect(() => {
    if (message !== null) setSource("message");
  }, [message]);
  const selection = useViewer((state) => state.selection);
  const byte = selection?.kind === "byte" ? selection.offset : null;
  useEffect(() => {
    if (byte === null) return;
    setEnd((before) => Math.max(before, byte + 1));
    setSource("record");
  }, [byte]);
  const holder = useMemo(() => (byte === null ? -1 : indexOfByte(records, byte)), [records, byte]);
  useEffect(() => {
    if (holder >= 0) setIndex(holder);
  }, [holder]);
  const shown = useMemo(() => shownOf(source, record, message), [source, record, message]);
  const [isFrameShown, setFrameShown] = useState(true);
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
            {!records.isEnd && Number.isFinite(end) && (
              <button type="button" className="button button-plain" onClick={() => setEnd(end * 4)}>
                More
              </button>
            )}
          </p>
        </section>
        {shown !== null && (
          <Dissected
            key={`${shown.title} ${byte}`}
            {...{ shown, isFrameShown, setFrameShown }}
            byte={source === "record" ? byte : null}
          />
        )}
      </div>
    </div>
  );
}

/** Bytes beside their fields: what is chosen or pointed at in one is shown in the other. */
function Dissected({
  shown,
  isFrameShown,
  setFrameShown,
  byte: selected,
}: {
  readonly shown: Shown;
  /** Of the file, whose field is chosen at first; null: none is. */
  readonly byte: number | null;
  readonly isFrameShown: boolean;
  readonly setFrameShown: (isShown: boolean) => void;
}) {
  const { bytes, offset, fields } = shown;
  const classes = useMemo(() => fieldClasses(fields), [fields]);
  const roles = useMemo(() => new Set(fields.map(({ role }) => role)), [fields]);
  const [chosen, setChosen] = useState(() => fieldAt(shown, selected));
  const [pointed, setPointed] = useState<number | null>(null);
  const [byte, setByte] = useState<number | null>(null);
  const point = (field: number | null, at: number | null): void => {
    setPointed(field);
    setByte(at);
  };
  const current = fields[pointed ?? chosen ?? -1];
  const common = { fields, classes, chosen, pointed, onChoose: setChosen, onPoint: point };
  return (
    <section className="bytes-shown" aria-label="Bytes of the selection">
      <Hex bytes={bytes} offset={offset} {...common} />
      <p className="bytes-current">
        {current === undefined ? (
          <span className="field-note">Point at a byte or a field, or choose one</span>
        ) : (
          <>
            <strong className="field-holder">
              <bdi dir="ltr">{current.name}</bdi>
            </strong>
            <span>{sayingAt(current, pointed === null ? null : byte)}</span>
            <span className="field-note">
              {current.end - current.start === 1
                ? "1 byte"
                : `${(current.end - current.start).toLocaleString("en")} bytes`}{" "}
              at {(offset + current.start).toLocaleString("en")}
            </span>
          </>
        )}
      </p>
      <ul className="bytes-legend" aria-label="Colours">
        {ROLES.map(([role, text, title]) => (
          <li key={role} title={title} data-absent={!roles.has(role) || undefined}>
            {role === "value" ? (
              [0, 1, 2, 3].map((hue) => <span key={hue} className={`field-swatch field-value-${hue}`} aria-hidden />)
            ) : (
              <span className={`field-swatch field-${role}`} aria-hidden />
            )}
            {text}
          </li>
        ))}
        <li className="bytes-toggle">
          <label>
            <input type="checkbox" checked={isFrameShown} onChange={() => setFrameShown(!isFrameShown)} /> list framing
          </label>
        </li>
      </ul>
      <FieldList isFrameShown={isFrameShown} {...common} />
    </section>
  );
}

/** The record that holds a byte, or the last before it as long as others are being found; -1: there is none. */
function indexOfByte({ offset }: { readonly offset: readonly number[] }, byte: number): number {
  return offset.findLastIndex((start) => start <= byte);
}

/** The field that has a byte of the file; null: none is among those shown. */
function fieldAt({ fields, offset }: Shown, byte: number | null): number | null {
  const found =
    byte === null ? -1 : fields.findIndex(({ start, end }) => start <= byte - offset && byte - offset < end);
  return found < 0 ? null : found;
}

function shownOf(source: Source, record: RecordBytes | null, message: SelectedMessage | null): Shown | null {
  if (source === "message" && message !== null) return { ...message, offset: 0 };
  if (record === null) return null;
  const { kind, offset, contents } = record;
  const at = `${kind} at ${offset.toLocaleString("en")}`;
  if (source === "contents" && contents !== null) {
    return { ...contents, title: `${at}, inflated: ${contents.note}${cutOf(contents)}`, offset: 0 };
  }
  return { ...record, title: `${at}${cutOf(record)}` };
}

/** The records of the file as they are found. */
function useOutline(
  recording: number,
  end: number,
): {
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
        { recording, limit: MOST, end },
        { signal: controller.signal, onProgress: ({ partial }) => add(partial as Outline) },
      )
      .then(add)
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording, end]);
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
