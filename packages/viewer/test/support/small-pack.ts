import { crc32, deflateSync } from "node:zlib";
import { zipSync } from "fflate";

/** A colour with its opacity, 0 to 255 each. */
export type Pixel = readonly [red: number, green: number, blue: number, opacity: number];

/** A PNG of 8 bits with alpha. */
export function pngOf(width: number, height: number, at: (x: number, y: number) => Pixel): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc((4 * width + 1) * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows.set(at(x, y), (4 * width + 1) * y + 1 + 4 * x);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    part("IHDR", header),
    part("IDAT", deflateSync(rows)),
    part("IEND", Buffer.alloc(0)),
  ]);
}

function part(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/**
 * A resource pack with made textures: redstone blocks and poppies by models, grass by the names of its textures alone, and
 * one block that no reader understands.
 */
export function smallPack(): Uint8Array {
  const plain = (pixel: Pixel): Buffer => pngOf(16, 16, () => pixel);
  const checked = (a: Pixel, b: Pixel): Buffer => pngOf(16, 16, (x, y) => (((x >> 2) + (y >> 2)) % 2 === 0 ? a : b));
  const text = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  const [blue, yellow, none]: Pixel[] = [
    [20, 40, 230, 255],
    [250, 220, 20, 255],
    [0, 0, 0, 0],
  ];
  const flower = pngOf(16, 16, (x, y) =>
    y < 5 ? (Math.abs(x - 7.5) < 4 ? yellow! : none!) : Math.abs(x - 7.5) < 1 ? [30, 120, 30, 255] : none!,
  );
  return zipSync({
    "pack.mcmeta": text({ pack: { pack_format: 15, description: "made by a test" } }),
    "assets/minecraft/blockstates/redstone_block.json": text({
      variants: { "": { model: "minecraft:block/redstone_block" } },
    }),
    "assets/minecraft/models/block/redstone_block.json": text({
      parent: "minecraft:block/cube_all",
      textures: { all: "minecraft:block/glowing" },
    }),
    "assets/minecraft/blockstates/poppy.json": text({ variants: { "": { model: "minecraft:block/poppy" } } }),
    "assets/minecraft/models/block/poppy.json": text({ parent: "block/cross", textures: { cross: "block/poppy" } }),
    "assets/minecraft/blockstates/strange.json": text({ variants: { "": { model: "minecraft:block/nowhere" } } }),
    // two frames, of which the first is blue
    "assets/minecraft/textures/block/glowing.png": pngOf(16, 32, (_, y) => (y < 16 ? blue! : [230, 20, 20, 255])),
    "assets/minecraft/textures/block/poppy.png": flower,
    "assets/minecraft/textures/block/grass_block_top.png": checked([200, 200, 200, 255], [150, 150, 150, 255]),
    "assets/minecraft/textures/block/grass_block_side.png": checked([120, 85, 60, 255], [100, 160, 70, 255]),
    "assets/minecraft/textures/block/dirt.png": plain([130, 95, 65, 255]),
    "assets/minecraft/textures/block/broken.png": Buffer.from("no picture"),
  });
}
