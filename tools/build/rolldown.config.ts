/**
 * `src` → `dist`, a flat folder. What plain users load carries what it uses of Effect, in chunks that its files share; the
 * doors for Effect callers leave `effect` to the application. Both load the table of prices from the same file. Names and
 * lines are kept, so that stacks can be read.
 */
import { defineConfig, type RolldownOptions } from "rolldown"
import { deepEffect } from "./deepEffect.ts"
import { licences } from "./licences.ts"
import { noWebSocket } from "./noWebSocket.ts"
import { smallFiles } from "./smallFiles.ts"

const table = "@pydantic/genai-prices"

const options = (
  prefix: string,
  input: Readonly<Record<string, string>>,
  plugins: RolldownOptions["plugins"]
): RolldownOptions => ({
  platform: "node",
  tsconfig: "src/tsconfig.json",
  input: { ...input },
  external: Object.values(input).includes(table) ? [] : [table, "grammy", "ai"],
  plugins: [plugins, smallFiles],
  output: {
    dir: "dist",
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    paths: { [table]: "./prices-table.js" },
    entryFileNames: "[name].js",
    chunkFileNames: `${prefix}[name]-[hash].js`
  }
})

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

const licensed = licences("dist/LICENSES.txt")

export default defineConfig([
  options("plain-", plain, [noWebSocket, licensed]),
  options("effect-", effect, [deepEffect, licensed]),
  options("prices-", { "prices-table": table }, [licensed])
])
