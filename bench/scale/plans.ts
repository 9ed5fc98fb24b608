/** How the database answers what the cluster asks most often, among many rows of turns that are over. */
import type { Database } from "./database.ts"

export interface Plan {
  readonly name: string
  readonly ms: number
  /** Pages of 8 KB that it looked at. */
  readonly pages: number
  /** The tables that it read from end to end. */
  readonly scans: ReadonlyArray<string>
  readonly text: string
}

/** Half of them in conversations, half outside; a tenth was interrupted. */
export const fill = ({ psql }: Database, rows: number) => {
  psql(`insert into reins.turns (turn_id, conversation, cli, seq, state, run_id, digest, created, claimed, ended, for_home, params, prompt, result)
    select 'fill-' || n, case when n % 2 = 0 then 'fill-' || n % ${Math.round(rows / 10)} else '' end, 'codex',
      1000000 + n, case when n % 10 = 0 then 'interrupted' else 'done' end, 'fill-run-' || n, repeat('d', 64),
      n, n, n, (select id from reins.cluster_homes order by name offset n % 3 limit 1), repeat('p', 200), 'prompt', repeat('r', 500)
    from generate_series(1, ${rows}) n`)
  psql(`insert into reins.runs (run_id, turn_id, cli, started, ended, home, host, pid)
    select run_id, turn_id, cli, created, ended, for_home, 'host', 1 from reins.turns where run_id like 'fill-run-%'`)
  psql(`insert into reins.turn_events (turn_id, position, event, at)
    select 'fill-' || n, position, repeat('e', 200), n from generate_series(1, ${rows}) n, generate_series(0, 2) position`)
  psql("analyze")
}

const home = "(select id from reins.cluster_homes order by name limit 1)"
const isOpen = "(state in ('queued', 'claimed', 'spawned') or (state = 'interrupted' and ended is null))"

const statements = (homeId: string): Readonly<Record<string, string>> => ({
  openHere: `select * from (select turns.*, row_number() over (partition by cli, conversation,
      case when conversation = '' then turn_id else '' end order by seq) as place
    from reins.turns where for_home = '${homeId}' and given_up = 0 and ${isOpen}) as open where place = 1
    order by case when state in ('claimed', 'spawned') then 0 else 1 end, created limit 500`,
  "firstOf, in a conversation": `select * from reins.turns where for_home = '${homeId}' and given_up = 0
    and cli = 'codex' and conversation = 'fill-2' and ${isOpen} order by seq limit 1`,
  "firstOf, outside of conversations": `select * from reins.turns where for_home = '${homeId}' and given_up = 0
    and turn_id = 'fill-1' and ${isOpen} order by seq limit 1`,
  "listHomes, with its counts": `select h.*,
    (select count(*) from reins.turns t where t.for_home = h.id and t.state = 'queued') as waiting,
    (select count(*) from reins.turns t where t.for_home = h.id and t.state in ('claimed', 'spawned')) as running
    from reins.cluster_homes h order by h.name`,
  readEvents:
    "select position, event from reins.turn_events where turn_id = 'fill-7' and position >= 0 order by position limit 256",
  turnById:
    "select t.*, r.home from reins.turns t left join reins.runs r on r.run_id = t.run_id where t.turn_id = 'fill-7'",
  "enqueueTurn's max(seq), in a conversation": "select max(seq) as seq from reins.turns where conversation = 'fill-2'",
  "enqueueTurn's max(seq), outside of conversations":
    "select max(seq) as seq from reins.turns where conversation = '' and cli = 'codex'",
  placeTurn: `update reins.turns set session_key = 'k' where turn_id =
    (select turn_id from reins.runs where run_id = 'fill-run-7') and run_id = 'fill-run-7'`,
  "homeOfTurns, of a conversation": `select for_home from reins.turns where conversation = 'fill-2' and cli = 'codex'
    and for_home is not null and state in ('queued', 'claimed', 'spawned') order by seq desc limit 1`
})

const pagesIn = (text: string) => {
  const [, hit = "0"] = /Buffers: shared (?:[^\n]*?)hit=(\d+)/.exec(text) ?? []
  const [, read = "0"] = /Buffers: shared [^\n]*?read=(\d+)/.exec(text) ?? []
  return Number(hit) + Number(read)
}

/** The second answer of two: the first brings pages into memory. */
export const plansOf = ({ psql }: Database): ReadonlyArray<Plan> =>
  Object.entries(statements(psql(`select ${home}`))).map(([name, statement]) => {
    const explain = () => psql(`explain (analyze, buffers) ${statement}`)
    explain()
    const text = explain()
    const [, ms = "NaN"] = /Execution Time: ([\d.]+) ms/.exec(text) ?? []
    const scans = [...text.matchAll(/Seq Scan on (\w+)/g)].map(([, table = ""]) => table)
    return { name, ms: Number(ms), pages: pagesIn(text), scans, text }
  })
