import type { State } from "simtape";

/** One thing of a recording. */
export interface Thing {
  readonly set: string;
  readonly id: number | string;
}

/**
 * What the page is about: camera, readings, plots, marks, names and first person are of it. `isChosen`: by a click, a
 * link or a review, so that it stays where it is not there for a while; otherwise by the recording or by who leads.
 */
export interface Subject extends Thing {
  readonly isChosen: boolean;
}

/** `set/id` of a subject that was chosen; null: none was. */
export function chosenName({ subject }: { readonly subject: Subject | null }): string | null {
  return subject?.isChosen === true ? `${subject.set}/${subject.id}` : null;
}

/** The thing of that name, which is `set/id`, in a state; null: it is not there. */
export function thingNamed({ sets }: State, name: string): Thing | null {
  for (const [set, { ids }] of sets) {
    if (!name.startsWith(`${set}/`)) continue;
    const id = [...ids].find((one) => String(one) === name.slice(set.length + 1));
    if (id !== undefined) return { set, id };
  }
  return null;
}
