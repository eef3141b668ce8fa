/** WGS 84, as FlightGear's `SGGeodesy` uses it. */
const RADIUS = 6378137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY2 = FLATTENING * (2 - FLATTENING);
const POLAR = RADIUS * (1 - FLATTENING);
const FOOT = 0.3048;
const DEGREE = Math.PI / 180;

/** Latitude and longitude in degrees, altitude above the ellipsoid in feet; to x, y, z in metres, earth-centred. */
export function toEarthCentred(latitude: number, longitude: number, altitude: number): [number, number, number] {
  const sin = Math.sin(latitude * DEGREE);
  const cos = Math.cos(latitude * DEGREE);
  const normal = RADIUS / Math.sqrt(1 - ECCENTRICITY2 * sin * sin);
  const height = altitude * FOOT;
  return [
    (normal + height) * cos * Math.cos(longitude * DEGREE),
    (normal + height) * cos * Math.sin(longitude * DEGREE),
    (normal * (1 - ECCENTRICITY2) + height) * sin,
  ];
}

/** The other way around, by Bowring's formula repeated until it stands still: within a micrometre of the inverse. */
export function toGeodetic(x: number, y: number, z: number): [number, number, number] {
  const p = Math.hypot(x, y);
  if (!(p + Math.abs(z) > 0)) return [Number.NaN, Number.NaN, Number.NaN];
  const longitude = Math.atan2(y, x);
  let reduced = Math.atan2(z, (1 - FLATTENING) * p);
  let latitude = 0;
  for (let i = 0; i < 4; i++) {
    const sin = Math.sin(reduced);
    const cos = Math.cos(reduced);
    latitude = Math.atan2(
      z + ((ECCENTRICITY2 * RADIUS * RADIUS) / POLAR) * sin * sin * sin,
      p - ECCENTRICITY2 * RADIUS * cos * cos * cos,
    );
    reduced = Math.atan2((1 - FLATTENING) * Math.sin(latitude), Math.cos(latitude));
  }
  const sin = Math.sin(latitude);
  const cos = Math.cos(latitude);
  const normal = RADIUS / Math.sqrt(1 - ECCENTRICITY2 * sin * sin);
  // Near the poles the distance from the axis says nothing of the height.
  const height = cos > 0.01 ? p / cos - normal : Math.abs(z) / Math.abs(sin) - normal * (1 - ECCENTRICITY2);
  return [latitude / DEGREE, longitude / DEGREE, height / FOOT];
}

type Quaternion = readonly [x: number, y: number, z: number, w: number];

/**
 * Roll, pitch and heading in degrees, heading 0 to 360, of an aircraft at that place whose orientation is the rotation
 * vector from the earth-fixed frame to the body: Rz(lon)·Ry(-90°-lat)·Rz(heading)·Ry(pitch)·Rx(roll) (spec §5.2).
 */
export function toEuler(
  vector: ArrayLike<number>,
  latitude: number,
  longitude: number,
): [roll: number, pitch: number, heading: number] {
  const local = multiply(conjugate(localFrame(latitude, longitude)), fromVector(vector));
  const [x, y, z, w] = local;
  const sinPitch = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) / DEGREE;
  const pitch = Math.asin(sinPitch) / DEGREE;
  const heading = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) / DEGREE;
  return [roll, pitch, heading < 0 ? heading + 360 : heading];
}

/** The rotation vector that `toEuler` takes apart. */
export function toRotationVector(
  roll: number,
  pitch: number,
  heading: number,
  latitude: number,
  longitude: number,
): [number, number, number] {
  let q = multiply(localFrame(latitude, longitude), around(2, heading));
  q = multiply(multiply(q, around(1, pitch)), around(0, roll));
  const [x, y, z, w] = q;
  const sin = Math.hypot(x, y, z);
  if (sin === 0) return [0, 0, 0];
  const scale = (2 * Math.atan2(sin, w)) / sin;
  return [x * scale, y * scale, z * scale];
}

function localFrame(latitude: number, longitude: number): Quaternion {
  return multiply(around(2, longitude), around(1, -90 - latitude));
}

function fromVector(vector: ArrayLike<number>): Quaternion {
  const [x, y, z] = [vector[0]!, vector[1]!, vector[2]!];
  const angle = Math.hypot(x, y, z);
  if (angle === 0) return [0, 0, 0, 1];
  const scale = Math.sin(angle / 2) / angle;
  return [x * scale, y * scale, z * scale, Math.cos(angle / 2)];
}

function around(axis: 0 | 1 | 2, degrees: number): Quaternion {
  const sin = Math.sin((degrees * DEGREE) / 2);
  return [axis === 0 ? sin : 0, axis === 1 ? sin : 0, axis === 2 ? sin : 0, Math.cos((degrees * DEGREE) / 2)];
}

function conjugate([x, y, z, w]: Quaternion): Quaternion {
  return [-x, -y, -z, w];
}

function multiply([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}
