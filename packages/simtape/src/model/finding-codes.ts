/** One code, in words. */
export interface FindingMeaning {
  /** What is wrong, or worth knowing: a sentence. */
  readonly means: string;
  /** What to do about it. */
  readonly advice: string;
}

/** Every code that the formats and commands of simtape report. */
export type KnownFindingCode =
  | "packet-size"
  | "gap-bytes"
  | "unindexed"
  | "truncated"
  | "bad-header"
  | "bad-payload"
  | "bad-time"
  | "bad-record"
  | "bad-length"
  | "bad-checksum"
  | "bad-compression"
  | "bad-gzip"
  | "bad-index"
  | "bad-index-entry"
  | "missing-index"
  | "unknown-record"
  | "unknown-compression"
  | "too-long"
  | "trailing-bytes"
  | "no-frames"
  | "unclosed"
  | "unclosed-frame"
  | "bad-packet"
  | "packet-count"
  | "damaged-bytes"
  | "frame-number"
  | "frame-duration"
  | "frame-time"
  | "frame-start"
  | "frame-end"
  | "header"
  | "record-size"
  | "signal-dropped"
  | "short-signals"
  | "bad-frame"
  | "bad-multiplayer"
  | "bad-extra-properties"
  | "bad-count"
  | "missing-frames"
  | "time-order"
  | "no-data-items"
  | "compression-mismatch"
  | "include-ignored"
  | "alias-ignored"
  | "omit-node-ignored"
  | "first-frame"
  | "counts"
  | "gzip"
  | "plays-nowhere"
  | "plays-nothing"
  | "negative-times"
  | "hidden-frames"
  | "signal-gaps"
  | "buffer-order"
  | "fatal-text"
  | "bad-header-checksum"
  | "bad-metadata-checksum"
  | "bad-index-checksum"
  | "bad-metadata"
  | "odd-metadata"
  | "metadata-length"
  | "metadata-recovered"
  | "missing-metadata-file"
  | "total-length"
  | "chunk-count"
  | "tick-count"
  | "unknown-flags"
  | "dictionary-id"
  | "dictionary-id-differs"
  | "production-version"
  | "index-length"
  | "index-cut"
  | "index-recovered"
  | "index-gap"
  | "index-overlap"
  | "index-offset"
  | "index-flags"
  | "index-first-snapshot"
  | "index-start-tick"
  | "index-tick-count"
  | "index-ratio"
  | "index-compressed-length"
  | "index-uncompressed-length"
  | "index-segment-order"
  | "bad-chunk-record"
  | "damaged-chunk"
  | "missing-segment"
  | "moved-chunks"
  | "uncommitted-chunks"
  | "lost-ticks"
  | "no-snapshot"
  | "stray-bytes"
  | "unstated-length"
  | "unsupported-event"
  | "unsupported-version"
  | "unsupported-schema"
  | "unresolved-name"
  | "other-world"
  | "private-event"
  | "snapshot-differs"
  | "journal"
  | "left-out"
  | "bad-name"
  | "bad-data"
  | "bad-pointer"
  | "block-mismatch"
  | "block-count-mismatch"
  | "index-mismatch"
  | "data-size-mismatch"
  | "missing-channel-info"
  | "late-channel-info"
  | "duplicate-channel-info"
  | "too-many-tables"
  | "damaged"
  | "bad-message"
  | "bad-local-header"
  | "missing-directory"
  | "index-count"
  | "missing-messages"
  | "missing-timestamp"
  | "too-many-parts"
  | "sibling-unusable"
  | "seek-index-ignored";

const REPAIR = "Run `simtape repair`: it keeps what is sound and says what was lost.";
const NOTHING = "Nothing: it is for your information.";

/**
 * What a finding's code means, and what to do. The page docs/findings.md is made of it; programs that only compare codes
 * need its type alone.
 */
export const FINDING_CODES: Readonly<Record<KnownFindingCode, FindingMeaning>> = {
  "packet-size": {
    means: "A repair put right the size of a packet.",
    advice: NOTHING,
  },
  "gap-bytes": {
    means: "A repair left out bytes between chunks that belong to nothing.",
    advice: NOTHING,
  },
  unindexed: {
    means: "A repair left out bytes that the index does not name.",
    advice: NOTHING,
  },
  truncated: {
    means: "The file ends inside a record: it was cut, or its writer died.",
    advice: REPAIR,
  },
  "bad-header": {
    means: "The file's header does not fit its format; what does not depend on it is read.",
    advice: REPAIR,
  },
  "bad-payload": {
    means: "A message does not decode by its channel's schema.",
    advice: "Run `simtape repair`: it keeps what is sound and says what was lost. The message is left out.",
  },
  "bad-time": {
    means: "A time cannot be right: it is no number, or its neighbours say otherwise.",
    advice: REPAIR,
  },
  "bad-record": {
    means: "Bytes are no record of the format; reading goes on with the next one.",
    advice: REPAIR,
  },
  "bad-length": {
    means: "A length does not agree with what stands inside or behind it.",
    advice: REPAIR,
  },
  "bad-checksum": {
    means: "The content does not have the checksum that is stored with it.",
    advice: REPAIR,
  },
  "bad-compression": {
    means: "Compressed content cannot be inflated to its end.",
    advice: REPAIR,
  },
  "bad-gzip": {
    means: "The gzip stream around the recording is damaged; what could be inflated is read.",
    advice: REPAIR,
  },
  "bad-index": {
    means: "The stored index cannot be read, or does not go with the messages; one is built by scanning.",
    advice: REPAIR,
  },
  "bad-index-entry": {
    means: "One entry of the stored index cannot be right.",
    advice: REPAIR,
  },
  "missing-index": {
    means: "The index that its writer adds at the end is not there; one is built by scanning.",
    advice: "Run `simtape repair` to have it stored, so that the file opens without a scan.",
  },
  "unknown-record": {
    means: "A record is of a kind that the format does not have.",
    advice: REPAIR,
  },
  "unknown-compression": {
    means: "Data are compressed in a way that is not known, or are damaged; their bytes are kept.",
    advice: "Name the codec in the channel's metadata if it is one of yours; else repair.",
  },
  "too-long": {
    means: "A record is longer than can be read at once.",
    advice: REPAIR,
  },
  "trailing-bytes": {
    means: "Bytes stand behind the end of the recording.",
    advice: REPAIR,
  },
  "no-frames": {
    means: "The recording is sound and holds no frame.",
    advice: NOTHING,
  },
  unclosed: {
    means: "The recording was not closed by its writer.",
    advice: "Run `simtape repair` to close it.",
  },
  "unclosed-frame": {
    means: "A frame has no end: another one begins inside it, or the file ends.",
    advice: REPAIR,
  },
  "bad-packet": {
    means: "Bytes are no packet of CARLA's recorder; they are skipped up to the next one.",
    advice: REPAIR,
  },
  "packet-count": {
    means: "A repair put right how many records a packet has.",
    advice: NOTHING,
  },
  "damaged-bytes": {
    means: "A repair left out bytes that are no packet.",
    advice: NOTHING,
  },
  "frame-number": {
    means: "A repair put right the number of a frame.",
    advice: NOTHING,
  },
  "frame-duration": {
    means: "A repair put right the duration of a frame, or said that it is not known.",
    advice: NOTHING,
  },
  "frame-time": {
    means: "A repair put right the elapsed time of a frame.",
    advice: NOTHING,
  },
  "frame-start": {
    means: "A repair wrote the start of a frame that had none.",
    advice: NOTHING,
  },
  "frame-end": {
    means: "A repair wrote the end of a frame that had none.",
    advice: NOTHING,
  },
  header: {
    means: "A repair wrote the header again.",
    advice: NOTHING,
  },
  "record-size": {
    means: "The sizes of the signals in the header do not add up to the record size that it states.",
    advice: "Compare some values with what you know of the flight, then repair.",
  },
  "signal-dropped": {
    means: "FlightGear gives a signal of the header no bytes, so it is not read.",
    advice: NOTHING,
  },
  "short-signals": {
    means: "The signals of a frame are too few.",
    advice: REPAIR,
  },
  "bad-frame": {
    means: "A frame of a tape cannot be read.",
    advice: REPAIR,
  },
  "bad-multiplayer": {
    means: "The multiplayer packets of a frame do not fill the room that is stated for them.",
    advice: REPAIR,
  },
  "bad-extra-properties": {
    means: "The extra properties of a frame do not fill the room that is stated for them.",
    advice: REPAIR,
  },
  "bad-count": {
    means: "A count in the tape is not that of what follows.",
    advice: REPAIR,
  },
  "missing-frames": {
    means: "The header or a buffer counts more frames than are there.",
    advice: REPAIR,
  },
  "time-order": {
    means: "A frame is older than the one before it.",
    advice: NOTHING,
  },
  "no-data-items": {
    means: "The header names no data: its frames cannot hold anything.",
    advice: NOTHING,
  },
  "compression-mismatch": {
    means: "The frames are not compressed as the header says; they are read as they are.",
    advice: "Copy the tape with `--rewrite` to have both agree.",
  },
  "include-ignored": {
    means: "The header asks for another file to be included, which is not followed.",
    advice: NOTHING,
  },
  "alias-ignored": {
    means: "A property of the header is an alias, which is not followed.",
    advice: NOTHING,
  },
  "omit-node-ignored": {
    means: "A property of the header is marked to be left out, which is not followed.",
    advice: NOTHING,
  },
  "first-frame": {
    means: "A repair made up the first frame, so that times stay what they were.",
    advice: NOTHING,
  },
  counts: {
    means: "A repair wrote the counts of the buffers again.",
    advice: NOTHING,
  },
  gzip: {
    means: "A repair wrote the gzip stream around the tape again.",
    advice: NOTHING,
  },
  "plays-nowhere": {
    means: "FlightGear of this dialect's time is needed to play the tape.",
    advice: "Copy it with `--dialect normal` to play it in other versions.",
  },
  "plays-nothing": {
    means: "FlightGear loads the tape and plays nothing of it.",
    advice: NOTHING,
  },
  "negative-times": {
    means: "Frames have times below zero, where FlightGear goes back to the first one.",
    advice: "Shift the times with `simtape shift`.",
  },
  "hidden-frames": {
    means: "Several frames have one time: FlightGear shows the last of them.",
    advice: NOTHING,
  },
  "signal-gaps": {
    means: "Frames without signals stand between others: FlightGear does not move smoothly over them.",
    advice: NOTHING,
  },
  "buffer-order": {
    means: "Frames are newer than those of a newer buffer: FlightGear does not find them.",
    advice: "Copy the tape with `--rewrite`.",
  },
  "fatal-text": {
    means: "A text of the tape ends FlightGear when it is played.",
    advice: "Copy the tape with `--rewrite` before playing it there.",
  },
  "bad-header-checksum": {
    means: "The header does not have its checksum.",
    advice: REPAIR,
  },
  "bad-metadata-checksum": {
    means: "The metadata do not have their checksum.",
    advice: REPAIR,
  },
  "bad-index-checksum": {
    means: "The index does not have its checksum.",
    advice: REPAIR,
  },
  "bad-metadata": {
    means: "The metadata cannot be read.",
    advice: REPAIR,
  },
  "odd-metadata": {
    means: "An entry of the metadata is not of the kind that the specification gives it.",
    advice: "Look at it with `simtape meta get`.",
  },
  "metadata-length": {
    means: "The length of the metadata is not that which the header states.",
    advice: REPAIR,
  },
  "metadata-recovered": {
    means: "The metadata were found by their form, as the header does not say where they are.",
    advice: REPAIR,
  },
  "missing-metadata-file": {
    means: "The segments have no metadata file beside them; what they say themselves is read.",
    advice: REPAIR,
  },
  "total-length": {
    means: "The header states another length of the file.",
    advice: REPAIR,
  },
  "chunk-count": {
    means: "The header states another number of chunks.",
    advice: REPAIR,
  },
  "tick-count": {
    means: "The header states another number of ticks.",
    advice: REPAIR,
  },
  "unknown-flags": {
    means: "The header has flags that this version does not know.",
    advice: "Read the recording with a newer simtape, if there is one.",
  },
  "dictionary-id": {
    means: "The metadata name a zstd dictionary that cannot be one.",
    advice: REPAIR,
  },
  "dictionary-id-differs": {
    means: "Header and metadata name different zstd dictionaries.",
    advice: REPAIR,
  },
  "production-version": {
    means: "The index is of another production version than the header says.",
    advice: REPAIR,
  },
  "index-length": {
    means: "The index is not as long as is stated.",
    advice: REPAIR,
  },
  "index-cut": {
    means: "The index ends inside an entry.",
    advice: REPAIR,
  },
  "index-recovered": {
    means: "The index was built from the chunks, as the stored one cannot be used.",
    advice: REPAIR,
  },
  "index-gap": {
    means: "Bytes that no entry of the index names stand between two chunks.",
    advice: REPAIR,
  },
  "index-overlap": {
    means: "Two entries of the index name the same bytes.",
    advice: REPAIR,
  },
  "index-offset": {
    means: "An entry of the index leads outside the file.",
    advice: REPAIR,
  },
  "index-flags": {
    means: "An entry of the index has flags that are not known.",
    advice: REPAIR,
  },
  "index-first-snapshot": {
    means: "The first chunk has no snapshot by its entry of the index.",
    advice: REPAIR,
  },
  "index-start-tick": {
    means: "A chunk does not begin where the one before it ends.",
    advice: REPAIR,
  },
  "index-tick-count": {
    means: "A chunk has no ticks by its entry of the index.",
    advice: REPAIR,
  },
  "index-ratio": {
    means: "A chunk would inflate to more than a thousand times its length.",
    advice: REPAIR,
  },
  "index-compressed-length": {
    means: "A chunk's length in the file is outside of what the specification allows.",
    advice: REPAIR,
  },
  "index-uncompressed-length": {
    means: "A chunk's inflated length is outside of what the specification allows, or another one.",
    advice: REPAIR,
  },
  "index-segment-order": {
    means: "Chunks lie in other segments than their order tells.",
    advice: NOTHING,
  },
  "bad-chunk-record": {
    means: "The record before a chunk in its segment is damaged, or of another chunk.",
    advice: REPAIR,
  },
  "damaged-chunk": {
    means: "A chunk cannot be inflated or read to its end; what comes before the damage is kept.",
    advice: REPAIR,
  },
  "missing-segment": {
    means: "A segment file that the index names is not there.",
    advice: "Bring the file back from a copy, or repair.",
  },
  "moved-chunks": {
    means: "Chunks were found in other places than the index names.",
    advice: REPAIR,
  },
  "uncommitted-chunks": {
    means: "Chunks stand behind those that the metadata file names: the recorder died before it named them.",
    advice: "Run `simtape recover` on the folder.",
  },
  "lost-ticks": {
    means: "Ticks are lost between what could be read.",
    advice: REPAIR,
  },
  "no-snapshot": {
    means: "A chunk says that it begins with a snapshot and does not.",
    advice: REPAIR,
  },
  "stray-bytes": {
    means: "Bytes belong to nothing in the file.",
    advice: REPAIR,
  },
  "unstated-length": {
    means: "A chunk's zstd frame does not state its length.",
    advice: NOTHING,
  },
  "unsupported-event": {
    means: "A chunk holds an event of a type that is not known; its rest cannot be read.",
    advice: "Read the recording with a newer simtape, if there is one.",
  },
  "unsupported-version": {
    means: "A chunk is of a version that is not known.",
    advice: "Read the recording with a newer simtape, if there is one.",
  },
  "unsupported-schema": {
    means: "An epoch is of a schema that is not known; its host events stay bytes.",
    advice: NOTHING,
  },
  "unresolved-name": {
    means: "A name of the game does not exist in the newest data version any more; a placeholder stands for it.",
    advice: "Give the format a `fixer` that knows the name.",
  },
  "other-world": {
    means: "The recording was made in another world, or in another version of it.",
    advice: "Show it without the world, or give the right one.",
  },
  "private-event": {
    means: "An event that only simtape's own copies have is damaged.",
    advice: REPAIR,
  },
  "snapshot-differs": {
    means: "A snapshot says something else than the events before it.",
    advice: "Compare both moments with `simtape state`; the snapshot holds from its tick on.",
  },
  journal: {
    means: "The recorder's journal has ticks that are in no segment.",
    advice: "Run `simtape recover` on the folder.",
  },
  "left-out": {
    means: "A compaction left out what could not be read.",
    advice: NOTHING,
  },
  "bad-name": {
    means: "A chunk names a channel by bytes that are no name.",
    advice: REPAIR,
  },
  "bad-data": {
    means: "The data of a message are damaged.",
    advice: REPAIR,
  },
  "bad-pointer": {
    means: "A pointer of the tape leads to something else.",
    advice: REPAIR,
  },
  "block-mismatch": {
    means: "A block says other counts, sizes or times than it has.",
    advice: REPAIR,
  },
  "block-count-mismatch": {
    means: "The file header counts other blocks than are there.",
    advice: REPAIR,
  },
  "index-mismatch": {
    means: "An index table lists other messages than are there.",
    advice: REPAIR,
  },
  "data-size-mismatch": {
    means: "A channel info counts other bytes of data than are there.",
    advice: REPAIR,
  },
  "missing-channel-info": {
    means: "A channel has messages and no channel info: its type is not known.",
    advice: REPAIR,
  },
  "late-channel-info": {
    means: "A channel info stands behind the first message of its channel.",
    advice: NOTHING,
  },
  "duplicate-channel-info": {
    means: "A channel has a second channel info; the first one holds.",
    advice: NOTHING,
  },
  "too-many-tables": {
    means: "There are more index tables than are looked at.",
    advice: NOTHING,
  },
  damaged: {
    means: "A repair left out bytes that are no chunk.",
    advice: NOTHING,
  },
  "bad-message": {
    means: "Bytes between messages are none; reading goes on with the next one.",
    advice: REPAIR,
  },
  "bad-local-header": {
    means: "The zip's header before its data is damaged; the directory says where the data are.",
    advice: REPAIR,
  },
  "missing-directory": {
    means: "The zip has no directory that can be read; members were found by their own headers.",
    advice: REPAIR,
  },
  "index-count": {
    means: "The index holds other entries than it states.",
    advice: REPAIR,
  },
  "missing-messages": {
    means: "The index names messages behind the end of the data.",
    advice: REPAIR,
  },
  "missing-timestamp": {
    means: "An entry of the index has no time; that of the entry before it is taken.",
    advice: REPAIR,
  },
  "too-many-parts": {
    means: "A message has more kinds of content than simtape distinguishes; the others are left out.",
    advice: NOTHING,
  },
  "sibling-unusable": {
    means: "The other file of the pair cannot be read and is left out.",
    advice: "Check that file on its own with `simtape check`.",
  },
  "seek-index-ignored": {
    means: "The seek index that was kept of the recording does not fit it, or is damaged: it was read without one.",
    advice: "`simtape index` makes it again.",
  },
};
