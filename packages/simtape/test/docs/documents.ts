/** Sound documents of each kind, and what may stand anywhere in them. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const AT = [1, 2, 3];
const LOOK = [90, 0];

export const EDIT_LISTS: Json[] = [
  {
    version: 1,
    source: "a.log",
    operations: [
      { op: "trim", from: "1.5s", until: 2e9 },
      { op: "shift", by: -5 },
      { op: "filter", channels: ["a"], exclude: ["b"] },
      { op: "rename", channels: { a: "b" } },
      { op: "redact", channels: ["x"], from: 1, until: "2m" },
      { op: "annotate", at: "3", text: "t", kind: "k" },
      { op: "join", files: ["f"], gap: "1s" },
    ],
  },
  { version: 1, operations: [] },
];

export const POLICIES: Json[] = [
  {
    version: 1,
    graceHours: 24,
    hold: ["run-77", UUID],
    quotaBytes: 5,
    classes: [
      {
        name: "race",
        match: { world: [UUID], key: ["s/**"], profile: ["ghost"], metadata: { "server.mode": ["h", 1, true] } },
        days: 90,
        outcomeDays: { crashed: 7, abandoned: null, reset: 1, completed: 3 },
        most: { count: 20, per: ["subject", "world"] },
        quotaBytes: 1,
        keepTop: 10,
        keepBest: false,
        keepFlagged: { kinds: ["report"], severity: 5, days: 365 },
        keepClips: { days: 60 },
      },
      { name: "others", days: null, keepFlagged: true, keepClips: false },
    ],
  },
];

const HEADER = {
  simtape: 1,
  rate: 20,
  worldId: UUID,
  worldVersion: "1.2",
  startedAt: "2026-02-01T12:00:00Z",
  dataVersion: 3,
  protocol: 4,
  server: "mine 1.0",
  metadata: { a: { b: [1, null] } },
  sets: {
    cars: {
      axes: {
        handed: "right",
        up: "z",
        kind: "local",
        angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "left", zero: "x" },
        own: { forward: "x", up: "z" },
      },
      columns: { position: "m", rotation: { unit: "deg", width: 3, kind: "f64", interpolation: "linear" } },
    },
  },
};

export const LINES_OF_EACH_KIND: Json[] = [
  HEADER,
  { tick: 3 },
  { time: 1.5 },
  { spawn: { id: "a", type: "x:y", at: AT, look: LOOK, head: 3, onGround: true, uuid: UUID, name: "n" } },
  { join: { id: "a", uuid: UUID, name: "n", at: AT } },
  { leave: { id: 1 } },
  { remove: { id: "x" } },
  { move: { id: "a", at: AT, look: LOOK, head: 1, onGround: false } },
  { teleport: { id: "a", at: AT } },
  { velocity: { id: "a", velocity: AT } },
  { exact: { id: "a", at: AT, look: LOOK, velocity: AT } },
  { mount: { id: "a", passengers: ["b", 3] } },
  { state: { id: "a", pose: 1, flags: 255 } },
  { equipment: { id: "a", items: { "0": "x", "12": null } } },
  { heldSlot: { id: "a", slot: 3 } },
  { itemUse: { id: "a", use: 2 } },
  { swing: { id: "a", hand: 1 } },
  { hurt: { id: "a", attacker: "b", yaw: 3 } },
  { metadata: { id: "a", entries: { "0": "AAAA", "7": "AA==" } } },
  { effect: { id: "a", name: "n", ticks: 5, amplifier: 2 } },
  { vitals: { id: "a", health: 20, food: 3, xp: 1 } },
  { view: { id: "a", gameMode: 1, camera: "c" } },
  { block: { at: AT, state: "minecraft:stone" } },
  { clearBlocks: true },
  { dimension: "minecraft:overworld" },
  { world: { time: 1, weather: 2 } },
  { chat: { text: "t", from: "a" } },
  { sound: { name: "n", at: AT, volume: 1, pitch: 2, category: 3 } },
  { particles: { name: "n", at: AT, count: 3, spread: AT } },
  { mark: { label: "l", kind: "report", id: "a", severity: 3 } },
  { subject: { id: "a", uuid: UUID, name: "n" } },
  { set: { "weather/rain": 0.5, scenario: { seed: 1 } } },
  { sets: HEADER.sets },
  {
    entities: {
      cars: { one: { position: [1, 2, null], kind: "sedan", lit: true, name: null }, two: null },
      bikes: null,
    },
  },
  { event: "a:b", value: { x: 1 }, version: 2 },
  { event: "a:b", base64: "iVBORw0KGgo=" },
  { commit: true },
  { snapshot: true },
  { session: "pause" },
  { versions: { dataVersion: 3, protocol: 1, server: "s" } },
  { report: { subject: "steve", text: "t", seconds: 30, score: 2.5, flags: ["fly"], reporter: "alex" } },
  { reset: true },
  { end: "completed" },
];

/** ASCII only, and no dates: of those JSON Schema says less than the code does. */
export const JUNK: Json[] = [
  ...[null, true, false, 0, -1, 1, 2, 1.5, 127, 128, 255, 256, 1e9, 1e9 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300],
  ...["", "a", "x".repeat(256), "x".repeat(257), "1s", "-3m2s", "12.5", "soon", "world", "hcrp", "simtape:x", "a b:c"],
  ...["AAA=", "A===", "AB==", "AAAAA", "AAAA\n", "99999", "123456", "no spaces", "a\nb", "completed", "open"],
  ...[UUID.toUpperCase(), UUID.replaceAll("-", ""), UUID.slice(1)],
  ...[[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1.5, 2, 3], [null], ["a"], ["a", 1], [[]], Array<Json>(257).fill(1)],
  ...[{}, { a: 1 }, { id: "a" }, { constructor: 1 }, { name: "a" }, { days: null }, { op: "trim" }],
];
