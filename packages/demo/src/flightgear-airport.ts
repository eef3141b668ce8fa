import { AIRPORT, fromRunway } from "./flightgear-aircraft.ts";

/** m: of the runway along it, from its threshold on, and across it. */
const [BEHIND, AHEAD, WIDTH] = [60, 1500, 30];
const FOOT = 0.3048;
const METRES_NORTH = 111_132;
const METRES_EAST = 111_320 * Math.cos((AIRPORT.latitude * Math.PI) / 180);

/** The airport of the demo as `apt.dat` of version 1000: invented, with its runway below the take-off. */
export function airport(): Uint8Array {
  const end = (name: string, along: number): string => {
    const [east, north] = fromRunway(along, 0);
    const latitude = AIRPORT.latitude + north / METRES_NORTH;
    const longitude = AIRPORT.longitude + east / METRES_EAST;
    // not displaced, no pavement before it, marks for precise approaches, no lights
    return `${name} ${latitude.toFixed(8)} ${longitude.toFixed(8)} 0.00 0.00 3 0 0 0`;
  };
  // of asphalt, with lights along its edges
  const runway = `100 ${WIDTH.toFixed(2)} 1 0 0.25 0 2 0 ${end("30", -BEHIND)} ${end("12", AHEAD)}`;
  const name = `${AIRPORT.id} Half Moon Bay, invented for simtape demo flightgear`;
  return new TextEncoder().encode(
    `I\n1000 Version - invented, no survey of any place\n\n1 ${Math.round(AIRPORT.altitude / FOOT)} 0 0 ${name}\n${runway}\n99\n`,
  );
}
