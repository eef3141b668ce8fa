import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import type { Item } from "../shapes.ts";
import type { Batch } from "./use-batch.ts";

/** Recordings that are named before the work begins. */
const NAMED = 10;

/** The recordings that something is to be done with; when it has begun, what became of each. */
export function BatchList<T>({
  items,
  batch,
  done,
}: {
  readonly items: readonly Item[];
  readonly batch: Batch<T>;
  /** What to say of one with which it was done. */
  readonly done: (value: T) => ReactNode;
}) {
  const shown = batch.isBegun ? items : items.slice(0, NAMED);
  return (
    <ul className="batch-list">
      {shown.map((item) => {
        const { state, value, message } = batch.of(item);
        return (
          <li key={item.id} data-state={batch.isBegun ? state : undefined}>
            <span title={item.key}>{item.name}</span>
            {batch.isBegun && (
              <span className={state === "failed" ? "wrong" : "faint"}>
                {state === "failed" ? message : state === "done" ? done(value as T) : "…"}
              </span>
            )}
          </li>
        );
      })}
      {shown.length < items.length && (
        <li className="faint">and {(items.length - shown.length).toLocaleString()} more</li>
      )}
    </ul>
  );
}

/** How it ended, with a button that closes the dialog, and one that tries again where some have failed. */
export function BatchEnd<T>({
  count,
  batch: { failed },
  done,
  onAgain,
  onClose,
}: {
  readonly count: number;
  readonly batch: Batch<T>;
  /** "deleted" */
  readonly done: string;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}) {
  return (
    <>
      <p role={failed > 0 ? "alert" : "status"}>
        {failed === 0
          ? `${countText(count)} ${done}.`
          : `${(count - failed).toLocaleString()} of ${countText(count)} ${done}, ${failed.toLocaleString()} not.`}
      </p>
      <p className="batch-line">
        {failed > 0 && <Button onClick={onAgain}>Try again</Button>}
        <Button kind="main" onClick={onClose}>
          Close
        </Button>
      </p>
    </>
  );
}

export function countText(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? "recording" : "recordings"}`;
}
