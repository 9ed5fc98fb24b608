/** The database of the measurement, and what it counts: statements, transactions, processor time. */
import { readdirSync, readFileSync } from "node:fs"
import { type Postgres, startPostgres } from "../../test/kit/postgres.ts"
import { cpuMsOf } from "./homes.ts"

const name = "scale"

const settings = "-c shared_preload_libraries=pg_stat_statements -c max_connections=100 -c shared_buffers=128MB"

export interface Counted {
  readonly seconds: number
  readonly statements: number
  /** Begun, and begun anew after a collision. */
  readonly transactions: number
  /** Totals of all of its processes. */
  readonly cpuMs: number
  readonly connections: number
}

export interface Statement {
  readonly text: string
  readonly calls: number
  readonly meanMs: number
  readonly totalMs: number
}

export interface Database {
  readonly url: string
  readonly psql: (statement: string) => string
  /** Counts what is done from now on. */
  readonly begin: () => () => Counted
  /** Since the last `begin`: those that took the longest in all. */
  readonly longest: (count: number) => ReadonlyArray<Statement>
  readonly end: () => Promise<void>
}

const parentOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    return 0
  }
}

/** Living connections: closed ones lower the count, and may make a difference negative. */
const cpuOfAll = ({ psql }: Postgres) => {
  const pid = parentOf(Number(psql("postgres", "select pid from pg_stat_activity where backend_type = 'checkpointer'")))
  const all = readdirSync("/proc").map(Number).filter(Number.isInteger)
  return [pid, ...all.filter((each) => parentOf(each) === pid)].reduce((sum, each) => sum + cpuMsOf(each), 0)
}

export const openDatabase = async (): Promise<Database> => {
  const server = await startPostgres(settings)
  server.psql("postgres", `create database ${name}`)
  // A database of its own: its own queries are not counted.
  server.psql("postgres", "create extension pg_stat_statements")
  const ask = (statement: string) => server.psql("postgres", statement)
  const ours = `dbid = (select oid from pg_database where datname = '${name}')`
  const look = () => {
    const [statements = 0, begun = 0] = ask(
      `select coalesce(sum(calls), 0), coalesce(sum(calls) filter (where query ilike 'begin%'), 0),
        coalesce(sum(calls) filter (where query ilike 'commit%'), 0) from pg_stat_statements where ${ours}`
    )
      .split("|")
      .map(Number)
    const connections = Number(ask(`select count(*) from pg_stat_activity where datname = '${name}'`))
    return { statements, begun, connections, cpuMs: cpuOfAll(server), at: performance.now() }
  }
  return {
    url: server.urlOf(name),
    psql: (statement) => server.psql(name, statement),
    begin: () => {
      ask("select pg_stat_statements_reset()")
      const from = look()
      return () => {
        const to = look()
        return {
          seconds: (to.at - from.at) / 1000,
          statements: to.statements - from.statements,
          transactions: to.begun - from.begun,
          cpuMs: to.cpuMs - from.cpuMs,
          connections: to.connections
        }
      }
    },
    longest: (count) =>
      ask(`select calls, round(mean_exec_time::numeric, 3), round(total_exec_time::numeric),
        left(regexp_replace(query, '\\s+', ' ', 'g'), 110)
        from pg_stat_statements where ${ours} order by total_exec_time desc limit ${count}`)
        .split("\n")
        .map((line) => {
          const [calls, meanMs, totalMs, ...text] = line.split("|")
          return { calls: Number(calls), meanMs: Number(meanMs), totalMs: Number(totalMs), text: text.join("|") }
        }),
    end: server.end
  }
}
