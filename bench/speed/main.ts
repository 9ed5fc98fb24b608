/**
 * What Reins costs, beside what one would use instead: prints a table for each question and writes all of them to
 * RESULTS.md. `--only cpu,sdk,memory` picks tables, `--samples N` says how many samples stand behind a number (5).
 */
import { parseArgs } from "node:util"
import { claudeHostNames, cpuTable, memoryTable, race, sdkTable } from "./rows/claude.ts"
import { stopAll } from "./sample.ts"
import { markdown } from "./table.ts"
import { openWorkspace } from "./workspace.ts"

const { values } = parseArgs({ options: { only: { type: "string" }, samples: { type: "string", default: "5" } } })
const samples = Number(values.samples)

using workspace = openWorkspace()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    stopAll()
    workspace[Symbol.dispose]()
    process.exit(130)
  })
}

const isWanted = (name: string) => values.only === undefined || values.only.split(",").includes(name)
const all = await race(workspace, values.only === "cpu" ? ["loop", "reins"] : [...claudeHostNames], 200_000, samples)
const tables = { cpu: cpuTable, sdk: sdkTable, memory: memoryTable }
for (const [name, tableOf] of Object.entries(tables)) if (isWanted(name)) console.log(`\n${markdown(tableOf(all))}`)
