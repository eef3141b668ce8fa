/** The present time in the form of recording names: `20260201T120000-000Z`. */
export function stamp(): string {
  return new Date().toISOString().replaceAll(/[-:]/g, "").replace(".", "-");
}

/** A text, made fit for a part of a recording's name. */
export function plain(text: string): string {
  return text.replaceAll(/[^\w]/g, "-").slice(0, 40);
}
