/**
 * Ten faults through the packages of `peers.ts`, a host process for each cell: prints the facts and writes them
 * to RESULTS.md. `--only TEXT` measures the packages with TEXT in their name, `--fault N` one fault, `--rounds N`
 * each cell N times (2); a part of the table is printed, not written.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { closeAll } from "./cell.ts"
import { type Fault, faults } from "./faults.ts"
import { merge } from "./merge.ts"
import { idOf, type Peer, peers } from "./peers.ts"
import { keyOf, markdown, printed } from "./table.ts"

if (process.platform !== "linux") {
  console.error("The measurement reads /proc: it runs on Linux only.")
  process.exit(1)
}

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    fault: { type: "string" },
    rounds: { type: "string", default: "2" }
  }
})
const rounds = Number(values.rounds)
const chosenPeers = peers.filter((peer) => idOf(peer).includes(values.only))
const chosenFaults = faults.filter((_, nth) => values.fault === undefined || Number(values.fault) === nth + 1)

interface Cell {
  readonly fault: Fault
  readonly peer: Peer
}

const measured = new Map<string, Array<string>>()

const measure = async ({ fault, peer }: Cell) => {
  const fact = await fault.measure(peer).catch((error) => `not measured: ${error}`)
  const key = keyOf(fault, peer)
  measured.set(key, [...(measured.get(key) ?? []), fact])
}

/** So many cells at a time. Most of a cell is waiting; what needs a processor or counts memory is alone. */
const measureAll = async (cells: ReadonlyArray<Cell>, width: number) => {
  const rest = [...cells]
  const next = async () => {
    for (let cell = rest.shift(); cell !== undefined; cell = rest.shift()) await measure(cell)
  }
  await Promise.all(Array.from({ length: width }, next))
}

const isHeavy = (heavy: boolean) => (fault: Fault) => (fault.isHeavy === true) === heavy
const cellsOf = (some: ReadonlyArray<Fault>): ReadonlyArray<Cell> =>
  some.flatMap((fault) => chosenPeers.map((peer) => ({ fault, peer })))

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => closeAll().finally(() => process.exit(130)))
}

const from = performance.now()
for (let round = 1; round <= rounds; round++) {
  process.stderr.write(`round ${round} of ${rounds}…\n`)
  await measureAll(cellsOf(chosenFaults.filter(isHeavy(false))), 6)
  await measureAll(cellsOf(chosenFaults.filter(isHeavy(true))), 1)
}
const facts = new Map([...measured].map(([key, all]) => [key, merge(all)]))
for (const fault of chosenFaults) {
  console.log(`\n${faults.indexOf(fault) + 1}. ${fault.title}\n`)
  for (const peer of chosenPeers) console.log(printed(peer, facts.get(keyOf(fault, peer)) ?? ""))
}
const isWhole = chosenPeers.length === peers.length && chosenFaults.length === faults.length
if (isWhole) writeFileSync(new URL("RESULTS.md", import.meta.url), markdown(facts, peers, rounds))
console.log(`\n${facts.size} cells, ${rounds} times each, in ${Math.round((performance.now() - from) / 1000)} s`)
