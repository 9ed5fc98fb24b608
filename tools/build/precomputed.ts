/** Writes what the program prints for its help, its version and the scripts of completions: see `src/program/precomputed.ts`. */
import { writeFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Stdio } from "effect"
import type { Completions } from "effect/cli"
import { consoleOn } from "../../src/program/output.ts"
import { described, program } from "../../src/program/program.ts"
import { printable } from "../../src/program/sequences.ts"

process.stdout.isTTY = true // for styles
delete process.env["NO_COLOR"]

const helpOf = (
  { subcommands }: Completions.CommandDescriptor,
  before: ReadonlyArray<string>
): Array<Array<string>> => [
  [...before, "--help"],
  ...subcommands.flatMap((each) => helpOf(each, [...before, each.name]))
]

const shells = ["bash", "zsh", "fish"].map((shell) => ["--completions", shell])
const lines = [[], ["--version"], ...shells, ...helpOf(described(), [])]

const textOf = async (args: ReadonlyArray<string>): Promise<string> => {
  let printed = ""
  const print = consoleOn((target, text) => {
    if (target === "stderr") throw new Error(`reins ${args.join(" ")}: ${text}`)
    printed += printable(text)
  })
  const stdio = Stdio.layerTest({ args: Effect.succeed(args) })
  await Effect.runPromise(Effect.provide(program, [Layer.merge(NodeServices.layer, stdio), print]))
  return printed
}

const texts: Record<string, string> = {}
for (const args of lines) texts[args.join(" ")] = await textOf(args)
writeFileSync("dist/precomputed.json", JSON.stringify(texts))
