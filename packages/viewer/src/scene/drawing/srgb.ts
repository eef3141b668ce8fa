/** As a function of a shader: sRGB, a quarter of a step beside it at most. Powers are what many a shader here would cost most. */
export const SRGB = /* glsl */ `
vec3 srgb(vec3 color) {
  vec3 root = sqrt(color);
  vec3 fourth = sqrt(root);
  return 0.662002687 * root + 0.684122060 * fourth - 0.323583601 * sqrt(fourth) - 0.022541147 * color;
}`;
