import type { Fields } from "./fields.ts";

/** Records of list packets, as name:type; `v` is a vector. Facts: packages/simtape/src/formats/carla/README.md. */
const LISTS: Readonly<Record<number, string>> = {
  3: "id:u32",
  4: "child:u32 parent:u32",
  5: "number:u32 id1:u32 id2:u32 hero1:u8 hero2:u8",
  6: "id:u32 location:v rotation:v",
  7: "id:u32 frozen:u8 seconds:f32 state:u8",
  8: "id:u32 steering:f32 throttle:f32 brake:f32 handbrake:u8 gear:i32",
  9: "id:u32 speed:f32",
  10: "id:u32 lights:u32",
  11: "id:i32 intensity:f32 red:f32 green:f32 blue:f32 alpha:f32 on:u8 type:u8",
  12: "id:u32 velocity:v angular-velocity:v",
  13: "id:u32 origin:v extent:v",
  16: "id:u32 green:f32 yellow:f32 red:f32",
  17: "id:u32 origin:v extent:v",
};

const PLAIN: Readonly<Record<number, string>> = {
  0: "frame:u64 duration:f64 elapsed:f64",
  1: "",
  14: "seconds:f64",
  18: "counter:u64",
  20: "seconds:f64",
};

export function dissectCarla(fields: Fields, kind: string, metadata: Readonly<Record<string, unknown>>): void {
  if (kind === "header") {
    fields.u16("version");
    fields.text("magic", fields.u16("magic length"));
    fields.i64("date");
    fields.text("map", fields.u16("map length"));
    return;
  }
  const id = fields.u8("packet id");
  const size = fields.u32("payload length");
  const vector = metadata["vectors"] === "float64" ? "f64" : "f32";
  const plain = PLAIN[id];
  const list = LISTS[id];
  if (plain !== undefined) fields.values(() => record(fields, "", plain, vector));
  else if (list !== undefined || id === 2) {
    fields.values(() => {
      const count = fields.u16("count");
      for (let i = 0; i < count; i++) {
        if (id === 2) actor(fields, `[${i}].`, vector);
        else record(fields, `[${i}].`, list!, vector);
      }
    });
  } else fields.payload("payload", size);
}

function actor(fields: Fields, prefix: string, vector: "f32" | "f64"): void {
  record(fields, prefix, "id:u32 type:u8 location:v rotation:v uid:u32", vector);
  string(fields, `${prefix}blueprint`);
  const count = fields.u16(`${prefix}attributes`);
  for (let i = 0; i < count; i++) {
    fields.u8(`${prefix}attributes[${i}].type`);
    string(fields, `${prefix}attributes[${i}].id`);
    string(fields, `${prefix}attributes[${i}].value`);
  }
}

function string(fields: Fields, name: string): void {
  fields.text(name, fields.u16(`${name} length`));
}

function record(fields: Fields, prefix: string, layout: string, vector: "f32" | "f64"): void {
  for (const part of layout.split(" ").filter((part) => part !== "")) {
    const [name, type] = part.split(":") as [string, "u8" | "u32" | "i32" | "u64" | "f32" | "f64" | "v"];
    if (type === "v") for (const axis of "xyz") fields[vector](`${prefix}${name}.${axis}`);
    else fields[type](`${prefix}${name}`);
  }
}
