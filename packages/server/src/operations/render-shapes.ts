import { type Static, Type } from "typebox";

const time = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

/** The body of a request for a picture or a video. */
export const RENDER = Type.Object(
  {
    to: Type.Enum(["png", "mp4", "webm", "gif"], {
      description: "png is a picture of one time, the others are videos",
    }),
    at: Type.Optional(time("of a picture: its time")),
    from: Type.Optional(time("of a video: first time, inclusive")),
    until: Type.Optional(time("of a video: last time, exclusive")),
    size: Type.Optional(
      Type.String({ pattern: "^\\d{2,4}x\\d{2,4}$", description: "width and height in pixels: 1280x720" }),
    ),
    fps: Type.Optional(Type.Integer({ minimum: 1, maximum: 120, description: "frames a second" })),
    rate: Type.Optional(
      Type.Number({ minimum: 0.01, maximum: 64, description: "seconds of the recording in a second of the video" }),
    ),
    theme: Type.Optional(Type.Enum(["light", "dark"])),
    overlays: Type.Optional(Type.Boolean({ description: "false leaves out names, readings, compass and time" })),
    camera: Type.Optional(
      Type.Object(
        {
          version: Type.Literal(1),
          keyframes: Type.Array(Type.Object({}, { additionalProperties: true }), { maxItems: 10_000 }),
        },
        { description: "a camera path, as the page makes them" },
      ),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { to: "png", at: "12.5s" },
      { to: "mp4", from: "10s", until: "20s", size: "1920x1080" },
    ],
  },
);

export type Render = Static<typeof RENDER>;
