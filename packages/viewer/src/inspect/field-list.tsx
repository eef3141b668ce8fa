import { useMemo } from "react";
import type { NamedField } from "../protocol.ts";
import { holderOf } from "./field-colors.ts";
import { VirtualList } from "./virtual-list.tsx";

/** Fields with what they say; choosing one shows its bytes. */
export function FieldList({
  label = "Fields",
  fields,
  classes,
  isFrameShown,
  chosen,
  pointed,
  onChoose,
  onPoint,
}: {
  readonly label?: string;
  readonly fields: readonly NamedField[];
  /** By field. */
  readonly classes: readonly string[];
  /** Whether the framing is listed, too. */
  readonly isFrameShown: boolean;
  readonly chosen: number | null;
  readonly pointed: number | null;
  readonly onChoose: (field: number) => void;
  readonly onPoint: (field: number | null, byte: number | null) => void;
}) {
  /** Fields by row, and rows by field. */
  const [listed, rowOf] = useMemo(() => {
    const listed: number[] = [];
    const rowOf = new Int32Array(fields.length).fill(-1);
    fields.forEach(({ role }, i) => {
      if (!isFrameShown && role === "frame") return;
      rowOf[i] = listed.length;
      listed.push(i);
    });
    return [listed, rowOf];
  }, [fields, isFrameShown]);
  return (
    <div
      className="bytes-fields"
      onPointerOver={({ target }) => {
        const row = (target as Element).closest<HTMLElement>("[data-index]")?.dataset["index"];
        onPoint(row === undefined ? null : listed[Number(row)]!, null);
      }}
      onPointerLeave={() => onPoint(null, null)}
    >
      <VirtualList
        label={label}
        role="listbox"
        count={listed.length}
        active={chosen === null ? -1 : rowOf[chosen]!}
        onActive={(row) => onChoose(listed[row]!)}
        onChoose={(row) => onChoose(listed[row]!)}
        row={(row) => {
          const index = listed[row]!;
          const { name, start, end, text, note, role } = fields[index]!;
          const before = row === 0 ? "" : fields[listed[row - 1]!]!.name;
          const holder = holderOf(name);
          const isShared = before.startsWith(holder);
          return {
            key: `${index}`,
            attributes: { "data-role": role, "data-pointed": pointed === index || undefined },
            content: (
              <>
                <span className={`field-swatch ${classes[index]!}`} aria-hidden />
                <span className="field-name" title={name}>
                  <span className="field-holder" data-shared={isShared || undefined}>
                    <bdi dir="ltr">{holder}</bdi>
                  </span>
                  <span className="field-own">{name.slice(holder.length)}</span>
                </span>
                <span className="field-text">{text}</span>
                <span className="field-note">{note}</span>
                <span className="field-range">
                  {start}
                  <span className="field-length">+{end - start}</span>
                </span>
              </>
            ),
          };
        }}
      />
    </div>
  );
}
