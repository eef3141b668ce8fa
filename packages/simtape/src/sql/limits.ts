/** What a database may take. */
export interface Limits {
  /** Bytes of memory; absent: what DuckDB takes, four fifths of the machine's. */
  readonly memory?: number | undefined;
  /** Milliseconds of one question, reading included; absent: no limit. */
  readonly time?: number | undefined;
  /** Folder for what does not fit into memory; absent: nothing is put on disk. */
  readonly spill?: string | undefined;
}
