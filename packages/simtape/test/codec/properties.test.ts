import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDouble, parseDouble, parseInteger } from "../../src/codec/c-numbers.ts";
import { gunzip } from "../../src/codec/deflate.ts";
import {
  type PropertyNode,
  type PropertyNotice,
  propertyAt,
  propertyBoolean,
  propertyChild,
  propertyChildren,
  propertyDouble,
  propertyInteger,
  propertyNode,
  readProperties,
  writeProperties,
} from "../../src/codec/properties.ts";
import { sampleBytes, sampleNames } from "../samples.ts";
import { survives, thrown } from "./helpers.ts";

const list = (inner: string): string => `<?xml version="1.0"?>\n\n<PropertyList>\n${inner}</PropertyList>\n`;
const leaf = (type: string, value: string): PropertyNode => propertyNode("a", { type, value });

const name = fc.constantFrom("a", "b", "signal", "x-y_z.1");
const text = fc.string({ unit: "binary", maxLength: 12 }).map((text) =>
  // a carriage return becomes a line feed in XML; halves of surrogate pairs and the two last code points are no text
  text.replace(/[\r\ufffe\uffff\ufdd0-\ufdef\0]|\p{Surrogate}/gu, ""),
);

/** Numbers equally named children in order, as a tree built node by node has them. */
function numbered(children: readonly PropertyNode[]): PropertyNode[] {
  const counts = new Map<string, number>();
  return children.map((child) => {
    const index = counts.get(child.name) ?? 0;
    counts.set(child.name, index + 1);
    return { ...child, index };
  });
}

const { node } = fc.letrec<{ node: PropertyNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc
      .record({ name, type: fc.constantFrom("", "bool", "int", "double", "string"), value: text })
      .map(({ name, type, value }) => propertyNode(name, { type, value })),
    fc
      .record({ name, children: fc.array(tie("node"), { minLength: 1, maxLength: 4 }) })
      .map(({ name, children }) => propertyNode(name, { children: numbered(children) })),
  ),
}));
const tree = fc
  .array(node, { maxLength: 5 })
  .map((children) => propertyNode("PropertyList", { children: numbered(children) }));

describe("property lists", () => {
  it("come back from their text, and the text from them", () => {
    fc.assert(
      fc.property(tree, (tree) => {
        const text = writeProperties(tree);
        const again = readProperties(text);
        expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(tree)));
        expect(writeProperties(again)).toBe(text);
      }),
    );
  });

  it("are written as SimGear writes them", () => {
    const root = propertyNode("PropertyList", {
      children: [
        propertyNode("meta", {
          children: [
            propertyNode("title", { type: "string", value: 'a <b> & "c"\n é' }),
            propertyNode("title", { index: 3, value: "" }),
          ],
        }),
        propertyNode("meta", { index: 1, type: "double", value: formatDouble(606.7833333333) }),
        propertyNode("nothing"),
      ],
    });
    const text = list(
      "  <meta>\n" +
        '    <title type="string">a &lt;b&gt; &amp; "c"\n é</title>\n' +
        '    <title n="3"></title>\n' +
        "  </meta>\n" +
        '  <meta n="1" type="double">606.7833333</meta>\n',
    );
    expect(writeProperties(root)).toBe(text);
    expect(writeProperties(readProperties(text))).toBe(text);
  });

  it("number children without n after the ones before, explicit numbers included", () => {
    const root = readProperties(list('<a>0</a><a n="5">5</a><a>6</a><b>0</b><a n="2">2</a><a>7</a>'));
    expect(propertyChildren(root, "a").map((child) => [child.index, child.value])).toEqual([
      [0, "0"],
      [2, "2"],
      [5, "5"],
      [6, "6"],
      [7, "7"],
    ]);
    expect(root.children.map((child) => child.index)).toEqual([0, 5, 6, 0, 2, 7]);
    expect(propertyChild(root, "b")?.value).toBe("0");
  });

  it("go on with the same node when name and index come again", () => {
    const root = readProperties(list('<a><b>1</b></a><a n="0"><c>2</c></a><a n="0" type="int">7</a>'));
    expect(root.children).toHaveLength(1);
    expect(root.children[0]).toMatchObject({ type: "int", value: "7" });
    expect(root.children[0]?.children.map((child) => child.name)).toEqual(["b", "c"]);
    expect(writeProperties(root)).toBe(list('  <a type="int">7</a>\n  <a>\n    <b>1</b>\n    <c>2</c>\n  </a>\n'));
  });

  it("keep include and alias as attributes, never followed, and tell them", () => {
    const notices: PropertyNotice[] = [];
    const notice = (notice: PropertyNotice): void => void notices.push(notice);
    const text = list('  <a include="../../etc/passwd.xml"/>\n  <b n="2" alias="/sim/x"/>\n');
    const root = readProperties(text, { notice });
    expect(notices).toEqual([
      { kind: "include", path: "/a", detail: "../../etc/passwd.xml" },
      { kind: "alias", path: "/b[2]", detail: "/sim/x" },
    ]);
    expect(root.children[0]?.attributes).toEqual([["include", "../../etc/passwd.xml"]]);
    readProperties('<PropertyList include="x"><a/></PropertyList>', { notice });
    expect(notices[2]).toEqual({ kind: "include", path: "/", detail: "x" });
  });

  it("tell words beside children", () => {
    const notices: PropertyNotice[] = [];
    const root = readProperties(list("<a>lost<b>1</b> </a>"), { notice: (notice) => void notices.push(notice) });
    expect(propertyAt(root, "a/b")?.value).toBe("1");
    expect(notices).toEqual([{ kind: "text", path: "/a", detail: "lost" }]);
  });

  it("keep control characters that XML forbids, byte for byte", () => {
    const text = list('  <a type="string">bell \u0007 escape \u001b end</a>\n');
    const root = readProperties(text);
    expect(propertyAt(root, "a")?.value).toBe("bell \u0007 escape \u001b end");
    expect(writeProperties(root)).toBe(text);
  });

  it("are found by path", () => {
    const root = readProperties(list("<a><b>0</b><b>1</b></a>"));
    expect(propertyAt(root, "a/b[1]")?.value).toBe("1");
    expect(propertyAt(root, "a/b[2]")).toBeUndefined();
    expect(propertyAt(root, "a/b/c")).toBeUndefined();
    expect(propertyAt(root, "a/b[x]")).toBeUndefined();
  });

  it("read comments, CDATA and character references", () => {
    const root = readProperties(list("<a><!-- no -->1<![CDATA[<2>]]>&#51;&quot;</a>"));
    expect(propertyAt(root, "a")?.value).toBe('1<2>3"');
  });

  it("are refused when they are no property list", () => {
    const refused = ["", "<a/>", "<PropertyList>", list("<a>"), list("<a></b>"), list("<a n='-1'/>"), list("&evil;")];
    for (const text of [...refused, `${list("")}x`, "not xml", list("<a b=1/>")]) {
      expect(thrown(() => readProperties(text)).reason).toBe("malformed");
    }
  });

  it("expand no entities", () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`;
    expect(thrown(() => readProperties(`${bomb}<PropertyList><v>&b;</v></PropertyList>`)).message).toContain("b");
    const outside = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><PropertyList><v>&a;</v></PropertyList>';
    expect(thrown(() => readProperties(outside)).reason).toBe("malformed");
  });

  it("are limited in length and depth", () => {
    const nested = (depth: number): string =>
      `<PropertyList>${"<a>".repeat(depth)}${"</a>".repeat(depth)}</PropertyList>`;
    expect(propertyAt(readProperties(nested(64)), Array(64).fill("a").join("/"))?.value).toBe("");
    expect(thrown(() => readProperties(nested(65))).message).toContain("too deep");
    expect(thrown(() => readProperties(nested(200_000))).message).toMatch(
      /too deep|more nodes and references than fit/,
    );
    expect(thrown(() => readProperties(nested(5), { maxLength: 20 })).message).toContain("20 are allowed");
    expect(thrown(() => readProperties(nested(5), { maxDepth: 4 })).message).toContain("too deep");
  });

  it("throw nothing but LayoutError on damaged text", () => {
    const whole = writeProperties(
      propertyNode("PropertyList", { children: [leaf("string", "x<y"), leaf("int", "5")] }),
    );
    fc.assert(
      fc.property(fc.nat({ max: whole.length }), fc.nat({ max: 4 }), fc.string({ maxLength: 3 }), (at, count, put) => {
        survives(() => readProperties(whole.slice(0, at) + put + whole.slice(at + count)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("property values", () => {
  it("convert as SimGear converts them", () => {
    expect(["true", "1", "-3x", "0", "false", "TRUE", ""].map((value) => propertyBoolean(leaf("bool", value)))).toEqual(
      [true, true, true, false, false, false, false],
    );
    expect([propertyBoolean(leaf("double", "0.5")), propertyBoolean(leaf("int", "0.5"))]).toEqual([true, false]);
    expect([propertyInteger(leaf("int", " 42abc")), propertyInteger(leaf("double", "-2.9"))]).toEqual([42, -2]);
    expect([propertyInteger(leaf("bool", "true")), propertyInteger(leaf("string", "2.9"))]).toEqual([1, 2]);
    expect([propertyDouble(leaf("float", "0.1")), propertyDouble(leaf("", "1e-07"))]).toEqual([Math.fround(0.1), 1e-7]);
    expect([propertyDouble(leaf("bool", "true")), propertyDouble(leaf("int", "2.5"))]).toEqual([1, 2]);
    expect(propertyInteger(propertyNode("branch"))).toBe(0);
    // FlightGear spec §4.1: continuous-compression is read with atoi, so that `true` means off
    expect(propertyInteger(leaf("int", "true"))).toBe(0);
  });

  it("read integers as atoi does", () => {
    const cases: [string, number][] = [
      ["  -12 ", -12],
      ["+7", 7],
      ["0x10", 0],
      ["", 0],
      ["- 1", 0],
      ["2147483648", -2147483648],
      ["99999999999999999999", -1],
      ["-99999999999999999999", 0],
    ];
    for (const [text, value] of cases) expect(parseInteger(text)).toBe(value);
  });

  it("read doubles as strtod does", () => {
    const cases: [string, number][] = [
      ["1.5abc", 1.5],
      [".5", 0.5],
      ["5.", 5],
      ["1e", 1],
      ["1e+2", 100],
      ["-inf", Number.NEGATIVE_INFINITY],
      ["nan", Number.NaN],
      ["x", 0],
      [" \t-0", -0],
    ];
    for (const [text, value] of cases) expect(parseDouble(text)).toBe(value);
  });

  it("write doubles as C++ writes them with ten digits", () => {
    const cases: [number, string][] = [
      [244.55, "244.55"],
      [606.7833333333, "606.7833333"],
      [1e-7, "1e-07"],
      [0.0001, "0.0001"],
      [0.00001234567890123, "1.23456789e-05"],
      [1234567890, "1234567890"],
      [12345678901, "1.23456789e+10"],
      [9999999999.9, "1e+10"],
      [1234567890.5, "1234567890"], // half to even
      [1234567891.5, "1234567892"],
      [-0, "-0"],
      [0, "0"],
      [100, "100"],
      [-2.5, "-2.5"],
      [1e100, "1e+100"],
      [5e-324, "4.940656458e-324"],
      [1.7976931348623157e308, "1.797693135e+308"],
      [Number.NaN, "nan"],
      [Number.NEGATIVE_INFINITY, "-inf"],
      [Math.fround(0.1), "0.1000000015"],
    ];
    for (const [value, text] of cases) expect(formatDouble(value)).toBe(text);
  });

  it("write doubles that read back to the same ten digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e308, max: 1e308 }), (value) => {
        const text = formatDouble(value);
        expect(formatDouble(parseDouble(text))).toBe(text);
        expect(parseDouble(text) === Number(value.toPrecision(10))).toBe(true);
      }),
    );
  });
});

/** The texts of all trees in a tape's headers (FlightGear spec §3.2, §4.1). */
function headers(file: Uint8Array): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  if (file[0] !== 0x1f) {
    const length = new DataView(file.buffer).getUint32(32, true);
    return [decoder.decode(file.subarray(36, 36 + length - 1))];
  }
  const { bytes } = gunzip(file, 1 << 28);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  for (let at = 4 + 12 + 32; view.getUint32(at, true) !== 3; ) {
    const length = Number(view.getBigUint64(at + 4, true));
    texts.push(decoder.decode(bytes.subarray(at + 12, at + 12 + length - 1)));
    at += 12 + length;
  }
  return texts;
}

const tapes = sampleNames("flightgear").filter((name) => name.endsWith(".fgtape"));
describe.runIf(tapes.length > 0)("headers of real tapes", () => {
  it.each(tapes)("of %s are regenerated byte for byte", (tape) => {
    const texts = headers(sampleBytes(`flightgear/${tape}`));
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const notices: PropertyNotice[] = [];
      expect(writeProperties(readProperties(text, { notice: (notice) => void notices.push(notice) }))).toBe(text);
      expect(notices).toEqual([]);
    }
  });
});
