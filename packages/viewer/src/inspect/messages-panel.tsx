import "./inspect.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { isTooFar } from "../afar.ts";
import { useFrame, useSession, useShared, useViewer } from "../hooks.ts";
import type { MessageRows, Opened } from "../protocol.ts";
import type { Deck } from "../session.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { Button } from "../ui/button.tsx";
import { MESSAGES } from "./listed.ts";
import { MessageIndex } from "./message-index.ts";
import { MessagePages, type MessageRow, rowOf } from "./message-pages.ts";
import { FieldList } from "./field-list.tsx";
import { MessageRun } from "./message-run.ts";
import { type SelectedMessage, useMessage } from "./use-message.ts";
import { VirtualList } from "./virtual-list.tsx";

/** Columns in which messages are counted. */
const COLUMNS = 4096;
/** Messages that a search for text finds. */
const MOST_FOUND = 5000;
const ALL_CHANNELS = {};

/** All messages in order, by channel, or those in which a text occurs. */
export function MessagesPanel() {
  const deck = useViewer(({ decks }) => decks[0]);
  return deck === undefined ? null : <Messages key={deck.opened.recording} deck={deck} />;
}

function Messages({ deck }: { readonly deck: Deck }) {
  const { opened } = deck;
  const session = useSession();
  const frame = useFrame(8);
  const selection = useViewer((state) => state.selection);
  const [kept, keep] = useShared<{ readonly channel?: string }>(MESSAGES, ALL_CHANNELS);
  const channel = opened.channels.find(({ name }) => name === kept.channel)?.id ?? -1;
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const channels = useMemo(() => (channel < 0 ? null : [channel]), [channel]);
  // The same one as long as the recording is.
  const useMessages = isTooFar(deck) ? useRun : useTable;
  const table = useMessages(opened, channels);
  const search = useSearch(opened, channels, text);
  const rows = text === "" ? table : search;
  const now = frame?.time ?? 0;
  const scale = useTimeScale();
  const [isFollowing, setFollowing] = useState(true);
  const message = useMessage(opened.recording);
  const detail = selection?.kind === "message" && message?.sequence === selection.sequence ? message : null;
  const current = rows.at(now);
  // Of several at a time any may be chosen.
  const isThere = rows.row(active)?.time === now;
  useEffect(() => {
    if (isFollowing && current !== null && !isThere) setActive(current);
  }, [isFollowing, current, isThere]);

  const choose = (index: number): void => {
    const row = rows.row(index);
    if (row === null) return;
    setFollowing(true);
    session.select({ kind: "message", time: row.time, sequence: row.sequence });
    void session.seek(row.time);
  };
  return (
    <div className="inspect">
      <div className="inspect-bar">
        <select
          className="field"
          aria-label="Channel"
          value={channel}
          onChange={(event) => {
            const id = Number(event.currentTarget.value);
            const chosen = opened.channels.find((one) => one.id === id);
            keep(chosen === undefined ? undefined : { channel: chosen.name });
            setActive(0);
          }}
        >
          <option value={-1}>all channels</option>
          {opened.channels.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <input
          type="search"
          className="field"
          aria-label="Text in messages"
          placeholder="Text"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
        />
        {rows.earlier !== null && (
          <Button
            label="Load earlier messages"
            disabled={!rows.earlier.isThere}
            onClick={() => void rows.earlier?.fetch().then((count) => setActive((index) => index + count))}
          >
            Earlier
          </Button>
        )}
        <Button
          label="Go to the present messages, and follow the player"
          aria-pressed={isFollowing && current !== null}
          disabled={text !== ""}
          onClick={() => {
            setFollowing(true);
            setActive(table.goTo(now));
          }}
        >
          Now
        </Button>
        <output>{rows.summary}</output>
      </div>
      <div className="messages" onWheel={() => setFollowing(false)} onPointerDown={() => setFollowing(false)}>
        <VirtualList
          label="Messages"
          role="listbox"
          count={rows.count}
          active={Math.min(active, rows.count - 1)}
          onActive={(index) => {
            setFollowing(false);
            setActive(index);
          }}
          onChoose={choose}
          onWindow={rows.see}
          row={(index) => {
            const row = rows.row(index);
            if (row === null) return { key: `${index}`, content: <span className="message-text">…</span> };
            const isChosen = selection?.kind === "message" && selection.sequence === row.sequence;
            return {
              key: `${index}`,
              attributes: {
                "data-chosen": isChosen || undefined,
                "data-now": index === current || undefined,
              },
              content: (
                <>
                  <span className="message-time">{scale.text(row.time)}</span>
                  <span className="message-channel">{opened.channels[row.channel]?.name}</span>
                  <span className="message-size">{row.size.toLocaleString("en")} B</span>
                  <span className="message-text">{row.preview}</span>
                </>
              ),
            };
          }}
        />
      </div>
      {detail !== null && <Detail message={detail} onClose={() => session.select(null)} />}
    </div>
  );
}

/** What one message says, field by field. */
function Detail({
  message: { title, fields },
  onClose,
}: {
  readonly message: SelectedMessage;
  readonly onClose: () => void;
}) {
  const [chosen, choose] = useState<number | null>(null);
  const classes = useMemo(() => fields.map(() => ""), [fields]);
  return (
    <section className="message-detail" aria-label="Selected message">
      <header>
        <span>{title}</span>
        <Button kind="bare" label="Close the message" onClick={onClose}>
          ✕
        </Button>
      </header>
      <FieldList
        label="Value of the message"
        isFrameShown={false}
        pointed={null}
        onPoint={() => undefined}
        onChoose={choose}
        {...{ fields, classes, chosen }}
      />
    </section>
  );
}

interface Table {
  readonly count: number;
  readonly summary: string;
  readonly row: (index: number) => MessageRow | null;
  /** The row of the first message of the moment that a time shows, as far as is known; null: it is not here. */
  readonly at: (time: number) => number | null;
  /** Makes ready for the messages of a time; the row of the first of them. */
  readonly goTo: (time: number) => number;
  readonly see: (first: number, last: number) => void;
  /** How to have more rows before the first one, and whether there are any; null: all are there. */
  readonly earlier: { readonly isThere: boolean; readonly fetch: () => Promise<number> } | null;
}

const EMPTY: Table = {
  count: 0,
  summary: "",
  row: () => null,
  at: () => null,
  goTo: () => 0,
  see: () => undefined,
  earlier: null,
};

/** Every message, fetched when it is seen. */
function useTable({ recording, timeline: { start, end } }: Opened, channels: readonly number[] | null): Table {
  const session = useSession();
  const [counts, setCounts] = useState<Uint32Array | null>(null);
  const [, setVersion] = useState(0);
  const window = useRef<readonly [number, number]>([0, 0]);
  useEffect(() => {
    const controller = new AbortController();
    session
      .query("density", { recording, start, end: end + 1, columns: COLUMNS }, { signal: controller.signal })
      .then(setCounts)
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording, start, end]);
  const index = useMemo(
    () => (counts === null ? null : new MessageIndex(counts, { start, end: end + 1, columns: COLUMNS }, channels)),
    [counts, start, end, channels],
  );
  const pages = useMemo(
    () =>
      index === null ? null : new MessagePages(session, recording, index, channels, () => setVersion((n) => n + 1)),
    [session, recording, index, channels],
  );
  useEffect(() => {
    pages?.see(...window.current);
    return () => pages?.close();
  }, [pages]);
  if (index === null || pages === null) return { ...EMPTY, summary: "counting …" };
  return {
    ...EMPTY,
    count: index.count,
    summary: `${index.count.toLocaleString("en")} messages`,
    row: (i) => pages.row(i),
    at: (time) => momentAt(index.count, (i) => pages.row(i)?.time, time, index.rowAt(time)),
    goTo: (time) => index.rowAt(time),
    see: (first, last) => {
      window.current = [first, last];
      pages.see(first, last);
    },
  };
}

/**
 * Messages before and behind the time shown, fetched as the user scrolls to them; all are counted only if that is
 * known.
 */
function useRun(opened: Opened, channels: readonly number[] | null): Table {
  const session = useSession();
  const { recording, info } = opened;
  const [from, setFrom] = useState(() => ({ time: session.time ?? opened.timeline.start }));
  const [, setVersion] = useState(0);
  const [counts, setCounts] = useState<readonly number[] | null>(null);
  const window = useRef<readonly [number, number]>([0, 0]);
  const run = useMemo(
    () => new MessageRun(session, opened, channels, from.time, () => setVersion((n) => n + 1)),
    [session, opened, channels, from],
  );
  useEffect(() => {
    run.see(...window.current);
    return () => run.close();
  }, [run]);
  useEffect(() => {
    // A reader that scanned the file has counted.
    if (info.seekIndex !== "built") return;
    session
      .query("statistics", { recording })
      .then((all) => setCounts(all.map(({ messages }) => messages)))
      .catch(() => undefined);
  }, [session, recording, info]);
  const shown = run.count.toLocaleString("en");
  const all = counts?.reduce((sum, count, id) => sum + (channels?.includes(id) === false ? 0 : count), 0);
  const isAll = run.hasFirst && run.hasLast;
  return {
    count: run.count,
    summary:
      all === undefined
        ? `${isAll ? "" : "at least "}${shown} messages`
        : `${shown} of ${all.toLocaleString("en")} messages`,
    row: (i) => run.row(i),
    at: (time) => inRun(run, time),
    goTo: (time) => {
      setFrom({ time });
      return 0;
    },
    see: (first, last) => {
      window.current = [first, last];
      run.see(first, last);
    },
    earlier: { isThere: !run.hasFirst, fetch: () => run.earlier() },
  };
}

/** The messages in which a text occurs, as they are found. */
function useSearch({ recording }: Opened, channels: readonly number[] | null, text: string): Table {
  const session = useSession();
  const [found, setFound] = useState<MessageRows | null>(null);
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    setFound(null);
    setDone(false);
    if (text === "") return;
    const controller = new AbortController();
    const ask = { recording, channels, reverse: false, limit: MOST_FOUND, text, preview: true };
    session
      .query("messages", ask, {
        signal: controller.signal,
        onProgress: ({ partial }) => setFound(partial as MessageRows),
      })
      .then((rows) => {
        setFound(rows);
        setDone(true);
      })
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, recording, channels, text]);
  const count = found?.time.length ?? 0;
  const summary = isDone && found?.isEnd === false ? `the first ${count} found` : `${count} found${isDone ? "" : " …"}`;
  const row = (i: number): MessageRow | null => (found === null ? null : rowOf(found, i));
  return { ...EMPTY, count, summary, row, at: (time) => momentAt(count, (i) => found?.time[i], time, 0) };
}

/** The first one of the last moment that is not behind a time, among those that are here; looked for about a row. */
function momentAt(
  count: number,
  timeOf: (row: number) => number | undefined,
  time: number,
  from: number,
): number | null {
  if (count === 0) return null;
  let row = from > 0 && (timeOf(from) ?? time) > time ? from - 1 : from;
  while (row + 1 < count && (timeOf(row + 1) ?? Number.POSITIVE_INFINITY) <= time) row++;
  while (row > 0 && timeOf(row) !== undefined && timeOf(row - 1) === timeOf(row)) row--;
  return row;
}

/** Null before the first one, and where more are to be fetched. */
function inRun(run: MessageRun, time: number): number | null {
  const [first, last] = [run.row(0), run.row(run.count - 1)];
  if (first === null || last === null || time < first.time || (time > last.time && !run.hasLast)) return null;
  return momentAt(run.count, (i) => run.row(i)?.time, time, 0);
}
