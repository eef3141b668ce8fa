/** What an aircraft looks like, as far as its name tells. */
export type AircraftKind = "light" | "glider" | "helicopter" | "airliner" | "fighter" | "ufo";

/** Names of aircraft and parts of them, as words of their own, by kind; the first that is found decides. */
const NAMES: readonly (readonly [AircraftKind, RegExp])[] = [
  ["ufo", /ufo|saucer/],
  [
    "helicopter",
    /heli(copter)?|bo-?105|bk-?117|ec-?1[2-7]\d|r-?(22|44|66)|uh-?(1|60)|ah-?(1|6|64)|[cm]h-?(46|47|53)|oh-?[16]|as-?(332|350|355|365|532)|sa-?3\d\d|alouette|gazelle|lynx|puma|s-?(51|55|58|61|64|65|70|76)|mi-?(2|4|6|8|14|17|24|26|28)|ka-?(26|27|32|50|52)|nh-?90|aw-?1\d\d|h-?1[2-7]\d|md-?5[0-3]0|bell-?\d+/,
  ],
  [
    "glider",
    /(motor)?glider|sailplane|as[kwhg]-?\d\d|ls-?\d|dg-?\d{3}|(std-?)?cirrus-?glider|discus|ventus|nimbus|duo(-?discus)?|arcus|janus|jantar|puchacz|blanik|l-?(13|23|33)|k-?(7|8|13)|ka-?[678]|bocian|sgs-?\d+|sf-?25|schleicher|grob-?10\d|g-?10[23]|twin-?astir|zlin-?24|perlan|paraglider|hangglider/,
  ],
  [
    "fighter",
    /f-?(4|5|8|14|15|16|18|20|22|35|80|84|86|100|101|102|104|105|106|111|117)|fa-?18|mig-?\d\d|su-?(7|15|17|22|24|25|27|3\d|57)|mirage|m-?2000(-?5)?|rafale|typhoon|eurofighter|tornado|jas-?39|ja-?37|aja?-?37|gripen|viggen|draken|j-?35|harrier|av-?8|a-?(4|6|7|10)|jaguar|hornet|tomcat|viper|eagle|hawk|t-?(38|45)|sr-?71|yf-?(12|22|23)|x-?(15|29|31)|vulcan|phantom|starfighter|alpha-?jet|l-?(39|159)|fouga|magister/,
  ],
  [
    "airliner",
    /a-?(300|306|310|318|319|320|321|330|332|333|340|343|345|346|350|359|380|388)(neo)?|b?-?7[0-8]7|boeing-?7\d7|airbus|md-?(11|8\d|90)|dc-?(8|9|10)|concorde|crj-?\d+|erj-?\d+|e-?jet|e-?1(35|45|70|75|90|95)|embraer|tu-?(104|114|134|144|154|204)|il-?(18|62|76|86|96)|fokker|l-?1011|bae-?146|avro-?rj|cs-?[13]00|c-?(5|17|130|141)|kc-?(10|135|767)|dash-?8|dhc-?8|q400|atr-?\d\d|saab-?340|an-?(12|22|24|124|225)|b-?(1b|2|52)|yak-?(40|42)|vc-?10|comet|caravelle/,
  ],
];
const WORDS = NAMES.map(
  ([kind, names]) =>
    [kind, new RegExp(`(?<![a-z0-9])(?:${names.source})[a-z]{0,3}(?:-\\d{1,3}[a-z]{0,3})?(?![a-z0-9])`)] as const,
);

/**
 * The kind of an aircraft by its model's path ("Aircraft/ask21/Models/ask21.xml"), its type ("c172p") or its name; a
 * light one where that says nothing.
 */
export function kindOfAircraft(...names: readonly string[]): AircraftKind {
  for (const name of names) {
    const lower = name.toLowerCase().replaceAll("_", " ");
    for (const [kind, words] of WORDS) if (words.test(lower)) return kind;
  }
  return "light";
}
