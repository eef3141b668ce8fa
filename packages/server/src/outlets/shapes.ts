import { Type } from "typebox";

const LOADED = Type.Object({
  recording: Type.String({ description: "id" }),
  name: Type.String({ description: "by which clients choose it" }),
  page: Type.String(),
  phase: Type.Enum(["loading", "paused", "playing", "buffering", "ended", "failed", "closed"]),
  time: Type.Number({ description: "seconds since its start" }),
  seconds: Type.Number({ description: "its length" }),
  rate: Type.Number(),
  repeat: Type.Boolean(),
});
const TROUBLE = Type.Object({
  recording: Type.String({ description: "name" }),
  message: Type.String({ description: "why it could not be loaded, or is no longer shown" }),
  at: Type.String(),
});

export const OUTLET = Type.Object(
  {
    name: Type.String(),
    kind: Type.Enum(["foxglove", "nanover"]),
    address: Type.String({ description: "where clients connect" }),
    clients: Type.Integer({ description: "clients that are connected" }),
    sentMessages: Type.Number(),
    sentBytes: Type.Number(),
    skipped: Type.Number({ description: "frames and messages that were left out for clients that did not keep up" }),
    waitingBytes: Type.Number({ description: "bytes that the networks of clients have not taken" }),
    offered: Type.Integer({ description: "number of recordings that clients can choose" }),
    loaded: Type.Union([LOADED, Type.Null()]),
    trouble: Type.Union([TROUBLE, Type.Null()]),
  },
  {
    $id: "Outlet",
    examples: [
      {
        ...{ name: "foxglove", kind: "foxglove", address: "ws://127.0.0.1:8765" },
        ...{ clients: 2, sentMessages: 18_220, sentBytes: 4_100_200, skipped: 0, waitingBytes: 0, offered: 212 },
        loaded: {
          ...{ recording: "06f2x6q8h7nq", name: "town.log", page: "/r/06f2x6q8h7nq", phase: "playing" },
          ...{ time: 12.5, seconds: 60, rate: 1, repeat: false },
        },
        trouble: null,
      },
    ],
  },
);

const PLAYING = {
  playing: Type.Optional(Type.Boolean()),
  at: Type.Optional(Type.Number({ minimum: 0, maximum: 1e9, description: "seconds since the start" })),
  rate: Type.Optional(Type.Number({ minimum: -64, maximum: 64, description: "not 0; negative plays backwards" })),
  repeat: Type.Optional(Type.Boolean({ description: "begin again at the end" })),
};

export const LOAD = Type.Object(
  { recording: Type.String({ maxLength: 64, description: "id" }), ...PLAYING },
  { additionalProperties: false, examples: [{ recording: "06f2x6q8h7nq", repeat: true }] },
);

export const CONTROL = Type.Object(PLAYING, {
  additionalProperties: false,
  minProperties: 1,
  examples: [{ playing: false }, { at: 12.5, rate: 2 }],
});

export const NAME = Type.Object({ name: Type.String({ maxLength: 64 }) });
