import type { Dialect } from "../layout/layout.ts";
import { f32Text, vectorText } from "./text.ts";

/** One record of physics control as text, and where the next one begins. */
export interface Printed {
  readonly text: string;
  readonly end: number;
}

/**
 * Prints the record of physics control at `at` as CARLA does (semantics §3.1). Null when `[at, end)` does not hold it
 * whole.
 */
export function controlText(view: DataView, at: number, end: number, wheel: Dialect["wheel"]): Printed | null {
  return wheel === 208 ? ue5Text(view, at, end) : ue4Text(view, at, end, wheel ?? 48);
}

/** Places of the arrays behind a fixed part: u32 count, then items of that width. Null when one does not fit. */
function arrays(view: DataView, from: number, end: number, widths: readonly number[]): Items[] | null {
  const found: Items[] = [];
  let at = from;
  for (const width of widths) {
    if (at + 4 > end) return null;
    const count = view.getUint32(at, true);
    at += 4;
    if (count * width > end - at) return null;
    found.push({ at, count });
    at += count * width;
  }
  found.push({ at, count: 0 });
  return found;
}

interface Items {
  readonly at: number;
  readonly count: number;
}

/** Names of f32 values by their place in the record (spec §4.15). */
const UE4_FIRST: readonly (readonly [string, number])[] = [
  ["max_rpm", 4],
  ["MOI", 8],
  ["damping_rate_full_throttle", 12],
  ["damping_rate_zero_throttle_clutch_engaged", 16],
  ["damping_rate_zero_throttle_clutch_disengaged", 20],
];
const UE4_SECOND: readonly (readonly [string, number])[] = [
  ["clutch_strength", 25],
  ["final_ratio", 29],
  ["mass", 33],
  ["drag_coefficient", 37],
];
const UE4_FIXED = 53;

function ue4Text(view: DataView, at: number, end: number, width: 36 | 48): Printed | null {
  const found = arrays(view, at + UE4_FIXED, end, [8, 12, 8, width]);
  if (found === null) return null;
  const [torque, gears, steering, wheels, next] = found as [Items, Items, Items, Items, Items];
  let text = `  Id: ${view.getUint32(at, true)}\n`;
  for (const [name, place] of UE4_FIRST) text += `   ${name} = ${f32Text(view, at + place)}\n`;
  text += `   use_gear_auto_box = ${trueOrFalse(view, at + 24)}\n`;
  // Not in the file: CARLA prints its default.
  text += "   gear_switch_time = 0.5\n";
  for (const [name, place] of UE4_SECOND) text += `   ${name} = ${f32Text(view, at + place)}\n`;
  text += `   center_of_mass = ${vectorText(view, at + 41, 4)}\n`;
  text += curve(view, "torque_curve", torque) + curve(view, "steering_curve", steering);
  text += "   forward_gears:\n";
  for (let n = 0; n < gears.count; n++) {
    const gear = gears.at + 12 * n;
    const [ratio, down, up] = [f32Text(view, gear), f32Text(view, gear + 4), f32Text(view, gear + 8)];
    text += `    gear ${n}: ratio ${ratio} down_ratio ${down} up_ratio ${up}\n`;
  }
  text += "   wheels:\n";
  for (let n = 0; n < wheels.count; n++) {
    const wheel = wheels.at + width * n;
    text += `    wheel ${n}: tire_friction ${f32Text(view, wheel)} damping_rate ${f32Text(view, wheel + 4)}`;
    text += ` max_steer_angle ${f32Text(view, wheel + 8)} radius ${f32Text(view, wheel + 12)}`;
    text += ` max_brake_torque ${f32Text(view, wheel + 16)} max_handbrake_torque ${f32Text(view, wheel + 20)}`;
    text += ` position ${vectorText(view, wheel + width - 12, 4)}\n`;
  }
  return { text, end: next.at };
}

function trueOrFalse(view: DataView, at: number): string {
  return view.getUint8(at) === 0 ? "false" : "true";
}

function curve(view: DataView, name: string, { at, count }: Items): string {
  let text = `   ${name} =`;
  for (let n = 0; n < count; n++) text += ` (${f32Text(view, at + 8 * n)}, ${f32Text(view, at + 8 * n + 4)})`;
  return `${text}\n`;
}

const UE5_FIRST: readonly (readonly [string, number])[] = [
  ["max_torque", 4],
  ["max_rpm", 8],
  ["MOI", 20],
  ["rev_down_rate", 24],
];
const UE5_SECOND: readonly (readonly [string, number])[] = [
  ["gear_change_time", 34],
  ["final_ratio", 38],
  ["change_up_rpm", 42],
  ["change_down_rpm", 46],
  ["transmission_efficiency", 50],
  ["mass", 54],
  ["drag_coefficient", 58],
];
const UE5_FIXED = 111;
const UE5_WHEEL = 208;

/** CARLA prints the small numbers (types, methods) as raw control characters; here they are digits. */
function ue5Text(view: DataView, at: number, end: number): Printed | null {
  const found = arrays(view, at + UE5_FIXED, end, [8, 4, 4, 8, UE5_WHEEL]);
  if (found === null) return null;
  const [torque, forward, reverse, steering, wheels, next] = found as [Items, Items, Items, Items, Items, Items];
  let text = `  Id: ${view.getUint32(at, true)}\n`;
  for (const [name, place] of UE5_FIRST) text += `   ${name} = ${f32Text(view, at + place)}\n`;
  text += `   differential_type = ${view.getUint8(at + 28)}\n`;
  text += `   front_rear_split = ${f32Text(view, at + 29)}\n`;
  text += `   use_gear_auto_box = ${trueOrFalse(view, at + 33)}\n`;
  for (const [name, place] of UE5_SECOND) text += `   ${name} = ${f32Text(view, at + place)}\n`;
  text += `   center_of_mass = ${vectorText(view, at + 62, 4)}\n`;
  text += curve(view, "torque_curve", torque) + curve(view, "steering_curve", steering);
  text += ratios(view, "forward_gear_ratios", forward) + ratios(view, "reverse_gear_ratios", reverse);
  text += "   wheels:\n";
  for (let n = 0; n < wheels.count; n++) {
    text += `wheel #${n}:\n`;
    for (const [name, place, kind] of UE5_WHEEL_FIELDS) {
      text += ` ${name}: ${fieldText(view, wheels.at + UE5_WHEEL * n + place, kind)}`;
    }
    text += "\n";
  }
  return { text, end: next.at };
}

function ratios(view: DataView, name: string, { at, count }: Items): string {
  let text = `   ${name}:\n`;
  for (let n = 0; n < count; n++) text += `    gear ${n}: ratio ${f32Text(view, at + 4 * n)}\n`;
  return text;
}

type FieldKind = "u8" | "bool" | "f32" | "i32" | "vector" | "none";

/** In the order of the struct (semantics §3.1), with the places of spec §5. The slip graph is only stale pointers. */
const UE5_WHEEL_FIELDS: readonly (readonly [string, number, FieldKind])[] = [
  ["axle_type", 0, "u8"],
  ["offset", 4, "vector"],
  ["wheel_radius", 16, "f32"],
  ["wheel_width", 20, "f32"],
  ["wheel_mass", 24, "f32"],
  ["cornering_stiffness", 28, "f32"],
  ["friction_force_multiplier", 32, "f32"],
  ["side_slip_modifier", 36, "f32"],
  ["slip_threshold", 40, "f32"],
  ["skid_threshold", 44, "f32"],
  ["max_steer_angle", 48, "f32"],
  ["affected_by_steering", 52, "bool"],
  ["affected_by_brake", 53, "bool"],
  ["affected_by_handbrake", 54, "bool"],
  ["affected_by_engine", 55, "bool"],
  ["abs_enabled", 56, "bool"],
  ["traction_control_enabled", 57, "bool"],
  ["max_wheelspin_rotation", 60, "f32"],
  ["external_torque_combine_method", 64, "u8"],
  ["lateral_slip_graph", 72, "none"],
  ["suspension_axis", 96, "vector"],
  ["suspension_force_offset", 108, "vector"],
  ["suspension_max_raise", 120, "f32"],
  ["suspension_max_drop", 124, "f32"],
  ["suspension_damping_ratio", 128, "f32"],
  ["wheel_load_ratio", 132, "f32"],
  ["spring_rate", 136, "f32"],
  ["spring_preload", 140, "f32"],
  ["suspension_smoothing", 144, "i32"],
  ["rollbar_scaling", 148, "f32"],
  ["sweep_shape", 152, "u8"],
  ["sweep_type", 153, "u8"],
  ["max_brake_torque", 156, "f32"],
  ["max_hand_brake_torque", 160, "f32"],
  ["wheel_index", 164, "i32"],
  ["location", 168, "vector"],
  ["old_location", 180, "vector"],
  ["velocity", 192, "vector"],
];

function fieldText(view: DataView, at: number, kind: FieldKind): string {
  switch (kind) {
    case "u8":
      return String(view.getUint8(at));
    case "bool":
      return view.getUint8(at) === 0 ? "0" : "1";
    case "f32":
      return f32Text(view, at);
    case "i32":
      return String(view.getInt32(at, true));
    case "vector":
      return `(${fixedText(view, at)}, ${fixedText(view, at + 4)}, ${fixedText(view, at + 8)})`;
    case "none":
      return "";
    default:
      return kind satisfies never;
  }
}

/** Six decimals; what `toFixed` cannot write so (NaN, infinities, huge numbers) as a stream would. */
function fixedText(view: DataView, at: number): string {
  const value = view.getFloat32(at, true);
  return Math.abs(value) < 1e21 ? value.toFixed(6) : f32Text(view, at);
}
