import { type Origin, originAt } from "../../model/axes/geodesy.ts";
import { UsageError } from "../run/failure.ts";

/** For help texts. */
export const ORIGIN_FLAGS = "--origin <lat,lon[,alt[,heading]]>";

/** Where a local plane touches the earth, as given on the command line. Throws `UsageError`. */
export function originOf(text: string): Origin {
  const parts = text.split(",");
  try {
    const [latitude = Number.NaN, longitude = Number.NaN, altitude, heading] = parts.map((part) =>
      part.trim() === "" ? Number.NaN : Number(part),
    );
    if (parts.length <= 4) return originAt(latitude, longitude, altitude, heading);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new UsageError(`--origin takes LAT,LON[,ALT[,HEADING]], degrees and metres, not ${JSON.stringify(text)}`);
}
