/**
 * The host process of one cell: runs an adapter, tells on descriptor 3 what it sees and when, and does what it is told on
 * stdin: `abort`, `exit`, `resume`, `collect`. It catches nothing that a package lets fall, and stays until it is ended.
 */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Item, Run } from "./adapter.ts"
import { described } from "./adapter.ts"
import { peerOf } from "./peers.ts"

const { peer, pauses, leaves, ...input } = JSON.parse(process.argv[2] ?? "{}")
const { adapter, entry } = peerOf(peer)
const run: Run = (await import(`./adapters/${adapter}.ts`))[entry]

const known = new Set<string>()
const tell = (what: string, facts = {}) => writeSync(3, `${JSON.stringify({ what, at: Date.now(), ...facts })}\n`)
const tellOnce = (what: string) => {
  if (!known.has(what)) tell(what)
  known.add(what)
}

const abort = new AbortController()
const resumed = Promise.withResolvers<void>()
const commands: Record<string, () => void> = {
  abort: () => abort.abort(),
  exit: () => process.exit(0),
  resume: resumed.resolve,
  /** Memory in use after a garbage collection. */
  collect: () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    tell("held", { bytes: heapUsed + external })
  }
}
createInterface({ input: process.stdin }).on("line", (line) => commands[line]?.())

class Left extends Error {}

const got = { text: "", calls: 0, outputs: 0, longest: 0, notices: new Set<string>() }
const take = async (item: Item) => {
  if (item.kind === "text") got.text += item.text
  if (item.kind === "notice") got.notices.add(item.text)
  if (item.kind === "tool") got.calls += 1
  if (item.kind === "output") {
    got.outputs += 1
    got.longest = Math.max(got.longest, item.length)
  }
  tellOnce(item.kind)
  // Thrown inside of the loop that reads the package's stream: the loop is left.
  if (leaves && item.kind === "result") throw new Left()
  if (pauses) await resumed.promise
}

tell("start")
const reported = await run({ ...input, prompt: "hello", abort, take }).catch((error) =>
  error instanceof Left ? "left" : `throws ${described(error)}`
)
const times = (word: string) => got.text.split(word).length - 1
tell("end", {
  told: String(reported).replaceAll(input.directory, "…"),
  alpha: times("ALPHA"),
  omega: times("OMEGA"),
  calls: got.calls,
  outputs: got.outputs,
  longest: got.longest,
  notices: [...got.notices]
})
