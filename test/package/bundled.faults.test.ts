/** An application that bundles the plain door into its own file, as ES module or in CommonJS. */
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { afterAll, assert, describe, it } from "vitest"
import { packageFile } from "../../src/system/process/packageFile.ts"
import { installed } from "./installed.ts"
import { alone, remove } from "./project.ts"

afterAll(remove)

const demo = packageFile("fixtures/programs/demo-agent.mjs")

/** Runs and sessions, and a host tool, whose server is loaded when it is needed. */
writeFileSync(
  join(alone, "application.mjs"),
  `import { createAgent } from "reins/promise"
const baseArgs = [${JSON.stringify(demo)}]
const agent = createAgent("claude", { command: process.execPath, baseArgs, env: { values: { REINS_DEMO_PACE_MS: "0" } } })
const tool = { name: "add", description: "", inputSchema: { type: "object" }, run: () => 3 }
const main = async () => {
  const { outcome } = await agent.run({ prompt: "hello" })
  const session = await agent.open({ tools: [tool], approvals: [] })
  await session.close()
  await agent.close()
  console.log(outcome)
}
main()
`
)

/** Code that only the test kit needs is not in a bundle. */
writeFileSync(
  join(alone, "bundledKit.mjs"),
  `import { FakeCli, Step } from "reins/testing"
FakeCli.install(FakeCli.claude([Step.text("")])).catch(({ message }) => console.log(message))
`
)

const esbuild = installed("esbuild")
type Format = "esm" | "cjs"

const bundlers = {
  rolldown: async (input: string, dir: string, format: Format, extension: string) => {
    const bundle = await rolldown({ input, platform: "node", cwd: alone, logLevel: "silent" })
    const [entryFileNames, chunkFileNames] = [`[name].${extension}`, `[name]-[hash].${extension}`]
    await bundle.write({ dir, format, entryFileNames, chunkFileNames })
  },
  esbuild: async (input: string, dir: string, format: Format, extension: string) => {
    const flags = ["--bundle", "--platform=node", `--format=${format}`, "--log-level=error"]
    const output = [`--outdir=${dir}`, `--out-extension:.js=.${extension}`]
    execFileSync(esbuild ?? "", [input, ...flags, ...output], { cwd: alone })
  }
}

const bundled = async (name: string, bundler: keyof typeof bundlers, format: Format) => {
  const dir = join(alone, `bundled-${bundler}-${format}`)
  const extension = format === "esm" ? "mjs" : "cjs"
  await bundlers[bundler](join(alone, `${name}.mjs`), dir, format, extension)
  return join(dir, `${name}.${extension}`)
}

describe.each([
  ["rolldown", "esm"],
  ["rolldown", "cjs"],
  ["esbuild", "esm"],
  ["esbuild", "cjs"]
] as const)("a bundle by %s as %s", (bundler, format) => {
  const isThere = bundler !== "esbuild" || esbuild !== undefined

  it.skipIf(!isThere)("runs the plain door", async () => {
    const file = await bundled("application", bundler, format)
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" })
    assert.deepStrictEqual({ stdout, stderr }, { stdout: "completed\n", stderr: "" })
  })

  it.skipIf(!isThere)("is told that it has no fakes", async () => {
    const stdout = execFileSync(process.execPath, [await bundled("bundledKit", bundler, format)], { encoding: "utf8" })
    assert.strictEqual(stdout, "reins/testing cannot start its fakes from a bundle: leave reins out of it\n")
  })
})
