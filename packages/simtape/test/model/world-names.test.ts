import { expect, test } from "vitest";
import { showsWorld, showsWorldOf } from "../../src/model/file-names.ts";

test.each([
  ["robot.tape", "robot.urdf", true],
  ["robot.tape", "robot.yaml", true],
  ["robot.tape", "robot.pgm", true],
  ["robot.tape", "robot.urdf.base.stl", true],
  ["robot.tape", "robot.urdf.base.glb", true],
  ["robot.tape", "robot.models.hero.glb", true],
  ["run.nanover.zip", "run.nanover.pdb", true],
  // of another recording, or none of its files
  ["robot.tape", "arm.urdf", false],
  ["robot.tape", "robot.urdf.secret.txt", false],
  ["robot.tape", "base.stl", false],
  ["robot.tape", "robot.tape", false],
])("of %s, %s shows the world: %s", (main, name, isOne) => {
  expect(showsWorldOf(main, name)).toBe(isOne);
  if (isOne) expect(showsWorld(name)).toBe(true);
});
