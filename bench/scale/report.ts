/** The measurements, as lines of Markdown. */
import { percentile } from "../speed/statistics.ts"
import type { Asked } from "./asking.ts"
import type { Counted, Database, Statement } from "./database.ts"
import type { HomeMemory } from "./homes.ts"
import type { Plan } from "./plans.ts"

const visible = (value: number) => value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
const share = (ms: number, seconds: number) => `${visible(ms / seconds / 10)} % of a processor`

export const counted = (title: string, turns: number, found: Counted, homesMs: number, callerMs: number) => {
  const { seconds, statements, transactions, cpuMs, connections } = found
  const lines = [
    `${visible(seconds)} s; ${visible(statements / seconds)} statements a second, ${visible(transactions / seconds)} transactions a second`,
    `processor: PostgreSQL ${cpuMs < 0 ? "unknown (connections closed)" : share(cpuMs, seconds)}, three homes ${share(homesMs, seconds)}, callers ${share(callerMs, seconds)}`,
    `${connections} connections`
  ]
  if (turns > 0)
    lines.push(
      `${visible(turns / seconds)} turns a second; each: ${visible(statements / turns)} statements, ${visible(transactions / turns)} transactions, ${cpuMs < 0 ? "unknown" : visible(cpuMs / turns)} ms of PostgreSQL, ${visible(homesMs / turns)} ms of its home, ${visible(callerMs / turns)} ms of its caller`
    )
  return `\n## ${title}\n\n${lines.map((line) => `- ${line}`).join("\n")}`
}

export const longest = (statements: ReadonlyArray<Statement>) =>
  [
    "\n| calls | mean ms | all ms | statement |\n| --- | --- | --- | --- |",
    ...statements.map(({ calls, meanMs, totalMs, text }) => `| ${calls} | ${meanMs} | ${totalMs} | \`${text}\` |`)
  ].join("\n")

const row = (name: string, values: ReadonlyArray<number>) =>
  `| ${name} | ${[0.5, 0.95, 0.99, 1].map((part) => visible(percentile(values, part))).join(" | ")} |`

/** `claimed`: of the newest turns, by their rows: the clock is that of one machine. */
export const waits = (title: string, { took, failures, seconds }: Asked, { psql }: Database) => {
  const claimed = psql(`select coalesce(claimed - created, -1), coalesce(ended - claimed, -1) from reins.turns
    order by created desc limit ${took.length + failures.length}`)
    .split("\n")
    .map((line) => line.split("|").map(Number))
  return [
    `\n| ${title} (ms) | p50 | p95 | p99 | most |\n| --- | --- | --- | --- | --- |`,
    row(
      "asked → taken by its home",
      claimed.map(([wait = Number.NaN]) => wait)
    ),
    row(
      "taken → its end in the store",
      claimed.map(([, work = Number.NaN]) => work)
    ),
    row(
      "asked → first event at the caller",
      took.map(({ firstMs }) => firstMs)
    ),
    row(
      "asked → end at the caller",
      took.map(({ endMs }) => endMs)
    ),
    `\n${took.length} ended in ${visible(seconds)} s, ${failures.length} failed${failures.length > 0 ? `: ${failures[0]}` : ""}`
  ].join("\n")
}

const mib = (bytes: number) => visible(bytes / 1024 / 1024)
const mean = (memory: ReadonlyArray<HomeMemory>, of: keyof HomeMemory) =>
  memory.reduce((sum, each) => sum + each[of], 0) / memory.length

type All = ReadonlyArray<HomeMemory>

export const memories = (conversations: number, before: All, full: All, after: All) => {
  const line = (name: string, memory: All) =>
    `| ${name} | ${mib(mean(memory, "heapUsed"))} | ${mib(mean(memory, "rss"))} |`
  const each = (memory: All) =>
    visible((mean(memory, "heapUsed") - mean(before, "heapUsed")) / (conversations / before.length))
  return `\n## Memory of a home

| | heap, MiB | resident, MiB |
| --- | --- | --- |
${line("no conversations", before)}
${line(`${conversations} in three homes, just used`, full)}
${line("the same, unused for more than five minutes", after)}

- a conversation just used: ${each(full)} bytes of heap; unused: ${each(after)} bytes`
}

export const plans = (rows: number, found: ReadonlyArray<Plan>) =>
  [
    `\n## Statements on ${rows} rows of turns`,
    "\n| | ms | pages | reads a whole table |\n| --- | --- | --- | --- |",
    ...found.map(({ name, ms, pages, scans }) => `| ${name} | ${ms} | ${pages} | ${scans.join(", ") || "no"} |`)
  ].join("\n")
