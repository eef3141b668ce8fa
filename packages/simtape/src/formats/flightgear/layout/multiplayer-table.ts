/** How a property travels in packets (spec §5.3). */
export interface MultiplayerProperty {
  readonly id: number;
  /** Below the aircraft's node, zero indices left out: `gear/gear[1]/position-norm`. */
  readonly path: string;
  readonly type: "int" | "float" | "bool" | "string";
  /** What a short entry's number is divided by: 1 where it is the value itself. */
  readonly scale: number;
  /**
   * How protocol 2 sends it: `short` in 16 bits, `long` in 32 or as text, `bits` together with up to 30 others,
   * `never`: it is only received.
   */
  readonly wire: "short" | "long" | "bits" | "never";
  /** Protocol 2 sends those of partition 1 first. */
  readonly partition: 1 | 2;
  /** Not sent in protocol 1. */
  readonly isOnlyProtocol2: boolean;
}

/** The 421 properties of FlightGear 2024.1.5 by id; a packet with an id that is not here cannot be read on (spec §5.3). */
export const MULTIPLAYER_PROPERTIES: ReadonlyMap<number, MultiplayerProperty> = new Map(
  table()
    .trim()
    .split("\n")
    .map((line) => {
      const [id, path, type, wire, partition] = line.split(" ") as [string, string, string, string, string];
      const [how, scale] = wire.split("/") as [string, string | undefined];
      return [
        Number(id),
        {
          id: Number(id),
          path,
          type: type as MultiplayerProperty["type"],
          scale: Number(scale ?? 1),
          wire: how as MultiplayerProperty["wire"],
          partition: partition.startsWith("1") ? 1 : 2,
          isOnlyProtocol2: partition.endsWith("!"),
        },
      ];
    }),
);

/** Id, path, type, wire/scale, partition (`!`: protocol 2 only). */
function table(): string {
  return `
10 sim/multiplay/protocol-version int short 2!
100 surface-positions/left-aileron-pos-norm float short/32767 1
101 surface-positions/right-aileron-pos-norm float short/32767 1
102 surface-positions/elevator-pos-norm float short/32767 1
103 surface-positions/rudder-pos-norm float short/32767 1
104 surface-positions/flap-pos-norm float short/32767 1
105 surface-positions/speedbrake-pos-norm float short/32767 1
106 gear/tailhook/position-norm float short/32767 1
107 gear/launchbar/position-norm float short/32767 1
108 gear/launchbar/state string long 2
109 gear/launchbar/holdback-position-norm float short/32767 1
110 canopy/position-norm float short/32767 1
111 surface-positions/wing-pos-norm float short/32767 1
112 surface-positions/wing-fold-pos-norm float short/32767 1
120 gear/launchbar/state-value int never 2
200 gear/gear/compression-norm float short/32767 1
201 gear/gear/position-norm float short/32767 1
210 gear/gear[1]/compression-norm float short/32767 1
211 gear/gear[1]/position-norm float short/32767 1
220 gear/gear[2]/compression-norm float short/32767 1
221 gear/gear[2]/position-norm float short/32767 1
230 gear/gear[3]/compression-norm float short/32767 1
231 gear/gear[3]/position-norm float short/32767 1
240 gear/gear[4]/compression-norm float short/32767 1
241 gear/gear[4]/position-norm float short/32767 1
300 engines/engine/n1 float short/10 1
301 engines/engine/n2 float short/10 1
302 engines/engine/rpm float short/10 1
310 engines/engine[1]/n1 float short/10 1
311 engines/engine[1]/n2 float short/10 1
312 engines/engine[1]/rpm float short/10 1
320 engines/engine[2]/n1 float short/10 1
321 engines/engine[2]/n2 float short/10 1
322 engines/engine[2]/rpm float short/10 1
330 engines/engine[3]/n1 float short/10 1
331 engines/engine[3]/n2 float short/10 1
332 engines/engine[3]/rpm float short/10 1
340 engines/engine[4]/n1 float short/10 1
341 engines/engine[4]/n2 float short/10 1
342 engines/engine[4]/rpm float short/10 1
350 engines/engine[5]/n1 float short/10 1
351 engines/engine[5]/n2 float short/10 1
352 engines/engine[5]/rpm float short/10 1
360 engines/engine[6]/n1 float short/10 1
361 engines/engine[6]/n2 float short/10 1
362 engines/engine[6]/rpm float short/10 1
370 engines/engine[7]/n1 float short/10 1
371 engines/engine[7]/n2 float short/10 1
372 engines/engine[7]/rpm float short/10 1
380 engines/engine[8]/n1 float short/10 1
381 engines/engine[8]/n2 float short/10 1
382 engines/engine[8]/rpm float short/10 1
390 engines/engine[9]/n1 float short/10 1
391 engines/engine[9]/n2 float short/10 1
392 engines/engine[9]/rpm float short/10 1
800 rotors/main/rpm float short/10 1
801 rotors/tail/rpm float short/10 1
810 rotors/main/blade/position-deg float short/1000 1
811 rotors/main/blade[1]/position-deg float short/1000 1
812 rotors/main/blade[2]/position-deg float short/1000 1
813 rotors/main/blade[3]/position-deg float short/1000 1
820 rotors/main/blade/flap-deg float short/1000 1
821 rotors/main/blade[1]/flap-deg float short/1000 1
822 rotors/main/blade[2]/flap-deg float short/1000 1
823 rotors/main/blade[3]/flap-deg float short/1000 1
830 rotors/tail/blade/position-deg float short/1000 1
831 rotors/tail/blade[1]/position-deg float short/1000 1
900 sim/hitches/aerotow/tow/length float long 1
901 sim/hitches/aerotow/tow/elastic-constant float long 1
902 sim/hitches/aerotow/tow/weight-per-m-kg-m float long 1
903 sim/hitches/aerotow/tow/dist float long 1
904 sim/hitches/aerotow/tow/connected-to-property-node bool long 1
905 sim/hitches/aerotow/tow/connected-to-ai-or-mp-callsign string long 2
906 sim/hitches/aerotow/tow/break-force float long 1
907 sim/hitches/aerotow/tow/end-force-x float long 1
908 sim/hitches/aerotow/tow/end-force-y float long 1
909 sim/hitches/aerotow/tow/end-force-z float long 1
930 sim/hitches/aerotow/is-slave bool long 1
931 sim/hitches/aerotow/speed-in-tow-direction float long 1
932 sim/hitches/aerotow/open bool long 1
933 sim/hitches/aerotow/local-pos-x float long 1
934 sim/hitches/aerotow/local-pos-y float long 1
935 sim/hitches/aerotow/local-pos-z float long 1
1001 controls/flight/slats float short/10000 1
1002 controls/flight/speedbrake float short/10000 1
1003 controls/flight/spoilers float short/10000 1
1004 controls/gear/gear-down float short/10000 1
1005 controls/lighting/nav-lights float short/1000 1
1006 controls/armament/station/jettison-all bool short 1
1100 sim/model/variant int long 1
1101 sim/model/livery/file string long 2
1200 environment/wildfire/data string long 2
1201 environment/contrail int short 1
1300 tanker int short 1
1400 scenery/events string long 2
1500 instrumentation/transponder/transmitted-id int short 1
1501 instrumentation/transponder/altitude int long 1
1502 instrumentation/transponder/ident bool short 1
1503 instrumentation/transponder/inputs/mode int short 1
1504 instrumentation/transponder/ground-bit bool short 2
1505 instrumentation/transponder/airspeed-kt int short 2
10001 sim/multiplay/transmission-freq-hz string never 2
10002 sim/multiplay/chat string long 2
10100 sim/multiplay/generic/string string long 2
10101 sim/multiplay/generic/string[1] string long 2
10102 sim/multiplay/generic/string[2] string long 2
10103 sim/multiplay/generic/string[3] string long 2
10104 sim/multiplay/generic/string[4] string long 2
10105 sim/multiplay/generic/string[5] string long 2
10106 sim/multiplay/generic/string[6] string long 2
10107 sim/multiplay/generic/string[7] string long 2
10108 sim/multiplay/generic/string[8] string long 2
10109 sim/multiplay/generic/string[9] string long 2
10110 sim/multiplay/generic/string[10] string long 2
10111 sim/multiplay/generic/string[11] string long 2
10112 sim/multiplay/generic/string[12] string long 2
10113 sim/multiplay/generic/string[13] string long 2
10114 sim/multiplay/generic/string[14] string long 2
10115 sim/multiplay/generic/string[15] string long 2
10116 sim/multiplay/generic/string[16] string long 2
10117 sim/multiplay/generic/string[17] string long 2
10118 sim/multiplay/generic/string[18] string long 2
10119 sim/multiplay/generic/string[19] string long 2
10200 sim/multiplay/generic/float float long 1
10201 sim/multiplay/generic/float[1] float long 1
10202 sim/multiplay/generic/float[2] float long 1
10203 sim/multiplay/generic/float[3] float long 1
10204 sim/multiplay/generic/float[4] float long 1
10205 sim/multiplay/generic/float[5] float long 1
10206 sim/multiplay/generic/float[6] float long 1
10207 sim/multiplay/generic/float[7] float long 1
10208 sim/multiplay/generic/float[8] float long 1
10209 sim/multiplay/generic/float[9] float long 1
10210 sim/multiplay/generic/float[10] float long 1
10211 sim/multiplay/generic/float[11] float long 1
10212 sim/multiplay/generic/float[12] float long 1
10213 sim/multiplay/generic/float[13] float long 1
10214 sim/multiplay/generic/float[14] float long 1
10215 sim/multiplay/generic/float[15] float long 1
10216 sim/multiplay/generic/float[16] float long 1
10217 sim/multiplay/generic/float[17] float long 1
10218 sim/multiplay/generic/float[18] float long 1
10219 sim/multiplay/generic/float[19] float long 1
10220 sim/multiplay/generic/float[20] float long 1
10221 sim/multiplay/generic/float[21] float long 1
10222 sim/multiplay/generic/float[22] float long 1
10223 sim/multiplay/generic/float[23] float long 1
10224 sim/multiplay/generic/float[24] float long 1
10225 sim/multiplay/generic/float[25] float long 1
10226 sim/multiplay/generic/float[26] float long 1
10227 sim/multiplay/generic/float[27] float long 1
10228 sim/multiplay/generic/float[28] float long 1
10229 sim/multiplay/generic/float[29] float long 1
10230 sim/multiplay/generic/float[30] float long 1
10231 sim/multiplay/generic/float[31] float long 1
10232 sim/multiplay/generic/float[32] float long 1
10233 sim/multiplay/generic/float[33] float long 1
10234 sim/multiplay/generic/float[34] float long 1
10235 sim/multiplay/generic/float[35] float long 1
10236 sim/multiplay/generic/float[36] float long 1
10237 sim/multiplay/generic/float[37] float long 1
10238 sim/multiplay/generic/float[38] float long 1
10239 sim/multiplay/generic/float[39] float long 1
10300 sim/multiplay/generic/int int long 1
10301 sim/multiplay/generic/int[1] int long 1
10302 sim/multiplay/generic/int[2] int long 1
10303 sim/multiplay/generic/int[3] int long 1
10304 sim/multiplay/generic/int[4] int long 1
10305 sim/multiplay/generic/int[5] int long 1
10306 sim/multiplay/generic/int[6] int long 1
10307 sim/multiplay/generic/int[7] int long 1
10308 sim/multiplay/generic/int[8] int long 1
10309 sim/multiplay/generic/int[9] int long 1
10310 sim/multiplay/generic/int[10] int long 1
10311 sim/multiplay/generic/int[11] int long 1
10312 sim/multiplay/generic/int[12] int long 1
10313 sim/multiplay/generic/int[13] int long 1
10314 sim/multiplay/generic/int[14] int long 1
10315 sim/multiplay/generic/int[15] int long 1
10316 sim/multiplay/generic/int[16] int long 1
10317 sim/multiplay/generic/int[17] int long 1
10318 sim/multiplay/generic/int[18] int long 1
10319 sim/multiplay/generic/int[19] int long 1
10500 sim/multiplay/generic/short int short 2
10501 sim/multiplay/generic/short[1] int short 2
10502 sim/multiplay/generic/short[2] int short 2
10503 sim/multiplay/generic/short[3] int short 2
10504 sim/multiplay/generic/short[4] int short 2
10505 sim/multiplay/generic/short[5] int short 2
10506 sim/multiplay/generic/short[6] int short 2
10507 sim/multiplay/generic/short[7] int short 2
10508 sim/multiplay/generic/short[8] int short 2
10509 sim/multiplay/generic/short[9] int short 2
10510 sim/multiplay/generic/short[10] int short 2
10511 sim/multiplay/generic/short[11] int short 2
10512 sim/multiplay/generic/short[12] int short 2
10513 sim/multiplay/generic/short[13] int short 2
10514 sim/multiplay/generic/short[14] int short 2
10515 sim/multiplay/generic/short[15] int short 2
10516 sim/multiplay/generic/short[16] int short 2
10517 sim/multiplay/generic/short[17] int short 2
10518 sim/multiplay/generic/short[18] int short 2
10519 sim/multiplay/generic/short[19] int short 2
10520 sim/multiplay/generic/short[20] int short 2
10521 sim/multiplay/generic/short[21] int short 2
10522 sim/multiplay/generic/short[22] int short 2
10523 sim/multiplay/generic/short[23] int short 2
10524 sim/multiplay/generic/short[24] int short 2
10525 sim/multiplay/generic/short[25] int short 2
10526 sim/multiplay/generic/short[26] int short 2
10527 sim/multiplay/generic/short[27] int short 2
10528 sim/multiplay/generic/short[28] int short 2
10529 sim/multiplay/generic/short[29] int short 2
10530 sim/multiplay/generic/short[30] int short 2
10531 sim/multiplay/generic/short[31] int short 2
10532 sim/multiplay/generic/short[32] int short 2
10533 sim/multiplay/generic/short[33] int short 2
10534 sim/multiplay/generic/short[34] int short 2
10535 sim/multiplay/generic/short[35] int short 2
10536 sim/multiplay/generic/short[36] int short 2
10537 sim/multiplay/generic/short[37] int short 2
10538 sim/multiplay/generic/short[38] int short 2
10539 sim/multiplay/generic/short[39] int short 2
10540 sim/multiplay/generic/short[40] int short 2
10541 sim/multiplay/generic/short[41] int short 2
10542 sim/multiplay/generic/short[42] int short 2
10543 sim/multiplay/generic/short[43] int short 2
10544 sim/multiplay/generic/short[44] int short 2
10545 sim/multiplay/generic/short[45] int short 2
10546 sim/multiplay/generic/short[46] int short 2
10547 sim/multiplay/generic/short[47] int short 2
10548 sim/multiplay/generic/short[48] int short 2
10549 sim/multiplay/generic/short[49] int short 2
10550 sim/multiplay/generic/short[50] int short 2
10551 sim/multiplay/generic/short[51] int short 2
10552 sim/multiplay/generic/short[52] int short 2
10553 sim/multiplay/generic/short[53] int short 2
10554 sim/multiplay/generic/short[54] int short 2
10555 sim/multiplay/generic/short[55] int short 2
10556 sim/multiplay/generic/short[56] int short 2
10557 sim/multiplay/generic/short[57] int short 2
10558 sim/multiplay/generic/short[58] int short 2
10559 sim/multiplay/generic/short[59] int short 2
10560 sim/multiplay/generic/short[60] int short 2
10561 sim/multiplay/generic/short[61] int short 2
10562 sim/multiplay/generic/short[62] int short 2
10563 sim/multiplay/generic/short[63] int short 2
10564 sim/multiplay/generic/short[64] int short 2
10565 sim/multiplay/generic/short[65] int short 2
10566 sim/multiplay/generic/short[66] int short 2
10567 sim/multiplay/generic/short[67] int short 2
10568 sim/multiplay/generic/short[68] int short 2
10569 sim/multiplay/generic/short[69] int short 2
10570 sim/multiplay/generic/short[70] int short 2
10571 sim/multiplay/generic/short[71] int short 2
10572 sim/multiplay/generic/short[72] int short 2
10573 sim/multiplay/generic/short[73] int short 2
10574 sim/multiplay/generic/short[74] int short 2
10575 sim/multiplay/generic/short[75] int short 2
10576 sim/multiplay/generic/short[76] int short 2
10577 sim/multiplay/generic/short[77] int short 2
10578 sim/multiplay/generic/short[78] int short 2
10579 sim/multiplay/generic/short[79] int short 2
11000 sim/multiplay/generic/bool bool bits 2
11001 sim/multiplay/generic/bool[1] bool bits 2
11002 sim/multiplay/generic/bool[2] bool bits 2
11003 sim/multiplay/generic/bool[3] bool bits 2
11004 sim/multiplay/generic/bool[4] bool bits 2
11005 sim/multiplay/generic/bool[5] bool bits 2
11006 sim/multiplay/generic/bool[6] bool bits 2
11007 sim/multiplay/generic/bool[7] bool bits 2
11008 sim/multiplay/generic/bool[8] bool bits 2
11009 sim/multiplay/generic/bool[9] bool bits 2
11010 sim/multiplay/generic/bool[10] bool bits 2
11011 sim/multiplay/generic/bool[11] bool bits 2
11012 sim/multiplay/generic/bool[12] bool bits 2
11013 sim/multiplay/generic/bool[13] bool bits 2
11014 sim/multiplay/generic/bool[14] bool bits 2
11015 sim/multiplay/generic/bool[15] bool bits 2
11016 sim/multiplay/generic/bool[16] bool bits 2
11017 sim/multiplay/generic/bool[17] bool bits 2
11018 sim/multiplay/generic/bool[18] bool bits 2
11019 sim/multiplay/generic/bool[19] bool bits 2
11020 sim/multiplay/generic/bool[20] bool bits 2
11021 sim/multiplay/generic/bool[21] bool bits 2
11022 sim/multiplay/generic/bool[22] bool bits 2
11023 sim/multiplay/generic/bool[23] bool bits 2
11024 sim/multiplay/generic/bool[24] bool bits 2
11025 sim/multiplay/generic/bool[25] bool bits 2
11026 sim/multiplay/generic/bool[26] bool bits 2
11027 sim/multiplay/generic/bool[27] bool bits 2
11028 sim/multiplay/generic/bool[28] bool bits 2
11029 sim/multiplay/generic/bool[29] bool bits 2
11030 sim/multiplay/generic/bool[30] bool bits 2
11040 sim/multiplay/generic/bool[31] bool bits 2
11041 sim/multiplay/generic/bool[32] bool bits 2
11042 sim/multiplay/generic/bool[33] bool bits 2
11043 sim/multiplay/generic/bool[34] bool bits 2
11044 sim/multiplay/generic/bool[35] bool bits 2
11045 sim/multiplay/generic/bool[36] bool bits 2
11046 sim/multiplay/generic/bool[37] bool bits 2
11047 sim/multiplay/generic/bool[38] bool bits 2
11048 sim/multiplay/generic/bool[39] bool bits 2
11049 sim/multiplay/generic/bool[40] bool bits 2
11050 sim/multiplay/generic/bool[41] bool bits 2
11051 sim/multiplay/generic/bool[91] bool bits 2
11052 sim/multiplay/generic/bool[42] bool bits 2
11053 sim/multiplay/generic/bool[43] bool bits 2
11054 sim/multiplay/generic/bool[44] bool bits 2
11055 sim/multiplay/generic/bool[45] bool bits 2
11056 sim/multiplay/generic/bool[46] bool bits 2
11057 sim/multiplay/generic/bool[47] bool bits 2
11058 sim/multiplay/generic/bool[48] bool bits 2
11059 sim/multiplay/generic/bool[49] bool bits 2
11060 sim/multiplay/generic/bool[50] bool bits 2
11061 sim/multiplay/generic/bool[51] bool bits 2
11062 sim/multiplay/generic/bool[52] bool bits 2
11063 sim/multiplay/generic/bool[53] bool bits 2
11064 sim/multiplay/generic/bool[54] bool bits 2
11065 sim/multiplay/generic/bool[55] bool bits 2
11066 sim/multiplay/generic/bool[56] bool bits 2
11067 sim/multiplay/generic/bool[57] bool bits 2
11068 sim/multiplay/generic/bool[58] bool bits 2
11069 sim/multiplay/generic/bool[59] bool bits 2
11070 sim/multiplay/generic/bool[60] bool bits 2
11080 sim/multiplay/generic/bool[61] bool bits 2
11081 sim/multiplay/generic/bool[62] bool bits 2
11082 sim/multiplay/generic/bool[63] bool bits 2
11083 sim/multiplay/generic/bool[64] bool bits 2
11084 sim/multiplay/generic/bool[65] bool bits 2
11085 sim/multiplay/generic/bool[66] bool bits 2
11086 sim/multiplay/generic/bool[67] bool bits 2
11087 sim/multiplay/generic/bool[68] bool bits 2
11088 sim/multiplay/generic/bool[69] bool bits 2
11089 sim/multiplay/generic/bool[70] bool bits 2
11090 sim/multiplay/generic/bool[71] bool bits 2
11091 sim/multiplay/generic/bool[92] bool bits 2
11092 sim/multiplay/generic/bool[72] bool bits 2
11093 sim/multiplay/generic/bool[73] bool bits 2
11094 sim/multiplay/generic/bool[74] bool bits 2
11095 sim/multiplay/generic/bool[75] bool bits 2
11096 sim/multiplay/generic/bool[76] bool bits 2
11097 sim/multiplay/generic/bool[77] bool bits 2
11098 sim/multiplay/generic/bool[78] bool bits 2
11099 sim/multiplay/generic/bool[79] bool bits 2
11100 sim/multiplay/generic/bool[80] bool bits 2
11101 sim/multiplay/generic/bool[81] bool bits 2
11102 sim/multiplay/generic/bool[82] bool bits 2
11103 sim/multiplay/generic/bool[83] bool bits 2
11104 sim/multiplay/generic/bool[84] bool bits 2
11105 sim/multiplay/generic/bool[85] bool bits 2
11106 sim/multiplay/generic/bool[86] bool bits 2
11107 sim/multiplay/generic/bool[87] bool bits 2
11108 sim/multiplay/generic/bool[88] bool bits 2
11109 sim/multiplay/generic/bool[89] bool bits 2
11110 sim/multiplay/generic/bool[90] bool bits 2
11990 sim/multiplay/mp-clock-mode int short 2
12000 sim/multiplay/emesary/bridge string long 2
12001 sim/multiplay/emesary/bridge[1] string long 2
12002 sim/multiplay/emesary/bridge[2] string long 2
12003 sim/multiplay/emesary/bridge[3] string long 2
12004 sim/multiplay/emesary/bridge[4] string long 2
12005 sim/multiplay/emesary/bridge[5] string long 2
12006 sim/multiplay/emesary/bridge[6] string long 2
12007 sim/multiplay/emesary/bridge[7] string long 2
12008 sim/multiplay/emesary/bridge[8] string long 2
12009 sim/multiplay/emesary/bridge[9] string long 2
12010 sim/multiplay/emesary/bridge[10] string long 2
12011 sim/multiplay/emesary/bridge[11] string long 2
12012 sim/multiplay/emesary/bridge[12] string long 2
12013 sim/multiplay/emesary/bridge[13] string long 2
12014 sim/multiplay/emesary/bridge[14] string long 2
12015 sim/multiplay/emesary/bridge[15] string long 2
12016 sim/multiplay/emesary/bridge[16] string long 2
12017 sim/multiplay/emesary/bridge[17] string long 2
12018 sim/multiplay/emesary/bridge[18] string long 2
12019 sim/multiplay/emesary/bridge[19] string long 2
12020 sim/multiplay/emesary/bridge[20] string long 2
12021 sim/multiplay/emesary/bridge[21] string long 2
12022 sim/multiplay/emesary/bridge[22] string long 2
12023 sim/multiplay/emesary/bridge[23] string long 2
12024 sim/multiplay/emesary/bridge[24] string long 2
12025 sim/multiplay/emesary/bridge[25] string long 2
12026 sim/multiplay/emesary/bridge[26] string long 2
12027 sim/multiplay/emesary/bridge[27] string long 2
12028 sim/multiplay/emesary/bridge[28] string long 2
12029 sim/multiplay/emesary/bridge[29] string long 2
12200 sim/multiplay/emesary/bridge-type int short 2
12201 sim/multiplay/emesary/bridge-type[1] int short 2
12202 sim/multiplay/emesary/bridge-type[2] int short 2
12203 sim/multiplay/emesary/bridge-type[3] int short 2
12204 sim/multiplay/emesary/bridge-type[4] int short 2
12205 sim/multiplay/emesary/bridge-type[5] int short 2
12206 sim/multiplay/emesary/bridge-type[6] int short 2
12207 sim/multiplay/emesary/bridge-type[7] int short 2
12208 sim/multiplay/emesary/bridge-type[8] int short 2
12209 sim/multiplay/emesary/bridge-type[9] int short 2
12210 sim/multiplay/emesary/bridge-type[10] int short 2
12211 sim/multiplay/emesary/bridge-type[11] int short 2
12212 sim/multiplay/emesary/bridge-type[12] int short 2
12213 sim/multiplay/emesary/bridge-type[13] int short 2
12214 sim/multiplay/emesary/bridge-type[14] int short 2
12215 sim/multiplay/emesary/bridge-type[15] int short 2
12216 sim/multiplay/emesary/bridge-type[16] int short 2
12217 sim/multiplay/emesary/bridge-type[17] int short 2
12218 sim/multiplay/emesary/bridge-type[18] int short 2
12219 sim/multiplay/emesary/bridge-type[19] int short 2
12220 sim/multiplay/emesary/bridge-type[20] int short 2
12221 sim/multiplay/emesary/bridge-type[21] int short 2
12222 sim/multiplay/emesary/bridge-type[22] int short 2
12223 sim/multiplay/emesary/bridge-type[23] int short 2
12224 sim/multiplay/emesary/bridge-type[24] int short 2
12225 sim/multiplay/emesary/bridge-type[25] int short 2
12226 sim/multiplay/emesary/bridge-type[26] int short 2
12227 sim/multiplay/emesary/bridge-type[27] int short 2
12228 sim/multiplay/emesary/bridge-type[28] int short 2
12229 sim/multiplay/emesary/bridge-type[29] int short 2
13000 sim/model/fallback-model-index int short 2
13001 sim/multiplay/comm-transmit-frequency-hz int long 2
13002 sim/multiplay/comm-transmit-power-norm int short/32767 2
13003 instrumentation/transponder/mach-number float short/10000 2
`;
}
