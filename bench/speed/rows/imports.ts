/** The cost of loading each door of the package, compared with a Node that does nothing. */
import { text } from "node:stream/consumers"
import { startNode } from "../children.ts"
import { benchRoot, claudeSdk, codexSdk, doors, root } from "../package.ts"
import { peak, raceOf, wall } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import type { Sample } from "../sample.ts"
import { verdict } from "../table.ts"
import { pathOf } from "../workspace.ts"

const bare = "a bare Node"
const sdks = [claudeSdk, codexSdk]
const modules: ReadonlyArray<string> = [bare, "effect", ...doors, ...sdks]
const names = Object.fromEntries(modules.map((name) => [name, name === bare ? name : `\`import "${name}"\``]))

const codeOf = (name: string) => {
  const loaded = name === bare ? "" : `import ${JSON.stringify(name)}\n`
  return `${loaded}import { peakMb } from ${JSON.stringify(pathOf("hosts/peak.mjs"))}\nprocess.stdout.write(String(peakMb()))`
}

const take = async ({ workspace }: Bench, name: string): Promise<Sample> => {
  const from = performance.now()
  const { child, left } = startNode(["--input-type=module", "-e", codeOf(name)], {
    cwd: sdks.includes(name) ? benchRoot : root,
    env: workspace.env,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const reported = child.stdout === null ? "" : await text(child.stdout)
  await left
  if (child.exitCode !== 0) throw new Error(`import "${name}" ended with ${child.exitCode}`)
  return { cpuMs: Number.NaN, wallMs: performance.now() - from, peakMb: Number(reported) }
}

export const imports: Row = {
  names: ["import"],
  measure: async (bench) => {
    const taken = await inRounds(modules, 2 * bench.samples, (name) => take(bench, name))
    const race = raceOf<string, Sample>(names, taken)
    const columns = [
      race.column("ms", wall),
      race.columnMore("ms more than bare", bare, wall),
      race.column("peak in MB", peak),
      race.columnMore("MB more than bare", bare, peak)
    ]
    return [
      race.table(columns, {
        title: "Import of each door",
        about: `To the end of a process that does nothing else, without a compile cache; ${2 * bench.samples} samples each.`,
        verdicts: [
          verdict('`import "reins/promise"`', race.median("reins/promise", wall), 150, " ms"),
          verdict('`import "reins"`, more than `import "effect"`', race.more("reins", "effect", wall), 0, " ms"),
          verdict('`import "reins/promise"`', race.times("reins/promise", claudeSdk, wall), 1, " × the Claude SDK's")
        ]
      })
    ]
  }
}
