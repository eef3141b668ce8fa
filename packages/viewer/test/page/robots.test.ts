import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MemoryFiles } from "simtape";
import { demo as patrol } from "../../../demo/src/mcap.ts";
import { picture, map, unit } from "../../../demo/src/mira-world.ts";
import { demo } from "../../../demo/src/mira.ts";
import { mcap } from "../../../simtape/src/formats/mcap/format.ts";
import { drop, hasChromium, hashOf, layoutOf, startViewer, untilOpen, type Viewer } from "../support/viewer.ts";
import { ARM, armAt, stlOf, TETRAHEDRON } from "../world/small-robot.ts";

/** With a folder in `SCREENSHOTS`, what was drawn is kept there to be looked at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const text = new TextEncoder();

/** The arm with one ball in magenta, at the link that hangs on all its joints, and a mesh on its turret. */
const URDF = ARM.replace('<material name="magenta"/></visual>', "</visual>")
  .replace('<box size="0.05 0.1 0.05"/></geometry>', '<sphere radius="0.15"/></geometry><material name="magenta"/>')
  .replace(
    '<link name="turret">',
    '<link name="turret"><visual><geometry><mesh filename="package://arm/meshes/horn.stl" scale="0.3 0.3 0.3"/></geometry></visual>',
  );
/** Where the arm stands, how it is turned, and where its joints are, at a time. */
const POSE = { x: 4, y: -3, z: 0.1, yaw: 0.8 };
function jointsAt(second: number): readonly [number, number, number, number] {
  return [0.5 * second, -0.3 - 0.1 * second, 0.1 * second, 0.2];
}

describe.skipIf(!hasChromium)("robots and their scans, in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-robots-"));
  let viewer: Viewer;
  let page: Page;
  let errors: readonly string[] = [];

  beforeAll(async () => {
    writeFileSync(join(folder, "arm.mcap"), await armRecording());
    writeFileSync(join(folder, "arm.urdf"), URDF);
    writeFileSync(join(folder, "horn.stl"), stlOf(TETRAHEDRON));
    writeFileSync(join(folder, "lone.mcap"), await armRecording());
    const options = { seconds: 12, entities: 1, seed: 1 };
    const files = new MemoryFiles();
    await demo(options, files);
    writeFileSync(join(folder, "robot.tape"), files.bytes);
    const patrolled = new MemoryFiles();
    await patrol(options, patrolled);
    writeFileSync(join(folder, "patrol.mcap"), patrolled.bytes);
    writeFileSync(join(folder, "robot.yaml"), map(options));
    writeFileSync(join(folder, "robot.pgm"), picture(options));
    writeFileSync(join(folder, "robot.urdf"), unit());
    viewer = await startViewer([folder]);
    ({ page, errors } = await viewer.page("about:blank"));
    page.setDefaultTimeout(30_000);
    if (SCREENSHOTS !== undefined) mkdirSync(SCREENSHOTS, { recursive: true });
  }, 120_000);

  afterEach(() => {
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await viewer?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function go(name: string, scene: object, panels = ["scene"]): Promise<void> {
    await page.goto("about:blank");
    await page.goto(viewer.address(name) + hashOf({ shared: { layout: layoutOf(panels), scene } }));
    await untilOpen(page);
  }

  test("a robot stands at the frames of its recording, its joints as recorded: each time where the calculation has it", async () => {
    await go("arm.mcap", { mode: "top", labels: false });
    for (const second of [0, 2, 4]) {
      await page.evaluate((time) => simtape.seek(time), second * 1e9);
      await page.locator(`.scene-view canvas[role=img][data-time='${second * 1e9}'][data-quality=full]`).waitFor();
      await expect.poll(async () => (await magenta()).count, { message: `at ${second} s` }).toBeGreaterThan(20);
      // the recording has frames of other names on both sides of where the link is to be
      const [one, other] = await page.evaluate(() =>
        ["west", "east"].map((id) => simtape.sights.get("scene")!("frames", id)!),
      );
      const wanted = { x: (one!.x + other!.x) / 2, y: (one!.y + other!.y) / 2 };
      const found = await magenta();
      expect(Math.abs(found.x - wanted.x)).toBeLessThan(0.015);
      expect(Math.abs(found.y - wanted.y)).toBeLessThan(0.015);
      if (second === 4) await keep("robot-arm-top");
    }
    await go("arm.mcap", { mode: "orbit" }, ["scene", "info"]);
    await page.getByText("robot (URDF), shown in the scene").waitFor();
    await page.getByText("joints that move").waitFor();
    await keep("robot-arm");
  });

  test("dropped later it is there, and says which mesh was not given with it", async () => {
    await go("lone.mcap", { mode: "top", labels: false }, ["scene", "info"]);
    await expect.poll(async () => (await magenta()).count).toBe(0);
    await drop(page, { "arm.urdf": text.encode(URDF) });
    await expect.poll(async () => (await magenta()).count).toBeGreaterThan(20);
    await page.getByText("horn.stl: it was not given with it").waitFor();
    await drop(page, { "arm.urdf": text.encode(URDF), "horn.stl": stlOf(TETRAHEDRON) });
    await page.getByText("horn.stl: it was not given with it").waitFor({ state: "detached" });
    await drop(page, { "wrong.urdf": text.encode("<robot name='r'/>") });
    await page
      .getByText(/wrong\.urdf is not shown: it has no links/)
      .first()
      .waitFor();
    await expect.poll(async () => (await magenta()).count).toBeGreaterThan(20);
  });

  test("scans are points where their frame is, in colours of their intensity, which a legend explains", async () => {
    await go("arm.mcap", { mode: "top", labels: false });
    await page.getByRole("img", { name: "Intensity of scans, 5 to 250" }).waitFor();
    await page.getByRole("img", { name: /1 laser scanner/ }).waitFor();
    await keep("robot-scan");
    // the wall that the scan meets: its first beam is weak, its last one strong
    for (const [frame, isStrong] of [
      ["wall 0", false],
      ["wall 1", true],
    ] as const) {
      const at = await page.evaluate((id) => simtape.sights.get("scene")!("frames", id), frame);
      await expect.poll(() => warmth(at!), { message: frame }).toBe(isStrong ? "warm" : "cold");
    }
  });

  test("the demo of MIRA has its map and its unit", async () => {
    await go("robot.tape", { mode: "follow" }, ["scene", "info"]);
    await page.getByText("robot (URDF), shown in the scene").waitFor();
    await page.getByRole("img", { name: /a map of 12\.8 × 8\.8 m/ }).waitFor();
    await page.evaluate(() => simtape.seek(10e9));
    await keep("robot-unit");
  });

  /** How many pixels are as magenta as nothing else is, and their middle, as parts of the picture. */
  function magenta(): Promise<{ readonly count: number; readonly x: number; readonly y: number }> {
    return page.evaluate(() => {
      const whole = simtape.pictures.get("scene")!();
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [whole.width, whole.height];
      const context = copy.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(whole, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let [count, x, y] = [0, 0, 0];
      for (let i = 0; i < data.length; i += 4)
        if (data[i]! > 60 && data[i]! > 2.5 * data[i + 1]! && data[i + 2]! > 2.5 * data[i + 1]!) {
          count++;
          x += (i / 4) % copy.width;
          y += Math.floor(i / 4 / copy.width);
        }
      return { count, x: (x / count + 0.5) / copy.width, y: (y / count + 0.5) / copy.height };
    });
  }

  /** Of the most colourful pixel around a place. */
  function warmth(at: { readonly x: number; readonly y: number }): Promise<string> {
    return page.evaluate(({ x, y }) => {
      const whole = simtape.pictures.get("scene")!();
      const copy = document.createElement("canvas");
      const half = 8;
      [copy.width, copy.height] = [2 * half, 2 * half];
      const context = copy.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(whole, half - Math.round(x * whole.width), half - Math.round(y * whole.height));
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let [most, found] = [30, "grey"];
      for (let i = 0; i < data.length; i += 4) {
        const [red, blue] = [data[i]!, data[i + 2]!];
        if (Math.abs(red - blue) <= most) continue;
        most = Math.abs(red - blue);
        found = red > blue ? "warm" : "cold";
      }
      return found;
    }, at);
  }

  test("it is about the robot, not about the posts in its yard", async () => {
    await page.goto("about:blank");
    await page.goto(viewer.address("patrol.mcap"));
    await untilOpen(page);
    await page.evaluate(() => simtape.seek(2e9));
    const subject = () => page.evaluate(() => simtape.state.value.subject);
    await expect.poll(subject).toEqual({ set: "poses", id: "/pose", isChosen: false });
    const things = page.getByRole("combobox", { name: "Selected thing" });
    await expect.poll(() => things.locator("option:checked").textContent()).toMatch(/pose/);
    expect(await page.evaluate(() => simtape.camera!.isFollowing)).toBe(true);
    await keep("patrol-mcap");
  });

  async function keep(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
});

/** Five seconds of the arm: transforms, positions of its joints, and a scan of a wall. */
async function armRecording(): Promise<Uint8Array> {
  const { create } = await mcap.writing();
  const to = new MemoryFiles();
  const writer = await create(to, { epoch: 1_780_297_200_000_000_000n, metadata: { profile: "" } });
  const channel = (name: string, schema: string) => writer.channel({ name, schema });
  const [tf, joints, scan] = [
    channel("/tf", "foxglove.FrameTransforms"),
    channel("/joint_states", "sensor_msgs/JointState"),
    channel("/scan", "foxglove.LaserScan"),
  ];
  const write = (to: typeof tf, time: number, value: object): void =>
    writer.write(to, time, text.encode(JSON.stringify(value)));
  const { x, y, z, yaw } = POSE;
  const turn = { x: 0, y: 0, z: Math.sin(yaw / 2), w: Math.cos(yaw / 2) };
  const standing = [Math.cos(yaw), Math.sin(yaw)] as const;
  /** A place in the axes of the base, in those of the map. */
  const inMap = ([a, b, c]: readonly number[]): { x: number; y: number; z: number } => ({
    x: x + standing[0] * a! - standing[1] * b!,
    y: y + standing[1] * a! + standing[0] * b!,
    z: z + c!,
  });
  const [beams, half, range] = [61, 0.6, 3];
  for (let tenth = 0; tenth <= 50; tenth++) {
    const time = tenth * 1e8;
    const [turret, boom, slider, finger] = jointsAt(tenth / 10);
    const wanted = inMap(armAt(turret, boom, slider, finger)["camera"]!([0, 0, 0]));
    const frame = (child: string, parent: string, translation: object, rotation: object = NO_TURN): object => ({
      timestamp: { sec: 0, nsec: 0 },
      parent_frame_id: parent,
      child_frame_id: child,
      translation,
      rotation,
    });
    const ends = [-half, half].map((angle, i) =>
      frame(`wall ${i}`, "laser", { x: range * Math.cos(angle), y: range * Math.sin(angle), z: 0 }),
    );
    write(tf, time, {
      transforms: [
        frame("base_link", "map", { x, y, z }, turn),
        frame("west", "map", { ...wanted, x: wanted.x - 0.5 }),
        frame("east", "map", { ...wanted, x: wanted.x + 0.5 }),
        frame("laser", "base_link", { x: 0.6, y: 0, z: 0.2 }),
        ...ends,
      ],
    });
    write(joints, time, {
      header: {},
      name: ["turret_joint", "boom_joint", "slider_joint", "finger_joint"],
      position: [turret, boom, slider, finger],
    });
    if (tenth % 5 === 0)
      write(scan, time, {
        timestamp: { sec: 0, nsec: 0 },
        frame_id: "laser",
        pose: { position: { x: 0, y: 0, z: 0 }, orientation: NO_TURN },
        start_angle: -half,
        end_angle: half,
        ranges: Array.from({ length: beams }, () => range),
        intensities: Array.from({ length: beams }, (_, i) => 5 + (245 * i) / (beams - 1)),
      });
  }
  await writer.close();
  return to.bytes;
}

const NO_TURN = { x: 0, y: 0, z: 0, w: 1 };
