/** The user's configuration, store and needs of `reins serve`, as lines for people; pure. */
import type { Finding } from "../../bridge/messages/Channel.ts"
import type { ConfigurationProblem } from "../../contract/ConfigurationError.ts"
import type { StoreReport } from "../../contract/DoctorReport.ts"
import { plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { oldAfterDays, priceTable, tableAgeDays } from "../../money/prices/table.ts"
import { marks, paint, type Style, type Surface } from "../style.ts"

export interface ConfigurationReport {
  readonly file?: string
  /** A file of the working directory, which is ignored. */
  readonly ignored?: string
  readonly problems: ReadonlyArray<ConfigurationProblem>
}

type Verdict = readonly [mark: string, style: Style]
const good: Verdict = [marks.ok, "green"]
const doubtful: Verdict = [marks.warning, "yellow"]
const bad: Verdict = [marks.failed, "red"]
const neutral: Verdict = [marks.notice, "dim"]

const headline = (surface: Surface, [mark, style]: Verdict, name: string, text: string) =>
  `${paint(surface, style, mark)} ${paint(surface, "bold", name.padEnd(9))} ${harmless(text)}`

const detail = (surface: Surface, label: string, text: string) =>
  paint(surface, "dim", `  ${label.padEnd(9)} ${harmless(text)}`)

export const configurationLines = (surface: Surface, report: ConfigurationReport): ReadonlyArray<string> => {
  const { file, ignored, problems } = report
  const own =
    problems.length > 0
      ? headline(surface, bad, "config", "not valid, so that nothing is run")
      : file === undefined
        ? undefined
        : headline(surface, good, "config", "valid, and yours alone")
  return [
    ...(own === undefined ? [] : [own]),
    ...(file === undefined ? [] : [detail(surface, "file", file)]),
    ...problems.map(({ line, problem }) => detail(surface, line === undefined ? "problem" : `line ${line}`, problem)),
    ...(ignored === undefined
      ? []
      : [headline(surface, doubtful, "config", `${ignored} is not read: it is the working directory's, not yours`)])
  ]
}

const statusOf = (report: StoreReport): readonly [Verdict, string] => {
  const { status, sessions, database, schema, journal, problem } = report
  const facts = [
    ...(sessions === undefined ? [] : [plural(sessions, "session")]),
    ...(database === undefined ? [] : [database]),
    ...(schema === undefined ? [] : [`schema ${schema}`]),
    ...(journal === undefined ? [] : [`journal ${journal}`])
  ].join(", ")
  switch (status) {
    case "good":
      return [problem === undefined ? good : doubtful, facts]
    case "absent":
      return [neutral, "none yet: the first run makes it"]
    case "newer":
      return [bad, "written by a newer version of Reins"]
    default:
      return [bad, status]
  }
}

/** Prices change, but a table of a version does not. */
export const priceLines = (surface: Surface, now: number): ReadonlyArray<string> => {
  const age = tableAgeDays(now)
  const isOld = age > oldAfterDays
  const cure = isOld ? "; update Reins, or name newer prices below [prices] of reins.toml" : ""
  const text = `${priceTable.version} of ${priceTable.published}, ${plural(age, "day")} old${cure}`
  return [headline(surface, isOld ? doubtful : good, "prices", text)]
}

/** Findings about `reins serve` or one of its channels: one line, unless something is wrong. */
export const serveLines = (
  surface: Surface,
  findings: ReadonlyArray<Finding>,
  name = "serve",
  fixed: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  if (findings.length === 0) return []
  const wrong = findings.filter(({ level }) => level !== "ok")
  const isBad = wrong.some(({ level }) => level === "failure")
  const can = name === "serve" ? "start" : "be served"
  const text = wrong.length === 0 ? `can ${can}` : isBad ? `cannot ${can}` : `can ${can}, but`
  return [
    headline(surface, isBad ? bad : wrong.length === 0 ? good : doubtful, name, text),
    ...fixed.map((message) => detail(surface, "fixed", message)),
    ...wrong.flatMap(({ message, help }) => [
      detail(surface, "problem", message),
      ...(help === undefined ? [] : [detail(surface, "cure", help)])
    ])
  ]
}

const sizeText = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`

export const storeLines = (surface: Surface, report: StoreReport): ReadonlyArray<string> => {
  const { place, bytes, logBytes = 0, locks, movedAside, problem, cure } = report
  const [verdict, text] = statusOf(report)
  const size = bytes === undefined ? "" : ` (${sizeText(bytes + logBytes)})`
  return [
    headline(surface, verdict, "store", text),
    ...(report.status === "absent" ? [] : [detail(surface, "place", `${place}${size}`)]),
    ...(locks === undefined ? [] : [detail(surface, "locks", locks ? "keep others out" : "do not keep others out")]),
    ...(problem === undefined ? [] : [detail(surface, "problem", problem)]),
    ...(cure === undefined ? [] : [detail(surface, "cure", cure)]),
    ...movedAside.map((file) => detail(surface, "damaged", `${file}: moved aside, and has no effect`))
  ]
}
