/** simtape-server: a library of recordings for a team. */
export { type Node, serve } from "./node/serve.ts";
export { type Given, flagOf, SETTINGS, type Settings, SettingsError, settingsOf, shownSettings } from "./settings.ts";
