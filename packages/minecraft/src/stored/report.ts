/**
 * The text of a report, in a mark of a recording or in a note beside it. Only reviewers may know the reporter, who is
 * named only in what they alone get.
 */
export function reportText(subject: string, words: string): string {
  return `${subject}${words === "" ? "" : `: ${words}`}`;
}

/** A report as it is typed, `Sam flies about`: the player, and the reason. */
export function reportIn(text: string): { readonly name: string; readonly words: string } {
  const [, name = "", words = ""] = /^(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
  return { name, words };
}
