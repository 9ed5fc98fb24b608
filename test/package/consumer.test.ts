/**
 * What is packed for users works in a project of theirs: outside the repository, by the package's name, for both ways in
 * which TypeScript resolves it. What it runs are the examples of the test kit, those of live sessions, and a
 * CLI of one's own.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const tmp = mkdtempSync(join(tmpdir(), "consumer-"))
afterAll(() => rmSync(tmp, { recursive: true, force: true }))

const project = join(tmp, "project")
const temporary = join(tmp, "tmp")
const packages = join(project, "node_modules")
const examples = ["test/testing/examples", "test/package/examples", "test/package/fifthCli"]

/** Without its scripts: the suite has built it, and others use that build. */
const install = () => {
  for (const folder of [temporary, join(packages, "reins")]) mkdirSync(folder, { recursive: true })
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", tmp]
  const [tarball = ""] = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim().split("\n").slice(-1)
  execFileSync("tar", ["-xzf", join(tmp, tarball), "-C", join(packages, "reins"), "--strip-components=1"])
  for (const peer of ["effect", "@effect", "@types"])
    symlinkSync(join(root, "node_modules", peer), join(packages, peer))
}

install()
for (const folder of examples) cpSync(join(root, folder), project, { recursive: true })
const bin = join(tmp, "bin")
mkdirSync(bin)
symlinkSync(join(root, "fixtures/programs/tern.mjs"), join(bin, "tern"))
writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }))
writeFileSync(
  join(project, "doors.ts"),
  `export { AgentRuntime, Claude } from "reins"
export { createAgent } from "reins/promise"
export { FakeCli } from "reins/testing"
`
)

/** What a module of theirs exports with inferred types, which their declarations have to name. */
writeFileSync(
  join(project, "named.ts"),
  `import { FakeCli, LiveStep, Step, testAgent, type ActStep } from "reins/testing"
export const steps = [Step.text("hi")]
export const mixed = [Step.text("hi"), Step.exit(0)]
export const end: ReadonlyArray<ActStep> = [Step.stderr("bye"), Step.exit(1)]
export const kit = { ...Step, ...LiveStep, ...FakeCli }
export const live = FakeCli.live("acp", [[LiveStep.text("hi")]])
export const fake = FakeCli.replay("codex", "wire.ndjson", { end })
export const layer = FakeCli.layer(fake)
export const installed = FakeCli.install(fake)
export const started = async () => (await installed).started()
export const agent = testAgent([])
`
)

/** What the plain door offers to a project without Effect. */
writeFileSync(
  join(project, "plainAlone.ts"),
  `import { AgentError, Approvals, createAcpAgent, createAgent, mayRetry, Refused } from "reins/promise"
import type { AgentEvent, CliId, PlainAgent, PlainGate } from "reins/promise"
const gate: PlainGate = {
  name: "g",
  admit: ({ type }) => {
    if (type === "run") throw new Refused({ gate: "g", problem: "no", retryable: false })
    return {}
  }
}
const claude = createAgent("claude", { gates: [gate], timeouts: { idle: "5 minutes" } })
export const agents: ReadonlyArray<PlainAgent> = [claude, createAgent("codex" as CliId), createAcpAgent({ command: "x" })]
export const all: Array<AgentEvent> = await Array.fromAsync(claude.execute({ prompt: "", maxTurns: 3 }))
export const session = await claude.open({ approvals: [Approvals.ask(() => ({ decision: "deny" }), { deadline: 1000 })] })
export const mayTryAgain = (error: unknown) => error instanceof AgentError && mayRetry(error)
`
)

/** What they print; `realCli.ts` needs a real one. */
const printed: Readonly<Record<string, string>> = {
  "plain.ts": "I look. There is a.txt.\n[ 'what is here?' ]\n",
  "effect.ts": "[ 'Hello!', true ]\n",
  "failure.ts": 'rate_limit RESOURCE_EXHAUSTED "So far "\ntimeout timeout_tool ""\n',
  "onPath.ts": "Looks good.\n{ code: 97 }\n",
  "live.ts": "asks for rm -r build\ncompleted It is cleared.\nfailed \n",
  "replay.ts": "none One. Two.\nrecorded One. Two.\n",
  "testRuntime.ts": "Gladly.\n",
  "testAgent.ts": "[ 'Read' ] The file says hello.\n",
  "arbitraries.ts": "session tool_use text tool_result done\n",
  "modelServer.ts": [
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"scripted 429"}}',
    "[ { type: 'text', text: 'Hello from a script.' } ]",
    "[ '1: one', '2: two' ]\n"
  ].join("\n"),
  "sessionPlain.ts": [
    "$ node --version\ndescription: Show the version of Node.js true false\ncompleted",
    "$ node --version\ndescription: Show the version of Node.js true false\ncompleted",
    "claude Aborted\n"
  ].join("\n"),
  "sessionEffect.ts": "deny rule No node here.\n",
  "gateOfTurns.ts": "The turn waits: 2 turns go on\n",
  "tokenCounter.ts": "{ claude: 30 }\n",
  "useTern.ts": "You said: hello tern-1\nallow rule\ncompleted It is done.\n"
}

describe("a project that has installed the package", () => {
  it.each([
    ["node16", "node16"],
    ["preserve", "bundler"]
  ])("compiles strictly, with declarations, with module %s, resolved by %s", (module, moduleResolution) => {
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
    const emit = {
      declaration: true,
      emitDeclarationOnly: true,
      allowImportingTsExtensions: true,
      outDir: join(tmp, "declared", moduleResolution)
    }
    // effect's own declarations name types of "dom".
    const platform = { target: "es2024", lib: ["es2024", "esnext", "dom"], types: ["node"] }
    const compilerOptions = { ...strict, ...platform, ...emit, module, moduleResolution, skipLibCheck: false }
    const config = join(project, `tsconfig.${moduleResolution}.json`)
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" })
    assert.deepStrictEqual([stdout, status], ["", 0])
  })

  it("needs neither Effect nor the types of Node for the plain door", () => {
    const alone = join(tmp, "alone")
    cpSync(join(packages, "reins"), join(alone, "node_modules", "reins"), { recursive: true })
    cpSync(join(project, "plainAlone.ts"), join(alone, "plainAlone.ts"))
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true }
    const platform = { target: "es2024", lib: ["es2024", "esnext", "dom"], types: [], module: "node16" }
    const compilerOptions = { ...strict, ...platform, skipLibCheck: false }
    writeFileSync(join(alone, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(join(alone, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["plainAlone.ts"] }))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", alone], { encoding: "utf8" })
    assert.deepStrictEqual([stdout, status], ["", 0])
  })

  it.each(Object.entries(printed))("runs %s", (name, expected) => {
    const env = { ...process.env, TMPDIR: temporary, PATH: `${bin}${delimiter}${process.env["PATH"]}` }
    const stdout = execFileSync(process.execPath, [join(project, name)], { encoding: "utf8", env })
    assert.strictEqual(stdout, expected)
    assert.isAtMost(readFileSync(join(project, name), "utf8").trimEnd().split("\n").length, 25)
  })

  it("finds no fake left behind", () => {
    assert.deepStrictEqual(
      readdirSync(temporary).filter((name) => name.startsWith("reins-")),
      []
    )
  })
})
