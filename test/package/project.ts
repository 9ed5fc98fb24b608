/** A project that has installed the packed package, outside the repository. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))
const tmp = realpathSync(mkdtempSync(join(tmpdir(), "consumer-")))
export const remove = () => rmSync(tmp, { recursive: true, force: true })

export const project = join(tmp, "project")
export const temporary = join(tmp, "tmp")
const packages = join(project, "node_modules")
const examples = ["test/testing/examples", "test/package/examples", "test/package/fifthCli", "test/package/copies"]

/** A folder in which the package is installed, and nothing else: no Effect, no types of Node. */
export const alone = join(tmp, "alone")

/** Without its scripts: the suite has built it, and others use that build. No registry is asked: there is nothing to ask. */
const install = () => {
  for (const folder of [temporary, alone, packages]) mkdirSync(folder, { recursive: true })
  for (const folder of [project, alone]) writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", tmp]
  const [tarball = ""] = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim().split("\n").slice(-1)
  const from = ["install", "--silent", "--offline", "--no-audit", "--no-fund", join(tmp, tarball)]
  execFileSync("npm", from, { cwd: alone })
  cpSync(join(alone, "node_modules/reins"), join(packages, "reins"), { recursive: true })
  for (const peer of ["effect", "@effect", "@types"])
    symlinkSync(join(root, "node_modules", peer), join(packages, peer))
}

install()
for (const folder of examples) {
  cpSync(join(root, folder), project, { recursive: true })
  cpSync(join(root, folder), alone, { recursive: true })
}

/** `apart` has an `effect` of its own, of another version: as npm installs it where two packages want different ones. */
const secondEffect = () => {
  const [from, to] = [join(root, "node_modules/effect"), join(project, "apart/node_modules/effect")]
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
  cpSync(join(from, "dist"), join(to, "dist"), { recursive: true, filter: (file) => !/\.(ts|map)$/.test(file) })
  writeFileSync(join(to, "package.json"), JSON.stringify({ ...manifest, version: "4.0.0" }))
}
secondEffect()
export const bin = join(tmp, "bin")
mkdirSync(bin)
symlinkSync(join(root, "fixtures/programs/tern.mjs"), join(bin, "tern"))
writeFileSync(
  join(project, "doors.ts"),
  `export { AgentRuntime, Claude } from "reins"
export { createAgent } from "reins/promise"
export { FakeCli } from "reins/testing"
`
)

/** Exports of their module with inferred types, which their declarations have to name. */
writeFileSync(
  join(project, "named.ts"),
  `import { FakeCli, LiveStep, Step, testAgent, type ActStep } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"
export const steps = [Step.text("hi")]
export const mixed = [Step.text("hi"), Step.exit(0)]
export const end: ReadonlyArray<ActStep> = [Step.stderr("bye"), Step.exit(1)]
export const kit = { ...Step, ...LiveStep, ...FakeCli }
export const live = FakeCli.live("acp", [[LiveStep.text("hi")]])
export const fake = FakeCli.replay("codex", "wire.ndjson", { end })
export const layer = InstalledFake.layer(fake)
export const installed = FakeCli.install(fake)
export const started = async () => (await installed).started()
export const agent = testAgent([])
`
)

/** The plain door and the test kit in a project without Effect. */
writeFileSync(
  join(alone, "plainAlone.ts"),
  `import { AgentError, Approvals, createAcpAgent, createAgent, mayRetry, Refused } from "reins/promise"
import type { AgentEvent, CliId, PlainAgent, PlainGate } from "reins/promise"
import { Answer, FakeCli, LiveStep, ModelServer, Step, testAgent } from "reins/testing"
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
const script = [Step.wait("1 second"), Step.signal("SIGTERM")]
export const fakes = [FakeCli.claude(script), FakeCli.live("acp", [[LiveStep.hang()]])]
export const installed = await FakeCli.install(FakeCli.replay("codex", "wire.ndjson", { end: [Step.exit(1)] }))
export const scripted = testAgent([{ type: "text", text: "" }, { _tag: "Exited", exitCode: 1, category: "crash", stderr: "" }])
export const server = await ModelServer.messages([Answer.say("")])
export const agentHeader = server.requests[0]?.headers["x-claude-code-agent-id"]
`
)

const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }

/** Each way in which TypeScript resolves a package: `module`, `moduleResolution`. */
export const resolutions = [
  ["node16", "node16"],
  ["preserve", "bundler"]
] as const

const run = (tsc: string, config: string) => {
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" })
  return { stdout, status }
}

/** Compiles all of the project strictly, with declarations. `tsc`: the compiler's file. */
export const compile = (tsc: string, module: string, moduleResolution: string) => {
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
  return run(tsc, config)
}

/** Compiles a project of the plain door and its test kit alone, which has neither Effect nor the types of Node. */
export const compileAlone = (tsc: string) => {
  const platform = { target: "es2024", lib: ["es2024", "esnext", "dom"], types: [], module: "node16", noEmit: true }
  const compilerOptions = { ...strict, ...platform, skipLibCheck: false }
  writeFileSync(join(alone, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["plainAlone.ts"] }))
  return run(tsc, alone)
}

writeFileSync(
  join(alone, "main.cts"),
  `import { createAgent } from "reins/promise"
import { testAgent } from "reins/testing"
const main = async () => {
  const agent = testAgent(({ prompt }) => [{ type: "text", text: \`You said \${prompt}.\` }])
  console.log((await agent.run({ prompt: "hello", model: undefined })).text, typeof createAgent)
  await agent.close()
}
main()
`
)

/** Compiles a file of CommonJS, which imports the plain doors by `require`, into `commonjs/main.cjs`. */
export const compileCommonJs = (tsc: string, module: string) => {
  const platform = { target: "es2022", lib: ["es2024", "esnext.disposable", "dom"], types: [], module }
  const compilerOptions = { ...strict, ...platform, outDir: join(alone, "commonjs"), rootDir: alone }
  const config = join(alone, `tsconfig.cjs.${module}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ["main.cts"] }))
  return run(tsc, config)
}
