import { Observable } from "./observable.ts";
import type { Session } from "./session.ts";

/** Changes that can be undone at most. */
const MOST = 200;

/** Another value of what the address keeps under a key. */
interface Change {
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
}

interface Changes {
  /** The newest last. */
  readonly done: readonly Change[];
  /** Those that were undone: the next one to be done again last. */
  readonly undone: readonly Change[];
}

const NONE: Changes = { done: [], undone: [] };

/** What the user changed of what the address keeps: one list for the page, with a key of each part that has changes. */
export const changes: Observable<Changes> = new Observable<Changes>(NONE);

/** Keeps another value under `key`; undefined: none. */
export function change(session: Session, key: string, to: unknown): void {
  const { done, undone } = standing(session);
  const from = session.state.value.shared[key];
  if (from === to) return;
  changes.set({ done: [...done, { key, from, to }].slice(-MOST), undone: undone.filter((one) => one.key !== key) });
  session.share(key, to);
}

/** Keeps another value under `key` as part of the change before. */
export function amend(session: Session, key: string, to: unknown): void {
  const { done, undone } = standing(session);
  const before = session.state.value.shared[key];
  const amended = (one: Change): Change => ({
    key: one.key,
    from: one.key === key && one.from === before ? to : one.from,
    to: one.key === key && one.to === before ? to : one.to,
  });
  changes.set({ done: done.map(amended), undone: undone.map(amended) });
  session.share(key, to);
}

/** Takes back the newest change, of `key` if it is given. Returns its key; null: there is none. */
export function undo(session: Session, key?: string): string | null {
  const { done, undone } = standing(session);
  const last = newestOf(done, key);
  if (last === undefined) return null;
  changes.set({ done: done.filter((one) => one !== last), undone: [...undone, last] });
  session.share(last.key, last.from);
  return last.key;
}

/** Makes the change again that was taken back last. Returns its key; null: there is none. */
export function redo(session: Session, key?: string): string | null {
  const { done, undone } = standing(session);
  const next = newestOf(undone, key);
  if (next === undefined) return null;
  changes.set({ done: [...done, next], undone: undone.filter((one) => one !== next) });
  session.share(next.key, next.to);
  return next.key;
}

/** Whether there is something to take back, and to make again. */
export function changesOf(session: Session, key?: string): { readonly canUndo: boolean; readonly canRedo: boolean } {
  const { done, undone } = standing(session);
  return { canUndo: newestOf(done, key) !== undefined, canRedo: newestOf(undone, key) !== undefined };
}

function newestOf(list: readonly Change[], key: string | undefined): Change | undefined {
  return list.findLast((one) => key === undefined || one.key === key);
}

/** Without those of a key whose value was replaced meanwhile, by another recording for instance. */
function standing(session: Session): Changes {
  const { shared } = session.state.value;
  const { done, undone } = changes.value;
  const stands = ({ key }: Change): boolean => {
    const last = newestOf(done, key);
    return (last === undefined ? newestOf(undone, key)?.from : last.to) === shared[key];
  };
  return { done: done.filter(stands), undone: undone.filter(stands) };
}
