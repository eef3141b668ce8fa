import { NBT, type NbtCompound, type NbtTag, nbtEntry } from "../../../codec/nbt.ts";
import { uuidText } from "./framing.ts";
import { compoundIn, withEntry } from "./metadata-writing.ts";

/** Texts that were taken out of a recording: all of them, and those that nothing which is kept has, too. */
interface Without {
  readonly said: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
}

/** The metadata without the marks that were said in what was taken out, and without every entry that holds a text gone. */
export function withoutTexts(root: NbtCompound, { said, gone }: Without): NbtCompound {
  const hcrp = compoundIn(root, "hcrp");
  const marks = nbtEntry(hcrp, "marks");
  let result = root;
  if (marks?.type === NBT.list) {
    const items = marks.items.filter((item) => {
      const label = item.type === NBT.compound ? nbtEntry(item, "label") : undefined;
      return label?.type !== NBT.string || label.value === "" || !said.has(label.value);
    });
    if (items.length < marks.items.length)
      result = withEntry(result, "hcrp", withEntry(hcrp, "marks", items.length === 0 ? null : { ...marks, items }));
  }
  return (without(result, gone) as NbtCompound | null) ?? { ...root, entries: [] };
}

/** A tag without what holds one of the texts; null: it is such a text itself, or of what is left nothing is known. */
function without(tag: NbtTag, texts: ReadonlySet<string>): NbtTag | null {
  switch (tag.type) {
    case NBT.string:
      return hasText(tag.value, texts) ? null : tag;
    case NBT.intArray:
      return tag.value.length === 4 && texts.has(uuidOf(tag.value)) ? null : tag;
    case NBT.list: {
      // an item of which anything is gone says nothing any more
      const items = tag.items.filter((item) => without(item, texts) === item);
      return items.length === tag.items.length ? tag : { ...tag, items };
    }
    case NBT.compound: {
      let isSame = true;
      const entries = tag.entries.flatMap((entry) => {
        const kept = hasText(entry.name.value, texts) ? null : without(entry.tag, texts);
        if (kept === entry.tag) return [entry];
        isSame = false;
        return kept === null ? [] : [{ ...entry, tag: kept }];
      });
      return isSame ? tag : { type: NBT.compound, entries };
    }
    default:
      return tag;
  }
}

/** Short ones count only as a whole: they are in many others. */
function hasText(text: string, texts: ReadonlySet<string>): boolean {
  if (texts.has(text)) return true;
  for (const one of texts) if (one.length >= 4 && text.includes(one)) return true;
  return false;
}

function uuidOf(ints: Int32Array): string {
  const bytes = new DataView(new ArrayBuffer(16));
  for (const [i, part] of ints.entries()) bytes.setInt32(4 * i, part);
  return uuidText(new Uint8Array(bytes.buffer));
}
