import { useEffect, useRef, useState } from "react";
import type { SqlAnswer } from "../shapes.ts";
import { cellText, isNumeric, titleOf } from "./cells.ts";

/** Pixels of a row; rows beside the visible ones that are drawn, too. */
const ROW = 26;
const BESIDE = 20;

/** The rows of an answer. Only those that can be seen are in the page. */
export function AnswerTable({ answer: { columns, rows } }: { readonly answer: SqlAnswer }) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer begins at its first row
  useEffect(() => {
    box.current?.scrollTo(0, 0);
    setTop(0);
  }, [rows]);
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 600));
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / ROW) - BESIDE);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + BESIDE);
  const shown = rows.slice(first, last).map((row, k) => ({ row, place: first + k }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
    <div ref={box} className="sql-rows" tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <table aria-label="Answer" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.name} scope="col" title={column.type} data-number={isNumeric(column) || undefined}>
                {column.name}
                {column.unit !== null && <small title={titleOf(column)}> {column.unit}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Gap rows={first} columns={columns.length} />}
          {shown.map(({ row, place }) => (
            <tr key={place} aria-rowindex={place + 2}>
              {columns.map((column, k) => {
                const text = cellText(row[k], column);
                return (
                  <td
                    key={column.name}
                    data-number={isNumeric(column) || undefined}
                    title={text.length > 40 ? text : undefined}
                  >
                    {row[k] === null ? <i>null</i> : text}
                  </td>
                );
              })}
            </tr>
          ))}
          {last < rows.length && <Gap rows={rows.length - last} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

/** The room of rows that are not in the page. */
function Gap({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr style={{ height: rows * ROW }}>
      <td colSpan={columns} />
    </tr>
  );
}
