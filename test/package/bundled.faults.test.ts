/** An application that bundles the plain door into its own file, as ES module or in CommonJS. */
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { afterAll, assert, describe, it } from "vitest"
import { packageFile } from "../../src/system/process/packageFile.ts"
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

const bundled = async (name: string, format: "esm" | "cjs") => {
  const bundle = await rolldown({ input: join(alone, `${name}.mjs`), platform: "node", cwd: alone, logLevel: "silent" })
  const dir = join(alone, `bundled-${format}`)
  const extension = format === "esm" ? "mjs" : "cjs"
  await bundle.write({
    dir,
    format,
    entryFileNames: `${name}.${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`
  })
  return join(dir, `${name}.${extension}`)
}

describe.each(["esm", "cjs"] as const)("a bundle as %s", (format) => {
  it("runs the plain door", async () => {
    const { stdout, stderr } = spawnSync(process.execPath, [await bundled("application", format)], { encoding: "utf8" })
    assert.deepStrictEqual({ stdout, stderr }, { stdout: "completed\n", stderr: "" })
  })

  it("is told that it has no fakes", async () => {
    const stdout = execFileSync(process.execPath, [await bundled("bundledKit", format)], { encoding: "utf8" })
    assert.strictEqual(stdout, "reins/testing cannot start its fakes from a bundle: leave reins out of it\n")
  })
})
