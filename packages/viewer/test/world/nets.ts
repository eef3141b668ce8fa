/** A road net in few words. */
export function netOf(...roads: readonly string[]): string {
  return `<?xml version="1.0"?><OpenDRIVE><header revMajor="1" revMinor="4" name="test"><geoReference><![CDATA[+proj=tmerc +lat_0=49]]></geoReference></header>${roads.join("")}</OpenDRIVE>`;
}

export interface RoadWords {
  readonly id?: string;
  readonly length: number;
  /** `x="0" y="0" hdg="0"` */
  readonly at?: string;
  readonly shape?: string;
  readonly elevation?: string;
  readonly lateral?: string;
  /** All within `lanes`. */
  readonly lanes?: string;
  readonly others?: string;
  readonly junction?: string;
}

export function roadOf({
  id = "1",
  length,
  at = 'x="0" y="0" hdg="0"',
  shape = "<line/>",
  elevation = "",
  lateral = "",
  lanes = lanesOf(),
  others = "",
  junction = "-1",
}: RoadWords): string {
  return `<road name="" length="${length}" id="${id}" junction="${junction}"><planView><geometry s="0" ${at} length="${length}">${shape}</geometry></planView><elevationProfile>${elevation}</elevationProfile><lateralProfile>${lateral}</lateralProfile><lanes>${lanes}</lanes>${others}</road>`;
}

/** One section: a lane of 3.5 m on each side, a way for people on the right. */
export function lanesOf(mark = '<roadMark sOffset="0" type="solid" color="white" width="0.12"/>'): string {
  const lane = (id: number, type: string, width: number, more = ""): string =>
    `<lane id="${id}" type="${type}"><width sOffset="0" a="${width}" b="0" c="0" d="0"/>${more}</lane>`;
  return `<laneSection s="0"><left>${lane(1, "driving", 3.5)}</left><center><lane id="0" type="none">${mark}</lane></center><right>${lane(-1, "driving", 3.5)}${lane(-2, "sidewalk", 2, '<height sOffset="0" inner="0.12" outer="0.12"/>')}</right></laneSection>`;
}
