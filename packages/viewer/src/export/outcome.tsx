import { sizeText } from "../size.ts";
import type { Exporting } from "./use-export.ts";

/** How far an export is, its files, or why there are none. */
export function Outcome({ exporting }: { readonly exporting: Exporting }) {
  switch (exporting.phase) {
    case "idle":
      return null;
    case "running":
      return (
        <p role="status" className="export-progress">
          Exporting …
          <progress
            aria-label="Exported"
            max={1}
            {...(exporting.part === null ? {} : { value: Math.min(1, exporting.part) })}
          />
        </p>
      );
    case "failed":
      return (
        <p role="alert" className="start-failure">
          {exporting.message}
        </p>
      );
    default: {
      const { made, downloads } = exporting;
      return (
        <div role="status" className="export-files">
          <p>
            {countText(made.count, made.unit)} of {made.of.join(", ")}:
          </p>
          <ul>
            {downloads.map(({ name, bytes, address }) => (
              <li key={name}>
                <a href={address} download={name}>
                  {name}
                </a>{" "}
                {sizeText(bytes)}
              </li>
            ))}
          </ul>
          {made.lost.map(({ path, count, reason }) => (
            <p key={`${path} ${reason}`} className="export-lost">
              Lost: {path}, {count} times: {reason}
            </p>
          ))}
          {made.notes.map((note) => (
            <p key={note} className="faint">
              {note}
            </p>
          ))}
        </div>
      );
    }
  }
}

function countText(count: number, unit: string): string {
  const many = unit.endsWith("x") ? `${unit}es` : `${unit}s`;
  return `${count} ${count === 1 ? unit : many}`;
}
