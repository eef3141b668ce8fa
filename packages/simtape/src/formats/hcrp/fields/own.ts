import { inside, noted, oneOf, type Part, part, u8 } from "../../../bytes/field-parts.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Fields } from "../../../bytes/fields.ts";
import type { ColumnKind } from "../../../model/state/column.ts";
import type { Palettes } from "../chunk/context.ts";
import { varInt } from "./values.ts";
import { readString } from "../layout/framing.ts";
import { PALETTE } from "../layout/chunk.ts";
import { axesNote, hasMore } from "../layout/axes.ts";
import { readCells, readIds, readName, readValue } from "../layout/values.ts";
import { KINDS, OP } from "../layout/patch.ts";

const OP_NAMES = Object.entries(OP)
  .sort(([, a], [, b]) => a - b)
  .map(([name]) => name);

const value: Part = part((cursor) => readValue(cursor));
const ids: Part<readonly (number | string)[]> = part(readIds);

/** Changes of another format's values and sets (`patch.ts`), one operation after another. */
export function patchFields(fields: Fields, path: string, palettes: Palettes): void {
  const name = part((cursor) => readName(cursor, (index) => palettes.name(PALETTE.text, index)));
  let kind: ColumnKind = "f64";
  let width = 1;
  const cells = (own: string, count: number): void => {
    fields.read(own, (cursor) => readCells(cursor, kind, count));
  };
  for (let i = 0; fields.left > 0; i++) {
    const at = `${path}[${i}]`;
    const op = fields.as("frame", () => oneOf(u8, OP_NAMES)(fields, inside(at, "operation")));
    switch (op) {
      case OP.value:
        name(fields, inside(at, "name"));
        value(fields, inside(at, "value"));
        break;
      case OP.delete:
      case OP.dropColumn:
        name(fields, inside(at, "name"));
        break;
      case OP.set:
        name(fields, inside(at, "set"));
        if (hasMore(noted(u8, axesNote)(fields, inside(at, "axes")))) value(fields, inside(at, "stated"));
        break;
      case OP.removeRows:
      case OP.addRows:
        ids(fields, inside(at, "ids"));
        break;
      case OP.dense:
        varInt(fields, inside(at, "count"));
        break;
      case OP.column: {
        name(fields, inside(at, "column"));
        kind = KINDS[noted(u8, (bits) => KINDS[bits & 15] ?? null)(fields, inside(at, "kind")) & 15] ?? "f64";
        width = varInt(fields, inside(at, "width"));
        if (u8(fields, inside(at, "has unit")) !== 0) part(readString)(fields, inside(at, "unit"));
        break;
      }
      case OP.cells:
        cells(
          inside(at, "cells"),
          fields.as("frame", () => varInt(fields, inside(at, "cells.count"))),
        );
        break;
      case OP.someCells:
        cells(inside(at, "cells"), ids(fields, inside(at, "ids")).length * width);
        break;
      case OP.clear:
        break;
      default:
        throw new LayoutError("malformed", `unknown operation ${op}`, fields.cursor.offset - 1);
    }
  }
}
