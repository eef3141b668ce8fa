import type { Account, Kit, Origin, Place, State, StateEncoder, Writer } from "simtape/kit";
import { timeText } from "./clock.ts";
import { writeSentence } from "./sentence.ts";
import { SELF } from "./state.ts";

const DAY = 86_400e9;
/** Columns of the vessel that its sentences hold, in one form or another. */
const CARRIED: ReadonlySet<string> = new Set(["position", "geodetic", "orientation", "rotation"]);
const NO_ROOM = "only the position and heading of one vessel are written as NMEA 0183";

/** Writes the first thing of a state as the vessel that the sentences come from: where it is (GGA) and looks (HDT). */
export function encoderOf(
  kit: Kit,
  writer: Writer,
  account: Account,
  origin: Origin = kit.unsetOrigin(),
): StateEncoder {
  const [gga, hdt] = ["gga", "hdt"].map((name) => writer.channel({ name }));
  let key: string | null = null;
  let said = "";
  let before: Pick<State, "values" | "sets"> = { values: new Map(), sets: new Map() };

  const accountFor = ({ values, sets }: State): void => {
    for (const [path, value] of values) if (before.values.get(path) !== value) account.lost(path, NO_ROOM);
    for (const [name, { ids, columns }] of sets) {
      for (const [column, cells] of columns) {
        if (before.sets.get(name)?.columns.get(column) === cells || ids.length === 0) continue;
        const isOwn = key?.startsWith(`${name}/`) === true && CARRIED.has(column);
        const count = isOwn ? ids.length - 1 : ids.length;
        if (count > 0) account.lost(`${name}/${column}`, NO_ROOM, count);
      }
    }
    before = { values, sets };
  };

  const step = (state: State): void => {
    const places = kit.placesOf(state, origin);
    // The vessel that the log is of, if the recording has it; else the first thing.
    const own =
      key === null
        ? (places.find(({ id }) => id === SELF) ?? places[0])
        : places.find(({ set, id }) => kit.thingKey(set, id) === key);
    if (own !== undefined) {
      if (!origin.isSet) Object.assign(origin, { latitude: 0, longitude: 0, altitude: 0, isSet: true });
      key ??= kit.thingKey(own.set, own.id);
      const [where, heading] = sentencesOf(kit, own, origin);
      const says = [where.join(), heading].join(" ");
      if (says !== said) {
        const time = timeText(state.time % DAY, 2);
        const fields = [time, ...where];
        writer.write(gga!, state.time, writeSentence({ start: "$", talker: "GP", formatter: "GGA", fields }));
        if (heading !== "")
          writer.write(
            hdt!,
            state.time,
            writeSentence({ start: "$", talker: "GP", formatter: "HDT", fields: [heading, "T"] }),
          );
        account.carried(own.set);
        said = says;
      }
    }
    accountFor(state);
  };

  return {
    step,
    end: () => undefined,
    witness: () => ({
      timeOf: (time) => time,
      value: () => undefined,
      hasSets: false,
      things: (state) => {
        const own = kit.placesOf(state, origin).find(({ id }) => id === SELF);
        return new Map(key === null || own === undefined ? [] : [[key, own]]);
      },
      origin,
    }),
  };
}

/** Fields of GGA behind the time, and the heading; "": nothing says where it looks. */
function sentencesOf(kit: Kit, { x, y, z, orientation }: Place, origin: Origin): [string[], string] {
  const at = [0, 0, 0];
  new kit.TangentPlane(origin).toGeodetic(x, y, z, at, 0);
  const [latitude, longitude, height] = at as [number, number, number];
  const along = (degrees: number, digits: number): string => {
    const minutes = Math.round(Math.abs(degrees) * 60e7);
    const whole = Math.floor(minutes / 60e7);
    return String(whole).padStart(digits, "0") + ((minutes - whole * 60e7) / 1e7).toFixed(7).padStart(10, "0");
  };
  const where = [
    ...[along(latitude, 2), latitude < 0 ? "S" : "N", along(longitude, 3), longitude < 0 ? "W" : "E"],
    ...["1", "", "", height.toFixed(4), "M", "0.0", "M", "", ""],
  ];
  if (orientation === null) return [where, ""];
  // Where forward comes to lie on the plane, from its y axis to the right.
  const [qx, qy, qz, qw] = orientation;
  const ahead = [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qz * qw)] as const;
  const heading = (Math.atan2(ahead[0], ahead[1]) * 180) / Math.PI + origin.heading;
  return [where, (((heading % 360) + 360) % 360).toFixed(3)];
}
