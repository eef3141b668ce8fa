import { describe, expect, it } from "vitest";
import { originalsIn } from "../../../src/formats/mcap/read/originals.ts";
import { memory, open, RecordingError } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";
import { indexed } from "./judge.ts";
import { exported, opened } from "./make.ts";

async function carried(of: SoundRecording, limit?: number): Promise<{ bytes: Uint8Array; notes: readonly string[] }> {
  const recording = await opened(of);
  const { bytes, report } = await exported(recording, { original: { bundle: of.bundle(), limit } });
  await recording.close();
  return { bytes, notes: report.notes };
}

async function restored(bytes: Uint8Array): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for (const original of await originalsIn(memory(bytes, "x.mcap"))) {
    const pieces: Uint8Array[] = [];
    for await (const piece of original.bytes()) pieces.push(piece);
    files[original.name] = new Uint8Array(Buffer.concat(pieces));
    expect(files[original.name]!.length).toBe(original.byteLength);
  }
  return files;
}

/** One of each format, and the smallest real one. */
const OF_EACH = [
  ...SOUND,
  ...["carla", "flightgear", "hcrp", "mira", "nanover"].flatMap((format) => {
    const size = ({ files }: SoundRecording): number =>
      Object.values(files).reduce((sum, each) => sum + each.length, 0);
    return REAL.filter((of) => of.format === format && size(of) < 2 << 20)
      .sort((a, b) => size(a) - size(b))
      .slice(0, 1);
  }),
];

describe("the original inside", () => {
  it.each(OF_EACH.map((of) => [`${of.format}: ${of.name}`, of] as const))(
    "comes back byte for byte: %s",
    async (_, of) => {
      const { bytes } = await carried(of);
      const files = await restored(bytes);
      expect(Object.keys(files)).toEqual(Object.keys(of.files));
      for (const [name, file] of Object.entries(of.files)) expect(Buffer.compare(files[name]!, file), name).toBe(0);
      const again = await open(bundleOfFiles(files));
      expect(again.info.format).toBe(of.format);
      await again.close();
      // another reader finds the same bytes
      const { attachments } = await indexed(bytes);
      expect(attachments.map(({ name }) => name)).toEqual(Object.keys(of.files).map((name) => `original/${name}`));
      for (const [i, file] of Object.values(of.files).entries())
        expect(Buffer.compare(attachments[i]!.data, file)).toBe(0);
    },
  );

  it("stays outside above the limit, and the report says why", async () => {
    const of = SOUND[0]!;
    const size = Object.values(of.files)[0]!.length;
    const { bytes, notes } = await carried(of, size - 1);
    expect(await restored(bytes)).toEqual({});
    expect(notes).toContain(
      `the files of the recording are not carried inside: they have ${size} bytes, and the limit is ${size - 1}`,
    );
    expect(Object.keys(await restored((await carried(of, size)).bytes))).toEqual(Object.keys(of.files));
  });

  it("is refused where one of its bytes changed, wherever that is", async () => {
    const of = SOUND[0]!;
    const { bytes } = await carried(of);
    const name = new TextEncoder().encode("original/town.log");
    const at = Buffer.from(bytes).indexOf(name) + name.length + 40;
    const length = Object.values(of.files)[0]!.length;
    for (let n = 0; n < 20; n++) {
      const damaged = bytes.slice();
      damaged[at + Math.floor((n / 20) * (length - 41))]! ^= 1 << (n % 8);
      await expect(restored(damaged)).rejects.toSatisfy(RecordingError.is);
    }
  });

  it("gives a typed error, or the same files, for every cut and for changed bytes of the end", async () => {
    const of = SOUND[1]!;
    const { bytes } = await carried(of);
    for (let length = 0; length < bytes.length; length += 997)
      await expect(restored(bytes.slice(0, length))).rejects.toSatisfy(RecordingError.is);
    const file = Object.values(of.files)[0]!;
    for (let back = 1; back < 6000; back += 7) {
      const damaged = bytes.slice();
      damaged[bytes.length - back]! ^= 0xff;
      try {
        const files = await restored(damaged);
        const found = Object.values(files)[0];
        if (found !== undefined) expect(Buffer.compare(found, file)).toBe(0);
      } catch (error) {
        expect(error).toSatisfy(RecordingError.is);
      }
    }
  });

  it("is none in a file that carries none, and an error in what is no MCAP file", async () => {
    const recording = await opened(SOUND[0]!);
    expect(await originalsIn(memory((await exported(recording)).bytes, "x"))).toEqual([]);
    await recording.close();
    await expect(originalsIn(memory(new Uint8Array(500), "x"))).rejects.toSatisfy(RecordingError.is);
  });
});
