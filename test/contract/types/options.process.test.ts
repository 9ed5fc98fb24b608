/**
 * Every option of every CLI, in runs and live sessions and for each way to create an agent: the compiler accepts it according
 * to the table, or shows the same sentence as the run time. Needs a build.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Struct } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { inRuns, inSessions, isOfSome } from "../../../src/cli/supported.ts"
import { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { AgentOpenParams } from "../../../src/contract/AgentOpenParams.ts"
import { type AgentId, supports } from "../../../src/contract/CliSupport.ts"
import { root } from "../../../tools/docs/kit/pages.ts"

const ids: ReadonlyArray<AgentId> = ["claude", "gemini", "codex", "opencode", "pi", "acp"]

/** A value of each option that all CLIs with that option accept, as source text. */
const values: { readonly [Option in keyof (AgentExecuteParams & AgentOpenParams)]-?: string } = {
  prompt: '"hi"',
  attachments: '[{ path: "a.png" }, { data: new Uint8Array(), mediaType: "image/png" }]',
  sessionId: '"s"',
  forkSession: "true",
  whenBusy: '"wait"',
  newSessionId: '"n"',
  ephemeral: "true",
  mcpServers: '{ db: { command: "db", env: { KEY: "k" } }, web: { url: "http://x", headers: {} } }',
  strictMcpServers: "true",
  abortSignal: "AbortSignal.abort()",
  workingDirectory: '"."',
  additionalDirectories: '["."]',
  trustWorkspace: "false",
  settingSources: '["user"]',
  env: "{ A: undefined }",
  model: '"a/b"',
  fallbackModel: '"m"',
  effort: '"high"',
  systemPrompt: '"s"',
  appendSystemPrompt: '"s"',
  permissionMode: '"plan"',
  allowedTools: '["Read"]',
  disallowedTools: '["Read"]',
  maxTurns: "3",
  maxBudgetUsd: "0.5",
  account: '{ project: "p", user: "u" }',
  outputSchema: '{ type: "object" }',
  retries: "0",
  slashCommands: "true",
  timeouts: '{ idle: "5 minutes", total: { minutes: 5 }, tool: 1000, approval: "Infinity" }',
  record: '"wire.ndjson"',
  extraArgs: '["--x"]',
  approvals: "[Approvals.allow()]",
  questions: '"off"',
  tools: '[{ name: "t", description: "", inputSchema: {}, run: async () => 1 }]',
  hooks: '[{ event: "Stop", run: () => undefined }]'
}

interface Call {
  readonly code: string
  /** Undefined where it compiles. */
  readonly refusal: string | undefined
}

const refusalOf = (id: AgentId, option: string, supported: ReadonlySet<string>) =>
  isOfSome(option) && !supported.has(option) ? `<"${id} does not support ${option}">` : undefined

const calls = ids.flatMap(
  (id): ReadonlyArray<Call> => [
    ...Struct.keys(AgentExecuteParams.fields).flatMap((option) => {
      const refusal = refusalOf(id, option, inRuns(id))
      const params = option === "prompt" ? '{ prompt: "hi" }' : `{ prompt: "hi", ${option}: ${values[option]} }`
      return [`plain.${id}.run(${params})`, `plain.${id}.execute(${params})`, `typed.${id}.run(${params})`].map(
        (code) => ({
          code,
          refusal
        })
      )
    }),
    ...Struct.keys(AgentOpenParams.fields).flatMap((option) => {
      const refusal = refusalOf(id, option, inSessions(id))
      const params = `{ ${option}: ${values[option]} }`
      return [`plain.${id}.open(${params})`, `typed.${id}.open(${params})`].map((code) => ({ code, refusal }))
    })
  ]
)

/** Options of an agent whose CLI is one of the four, or unknown. */
const general = Object.entries(values)
  .filter(([option]) => option in AgentExecuteParams.fields && option !== "prompt")
  .flatMap(([option, value]) =>
    ["some", "any", "own"].map(
      (agent): Call => ({ code: `${agent}.run({ prompt: "", ${option}: ${value} })`, refusal: undefined })
    )
  )

/** Values, and unknown names. */
const others: ReadonlyArray<Call> = [
  { code: 'plain.codex.run({ prompt: "", effort: "minimal" })', refusal: undefined },
  { code: 'plain.opencode.run({ prompt: "", effort: "variant" })', refusal: undefined },
  { code: 'plain.claude.run({ prompt: "", effort: "minimal" })', refusal: `'"minimal"' is not assignable` },
  { code: 'plain.codex.run({ prompt: "", effort: "hugest" })', refusal: `'"hugest"' is not assignable` },
  { code: 'plain.pi.run({ prompt: "", effort: "off", model: "sonnet" })', refusal: undefined },
  { code: 'plain.pi.run({ prompt: "", effort: "ultra" })', refusal: `'"ultra"' is not assignable` },
  { code: 'plain.opencode.run({ prompt: "", model: "gpt" })', refusal: `'"gpt"' is not assignable` },
  { code: 'plain.claude.run({ prompt: "", modle: "m" })', refusal: "Did you mean to write 'model'?" },
  {
    code: 'plain.claude.run({ prompt: "", timeouts: { idel: 1 } })',
    refusal: "'idel' does not exist in type 'Timeouts'"
  },
  { code: 'plain.claude.run({ prompt: "", permissionMode: "yolo" })', refusal: `'"yolo"' is not assignable` },
  {
    code: 'plain.claude.run({ prompt: "", timeouts: { idle: "5 parsecs" } })',
    refusal: `'"5 parsecs"' is not assignable`
  },
  { code: "plain.claude.run({ maxTurns: 3 })", refusal: "Property 'prompt' is missing" },
  { code: "const p = { prompt: '', maxTurns: 3 }; plain.codex.run(p)", refusal: '<"codex does not support maxTurns">' },
  { code: 'createAgent("claud")', refusal: "not assignable" },
  { code: 'createAgent("coplot")', refusal: "not assignable" },
  { code: 'createAgent("copilot").cli satisfies "copilot"', refusal: undefined },
  { code: 'createAgent("copilot").run({ prompt: "", model: "m", effort: "high" })', refusal: undefined },
  {
    code: 'createAgent("copilot").run({ prompt: "", maxTurns: 3 })',
    refusal: '<"copilot does not support maxTurns">'
  },
  { code: 'createAgents(["copilot", "claude"]).get("copilot")', refusal: undefined },
  { code: 'createAgent("claude", { timeoutMs: "1" })', refusal: "not assignable" },
  {
    code: 'createAgent("claude", { env: { FOO: "1" } })',
    refusal: "'FOO' does not exist in type 'EnvironmentOptions'"
  },
  { code: "plain.codex.cli satisfies 'codex'", refusal: undefined },
  { code: "some.cli satisfies CliId", refusal: undefined },
  { code: "any.cli satisfies number", refusal: "does not satisfy" },
  { code: 'reins("claude", { defaults: { maxTurns: 3 }, system: "replace" })', refusal: undefined },
  { code: 'reins("opencode/a/b", { defaults: { effort: "variant" } })', refusal: undefined },
  { code: 'reins("claud")', refusal: "not assignable" },
  { code: 'reins("codex", { defaults: { maxTurns: 3 } })', refusal: '<"codex does not support maxTurns">' },
  { code: 'reins("codex/o3", { defaults: { maxTurns: 3 } })', refusal: '<"codex does not support maxTurns">' },
  { code: 'reins("claude", { system: "prepend" })', refusal: `'"prepend"' is not assignable` },
  { code: "reins(plain.codex, { command: 'x' })", refusal: "No overload matches" },
  { code: "reins(some, { onPermission: () => ({ decision: 'deny' }) })", refusal: undefined },
  { code: "reins(own, { hostTools: { add: tool({ inputSchema, execute: () => 1 }) } })", refusal: undefined },
  { code: "reins('claude', { hostTools: { add: 1 } })", refusal: "not assignable" },
  { code: "createProviderRegistry({ reins, other: createReins({ timeoutMs: 1 }) })", refusal: undefined },
  { code: 'generateText({ model: reins("codex"), prompt: "" })', refusal: undefined },
  {
    code: 'generateText({ model: reins(any), prompt: "", providerOptions: { reins: { resume: "s" } satisfies ReinsCallOptions } })',
    refusal: undefined
  },
  { code: "({ resum: 's' }) satisfies ReinsCallOptions", refusal: "'resum' does not exist" }
]

const head = `import { Acp, AcpAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpenCodeAgent, PiAgent } from "reins"
import { Approvals, createAcpAgent, createAgent, createAgents, type CliId, type PlainAgent } from "reins/promise"
import { createReins, reins, type ReinsCallOptions } from "reins/ai-sdk"
import { createProviderRegistry, generateText, jsonSchema, tool } from "ai"
import { tern } from "../../test/package/fifthCli/tern.ts"
const plain = { claude: createAgent("claude"), gemini: createAgent("gemini"), codex: createAgent("codex"),
  opencode: createAgent("opencode"), pi: createAgent("pi"), acp: createAcpAgent({ command: "x" }) }
declare const typed: { claude: ClaudeAgent["Service"], gemini: GeminiAgent["Service"], codex: CodexAgent["Service"],
  opencode: OpenCodeAgent["Service"], pi: PiAgent["Service"], acp: AcpAgent["Service"] }
const some = createAgent("claude" as CliId)
const own = createAgent(tern)
const inputSchema = jsonSchema<object>({ type: "object" })
const all: ReadonlyArray<PlainAgent> = [...Object.values(plain), some, own]
const any: PlainAgent = plain.codex
export { Acp, all }
`.split("\n")

mkdirSync(join(root, ".cache"), { recursive: true })
const directory = mkdtempSync(join(root, ".cache", "types-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The errors of each line, by its number from 0. */
const compile = (lines: ReadonlyArray<string>): ReadonlyMap<number, string> => {
  writeFileSync(join(directory, "calls.ts"), lines.join("\n"))
  const compilerOptions = { types: ["node"], noUnusedLocals: false, noUnusedParameters: false }
  const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: ["calls.ts"] }
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" })
  const mistakes = stdout.split(/^(?=\S+\(\d+,\d+\): error)/m).filter((mistake) => mistake.trim() !== "")
  return new Map(
    mistakes.map((mistake) => {
      const [, line = ""] = /^\S*calls\.ts\((\d+),/.exec(mistake) ?? assert.fail(mistake)
      return [Number(line) - 1, mistake] as const
    })
  )
}

describe("the options of each CLI", () => {
  const all = [...calls, ...general, ...others]
  const mistakes = compile([...head, ...all.map(({ code }) => `{ ${code} }`)])

  it("are many calls, some of which the compiler refuses", () => {
    assert.isAbove(all.length, 700)
    assert.isAbove(mistakes.size, 100)
    for (const line of mistakes.keys()) assert.isAtLeast(line, head.length, mistakes.get(line))
  })

  it.each(ids)("%s: compile if it supports them, and show the reason otherwise", (id) => {
    for (const [at, { code, refusal }] of all.entries()) {
      if (!code.includes(`.${id}.`)) continue
      const mistake = mistakes.get(head.length + at)
      if (refusal === undefined) assert.isUndefined(mistake, code)
      else assert.include(mistake ?? "it compiles", refusal, code)
    }
  })

  it("compile for an agent of any CLI, and values and names are checked", () => {
    for (const [at, { code, refusal }] of all.entries()) {
      if (at < calls.length) continue
      const mistake = mistakes.get(head.length + at)
      if (refusal === undefined) assert.isUndefined(mistake, code)
      else assert.include(mistake ?? "it compiles", refusal, code)
    }
  })
})

describe("the table of support", () => {
  it("names existing options", () => {
    const options = { ...AgentExecuteParams.fields, ...AgentOpenParams.fields }
    for (const option of Object.keys(supports)) assert.property(options, option)
  })
})
