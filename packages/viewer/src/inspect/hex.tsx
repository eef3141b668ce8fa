import { memo, useMemo, useState } from "react";
import type { NamedField } from "../protocol.ts";
import { ownersOf } from "./field-colors.ts";
import { VirtualList } from "./virtual-list.tsx";

const WIDTH = 16;

interface Props {
  readonly bytes: Uint8Array;
  /** Of the first byte. */
  readonly offset: number;
  readonly fields: readonly NamedField[];
  /** By field. */
  readonly classes: readonly string[];
  readonly chosen: number | null;
  /** The field under the pointer, here or in the list of them. */
  readonly pointed: number | null;
  readonly onChoose: (field: number) => void;
  readonly onPoint: (field: number | null, byte: number | null) => void;
}

/**
 * Bytes with their text, sixteen in a line, coloured by field; a click chooses the field of a byte, the left and right
 * arrows the field before and behind.
 */
export function Hex({ bytes, offset, fields, classes, chosen, pointed, onChoose, onPoint }: Props) {
  const [line, setLine] = useState(() => Math.floor((fields[chosen ?? 0]?.start ?? 0) / WIDTH));
  const owners = useMemo(() => ownersOf(fields, bytes.length), [fields, bytes]);
  const digits = Math.max(6, (offset + bytes.length).toString(16).length);
  const target = chosen === null ? undefined : fields[chosen];
  const [shownTarget, setShownTarget] = useState(target);
  if (target !== shownTarget) {
    setShownTarget(target);
    if (target !== undefined) setLine(Math.floor(target.start / WIDTH));
  }
  const step = (by: number): boolean => {
    const to = chosen === null ? owners[line * WIDTH]! - 1 : chosen + by;
    if (to >= 0 && to < fields.length) onChoose(to);
    return true;
  };
  const ownerAt = (target: EventTarget): readonly [number | null, number | null] => {
    const byte = (target as HTMLElement).dataset["byte"];
    const owner = byte === undefined ? 0 : owners[Number(byte)]!;
    return [owner === 0 ? null : owner - 1, byte === undefined ? null : Number(byte)];
  };
  return (
    <div
      className="hex"
      onPointerOver={({ target }) => onPoint(...ownerAt(target))}
      onPointerLeave={() => onPoint(null, null)}
      onPointerDown={({ target }) => {
        const [field] = ownerAt(target);
        if (field !== null) onChoose(field);
      }}
    >
      <VirtualList
        label="Bytes"
        role="listbox"
        count={Math.ceil(bytes.length / WIDTH)}
        active={line}
        onActive={setLine}
        onChoose={() => undefined}
        onKey={(key) => (key === "ArrowLeft" ? step(-1) : key === "ArrowRight" ? step(1) : false)}
        row={(index) => {
          const start = index * WIDTH;
          const end = Math.min(bytes.length, start + WIDTH);
          const touches = (field: number | null): number | null => {
            const range = field === null ? undefined : fields[field];
            return range !== undefined && range.start < end && range.end > start ? field : null;
          };
          return {
            key: `${index}`,
            content: (
              <HexLine
                {...{ bytes, owners, classes, start, end }}
                place={(offset + start).toString(16).padStart(digits, "0")}
                chosen={touches(chosen)}
                pointed={touches(pointed)}
              />
            ),
          };
        }}
      />
    </div>
  );
}

interface LineProps {
  readonly bytes: Uint8Array;
  readonly owners: Uint32Array;
  readonly classes: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly place: string;
  /** Only where the line has some of it. */
  readonly chosen: number | null;
  readonly pointed: number | null;
}

const HexLine = memo(function HexLine({ bytes, owners, classes, start, end, place, chosen, pointed }: LineProps) {
  const cells = (textOf: (byte: number) => string) =>
    Array.from(bytes.subarray(start, end), (byte, i) => {
      const at = start + i;
      const owner = owners[at]!;
      const isFirst = owner > 0 && (at === 0 || owners[at - 1] !== owner);
      return (
        <span
          key={at}
          className={`hex-byte ${owner === 0 ? "" : classes[owner - 1]!}`}
          data-byte={at}
          data-first={isFirst || undefined}
          data-chosen={(chosen !== null && owner - 1 === chosen) || undefined}
          data-pointed={(pointed !== null && owner - 1 === pointed) || undefined}
        >
          {textOf(byte)}
        </span>
      );
    });
  return (
    <span className="hex-line">
      <span className="hex-offset">{place}</span>
      <span className="hex-bytes">{cells((byte) => byte.toString(16).padStart(2, "0"))}</span>
      <span className="hex-text" aria-hidden>
        {cells((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·"))}
      </span>
    </span>
  );
});
