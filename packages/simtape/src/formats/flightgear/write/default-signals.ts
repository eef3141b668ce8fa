import { propertyPath, type Signal } from "../layout/signals.ts";

/**
 * What FlightGear records for an aircraft without a recorder of its own: 189 signals of a piston aircraft with up to
 * four engines (spec §10).
 */
export const DEFAULT_SIGNALS: readonly Signal[] = table()
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [type, path, interpolation = "linear", count = "1"] = line.split(" ") as [Signal["type"], string];
    return Array.from({ length: Number(count) }, (_, i) => ({
      property: propertyPath(path.replace("%i", String(i))),
      type,
      interpolation: interpolation as Signal["interpolation"],
    }));
  });

/** Type, path, interpolation (linear), for how many `%i` (one). */
function table(): string {
  return `
double /position/longitude-deg angular-deg
double /position/latitude-deg angular-deg
double /position/altitude-ft
double /position/altitude-agl-ft
float /environment/wind-speed-kt
float /environment/wind-from-heading-deg
float /environment/turbulence/magnitude-norm
float /environment/temperature-degc
float /environment/pressure-sea-level-inhg
float /environment/magnetic-variation-deg
float /environment/visibility-m
float /orientation/roll-deg angular-deg
float /orientation/pitch-deg angular-deg
float /orientation/heading-deg angular-deg
float /orientation/alpha-deg angular-deg
float /orientation/side-slip-rad angular-rad
float /orientation/beta-deg angular-deg
float /orientation/roll-rate-degps
float /orientation/pitch-rate-degps
float /orientation/yaw-rate-degps
float /velocities/mach
float /velocities/airspeed-kt
float /velocities/vertical-speed-fps
float /velocities/speed-north-fps
float /velocities/speed-east-fps
float /velocities/speed-down-fps
float /velocities/vBody-fps
float /velocities/uBody-fps
float /velocities/wBody-fps
float /accelerations/pilot/x-accel-fps_sec
float /accelerations/pilot/y-accel-fps_sec
float /accelerations/pilot/z-accel-fps_sec
float /instrumentation/slip-skid-ball/indicated-slip-skid
float /position/ground-elev-m
float /controls/flight/aileron
float /controls/flight/elevator
float /controls/flight/rudder
float /controls/flight/aileron-trim
float /controls/flight/elevator-trim
float /controls/flight/rudder-trim
float /controls/flight/flaps
float /controls/flight/speedbrake
float /controls/flight/spoilers
float /controls/gear/brake-left
float /controls/gear/brake-right
float /controls/gear/copilot-brake-left
float /controls/gear/copilot-brake-right
float /controls/gear/brake-parking
float /surface-positions/elevator-pos-norm
float /surface-positions/elevator-trim-tab-pos-norm
float /surface-positions/flap-pos-norm
float /surface-positions/left-aileron-pos-norm
float /surface-positions/right-aileron-pos-norm
float /surface-positions/rudder-pos-norm
float /surface-positions/speedbrake-pos-norm
float /surface-positions/spoilers-pos-norm
float /surface-positions/nose-wheel-pos-norm
float /systems/electrical/outputs/fuel-pump[%i] linear 4
float /controls/engines/engine[%i]/starter linear 4
float /controls/engines/engine[%i]/throttle linear 4
float /controls/engines/engine[%i]/mixture linear 4
float /controls/engines/engine[%i]/propeller-pitch linear 4
float /controls/engines/engine[%i]/condition linear 4
float /controls/engines/engine[%i]/magnetos linear 4
float /engines/engine[%i]/rpm linear 4
float /engines/engine[%i]/fuel-flow-gph linear 4
float /engines/engine[%i]/fuel-px-psi linear 4
float /engines/engine[%i]/egt-degf linear 4
float /engines/engine[%i]/cht-degf linear 4
float /engines/engine[%i]/mp-osi linear 4
float /engines/engine[%i]/tit linear 4
float /engines/engine[%i]/oil-temperature-degf linear 4
float /engines/engine[%i]/oil-pressure-psi linear 4
float /consumables/fuel/tank[%i]/level-gal_us linear 4
float /gear/gear[%i]/position-norm linear 3
float /gear/gear[%i]/steering-norm linear 3
float /gear/gear[%i]/compression-norm linear 3
float /gear/gear[%i]/rollspeed-ms linear 3
bool /hazards/icing/wing
bool /sim/alarms/stall-warning
bool /controls/gear/gear-down
bool /controls/switches/master-avionics
bool /controls/engines/engine[%i]/master-bat linear 4
bool /controls/engines/engine[%i]/master-alt linear 4
bool /engines/engine[%i]/running linear 4
bool /engines/engine[%i]/cranking linear 4
bool /controls/flight/flaps-serviceable
bool /controls/engines/engine[%i]/faults/serviceable linear 4
bool /controls/engines/engine[%i]/faults/left-magneto-serviceable linear 4
bool /controls/engines/engine[%i]/faults/right-magneto-serviceable linear 4
bool /controls/engines/engine[%i]/faults/spark-plugs-serviceable linear 4
bool /controls/engines/engine[%i]/faults/oil-pressure-status linear 4
bool /controls/engines/engine[%i]/faults/fuel-pump-serviceable linear 4
bool /controls/fuel/tank[%i]/fuel_selector linear 4
bool /gear/gear[%i]/wow linear 3
`;
}
