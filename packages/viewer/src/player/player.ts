import { Player } from "./element.ts";

// Another module of the page may have defined it already.
if (customElements.get("simtape-player") === undefined) customElements.define("simtape-player", Player);

export { Player as SimtapePlayer };
