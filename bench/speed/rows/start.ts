/** How long the program takes to say something, with its compile cache and without. */
import { symlinkSync } from "node:fs"
import { delimiter, join } from "node:path"
import { startNode } from "../children.ts"
import { claudeRun } from "../lines/runs.ts"
import { program, root } from "../package.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { median, spreadOf } from "../statistics.ts"
import { spread, verdict } from "../table.ts"

const bare = "`node -e 0`"
const version = "`reins --version`"
const firstEvent = "`reins run`, demo agent, to its first event"
const wholeRun = "`reins run` of a stub, to its end"

const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  [bare]: ["-e", "0"],
  [version]: [program, "--version"],
  "`reins --help`": [program, "--help"],
  [firstEvent]: [program, "run", "--agent", "demo", "--json", "hello"],
  [wholeRun]: [program, "run", "--json", "hello"]
}

/** As the table names them: of the program each with the cache and without. */
const cold = ", no compile cache"
const contestants = Object.keys(commands).flatMap((name) => (name === bare ? [name] : [name, `${name}${cold}`]))

/** The environment of the program: a Claude Code on PATH that prints a short run, and the compile cache of a run before. */
const environment = ({ workspace }: Bench) => {
  const bin = workspace.emptyFolder()
  symlinkSync(workspace.stubOf(claudeRun(30)).command, join(bin, "claude"))
  return { ...workspace.env, PATH: `${bin}${delimiter}${workspace.env.PATH}` }
}

/** Milliseconds to the first byte on stdout, or to the end of a whole run and of what prints none. */
const take = async (env: NodeJS.ProcessEnv, contestant: string): Promise<number> => {
  const name = contestant.replace(cold, "")
  const from = performance.now()
  const { child, left, stop } = startNode(commands[name] ?? [], {
    cwd: root,
    env: { ...env, ...(name === contestant ? {} : { NODE_DISABLE_COMPILE_CACHE: "1" }) },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let first: number | undefined
  child.stdout?.on("data", () => {
    first ??= performance.now() - from
    if (name === firstEvent) stop()
  })
  await left
  const isStopped = name === firstEvent && first !== undefined
  if (child.exitCode !== 0 && !isStopped) throw new Error(`${contestant} ended with ${child.exitCode}`)
  return name === wholeRun ? performance.now() - from : (first ?? performance.now() - from)
}

export const start: Row = {
  names: ["start"],
  measure: async (bench) => {
    const env = environment(bench)
    // A program writes its compile cache when it ends.
    await take(env, wholeRun)
    const taken = await inRounds(contestants, 2 * bench.samples, (name) => take(env, name))
    const msOf = (name: string) => taken[name] ?? []
    const more = (name: string) => median(msOf(name)) - median(msOf(bare))
    return [
      {
        title: "Start of the program",
        about: `To the first byte printed, and of a run of 30 lines to its end; ${2 * bench.samples} samples each. The compile cache is that of a run before.`,
        head: ["", "ms"],
        rows: contestants.map((name) => [name, spread(spreadOf(msOf(name)))]),
        verdicts: [
          verdict(`${version}, more than bare`, more(version), 80, " ms"),
          verdict(`${wholeRun}, more than bare`, more(wholeRun), 220, " ms")
        ]
      }
    ]
  }
}
