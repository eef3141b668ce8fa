import { describe, expect, test } from "vitest";
import type { Scenery } from "../../src/world/companion.ts";
import { Findings } from "../../src/world/findings.ts";
import { roadNetOf } from "../../src/world/opendrive/document.ts";
import { read } from "../../src/world/opendrive/read.ts";
import { Cross, laneAt } from "../../src/world/opendrive/section.ts";
import type { Road } from "../../src/world/opendrive/road.ts";
import { lanesOf, netOf, roadOf } from "./nets.ts";

function readText(text: string): Scenery {
  return read(new TextEncoder().encode(text));
}

function road(words: Parameters<typeof roadOf>[0]): Road {
  const findings = new Findings();
  const net = roadNetOf(netOf(roadOf(words)), findings)!;
  expect(findings.list).toEqual([]);
  return net.roads[0]!;
}

function placeOn(one: Road, s: number, t: number, lift = 0): number[] {
  const out = new Float64Array(3);
  new Cross(one, one.sections[0]!).to(s).place(t, lift, out);
  return [...out].map((value) => Math.round(value * 1e6) / 1e6 + 0);
}

/** Square metres of a part, seen from above. */
function areaOf({ parts }: Scenery, paint: string): number {
  const part = parts.find((one) => one.paint === paint);
  let area = 0;
  for (let i = 0; part !== undefined && i < part.index.length; i += 3) {
    const [[ax, ay], [bx, by], [cx, cy]] = [0, 1, 2].map((k) => {
      const at = 3 * part.index[i + k]!;
      return [part.positions[at]!, part.positions[at + 1]!];
    }) as [[number, number], [number, number], [number, number]];
    area += ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2;
  }
  return area;
}

describe("lanes", () => {
  test("have their edges where widths and the offset put them", () => {
    const one = road({
      length: 50,
      lanes: `<laneOffset s="0" a="1" b="0" c="0" d="0"/><laneOffset s="20" a="1" b="0.1" c="0" d="0"/>${lanesOf()}`,
    });
    const cross = new Cross(one, one.sections[0]!);
    expect([...cross.to(10).edges]).toEqual([4.5, 1, 1, -2.5, -2.5, -4.5]);
    expect([...cross.to(30).edges].map((edge) => Math.round(edge * 1e9) / 1e9)).toEqual([5.5, 2, 2, -1.5, -1.5, -3.5]);
    expect(laneAt(cross, 0)?.id).toBe(-1);
    expect(laneAt(cross, -3)?.type).toBe("sidewalk");
    expect(laneAt(cross, 9)).toBeNull();
  });

  test("are where heights and the roll of the road put them", () => {
    const slope = Math.atan(0.1);
    const one = road({
      length: 100,
      at: 'x="10" y="20" hdg="1.5707963267948966"',
      elevation: '<elevation s="0" a="2" b="0.05" c="0" d="0"/>',
      lateral: `<superelevation s="0" a="${slope}" b="0" c="0" d="0"/>`,
    });
    // north along x = 10; left of it is west
    expect(placeOn(one, 40, 0)).toEqual([10, 60, 4]);
    const t = 3 / Math.cos(slope);
    // it falls to the right: what is left of the line is higher
    expect(placeOn(one, 40, t)).toEqual([7, 60, 4.3]);
    expect(placeOn(one, 40, -t)).toEqual([13, 60, 3.7]);
  });

  test("that grow and shrink are as large as their integral", () => {
    const lanes =
      '<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving"><width sOffset="0" a="0" b="0" c="0.0105" d="-0.00007"/></lane></right></laneSection>';
    const scenery = readText(netOf(roadOf({ length: 100, lanes })));
    // ∫ 0.0105 s² - 0.00007 s³ ds from 0 to 100
    expect(areaOf(scenery, "road")).toBeCloseTo(3500 - 1750, -1);
  });

  test("around a bend are as large as the ring that they are", () => {
    const length = Math.PI * 30;
    const scenery = readText(netOf(roadOf({ length, shape: `<arc curvature="${1 / 30}"/>` })));
    const ring = (outer: number, inner: number): number => (Math.PI / 2) * (outer ** 2 - inner ** 2);
    expect(areaOf(scenery, "road") / ring(33.5, 26.5)).toBeCloseTo(1, 2);
    expect(areaOf(scenery, "walk") / ring(35.5, 33.5)).toBeCloseTo(1, 2);
    expect(scenery.parts.map(({ paint }) => paint).sort()).toEqual(["kerb", "mark-white", "road", "walk"]);
  });

  test("of several sections, each with its own", () => {
    const lane = (id: number): string =>
      `<lane id="${id}" type="driving"><width sOffset="0" a="3" b="0" c="0" d="0"/></lane>`;
    const section = (s: number, ids: readonly number[]): string =>
      `<laneSection s="${s}"><center><lane id="0" type="none"/></center><right>${ids.map(lane).join("")}</right></laneSection>`;
    const scenery = readText(netOf(roadOf({ length: 100, lanes: section(0, [-1]) + section(60, [-2, -1]) })));
    expect(areaOf(scenery, "road")).toBeCloseTo(60 * 3 + 40 * 6, 3);
  });
});

describe("marks", () => {
  const marked = (mark: string): number =>
    areaOf(readText(netOf(roadOf({ length: 90, lanes: lanesOf(mark) }))), "mark-white");

  test("are lines, dashes and pairs of them", () => {
    const mark = (type: string): string => `<roadMark sOffset="0" type="${type}" color="standard" width="0.1"/>`;
    expect(marked(mark("none"))).toBe(0);
    expect(marked(mark("solid"))).toBeCloseTo(9, 3);
    expect(marked(mark("broken"))).toBeCloseTo(3, 3);
    expect(marked(mark("solid solid"))).toBeCloseTo(18, 3);
    expect(marked(mark("solid broken"))).toBeCloseTo(12, 3);
  });

  test("are as the file says where it does, from where they begin", () => {
    const line = '<line length="1" space="2" tOffset="0.5" sOffset="0" width="0.2"/>';
    expect(
      marked(`<roadMark sOffset="30" type="broken" color="white"><type name="broken">${line}</type></roadMark>`),
    ).toBeCloseTo(20 * 0.2, 3);
    const yellow = readText(
      netOf(roadOf({ length: 9, lanes: lanesOf('<roadMark sOffset="0" type="solid" color="yellow"/>') })),
    );
    expect(areaOf(yellow, "mark-yellow")).toBeCloseTo(9 * 0.12, 3);
  });
});

describe("beside the lanes", () => {
  test("crosswalks are striped the way that people walk", () => {
    const corners = [
      [-2, -3.5],
      [2, -3.5],
      [2, 3.5],
      [-2, 3.5],
    ].map(([u, v]) => `<cornerLocal u="${u}" v="${v}" z="0"/>`);
    const others = `<objects><object id="1" type="crosswalk" s="50" t="0" zOffset="0" hdg="0"><outline>${corners.join("")}</outline></object></objects>`;
    const scenery = readText(netOf(roadOf({ length: 100, lanes: lanesOf(""), others })));
    // seven stripes of half a metre, four metres long
    expect(areaOf(scenery, "mark-white")).toBeCloseTo(7 * 0.5 * 4, 3);
    expect(scenery.facts).toContainEqual(["beside them", "0 signals, 1 crosswalk"]);
  });

  test("signs and lights stand where they are, and lines to stop at lie across their lanes", () => {
    const others =
      '<signals><signal id="1" s="90" t="-5" zOffset="4" type="1000001" orientation="+" dynamic="yes"/><signal id="2" s="10" t="5" zOffset="2" type="206" orientation="-"/><signal id="3" s="95" t="0" zOffset="0" type="294" orientation="+"/></signals>';
    const scenery = readText(netOf(roadOf({ length: 100, lanes: lanesOf(""), others })));
    expect(scenery.parts.map(({ paint }) => paint)).toEqual(
      expect.arrayContaining(["light-head", "light-post", "plate-red"]),
    );
    expect(areaOf(scenery, "mark-white")).toBeCloseTo(0.4 * 3.5, 3);
    const head = scenery.parts.find(({ paint }) => paint === "light-head")!;
    const x = [...head.positions].filter((_, i) => i % 3 === 0);
    // for those who come from x = 0
    expect(Math.min(...x)).toBeLessThan(90);
  });

  test("the holes of a crossing are road, islands are not", () => {
    const ring = (side: number): string[] =>
      [0, 1, 2, 3].map((i) => {
        const [x, y] = [i === 0 || i === 3 ? 0 : side, i < 2 ? 0 : side];
        const lanes =
          '<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving"><width sOffset="0" a="1" b="0" c="0" d="0"/></lane></right></laneSection>';
        return roadOf({
          id: String(i),
          junction: "7",
          length: side,
          at: `x="${x}" y="${y}" hdg="${(i * Math.PI) / 2}"`,
          lanes,
        });
      });
    // four lanes around a square, each to the right of its line
    const small = readText(netOf(...ring(5), '<junction id="7"/>'));
    expect(areaOf(small, "fill")).toBeGreaterThan(25);
    expect(small.description).toBe("4 roads, 1 junction");
    expect(areaOf(readText(netOf(...ring(30), '<junction id="7"/>')), "fill")).toBe(0);
  });
});

describe("what is wrong with a file", () => {
  const codes = (text: string): string[] => readText(text).findings.map(({ code }) => code);

  test("is a finding that says where", () => {
    expect(readText("<OpenDRIVE><road").findings).toEqual([
      { severity: "damage", code: "not-well-formed", message: expect.stringContaining("line 1") },
    ]);
    expect(codes("<a/>")).toEqual(["no-opendrive"]);
    expect(codes("")).toEqual(["not-well-formed"]);
    expect(codes("<OpenDRIVE/>")).toEqual(["no-header", "no-roads"]);
    expect(codes(netOf(roadOf({ length: 10, shape: "<helix/>" })))).toEqual(["unknown-geometry"]);
    expect(codes(netOf(roadOf({ length: 10, shape: '<arc curvature="1e9"/>' })))).toEqual([
      "bad-geometry",
      "no-geometry",
      "no-roads",
    ]);
    expect(codes(netOf(roadOf({ length: 1e12 })))).toContain("bad-geometry");
    expect(codes(netOf(roadOf({ length: 10, lanes: lanesOf().replace(/<width[^>]*>/, "") })))).toEqual(["no-width"]);
    expect(codes(netOf(roadOf({ length: 10, lanes: lanesOf().replace('a="3.5"', 'a="wide"') })))).toEqual([
      "no-number",
    ]);
    expect(codes(netOf(roadOf({ length: 10, lanes: "" })))).toEqual(["no-lanes"]);
    expect(readText(netOf(roadOf({ id: "12", length: 10, shape: "<helix/>" }))).findings[0]!.message).toMatch(
      /^road 12: /,
    );
  });

  test("nested without end is not followed", () => {
    expect(codes(`<OpenDRIVE>${"<a>".repeat(200_000)}`)).toEqual(["not-well-formed"]);
  });

  test("many of a kind are counted", () => {
    const roads = Array.from({ length: 50 }, (_, i) => roadOf({ id: String(i), length: 10, shape: "<helix/>" }));
    const { findings } = readText(netOf(...roads));
    expect(findings).toHaveLength(6);
    expect(findings.at(-1)!.message).toBe("45 more of this kind");
  });

  test("never keeps it from coming to an end, cut or mutated", () => {
    const others =
      '<objects><object id="1" type="crosswalk" s="50" t="0" zOffset="0" hdg="0" length="4" width="7"/></objects>';
    const text = netOf(
      roadOf({ id: "1", length: 60, shape: '<spiral curvStart="0" curvEnd="0.05"/>', others }),
      roadOf({ id: "2", length: 60, shape: '<poly3 a="0" b="0" c="0.01" d="0"/>', junction: "3" }),
      roadOf({ id: "3", length: 60, shape: '<paramPoly3 aU="0" bU="60" cU="0" dU="0" aV="0" bV="0" cV="9" dV="0"/>' }),
      '<junction id="3"/>',
    );
    const bytes = new TextEncoder().encode(text);
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 0x1_0000_0000) * below);
    };
    for (let i = 0; i < 400; i++) {
      const other = bytes.slice(0, i % 4 === 0 ? random(bytes.length) : bytes.length);
      for (let k = 0; k < 3 && i % 4 !== 0; k++)
        other[random(other.length)] = '0123456789.-e<>"= /x'.charCodeAt(random(20));
      const { parts, findings } = read(other);
      expect(parts.length + findings.length).toBeGreaterThan(0);
      for (const { positions } of parts) expect(positions.every(Number.isFinite)).toBe(true);
    }
  });
});

test("what the file says of itself is reported", () => {
  const { facts, ground, findings } = readText(
    netOf(roadOf({ length: 100, elevation: '<elevation s="0" a="3" b="0" c="0" d="0"/>' })),
  );
  expect(findings).toEqual([]);
  expect(ground).toBe(3);
  expect(Object.fromEntries(facts)).toMatchObject({
    version: "OpenDRIVE 1.4",
    "geographic reference": "+proj=tmerc +lat_0=49",
    roads: "1 road, 0.1 km",
  });
});
