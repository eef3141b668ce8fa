/** Versions of the game that viewers may have, each the last one of its protocol. */
export const VERSIONS = ["1.16.5", "1.18.2", "1.19.4", "1.20.1", "1.20.4", "1.21.1", "1.21.4"] as const;

export type Version = (typeof VERSIONS)[number];

export function isVersion(text: string): text is Version {
  return (VERSIONS as readonly string[]).includes(text);
}

/** All of them, in the form `1.16.5, 1.18.2 or 1.19.4`. */
export function versionList(word: "or" | "and" = "or"): string {
  return `${VERSIONS.slice(0, -1).join(", ")} ${word} ${VERSIONS.at(-1)}`;
}
