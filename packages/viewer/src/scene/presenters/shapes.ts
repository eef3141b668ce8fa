import {
  BoxGeometry,
  BufferAttribute,
  type BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  SphereGeometry,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

/** Shapes of things, x ahead, y up. A part's grey is multiplied with the colour of the instance. */

/** A car that fills a cube of 1 m around zero: body, windows, roof, wheels. */
export function carGeometry(): BufferGeometry {
  const cabin = new BoxGeometry(0.52, 0.42, 0.84).translate(-0.06, 0.26, 0);
  taper(cabin, 0.05, 0.72, 0.82);
  const roof = new BoxGeometry(0.36, 0.05, 0.69).translate(-0.06, 0.475, 0);
  const body = new BoxGeometry(1, 0.42, 1).translate(0, -0.13, 0);
  taper(body, 0.05, 0.97, 0.94);
  const parts = [shaded(body, 1), shaded(cabin, 0.16), shaded(roof, 0.95)];
  for (const x of [-0.3, 0.31]) {
    for (const z of [-0.44, 0.44]) {
      parts.push(
        shaded(
          new CylinderGeometry(0.07, 0.07, 0.12, 16)
            .rotateX(Math.PI / 2)
            .scale(1, 3, 1)
            .translate(x, -0.29, z),
          0.08,
        ),
      );
    }
  }
  return merged(parts);
}

/** Someone who fills a cube of 1 m around zero. */
export function walkerGeometry(): BufferGeometry {
  return merged([
    shaded(new CapsuleGeometry(0.42, 0.2, 4, 12).scale(0.8, 0.72, 1).translate(0, -0.13, 0), 1),
    shaded(new SphereGeometry(0.15, 12, 10).scale(1.3, 1, 1.3).translate(0, 0.36, 0), 1.25),
    shaded(new BoxGeometry(0.2, 0.06, 0.2).translate(0.18, 0.38, 0), 0.3),
  ]);
}

/** A round robot, 1 m across, 1 m high, with an arrow ahead on its lid. */
export function robotGeometry(): BufferGeometry {
  return merged([
    shaded(new CylinderGeometry(0.5, 0.5, 0.7, 32).translate(0, 0.45, 0), 1),
    shaded(new CylinderGeometry(0.46, 0.5, 0.1, 32).translate(0, 0.85, 0), 0.55),
    shaded(
      new ConeGeometry(0.22, 0.5, 3)
        .rotateZ(-Math.PI / 2)
        .scale(1, 0.2, 1)
        .translate(0.12, 0.95, 0),
      2.2,
    ),
    shaded(new CylinderGeometry(0.1, 0.1, 0.12, 16).translate(-0.22, 0.96, 0), 0.2),
    shaded(new BoxGeometry(0.26, 0.26, 0.12).translate(0, 0.13, 0.42), 0.2),
    shaded(new BoxGeometry(0.26, 0.26, 0.12).translate(0, 0.13, -0.42), 0.2),
  ]);
}

/** A small aircraft without what moves on it, metres: 8.3 long, 11 across, nose ahead. */
export function airframeGeometry(): BufferGeometry {
  const tail = new CylinderGeometry(0.16, 0.58, 4.2, 12).rotateZ(Math.PI / 2).translate(-3, 0, 0);
  return merged([
    shaded(new CylinderGeometry(0.58, 0.58, 2.2, 12).rotateZ(Math.PI / 2).translate(0.2, 0, 0), 1),
    shaded(tail, 1),
    shaded(
      new CylinderGeometry(0.58, 0.36, 1.1, 12)
        .rotateZ(Math.PI / 2)
        .rotateZ(Math.PI)
        .translate(1.85, 0, 0),
      0.85,
    ),
    shaded(new ConeGeometry(0.2, 0.45, 12).rotateZ(-Math.PI / 2).translate(2.6, 0, 0), 0.3),
    shaded(new BoxGeometry(1.5, 0.5, 0.95).translate(0.35, 0.5, 0), 0.25),
    shaded(new BoxGeometry(1.15, 0.16, 11).translate(0.2, 0.82, 0), 0.95),
    shaded(new BoxGeometry(0.75, 0.09, 3.4).translate(-4.55, 0.15, 0), 0.95),
    shaded(new BoxGeometry(0.9, 1.3, 0.1).translate(-4.6, 0.75, 0), 0.95),
  ]);
}

/** Legs, trunk and arms of a player, metres, feet at zero, 1.5 high; the head is apart. */
export function bodyGeometry(): BufferGeometry {
  return merged([
    shaded(new BoxGeometry(0.25, 0.75, 0.24).translate(0, 0.375, 0.13), 0.45),
    shaded(new BoxGeometry(0.25, 0.75, 0.24).translate(0, 0.375, -0.13), 0.45),
    shaded(new BoxGeometry(0.26, 0.7, 0.5).translate(0, 1.1, 0), 1),
    shaded(new BoxGeometry(0.24, 0.7, 0.22).translate(0, 1.1, 0.37), 0.8),
    shaded(new BoxGeometry(0.24, 0.7, 0.22).translate(0, 1.1, -0.37), 0.8),
  ]);
}

/** The head of a player around its neck, with eyes ahead. */
export function headGeometry(): BufferGeometry {
  return merged([
    shaded(new BoxGeometry(0.48, 0.48, 0.48).translate(0, 0.24, 0), 1.15),
    shaded(new BoxGeometry(0.5, 0.14, 0.5).translate(-0.005, 0.43, 0), 0.35),
    shaded(new BoxGeometry(0.03, 0.08, 0.1).translate(0.24, 0.24, 0.11), 0.1),
    shaded(new BoxGeometry(0.03, 0.08, 0.1).translate(0.24, 0.24, -0.11), 0.1),
  ]);
}

/** Narrows the upper side of a box: along x and z to these parts of what it is. */
function taper(geometry: BufferGeometry, above: number, alongX: number, alongZ: number): void {
  geometry.computeBoundingBox();
  const middle = (geometry.boundingBox!.max.x + geometry.boundingBox!.min.x) / 2;
  const position = geometry.getAttribute("position");
  for (let i = 0; i < position.count; i++) {
    if (position.getY(i) <= above) continue;
    position.setX(i, middle + (position.getX(i) - middle) * alongX);
    position.setZ(i, position.getZ(i) * alongZ);
  }
  geometry.computeVertexNormals();
}

function shaded(geometry: BufferGeometry, grey: number): BufferGeometry {
  const flat = geometry.index === null ? geometry : geometry.toNonIndexed();
  if (flat !== geometry) geometry.dispose();
  flat.deleteAttribute("uv");
  const count = flat.getAttribute("position").count;
  return flat.setAttribute("color", new BufferAttribute(new Float32Array(3 * count).fill(grey), 3));
}

function merged(parts: BufferGeometry[]): BufferGeometry {
  const whole = mergeGeometries(parts);
  for (const part of parts) part.dispose();
  return whole;
}
