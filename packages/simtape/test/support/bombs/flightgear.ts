import { gzipSync } from "node:zlib";
import { writeExtraProperty } from "../../../src/formats/flightgear/layout/extra.ts";
import { writeDeflatedFrame } from "../../../src/formats/flightgear/layout/frames.ts";
import { writeContinuousHeader } from "../../../src/formats/flightgear/layout/layout.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { makeContinuous, makeNormal, packetBytes, signalBytes } from "../../fixtures/flightgear/make.ts";
import { type Bomb, MiB, built, joined, times, zeros } from "./parts.ts";

function continuousOf(tree: string): Uint8Array {
  return built((out) =>
    writeContinuousHeader(out, { layout: "current", texts: [new TextEncoder().encode(`${tree}\0`)] }),
  );
}

const META = "<meta><aircraft-type>ufo</aircraft-type></meta>";
const SIGNAL = '<signal><type>double</type><property type="string">/a</property></signal>';

function propertyTape(count: number, path: (i: number) => string, value: string): Uint8Array {
  const head = continuousOf(`<?xml version="1.0"?><PropertyList>${META}<data>extra-properties</data></PropertyList>`);
  const out = new ByteBuilder(MiB);
  out.raw(head);
  for (let from = 0, frame = 0; from < count; from += 1000, frame++) {
    const item = built((extra) => {
      for (let i = from; i < Math.min(count, from + 1000); i++) writeExtraProperty(extra, { path: path(i), value });
    });
    out.f64le(frame).u32le(item.length).raw(item);
  }
  return out.take();
}

export const FLIGHTGEAR: readonly Bomb[] = [
  {
    name: "flightgear: a tape of zeros, gzipped",
    file: "a.fgtape",
    make: (size) => gzipSync(joined([makeNormal({ generation: 2 }), zeros(times(900 * size) * MiB)])),
  },
  {
    name: "flightgear: gzip of gzip of zeros",
    file: "a.fgtape",
    make: (size) => gzipSync(gzipSync(zeros(times(400 * size) * MiB))),
  },
  {
    name: "flightgear: gzip members without content",
    file: "a.fgtape",
    make: (size) => {
      const member = gzipSync(zeros(0));
      return joined([gzipSync(makeNormal({ generation: 2 })), ...new Array(times(500_000 * size)).fill(member)]);
    },
  },
  {
    name: "flightgear: frames of 16 MiB, deflated",
    file: "a.fgtape",
    make: (size) => {
      const head = makeContinuous({ frames: 1, compression: "1", data: ["signals", "multiplayer"] });
      const out = new ByteBuilder(MiB);
      out.raw(head);
      for (let i = 1; i < 100 * size + 2; i++)
        writeDeflatedFrame(out, 100 + i, 3, [signalBytes(1), zeros(15 * MiB)], new ByteBuilder());
      return out.take();
    },
  },
  {
    name: "flightgear: a header of empty nodes",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList>${META}<data>signals</data>${"<a/>".repeat(times(4_000_000 * size))}</PropertyList>`,
      ),
  },
  {
    name: "flightgear: a header that is nested deep",
    file: "a.fgtape",
    make: (size) => continuousOf(`<?xml version="1.0"?><PropertyList>${"<a>".repeat(times(2_000_000 * size))}`),
  },
  {
    name: "flightgear: a header of attributes",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList><a ${Array.from({ length: times(1_000_000 * size) }, (_, i) => `a${i}=""`).join(" ")}/></PropertyList>`,
      ),
  },
  {
    name: "flightgear: many signals",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList>${META}<data>signals</data><signals>${SIGNAL.repeat(times(200_000 * size))}</signals></PropertyList>`,
      ),
  },
  {
    name: "flightgear: a header beside itself in size",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList>${META}<b>${"&lt;".repeat(times(4_000_000 * size))}</b></PropertyList>`,
      ),
  },
  {
    name: "flightgear: extra properties",
    file: "a.fgtape",
    make: (size) => propertyTape(times(1_000_000 * size), (i) => `/p${i}`, ""),
  },
  {
    name: "flightgear: extra properties of many levels",
    file: "a.fgtape",
    make: (size) => propertyTape(times(2_000 * size), (i) => `/p${i}${"/a".repeat(4000)}`, ""),
  },
  {
    name: "flightgear: many pilots",
    file: "a.fgtape",
    make: (size) => {
      const head = makeContinuous({ frames: 1, data: ["signals", "multiplayer"] });
      const out = new ByteBuilder(MiB);
      out.raw(head);
      let pilot = 0;
      for (let frame = 1; frame < 100 * size + 2; frame++) {
        const list = built((packets) => {
          for (let i = 0; i < 1000; i++) {
            const bytes = packetBytes(`p${(pilot++).toString(36)}`, frame, 2);
            packets.u16le(bytes.length).raw(bytes);
          }
        });
        out
          .f64le(100 + frame)
          .u32le(0)
          .u32le(list.length)
          .raw(list);
      }
      return out.take();
    },
  },
];
