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
  | "missing-frame"
  | "too-many-parts"
  | "sibling-unusable"
  | "seek-index-ignored";

const REPAIR = "Run `simtape repair`: it keeps everything sound and reports what was lost.";
const NOTHING = "Nothing: this is for your information.";

/**
 * What a finding's code means, and what to do. The page docs/findings.md is made of it; programs that only compare codes
 * need its type alone.
 */
export const FINDING_CODES: Readonly<Record<KnownFindingCode, FindingMeaning>> = {
  "packet-size": {
    means: "A repair corrected the size of a packet.",
    advice: NOTHING,
  },
  "gap-bytes": {
    means: "A repair left out bytes between chunks that belong to no chunk.",
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
    means: "The header does not match its format; simtape reads everything that does not depend on it.",
    advice: REPAIR,
  },
  "bad-payload": {
    means: "A message does not decode by its channel's schema.",
    advice: "Run `simtape repair`: it keeps everything sound and reports what was lost. The message is left out.",
  },
  "bad-time": {
    means: "A time is wrong: it is no number, or it contradicts its neighbours.",
    advice: REPAIR,
  },
  "bad-record": {
    means: "Bytes are no record of the format; simtape continues with the next record.",
    advice: REPAIR,
  },
  "bad-length": {
    means: "A length does not agree with the content inside or behind it.",
    advice: REPAIR,
  },
  "bad-checksum": {
    means: "The content does not match the checksum stored with it.",
    advice: REPAIR,
  },
  "bad-compression": {
    means: "Compressed content cannot be inflated to its end.",
    advice: REPAIR,
  },
  "bad-gzip": {
    means: "The gzip stream around the recording is damaged; simtape reads what it can inflate.",
    advice: REPAIR,
  },
  "bad-index": {
    means: "The stored index cannot be read, or does not match the messages; simtape builds one by scanning.",
    advice: REPAIR,
  },
  "bad-index-entry": {
    means: "One entry of the stored index is wrong.",
    advice: REPAIR,
  },
  "missing-index": {
    means: "The index at the end of the file is missing; simtape builds one by scanning.",
    advice: "Run `simtape repair` to store the index, so that the file opens without a scan.",
  },
  "unknown-record": {
    means: "The format has no records of this kind.",
    advice: REPAIR,
  },
  "unknown-compression": {
    means: "Data have an unknown compression, or are damaged; simtape keeps their bytes.",
    advice: "If it is your own codec, name it in the channel's metadata; otherwise repair.",
  },
  "too-long": {
    means: "A record is longer than simtape reads.",
    advice: REPAIR,
  },
  "trailing-bytes": {
    means: "There are bytes after the end of the recording.",
    advice: REPAIR,
  },
  "no-frames": {
    means: "The recording is sound and has no frames.",
    advice: NOTHING,
  },
  unclosed: {
    means: "The writer did not close the recording.",
    advice: "Run `simtape repair` to close it.",
  },
  "unclosed-frame": {
    means: "A frame has no end: another one begins inside it, or the file ends.",
    advice: REPAIR,
  },
  "bad-packet": {
    means: "Bytes are no packet of CARLA's recorder; simtape skips them up to the next packet.",
    advice: REPAIR,
  },
  "packet-count": {
    means: "A repair corrected the number of records in a packet.",
    advice: NOTHING,
  },
  "damaged-bytes": {
    means: "A repair left out bytes that are no packet.",
    advice: NOTHING,
  },
  "frame-number": {
    means: "A repair corrected the number of a frame.",
    advice: NOTHING,
  },
  "frame-duration": {
    means: "A repair corrected the duration of a frame, or marked it as unknown.",
    advice: NOTHING,
  },
  "frame-time": {
    means: "A repair corrected the elapsed time of a frame.",
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
    means: "The sizes of the signals in the header do not add up to the stated record size.",
    advice: "Compare some values with what you know of the flight, then repair.",
  },
  "signal-dropped": {
    means: "FlightGear gives a signal of the header no bytes, so it is not read.",
    advice: NOTHING,
  },
  "short-signals": {
    means: "A frame has too few signals.",
    advice: REPAIR,
  },
  "bad-frame": {
    means: "A frame of a tape cannot be read.",
    advice: REPAIR,
  },
  "bad-multiplayer": {
    means: "The multiplayer packets of a frame do not fill their stated length.",
    advice: REPAIR,
  },
  "bad-extra-properties": {
    means: "The extra properties of a frame do not fill their stated length.",
    advice: REPAIR,
  },
  "bad-count": {
    means: "A count in the tape differs from the number of items after it.",
    advice: REPAIR,
  },
  "missing-frames": {
    means: "The header or a buffer counts more frames than the file has.",
    advice: REPAIR,
  },
  "time-order": {
    means: "A frame is older than the one before it.",
    advice: NOTHING,
  },
  "no-data-items": {
    means: "The header names no data: its frames cannot contain anything.",
    advice: NOTHING,
  },
  "compression-mismatch": {
    means: "The header names another compression than the frames have; simtape reads the frames.",
    advice: "Copy the tape with `--rewrite`: then both agree.",
  },
  "include-ignored": {
    means: "The header includes another file; simtape does not read it.",
    advice: NOTHING,
  },
  "alias-ignored": {
    means: "A property of the header is an alias; simtape does not follow it.",
    advice: NOTHING,
  },
  "omit-node-ignored": {
    means: "A property of the header is marked as omitted; simtape reads it all the same.",
    advice: NOTHING,
  },
  "first-frame": {
    means: "A repair added a first frame, so that the times stay the same.",
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
    means: "Only FlightGear of this dialect's time plays the tape.",
    advice: "Copy it with `--dialect normal` to play it in other versions.",
  },
  "plays-nothing": {
    means: "FlightGear loads the tape and plays none of it.",
    advice: NOTHING,
  },
  "negative-times": {
    means: "Frames have times below zero: when FlightGear reaches them, it returns to the first frame.",
    advice: "Shift the times with `simtape shift`.",
  },
  "hidden-frames": {
    means: "Several frames have the same time: FlightGear shows the last of them.",
    advice: NOTHING,
  },
  "signal-gaps": {
    means: "There are frames without signals between others: FlightGear does not move smoothly over them.",
    advice: NOTHING,
  },
  "buffer-order": {
    means: "Frames are newer than those of a newer buffer: FlightGear does not find them.",
    advice: "Copy the tape with `--rewrite`.",
  },
  "fatal-text": {
    means: "A text of the tape makes FlightGear exit when it plays the tape.",
    advice: "Copy the tape with `--rewrite` before playing it there.",
  },
  "bad-header-checksum": {
    means: "The header does not match its checksum.",
    advice: REPAIR,
  },
  "bad-metadata-checksum": {
    means: "The metadata do not match their checksum.",
    advice: REPAIR,
  },
  "bad-index-checksum": {
    means: "The index does not match its checksum.",
    advice: REPAIR,
  },
  "bad-metadata": {
    means: "The metadata cannot be read.",
    advice: REPAIR,
  },
  "odd-metadata": {
    means: "An entry of the metadata has another type than the specification gives it.",
    advice: "Look at it with `simtape meta get`.",
  },
  "metadata-length": {
    means: "The length of the metadata differs from the length in the header.",
    advice: REPAIR,
  },
  "metadata-recovered": {
    means: "simtape found the metadata by searching, because the header does not say where they are.",
    advice: REPAIR,
  },
  "missing-metadata-file": {
    means: "The segments have no metadata file; simtape reads what the segments contain.",
    advice: REPAIR,
  },
  "total-length": {
    means: "The length of the file in the header differs from the length of the file.",
    advice: REPAIR,
  },
  "chunk-count": {
    means: "The number of chunks in the header differs from the number of chunks in the file.",
    advice: REPAIR,
  },
  "tick-count": {
    means: "The number of ticks in the header differs from the number of ticks in the file.",
    advice: REPAIR,
  },
  "unknown-flags": {
    means: "The header has flags that this version does not know.",
    advice: "Read the recording with a newer simtape, if there is one.",
  },
  "dictionary-id": {
    means: "The metadata name an invalid zstd dictionary.",
    advice: REPAIR,
  },
  "dictionary-id-differs": {
    means: "Header and metadata name different zstd dictionaries.",
    advice: REPAIR,
  },
  "production-version": {
    means: "The index has another production version than the header.",
    advice: REPAIR,
  },
  "index-length": {
    means: "The length of the index differs from the stated length.",
    advice: REPAIR,
  },
  "index-cut": {
    means: "The index ends inside an entry.",
    advice: REPAIR,
  },
  "index-recovered": {
    means: "simtape built the index from the chunks, because the stored index cannot be used.",
    advice: REPAIR,
  },
  "index-gap": {
    means: "There are bytes between two chunks that no entry of the index names.",
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
    means: "An entry of the index has unknown flags.",
    advice: REPAIR,
  },
  "index-first-snapshot": {
    means: "The entry of the first chunk in the index says that it has no snapshot.",
    advice: REPAIR,
  },
  "index-start-tick": {
    means: "A chunk does not begin where the one before it ends.",
    advice: REPAIR,
  },
  "index-tick-count": {
    means: "The entry of a chunk in the index says that it has no ticks.",
    advice: REPAIR,
  },
  "index-ratio": {
    means: "A chunk would inflate to more than a thousand times its length.",
    advice: REPAIR,
  },
  "index-compressed-length": {
    means: "The length of a chunk in the file is outside of the range in the specification.",
    advice: REPAIR,
  },
  "index-uncompressed-length": {
    means:
      "The inflated length of a chunk is outside of the range in the specification, or differs from the stated length.",
    advice: REPAIR,
  },
  "index-segment-order": {
    means: "The chunks are in other segments than their order says.",
    advice: NOTHING,
  },
  "bad-chunk-record": {
    means: "The record before a chunk in its segment is damaged, or belongs to another chunk.",
    advice: REPAIR,
  },
  "damaged-chunk": {
    means: "A chunk cannot be inflated or read to its end; simtape keeps everything before the damage.",
    advice: REPAIR,
  },
  "missing-segment": {
    means: "A segment file that the index names is missing.",
    advice: "Restore the file from a copy, or repair.",
  },
  "moved-chunks": {
    means: "The chunks are at other offsets than the index says.",
    advice: REPAIR,
  },
  "uncommitted-chunks": {
    means: "There are chunks after those that the metadata file names: the recorder died before it named them.",
    advice: "Run `simtape recover` on the folder.",
  },
  "lost-ticks": {
    means: "Ticks between readable parts are lost.",
    advice: REPAIR,
  },
  "no-snapshot": {
    means: "A chunk has the flag of a snapshot, but does not begin with one.",
    advice: REPAIR,
  },
  "stray-bytes": {
    means: "Bytes belong to no part of the file.",
    advice: REPAIR,
  },
  "unstated-length": {
    means: "A chunk's zstd frame does not state its length.",
    advice: NOTHING,
  },
  "unsupported-event": {
    means: "A chunk has an event of an unknown type; simtape cannot read the rest of the chunk.",
    advice: "Read the recording with a newer simtape, if there is one.",
  },
  "unsupported-version": {
    means: "A chunk has an unknown version.",
    advice: "Read the recording with a newer simtape, if there is one.",
  },
  "unsupported-schema": {
    means: "An epoch has an unknown schema; its host events stay bytes.",
    advice: NOTHING,
  },
  "unresolved-name": {
    means: "A name of the game no longer exists in the newest data version; simtape uses a placeholder.",
    advice: "Give the format a `fixer` that knows the name.",
  },
  "other-world": {
    means: "The recording was made in another world, or in another version of it.",
    advice: "Show the recording without the world, or provide the right world.",
  },
  "private-event": {
    means: "An event that only simtape writes is damaged.",
    advice: REPAIR,
  },
  "snapshot-differs": {
    means: "A snapshot contradicts the events before it.",
    advice: "Compare both moments with `simtape state`; the snapshot holds from its tick on.",
  },
  journal: {
    means: "The recorder's journal has ticks that are in no segment.",
    advice: "Run `simtape recover` on the folder.",
  },
  "left-out": {
    means: "A compaction left out content that cannot be read.",
    advice: NOTHING,
  },
  "bad-name": {
    means: "A chunk names a channel by bytes that are no valid name.",
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
    means: "The counts, sizes or times in a block's header differ from its content.",
    advice: REPAIR,
  },
  "block-count-mismatch": {
    means: "The count of blocks in the file header differs from the number of blocks.",
    advice: REPAIR,
  },
  "index-mismatch": {
    means: "An index table lists other messages than the file has.",
    advice: REPAIR,
  },
  "data-size-mismatch": {
    means: "The byte count in a channel info differs from the bytes of its data.",
    advice: REPAIR,
  },
  "missing-channel-info": {
    means: "A channel has messages but no channel info: its type is unknown.",
    advice: REPAIR,
  },
  "late-channel-info": {
    means: "A channel info comes after the first message of its channel.",
    advice: NOTHING,
  },
  "duplicate-channel-info": {
    means: "A channel has a second channel info; simtape uses the first one.",
    advice: NOTHING,
  },
  "too-many-tables": {
    means: "There are more index tables than simtape reads.",
    advice: NOTHING,
  },
  damaged: {
    means: "A repair left out bytes that are no chunk.",
    advice: NOTHING,
  },
  "bad-message": {
    means: "Bytes between messages are no message; simtape continues with the next message.",
    advice: REPAIR,
  },
  "bad-local-header": {
    means: "The header of a member in the zip is damaged; simtape finds the data by the directory.",
    advice: REPAIR,
  },
  "missing-directory": {
    means: "The zip has no readable directory; simtape found the members by their own headers.",
    advice: REPAIR,
  },
  "index-count": {
    means: "The number of entries in the index differs from the stated number.",
    advice: REPAIR,
  },
  "missing-messages": {
    means: "The index names messages after the end of the data.",
    advice: REPAIR,
  },
  "missing-timestamp": {
    means: "An entry of the index has no time; simtape uses that of the entry before it.",
    advice: REPAIR,
  },
  "missing-frame": {
    means: "A pose is in a frame that no transform of the recording leads to; it is shown in its own frame.",
    advice: "Record the topic of the transforms as well, static ones included.",
  },
  "too-many-parts": {
    means: "A message has more kinds of content than simtape distinguishes; simtape leaves out the others.",
    advice: NOTHING,
  },
  "sibling-unusable": {
    means: "The other file of the pair cannot be read; simtape reads only this file.",
    advice: "Check that file on its own with `simtape check`.",
  },
  "seek-index-ignored": {
    means: "simtape did not use the kept seek index, because it does not fit the recording or is damaged.",
    advice: "`simtape index` makes it again.",
  },
};
