/** How long the program takes to say something, with its compile cache and without. */
import { startNode } from "../children.ts"
import { program, root } from "../package.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { median, spreadOf } from "../statistics.ts"
import { spread, verdict } from "../table.ts"

const bare = "`node -e 0`"
const version = "`reins --version`"
const firstEvent = "`reins run`, demo agent, to its first event"

const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  [bare]: ["-e", "0"],
  [version]: [program, "--version"],
  "`reins --help`": [program, "--help"],
  [firstEvent]: [program, "run", "--agent", "demo", "--json", "hello"]
}

/** As the table names them: of the program each with the cache and without. */
const cold = ", no compile cache"
const contestants = Object.keys(commands).flatMap((name) => (name === bare ? [name] : [name, `${name}${cold}`]))

/** Milliseconds to the first byte on stdout, or to the end of what prints none. */
const take = async ({ workspace }: Bench, contestant: string, isWhole = false): Promise<number> => {
  const name = contestant.replace(cold, "")
  const from = performance.now()
  const { child, left, stop } = startNode(commands[name] ?? [], {
    cwd: root,
    env: { ...workspace.env, ...(name === contestant ? {} : { NODE_DISABLE_COMPILE_CACHE: "1" }) },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let took: number | undefined
  child.stdout?.on("data", () => {
    took ??= performance.now() - from
    if (name === firstEvent && !isWhole) stop()
  })
  await left
  if (took === undefined && child.exitCode !== 0) throw new Error(`${contestant} ended with ${child.exitCode}`)
  return took ?? performance.now() - from
}

export const start: Row = {
  names: ["start"],
  measure: async (bench) => {
    // A program writes its compile cache when it ends.
    await take(bench, firstEvent, true)
    const taken = await inRounds(contestants, 2 * bench.samples, (name) => take(bench, name))
    const msOf = (name: string) => taken[name] ?? []
    return [
      {
        title: "Start of the program",
        about: `To the first byte printed; ${2 * bench.samples} samples each. The compile cache is that of a run before.`,
        head: ["", "ms"],
        rows: contestants.map((name) => [name, spread(spreadOf(msOf(name)))]),
        verdicts: [
          verdict(firstEvent, median(msOf(firstEvent)), 150, " ms"),
          verdict(version, median(msOf(version)), 120, " ms")
        ]
      }
    ]
  }
}
