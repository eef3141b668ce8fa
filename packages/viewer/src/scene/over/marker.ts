import { Mesh, MeshBasicMaterial, RingGeometry, Vector3 } from "three";
import type { Scheme } from "../../theme.ts";
import { SURROUNDINGS } from "../drawing/look.ts";
import { placeOf, type Spot } from "../things/pick.ts";

/** A ring on the ground around what is selected. */
export class Marker {
  readonly object: Mesh<RingGeometry, MeshBasicMaterial>;

  constructor() {
    const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.75, fog: false });
    this.object = new Mesh(new RingGeometry(1, 1.07, 64).rotateX(-Math.PI / 2), material);
    this.object.visible = false;
    this.object.renderOrder = 5;
  }

  set scheme(scheme: Scheme) {
    this.object.material.color.set(SURROUNDINGS[scheme].accent);
  }

  update(spot: Spot | null): void {
    this.object.visible = spot?.crowd.poses.isDrawn(spot.row) ?? false;
    if (spot === null) return;
    placeOf(spot.crowd, spot.row, PLACE);
    this.object.position.copy(PLACE);
    this.object.scale.setScalar(1.15 * spot.crowd.radius * spot.crowd.frame.matrixWorld.getMaxScaleOnAxis());
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

const PLACE = new Vector3();
