import { useMemo, useState } from "react";
import type { Field } from "./dissect/fields.ts";
import { VirtualList } from "./virtual-list.tsx";

const WIDTH = 16;

/** Bytes with their text, sixteen in a line, coloured by field; a click names the field of a byte. */
export function Hex({
  bytes,
  offset,
  fields,
  chosen,
  onChoose,
}: {
  readonly bytes: Uint8Array;
  /** Of the first byte. */
  readonly offset: number;
  readonly fields: readonly Field[];
  readonly chosen: number | null;
  readonly onChoose: (field: number) => void;
}) {
  const [line, setLine] = useState(0);
  const owners = useMemo(() => ownersOf(fields, bytes.length), [fields, bytes]);
  const digits = Math.max(6, (offset + bytes.length).toString(16).length);
  const target = chosen === null ? undefined : fields[chosen];
  const [shownTarget, setShownTarget] = useState(target);
  if (target !== shownTarget) {
    setShownTarget(target);
    if (target !== undefined) setLine(Math.floor(target.start / WIDTH));
  }
  return (
    <VirtualList
      label="Bytes"
      role="listbox"
      count={Math.ceil(bytes.length / WIDTH)}
      active={line}
      onActive={setLine}
      onChoose={() => undefined}
      row={(index) => {
        const start = index * WIDTH;
        const some = Array.from(bytes.subarray(start, start + WIDTH));
        const cell = (text: string, i: number) => {
          const owner = owners[start + i]!;
          const field = fields[owner - 1];
          return (
            <span
              key={i}
              className={classOf(field, owner)}
              title={field === undefined ? undefined : `${field.name}: ${field.text}`}
              data-chosen={(chosen !== null && owner - 1 === chosen) || undefined}
              onPointerDown={() => owner > 0 && onChoose(owner - 1)}
            >
              {text}
            </span>
          );
        };
        return {
          key: `${index}`,
          content: (
            <span className="hex-line">
              <span className="hex-offset">{(offset + start).toString(16).padStart(digits, "0")}</span>
              <span className="hex-bytes">{some.map((byte, i) => cell(byte.toString(16).padStart(2, "0"), i))}</span>
              <span className="hex-text" aria-hidden>
                {some.map((byte, i) => cell(byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·", i))}
              </span>
            </span>
          ),
        };
      }}
    />
  );
}

/** For each byte the number of its field, from 1; 0: it is in none. */
function ownersOf(fields: readonly Field[], length: number): Uint16Array {
  const owners = new Uint16Array(length);
  fields.forEach(({ start, end }, i) => {
    owners.fill(i + 1, start, end);
  });
  return owners;
}

export function classOf(field: Field | undefined, owner: number): string {
  if (field === undefined) return "hex-byte";
  return field.role === "frame" ? `hex-byte hex-frame-${owner % 2}` : `hex-byte hex-${field.role}-${owner % 4}`;
}
