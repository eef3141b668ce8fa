import { BufferAttribute, type BufferGeometry, CapsuleGeometry, CylinderGeometry, SphereGeometry } from "three";
import { ball, box, merged, shaded } from "./shapes.ts";

/** Measures of a figure that is 1 high: where its joints are, and what hangs on them. */
export interface Build {
  /** Whether it is of flat faces, so that corners are shared by them. */
  readonly isFlat: boolean;
  readonly hip: number;
  readonly shoulder: number;
  readonly neck: number;
  /** From the middle to a leg and to an arm. */
  readonly legs: number;
  readonly arms: number;
  trunk(): BufferGeometry;
  head(): BufferGeometry;
  /** Downwards from zero. */
  arm(): BufferGeometry;
  leg(): BufferGeometry;
  /** All of it, simpler, feet at zero. Its attribute `limb`: see `limbed`. */
  far(): BufferGeometry;
}

const SKIN = [0.79, 0.57, 0.44] as const;
const HAIR = [0.2, 0.13, 0.09] as const;
const EYE = [0.08, 0.08, 0.1] as const;

const SIDES: readonly number[] = [-1, 1];

/** Of boxes, as players of a block game are: 32 pixels high. */
export const BLOCKY: Build = (() => {
  const pixel = 1 / 32;
  const cube = (x: number, y: number, z: number, length: number, height: number, width: number): BufferGeometry =>
    box(x * pixel, y * pixel, z * pixel, length * pixel, height * pixel, width * pixel);
  const [hip, shoulder, neck] = [12 * pixel, 23.5 * pixel, 24 * pixel];
  const cloth = [0.3, 0.34, 0.48] as const;
  const shoe = [0.2, 0.15, 0.12] as const;
  return {
    isFlat: true,
    hip,
    shoulder,
    neck,
    legs: 2 * pixel,
    arms: 6 * pixel,
    trunk: () => merged([shaded(cube(0, 18, 0, 4, 12, 8), 1), shaded(cube(0, 12.6, 0, 4.1, 1.2, 8.1), 0.2)]),
    head: () =>
      merged([
        shaded(cube(0, 4, 0, 8, 8, 8), ...SKIN),
        shaded(cube(-0.1, 7.2, 0, 8.4, 2, 8.4), ...HAIR),
        shaded(cube(-2.6, 4.4, 0, 3.4, 5, 8.4), ...HAIR),
        ...[-1, 1].flatMap((side) => [
          shaded(cube(4, 4.4, side * 1.9, 0.2, 1.2, 1.8), 0.95, 0.95, 0.95),
          shaded(cube(4.05, 4.4, side * 1.5, 0.2, 1.2, 1), ...EYE),
        ]),
      ]),
    arm: () => merged([shaded(cube(0, -3, 0, 4, 7, 4), 0.92), shaded(cube(0, -9, 0, 3.9, 5, 3.9), ...SKIN)]),
    leg: () => merged([shaded(cube(0, -5, 0, 4, 10, 3.95), ...cloth), shaded(cube(0.2, -11, 0, 4.5, 2, 4.1), ...shoe)]),
    far: () =>
      merged([
        limbed(shaded(cube(0, 18, 0, 4, 12, 8), 1), { isShirt: true, lean: neck }),
        limbed(shaded(cube(0, 27.6, 0, 8, 7.2, 8), ...SKIN), { lean: neck }),
        limbed(shaded(cube(-0.1, 31.2, 0, 8.4, 2, 8.4), ...HAIR), { lean: neck }),
        limbed(shaded(cube(-2.6, 28.4, 0, 3.4, 5, 8.4), ...HAIR), { lean: neck }),
        ...SIDES.flatMap((side) => [
          limbed(shaded(cube(0, 20.5, side * 6, 4, 7, 4), 0.92), {
            joint: shoulder,
            swing: side,
            isShirt: true,
            lean: neck,
          }),
          limbed(shaded(cube(0, 14.5, side * 6, 3.9, 5, 3.9), ...SKIN), {
            joint: shoulder,
            swing: side,
            isShirt: true,
            lean: neck,
          }),
          limbed(shaded(cube(0, 7, side * 2, 4, 10, 3.95), ...cloth), { joint: hip, swing: -side }),
          limbed(shaded(cube(0.2, 1, side * 2, 4.5, 2, 4.1), ...shoe), { joint: hip, swing: -side }),
        ]),
      ]),
  };
})();

const [HIP, SHOULDER, NECK] = [0.5, 0.79, 0.85];
const CLOTH = [0.24, 0.27, 0.36] as const;

/** Rounder, as people in the street are. */
export const ROUND: Build = {
  isFlat: false,
  hip: HIP,
  shoulder: SHOULDER,
  neck: NECK,
  legs: 0.055,
  arms: 0.125,
  trunk: () =>
    merged([
      shaded(new CapsuleGeometry(0.075, 0.2, 4, 12).scale(0.85, 1, 1.35).translate(0, 0.67, 0), 1),
      shaded(new CapsuleGeometry(0.07, 0.04, 4, 12).scale(0.85, 1, 1.25).translate(0, 0.53, 0), ...CLOTH),
    ]),
  head: () =>
    merged([
      shaded(ball(0.005, 0.07, 0, 0.068).scale(1, 1.15, 0.92), ...SKIN),
      shaded(ball(-0.012, 0.098, 0, 0.07).scale(1, 1, 0.98), ...HAIR),
      shaded(new CapsuleGeometry(0.03, 0.03, 3, 8), ...SKIN),
    ]),
  arm: () =>
    merged([
      shaded(new CapsuleGeometry(0.03, 0.2, 4, 8).translate(0, -0.13, 0), 0.95),
      shaded(ball(0, -0.31, 0, 0.03), ...SKIN),
    ]),
  leg: () =>
    merged([
      shaded(new CapsuleGeometry(0.042, 0.36, 4, 10).translate(0, -0.24, 0), ...CLOTH),
      shaded(box(0.03, -0.48, 0, 0.13, 0.04, 0.07), 0.12),
    ]),
  far: () =>
    merged([
      limbed(shaded(new CapsuleGeometry(0.075, 0.2, 1, 6).scale(0.85, 1, 1.35).translate(0, 0.67, 0), 1), {
        isShirt: true,
        lean: NECK,
      }),
      limbed(shaded(tube(0.07, 0.06, 0.16, 6).scale(0.85, 1, 1.25).translate(0, 0.53, 0), ...CLOTH), { lean: NECK }),
      limbed(shaded(new SphereGeometry(0.07, 6, 3).scale(1, 1.15, 0.92).translate(0.005, 0.92, 0), ...SKIN), {
        lean: NECK,
      }),
      limbed(shaded(new SphereGeometry(0.074, 6, 3).translate(-0.012, 0.948, 0), ...HAIR), { lean: NECK }),
      ...SIDES.flatMap((side) => [
        limbed(shaded(tube(0.03, 0.03, 0.26, 4).translate(0, SHOULDER - 0.13, side * 0.125), 0.95), {
          joint: SHOULDER,
          swing: side,
          isShirt: true,
          lean: NECK,
        }),
        limbed(shaded(tube(0.03, 0.015, 0.07, 4).translate(0, SHOULDER - 0.295, side * 0.125), ...SKIN), {
          joint: SHOULDER,
          swing: side,
          isShirt: true,
          lean: NECK,
        }),
        limbed(shaded(tube(0.044, 0.04, 0.48, 5).translate(0, HIP - 0.24, side * 0.055), ...CLOTH), {
          joint: HIP,
          swing: -side,
        }),
      ]),
    ]),
};

/** Around y, of so few sides, open at its ends. */
function tube(above: number, below: number, length: number, sides: number): BufferGeometry {
  return new CylinderGeometry(above, below, length, sides, 1, true);
}

/** Simple parts of a whole: their joint's height, how far they follow the left leg, and whether the shirt's colour shines through. */
interface Limb {
  readonly joint?: number;
  readonly swing?: number;
  readonly isShirt?: boolean;
  /** Of the neck's way ahead, when leaning, how much it goes along. */
  readonly lean?: number;
}

/** Four numbers for every corner: height of the joint, part of the swing, how far it goes ahead for a lean of one, and 1 for a shirt. */
function limbed(geometry: BufferGeometry, { joint = 0, swing = 0, isShirt = false, lean = 0 }: Limb): BufferGeometry {
  const { count } = geometry.getAttribute("position");
  const limbs = new Float32Array(4 * count);
  for (let i = 0; i < count; i++) limbs.set([joint, swing, lean, isShirt ? 1 : 0], 4 * i);
  return geometry.setAttribute("limb", new BufferAttribute(limbs, 4));
}
