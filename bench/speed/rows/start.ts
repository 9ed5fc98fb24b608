/** The cost of loading Reins and of starting its program, compared with a Node that does nothing. */
import { fileURLToPath } from "node:url"
import { startNode } from "../children.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import { difference, spreadOf } from "../statistics.ts"
import { spread, verdict } from "../table.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const program = `${root}dist/program.js`
const imports = (door: string) => ["--input-type=module", "-e", `import ${JSON.stringify(door)}`]

const commands = {
  "node -e 0": ["-e", "0"],
  // Dependencies of Reins that an Effect application has loaded anyway.
  'import "effect"': imports("effect"),
  'import "reins"': imports("reins"),
  'import "reins/promise"': imports("reins/promise"),
  "reins --help": [program, "--help"],
  "reins run, demo agent, to its first event": [program, "run", "--agent", "demo", "--json", "hello"]
}
type Name = keyof typeof commands
const names = Object.keys(commands) as ReadonlyArray<Name> // the keys of a literal
const bare = "node -e 0"

/** Milliseconds to the first byte on stdout, or to the end of what prints none. */
const take = async ({ workspace }: Bench, name: Name): Promise<number> => {
  const from = performance.now()
  const { child, left, stop } = startNode(commands[name], {
    cwd: root,
    env: workspace.env,
    stdio: ["ignore", "pipe", "inherit"]
  })
  let took: number | undefined
  child.stdout?.on("data", () => {
    took ??= performance.now() - from
    if (name.includes("first event")) stop()
  })
  await left
  if (took === undefined && child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}`)
  return took ?? performance.now() - from
}

export const start: Row = {
  names: ["start"],
  measure: async (bench) => {
    const taken = await inRounds(names, 2 * bench.samples, (name) => take(bench, name))
    const added = (name: Name) => difference(taken[name], taken[bare])
    return [
      {
        title: "Start",
        about: `To the end of what prints nothing, else to the first byte printed; ${2 * bench.samples} samples each.`,
        head: ["", "ms", "ms more than `node -e 0`"],
        rows: names.map((name) => [
          `\`${name}\``,
          spread(spreadOf(taken[name])),
          name === bare ? "" : spread(added(name))
        ]),
        verdicts: (['import "reins"', 'import "reins/promise"'] as const).map((name) =>
          verdict(`\`${name}\``, added(name).median, 150, " ms")
        )
      }
    ]
  }
}
