/**
 * Makes the facts of many recordings inside a database: what the library of a team has after years, without its files.
 */
import type { Database } from "../../packages/server/dist/database/database.js";

/** The identity of a player, which is among the subjects of some recordings. */
export const PLAYER = "00000000-0000-4000-8000-000000000007";

const WORDS = ["night", "rain", "merge", "junction", "overtake", "parking", "taxiway", "descent", "protein", "water"];
const KINDS = [
  "collision",
  "lap",
  "chat",
  "traffic-light",
  "landing",
  "reset",
  "marker",
  "lane-change",
  "door",
  "fault",
];

/** The same number below `count` each time, for one recording and purpose. */
const pick = (purpose: string, count: number | string): string =>
  `(hashtext(i || '${purpose}') & 2147483647) % (${count})`;
const oneOf = (words: readonly string[], index: string): string =>
  `(array[${words.map((word) => `'${word}'`).join(",")}])[1 + ${index}]`;

const FORMATS = ["carla", "carla", "carla", "carla", "mira", "mira", "hcrp", "hcrp", "flightgear", "nanover"];
const RECORDING = `
  insert into recordings (id, key, name, files, bytes, stamp, state, error, format, digest, file_digests, twin, started,
    first, last, seconds, metadata, channels, findings, summary, names, owner, collection, added, indexed)
  select 'r' || i, to_char(began, 'YYYY/MM/') || name || '.' || i, name || ' ' || i, '[]',
    1000 + ${pick("bytes", 900_000_000)}, 's' || i, case when ${pick("state", 500)} = 0 then 'failed' else 'indexed' end,
    null, format, md5('digest' || i - (case when ${pick("twin", 100)} = 0 then 1 else 0 end)),
    array[md5('digest' || i)], ${pick("twin", 100)} = 0,
    case when ${pick("timeless", 20)} = 0 then null else began end, 0, seconds, seconds,
    jsonb_build_object('map', town, 'weather', weather, 'seed', ${pick("seed", 100_000)},
      'server', jsonb_build_object('name', 'host-' || ${pick("host", 40)})),
    '[{"name":"state","count":100}]',
    case when ${pick("findings", 33)} = 0
      then '[{"code":"truncated","severity":"lost","message":"the end is missing","count":1}]'::jsonb
      else '[]'::jsonb end,
    (2 + ${pick("many", 40)}) || ' vehicles, ' || ${pick("few", 9)} || ' walkers',
    weather || ' ' || town || ' player' || ${pick("player0", 20_000)} || ' player' || ${pick("player1", 20_000)},
    case when ${pick("owned", 3)} = 0 then 'u' || ${pick("owner", 200)} end,
    case when ${pick("collected", 2)} = 0 then 'c' || ${pick("collection", 40)} end,
    began + interval '1 hour', began + interval '1 hour'
  from (
    select i, timestamptz '2023-01-01' + i * interval '95 seconds' as began, ${oneOf(FORMATS, pick("format", 10))} as format,
      ${oneOf(WORDS, pick("word", 10))} || '-' || ${oneOf(WORDS, pick("other", 10))} as name,
      'Town' || ${pick("town", 60)} as town, ${oneOf(["clear", "rain", "fog", "storm"], pick("weather", 4))} as weather,
      exp(1 + ${pick("seconds", 8000)} / 1000.0) as seconds
    from generate_series($1::bigint, $2::bigint) i
  ) made`;

/** For each recording as many rows as `count` says; `n` numbers them. */
const rows = (count: string, select: string, into: string): string => `
  insert into ${into} select ${select}
  from generate_series($1::bigint, $2::bigint) i, lateral generate_series(0, ${count}) n on conflict do nothing`;

const PIECES: readonly string[] = [
  RECORDING,
  rows(
    "4",
    `'r' || i, case n when 0 then 'players' else 'vehicles' end, 'e' || n,
      case when n < 2 then 'player' || (hashtext(i || 'player' || n) & 2147483647) % 20000
        when n = 2 then 'Hero' else 'Model ' || (hashtext(i || 'model' || n) & 2147483647) % 80 end, 'car'`,
    "entities (recording, set, name, label, kind)",
  ),
  rows(
    "5",
    `'r' || i, 1 + (n * 7 + (hashtext(i || 'paths') & 2147483647) % 7) % 40, -((hashtext(i || 'least' || n) & 2147483647) % 5000),
      exp((hashtext(i || 'most' || n) & 2147483647) % 10000 / 1000.0)`,
    "extents (recording, path, least, most)",
  ),
  rows(
    "2",
    `'r' || i, case when (hashtext(i || 'rare') & 2147483647) % 5000 = n then 'explosion'
      else ${oneOf(KINDS, "(hashtext(i || 'kind' || n) & 2147483647) % 10")} end, 'Kind', 3`,
    "event_kinds (recording, kind, title, count)",
  ),
  rows(
    "((hashtext(i || 'tags') & 2147483647) % 5 = 0)::int - 1",
    "'r' || i, 'tag' || (hashtext(i || 'tag') & 2147483647) % 30",
    "tags (recording, tag)",
  ),
  rows(
    "((hashtext(i || 'subjects') & 2147483647) % 4 = 0)::int - 1",
    "'r' || i, '00000000-0000-4000-8000-' || lpad(((hashtext(i || 'subject') & 2147483647) % 5000)::text, 12, '0')",
    "subjects (recording, identity)",
  ),
];

const PEOPLE: readonly string[] = [
  "insert into users (id, name, role) select 'u' || n, 'user ' || n, 'staff' from generate_series(0, 199) n",
  `insert into users (id, name, role, identities) values ('player', 'player', 'player', '["${PLAYER}"]')`,
  "insert into users (id, name, role) values ('viewer', 'viewer', 'viewer')",
  `insert into tokens (id, hash, name, owner, scopes)
    select 't-' || who, encode(sha256(convert_to('simtape_' || who, 'UTF8')), 'hex'), who, who, '["read"]'
    from unnest(array['player', 'viewer']) who`,
  `insert into collections (id, name, public)
    select 'c' || n, 'collection ' || n, case n % 3 when 0 then 'all' when 1 then 'own' else 'off' end
    from generate_series(0, 39) n`,
  `insert into extent_paths (path, leaf, tail, unit)
    select 'vehicles/*/' || leaf, leaf, split_part(leaf, '.', -1), unit from (
      select case n when 0 then 'altitude-ft' when 1 then 'speed' when 2 then 'position.x' else 'number-' || n end as leaf,
        case n when 0 then 'ft' when 1 then 'm/s' else '' end as unit
      from generate_series(0, 39) n order by n) paths`,
];

/** Fills empty tables. It makes the indexes after the rows, which is many times as fast. */
export async function fillFacts(
  client: Awaited<ReturnType<Database["connect"]>>,
  recordings: number,
  report: (text: string) => void,
): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename in ('recordings', 'entities', 'extents', 'event_kinds', 'tags', 'subjects')
       and indexname not in (select conname from pg_constraint)`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const statement of PEOPLE) await client.query(statement);
  await client.query("set session_replication_role = replica");
  const STEP = 20_000;
  for (let first = 1; first <= recordings; first += STEP) {
    for (const piece of PIECES) await client.query(piece, [first, Math.min(recordings, first + STEP - 1)]);
    report(`${Math.min(recordings, first + STEP - 1)} recordings`);
  }
  await client.query("set session_replication_role = origin");
  for (const { definition } of indexes) {
    report(definition.split(" using ")[0]!.toLowerCase());
    await client.query(definition);
  }
  report("vacuum");
  await client.query("vacuum analyze");
}
