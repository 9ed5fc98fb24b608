/**
 * The cost of Reins, compared with the alternatives: prints a table for each question and writes all of them to
 * RESULTS.md. `--only cpu,latency` picks tables, `--samples N` says how many samples stand behind a number (5); a part of
 * the tables is printed, not written.
 */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { stopAll } from "./children.ts"
import { bridge, telegram } from "./rows/bridge.ts"
import { claude } from "./rows/claude.ts"
import { codex } from "./rows/codex.ts"
import { crowdRow } from "./rows/crowd.ts"
import { growth } from "./rows/growth.ts"
import { imports } from "./rows/imports.ts"
import { install } from "./rows/install.ts"
import { latency } from "./rows/latency.ts"
import { live } from "./rows/live.ts"
import { pi } from "./rows/pi.ts"
import { short } from "./rows/short.ts"
import { slow } from "./rows/slow.ts"
import { stages } from "./rows/stages.ts"
import { start } from "./rows/start.ts"
import { telemetry } from "./rows/telemetry.ts"
import { markdown } from "./table.ts"
import { openWorkspace } from "./workspace.ts"

const rows = [
  install,
  imports,
  start,
  short,
  latency,
  claude,
  stages,
  codex,
  pi,
  slow,
  live,
  telemetry,
  bridge,
  telegram,
  crowdRow,
  growth
]
const names = rows.flatMap((row) => row.names)

const { values } = parseArgs({ options: { only: { type: "string" }, samples: { type: "string", default: "5" } } })
const only = values.only?.split(",") ?? names
const samples = Number(values.samples)
const unknown = only.find((name) => !names.includes(name))
if (unknown !== undefined || !Number.isInteger(samples) || samples < 1) {
  console.error(`--only takes ${names.join(", ")}; --samples a number`)
  process.exit(2)
}
const isWanted = (name: string) => only.includes(name)

const workspace = openWorkspace()
process.once("exit", () => {
  stopAll()
  workspace.close()
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130))

const machine = `Node ${process.versions.node}, ${process.platform}, ${availableParallelism()} processors`
const heading = `# What Reins costs, measured

Written by \`npm run bench\`: the median of ${samples} samples, in brackets the smallest and the largest. ${machine}. What is done and counted: [README.md](README.md).`

const from = performance.now()
const tables: Array<string> = []
for (const row of rows.filter((each) => each.names.some(isWanted))) {
  const started = performance.now()
  for (const table of await row.measure({ workspace, samples, isWanted })) {
    tables.push(markdown(table))
    console.log(`\n${tables.at(-1)}`)
  }
  process.stderr.write(
    `\n(${row.names.filter(isWanted).join(", ")}: ${Math.round((performance.now() - started) / 1000)} s)\n`
  )
}
if (names.every(isWanted)) {
  writeFileSync(new URL("RESULTS.md", import.meta.url), `${[heading, ...tables].join("\n\n")}\n`)
}
console.log(`\n${machine}; ${samples} samples; ${Math.round((performance.now() - from) / 1000)} s in all`)
