import instruments from "../scene/instruments/instruments.css?inline";
import scene from "../scene/scene.css?inline";
import touch from "../touch.css?inline";
import colors from "../ui/colors.css?inline";
import controls from "../ui/controls.css?inline";
import player from "./player.css?inline";

/** As wide as there is room, and as a film; an author may give it any size. */
const HOST = `
:host { display: block; width: 100%; aspect-ratio: 16 / 9; min-height: 160px; }
:host([hidden]) { display: none; }
:host(:fullscreen) { aspect-ratio: auto; height: 100%; }
`;

let made: CSSStyleSheet[] | null = null;

/** Of all players of a page: they are theirs alone, and the page's own do not reach them. */
export function sheets(): CSSStyleSheet[] {
  made ??= [HOST, colors, controls, scene, instruments, player, touch].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return made;
}
