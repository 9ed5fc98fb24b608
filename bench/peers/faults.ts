/** The ten faults: what is done to a run, and the short fact that is seen of it. */
import { type Cell, openCell, until } from "./cell.ts"
import { begun, endingOf, fateOf, hasEnded, limitMs, notReady, tellOf } from "./facts.ts"
import type { Peer } from "./peers.ts"
import { bigLine, flood, malformed } from "./streams.ts"

export interface Fault {
  readonly title: string
  /** Measured alone, because it needs a processor or is about memory. */
  readonly isHeavy?: boolean
  readonly measure: (peer: Peer) => Promise<string>
}

/** The processes that live five seconds after the host has ended in this way. */
const hostEnds = async (peer: Peer, end: (cell: Cell) => void) => {
  await using cell = await openCell(peer, { fault: "tool" })
  const obstacle = await notReady(cell)
  if (obstacle !== undefined) return obstacle
  cell.lookForOthers()
  end(cell)
  return await fateOf(cell, 5_000)
}

const aborted = async (peer: Peer, fault: string, forMs: number) => {
  await using cell = await openCell(peer, { fault })
  const obstacle = await notReady(cell)
  if (obstacle !== undefined) return obstacle
  cell.say("abort")
  return await endingOf(cell, forMs)
}

const staysAfterResult = async (peer: Peer, leaves: boolean) => {
  await using cell = await openCell(peer, { fault: "stays", leaves })
  const obstacle = await notReady(cell)
  return obstacle ?? (await endingOf(cell, limitMs))
}

const silent = async (peer: Peer) => {
  const timeoutMs = peer.timeOut === undefined ? {} : { timeoutMs: 3_000 }
  await using cell = await openCell(peer, { fault: "silent", ...timeoutMs })
  await begun(cell)
  const option = peer.timeOut === undefined ? "no option" : `${peer.timeOut} of 3 s`
  return `${option}: ${await endingOf(cell, limitMs, cell.told("start")?.at)}`
}

/** How the package tells an ending without a result. */
const endsEarly = async (peer: Peer, fault: string) => {
  await using cell = await openCell(peer, { fault })
  await begun(cell)
  await until(() => hasEnded(cell), limitMs)
  const starts = cell.starts()
  return `${tellOf(cell)}${starts > 1 ? ` (CLI started ${starts} times)` : ""}`
}

/** Two ways of one fault, side by side. */
const both = async (parts: Readonly<Record<string, () => Promise<string>>>) => {
  const reported = Object.entries(parts).map(async ([name, measure]) => `${name}: ${await measure()}`)
  return (await Promise.all(reported)).join("<br>")
}

export const faults: ReadonlyArray<Fault> = [
  {
    title: "Host killed (SIGKILL) while a tool runs: what lives 5 s later",
    measure: (peer) => hostEnds(peer, ({ host }) => host.kill("SIGKILL"))
  },
  {
    title: "Host ends by SIGTERM, or by `process.exit`, while a tool runs: what lives 5 s later",
    measure: (peer) =>
      both({
        SIGTERM: () => hostEnds(peer, ({ host }) => host.kill("SIGTERM")),
        exit: () => hostEnds(peer, (cell) => cell.say("exit"))
      })
  },
  {
    title: "Abort while a tool runs: when the call returns, what lives 10 s later",
    measure: (peer) => aborted(peer, "tool", 10_000)
  },
  {
    title: "Abort of a CLI that ignores SIGTERM: when the call returns, when it dies",
    measure: (peer) => aborted(peer, "deaf", limitMs)
  },
  {
    title: "Final result printed, the CLI never exits: when the call returns, when it dies",
    measure: (peer) =>
      both({
        "read to the end": () => staysAfterResult(peer, false),
        "left at the result": () => staysAfterResult(peer, true)
      })
  },
  { title: "Silent from its start: what ends it", measure: silent },
  {
    title: "Ends in the middle of its answer, by exit 0 or by SIGKILL: what is told",
    measure: (peer) => both({ "exit 0": () => endsEarly(peer, "no-result"), SIGKILL: () => endsEarly(peer, "killed") })
  },
  { title: "A cut line in the middle: what is told, what of the text before and behind it comes", measure: malformed },
  {
    title: "A line of 64 MiB: whether it comes, whether the next does, peak memory of the host",
    isHeavy: true,
    measure: bigLine
  },
  {
    title: "Consumer pauses while 200 MB arrive: memory of the host, and whether all comes afterwards",
    isHeavy: true,
    measure: flood
  }
]
