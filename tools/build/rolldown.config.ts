/**
 * `src` → `dist`, a flat folder. What plain users load carries what it uses of Effect, in chunks that its files share; the
 * doors for Effect callers leave `effect` to the application. Both load the table of prices from the same file. Names of
 * functions are kept, so that stacks can be read.
 */
import { defineConfig, type RolldownOptions } from "rolldown"
import { deepEffect } from "./deepEffect.ts"
import { licences } from "./licences.ts"
import { noWebSocket } from "./noWebSocket.ts"
import { packedTable } from "./packedTable.ts"
import { smallFiles } from "./smallFiles.ts"
import { splitInto, type Together } from "./together.ts"

const table = "@pydantic/genai-prices"
const isTable = (id: string) => id.includes(`/${table}/`)
const licensed = licences("dist/LICENSES.txt")

/** @param files What shares a file; all else is left to the bundler. */
const bundle = async (
  prefix: string,
  entries: Readonly<Record<string, string>>,
  plugin: RolldownOptions["plugins"],
  files: ReadonlyArray<Together> = []
): Promise<RolldownOptions> => {
  const input = {
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    tsconfig: "src/tsconfig.json",
    input: { ...entries },
    external: Object.values(entries).includes(table) ? [] : [table, "grammy", "ai"],
    plugins: plugin
  } as const
  const output = {
    dir: "dist",
    format: "esm",
    comments: false,
    paths: { [table]: "./prices-table.js" },
    entryFileNames: "[name].js",
    chunkFileNames: `${prefix}[name]-[hash].js`
  } as const
  const codeSplitting = files.length === 0 ? true : await splitInto(input, output, files)
  return { ...input, plugins: [plugin, licensed, smallFiles], output: { ...output, codeSplitting } }
}

/**
 * Entries that are not doors are started as processes of their own: `ownProgram` in
 * `src/system/process/packageFile.ts`.
 */
const plain = {
  promise: "src/promise.ts",
  aiSdk: "src/aiSdk.ts",
  testing: "src/testing.ts",
  program: "src/program/main.ts",
  player: "src/testing/player.ts",
  restoreProgram: "src/system/settings/restoreProgram.ts"
}

const effect = {
  index: "src/index.ts",
  bridge: "src/bridge.ts",
  cluster: "src/cluster.ts",
  testingEffect: "src/testingEffect.ts"
}

const start = "src/program/start.ts"
const isLibrary = (id: string) => id.includes("/node_modules/")

export default defineConfig(
  await Promise.all([
    bundle("plain-", plain, noWebSocket, [
      { name: "first", entry: plain.program }, // loaded before the compile cache is enabled
      { name: "effect", entry: plain.promise, only: isLibrary },
      { name: "core", entry: plain.promise },
      { name: "shared", entry: start, sharedWith: [plain.promise, plain.aiSdk, plain.testing] },
      { name: "commands", entry: start, only: isLibrary },
      { name: "start", entry: start }
    ]),
    bundle("effect-", effect, deepEffect, [{ name: "core", entry: effect.index }]),
    bundle("prices-", { "prices-table": table }, packedTable(isTable))
  ])
)
