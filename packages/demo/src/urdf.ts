/** Metres ahead, to the left and up. */
type Place = readonly [x: number, y: number, z: number];

/** A shape of a link, as URDF writes it: `<box size="1 1 1"/>`. */
export interface Visual {
  readonly shape: string;
  /** Name of a material of the robot. */
  readonly material: string;
  readonly at?: Place;
  /** Whether its axis lies along y instead of z, as that of a wheel. */
  readonly isAcross?: boolean;
}

/** A link, and what holds it; those that turn do so about y. */
export interface Link {
  readonly name: string;
  readonly visuals: readonly Visual[];
  /** Absent for the first link alone. */
  readonly held?: { readonly by: string; readonly at: Place; readonly turns: boolean };
}

/** A description of a robot (URDF): its materials by their names, red, green, blue and alpha, and its links. */
export function urdfOf(
  name: string,
  note: string,
  materials: Readonly<Record<string, string>>,
  links: readonly Link[],
): Uint8Array {
  const colors = Object.entries(materials).map(
    ([material, rgba]) => `  <material name="${material}"><color rgba="${rgba}"/></material>`,
  );
  const lines = ['<?xml version="1.0"?>', `<!-- ${note} -->`, `<robot name="${name}">`, ...colors];
  return new TextEncoder().encode([...lines, ...links.map(linkText), "</robot>", ""].join("\n"));
}

/** A wheel on an axle across the robot: its outer cylinder, and what lies over it. */
export function wheel(name: string, by: string, at: Place, rims: readonly Omit<Visual, "isAcross">[]): Link {
  const visuals = rims.map((rim) => ({ ...rim, isAcross: true }));
  return { name: `${name}_wheel`, visuals, held: { by, at, turns: true } };
}

export function cylinder(radius: number, length: number): string {
  return `<cylinder radius="${round(radius)}" length="${round(length)}"/>`;
}

export function box(...size: Place): string {
  return `<box size="${size.map(round).join(" ")}"/>`;
}

function linkText({ name, visuals, held }: Link): string {
  const shapes = visuals.map(({ shape, material, at, isAcross }) => {
    const place = [at && `xyz="${at.map(round).join(" ")}"`, isAcross && 'rpy="1.570796327 0 0"'].filter(Boolean);
    const origin = place.length === 0 ? "" : `<origin ${place.join(" ")}/>`;
    return `    <visual>${origin}<geometry>${shape}</geometry><material name="${material}"/></visual>`;
  });
  const link = [`  <link name="${name}">`, ...shapes, "  </link>"];
  if (held === undefined) return link.join("\n");
  const { by, at, turns } = held;
  return [
    ...link,
    `  <joint name="${name}_joint" type="${turns ? "continuous" : "fixed"}">`,
    `    <parent link="${by}"/><child link="${name}"/><origin xyz="${at.map(round).join(" ")}"/>`,
    ...(turns ? ['    <axis xyz="0 1 0"/>'] : []),
    "  </joint>",
  ].join("\n");
}

/** To a tenth of a millimetre, without zeros behind. */
function round(metres: number): number {
  return Math.round(metres * 1e4) / 1e4;
}
