import { describe, expect, test } from "vitest";
import { type LinePoint, PlanView, type Shape } from "../../src/world/opendrive/geometry.ts";

function pointsOf(shape: Shape, length: number, x = 0, y = 0, heading = 0): (s: number) => LinePoint {
  const plan = new PlanView([{ start: 0, length, x, y, heading, shape }]);
  return (s) => plan.at(s, { x: 0, y: 0, heading: 0 });
}

/** Walks a line of a given curvature in very many straight steps. */
function walked(curvature: (s: number) => number, length: number): LinePoint {
  const steps = 400_000;
  const step = length / steps;
  let [x, y, heading] = [0, 0, 0];
  for (let i = 0; i < steps; i++) {
    const turn = curvature((i + 0.5) * step) * step;
    x += step * Math.cos(heading + turn / 2);
    y += step * Math.sin(heading + turn / 2);
    heading += turn;
  }
  return { x, y, heading };
}

function expectNear(found: LinePoint, x: number, y: number, heading: number, digits = 9): void {
  expect(found.x).toBeCloseTo(x, digits);
  expect(found.y).toBeCloseTo(y, digits);
  expect(found.heading).toBeCloseTo(heading, digits);
}

describe("the reference line", () => {
  test("a line goes straight ahead, from where it begins", () => {
    const at = pointsOf({ kind: "line" }, 10, 3, 4, Math.PI / 2);
    expectNear(at(0), 3, 4, Math.PI / 2);
    expectNear(at(10), 3, 14, Math.PI / 2);
    // beyond its end it goes on
    expectNear(at(12), 3, 16, Math.PI / 2);
  });

  test("an arc of a quarter circle to the left, and one to the right", () => {
    const length = (Math.PI / 2) * 20;
    expectNear(pointsOf({ kind: "arc", curvature: 1 / 20 }, length)(length), 20, 20, Math.PI / 2);
    expectNear(pointsOf({ kind: "arc", curvature: -1 / 20 }, length)(length), 20, -20, -Math.PI / 2);
    expectNear(pointsOf({ kind: "arc", curvature: 0 }, 7)(7), 7, 0, 0);
    expectNear(pointsOf({ kind: "arc", curvature: 1e-12 }, 100)(100), 100, 5e-9, 1e-10);
  });

  test("a spiral is where many small steps lead", () => {
    for (const [from, to, length] of [
      [0, 0.05, 60],
      [-0.1, 0.1, 45],
      [0.3, 0.01, 80],
    ] as const) {
      const { x, y, heading } = walked((s) => from + ((to - from) * s) / length, length);
      expectNear(pointsOf({ kind: "spiral", from, to }, length)(length), x, y, heading, 7);
    }
  });

  test("a poly3 has gone as far along its curve as is asked", () => {
    const shape = { kind: "poly3", a: 0, b: 0, c: 0.02, d: -0.0003 } as const;
    const at = pointsOf(shape, 30);
    const v = (u: number): number => u * u * (0.02 - 0.0003 * u);
    for (const s of [0, 1, 12.5, 30]) {
      const point = at(s);
      expect(point.y).toBeCloseTo(v(point.x), 9);
      let length = 0;
      for (let i = 0; i < 20_000; i++) {
        const [a, b] = [(point.x * i) / 20_000, (point.x * (i + 1)) / 20_000];
        length += Math.hypot(b - a, v(b) - v(a));
      }
      expect(length).toBeCloseTo(s, 5);
    }
  });

  test("a paramPoly3 by its length, and from 0 to 1", () => {
    // a quarter of a parabola, by hand: u = p, v = p²/40
    const [u, v] = [[0, 1, 0, 0] as const, [0, 0, 1 / 40, 0] as const];
    expectNear(pointsOf({ kind: "paramPoly3", u, v, isNormalized: false }, 20)(10), 10, 2.5, Math.atan(0.5));
    const normalized = { kind: "paramPoly3", u: [0, 20, 0, 0], v: [0, 0, 10, 0], isNormalized: true } as const;
    expectNear(pointsOf(normalized, 20, 5, 6, Math.PI / 2)(10), 5 - 2.5, 6 + 10, Math.PI / 2 + Math.atan(0.5));
  });

  test("pieces follow each other, in whatever order they came", () => {
    const plan = new PlanView([
      { start: 10, length: 10, x: 10, y: 0, heading: Math.PI / 2, shape: { kind: "line" } },
      { start: 0, length: 10, x: 0, y: 0, heading: 0, shape: { kind: "line" } },
    ]);
    const out = { x: 0, y: 0, heading: 0 };
    expectNear(plan.at(9, out), 9, 0, 0);
    expectNear(plan.at(13, out), 10, 3, Math.PI / 2);
    expectNear(plan.at(-2, out), -2, 0, 0);
  });
});
