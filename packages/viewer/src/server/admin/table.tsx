import type { ReactNode } from "react";

/** Rows of a list, with what is wrong above; where there are none it says so. */
export function Table({
  columns,
  rows,
  failure,
  none,
}: {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[] | null;
  readonly failure: string | null;
  readonly none: string;
}) {
  return (
    <>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {rows !== null && rows.length === 0 && <p className="site-empty">{none}</p>}
      {rows !== null && rows.length > 0 && (
        <table>
          <thead>
            <tr>
              {columns.map((column, index) => (
                // a column of buttons has no title
                <th key={column === "" ? index : column} scope="col" aria-label={column === "" ? "Actions" : undefined}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells }) => (
              <tr key={key}>
                {cells.map((cell, index) => (
                  <td key={columns[index] === "" ? index : columns[index]} data-title={columns[index]}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
