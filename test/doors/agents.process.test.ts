/** Several agents through both doors, as real processes: who answers, where each works, and that nothing is left. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { expectTypeOf } from "vitest"
import * as Errors from "../../src/contract/AgentsError.ts"
import { Acp, AgentRuntime, Agents, Claude, Cli, Codex } from "../../src/index.ts"
import {
  type AgentExecuteParams,
  AgentsError,
  createAcpAgent,
  createAgent,
  createAgents,
  type PlainAgent
} from "../../src/promise.ts"
import { FakeCli, LiveStep, Step, testAgent } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace, performing, program } from "../kit/agent.ts"
import { assertAllDead } from "../kit/processes.ts"
import { gitIn, leftIn, makeRepository, put, textOf } from "../kit/repository.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { rejection } from "./plain.ts"

/** One for each agent. */
const makeDirectories = Effect.fnUntraced(function* (...agents: ReadonlyArray<string>) {
  const directories = yield* Effect.forEach(agents, (agent) =>
    Effect.map(makeDirectory, (made) => [agent, made] as const)
  )
  return (agent: string) => ({ prompt: "hello", workingDirectory: Object.fromEntries(directories)[agent] ?? "" })
})

const plan = { prompt: "hello", permissionMode: "plan" } as const

const writer = (text: string, ...more: ReadonlyArray<string>) =>
  createAgent("claude", { killGrace, ...program("writes", `--writes=${text}`, ...more) })

const missing = () => createAgent("gemini", { command: "/no/such/gemini" })

const using = (agents: Record<string, PlainAgent>) =>
  Effect.acquireRelease(
    Effect.sync(() => createAgents(agents)),
    (made) => Effect.promise(() => made.close())
  )

/** The last words of `writes --then=hang`: its pid and that of its grandchild. */
const pidsIn = (text: string) => text.trim().split(" ").slice(-2).map(Number)

describe("race", () => {
  it.live("gives the first good answer, and has ended the others with all that they started", () =>
    Effect.gen(function* () {
      const texts: Array<string> = []
      let stands = () => {}
      const loserStands = new Promise<void>((resolve) => {
        stands = resolve
      })
      const fast = yield* performing(FakeCli.codex([Step.text("Hello!")]))
      const agents = yield* using({ slow: writer("", "--then=hang"), fast: createAgent("codex", fast) })
      const places = yield* makeDirectories(...agents.names)
      const answer = yield* Effect.promise(() =>
        agents.race(places, {
          accept: async () => loserStands.then(() => true),
          onEvent: (event, agent) => {
            if (agent !== "slow" || event.type !== "text") return
            texts.push(event.text)
            if (texts.length === 2) stands()
          }
        })
      )
      assert.deepStrictEqual([answer.agent, answer.result.text], ["fast", "Hello!"])
      assertAllDead(pidsIn(texts.join("")))
    })
  )

  it.live("rejects with what each of them did, where none is good", () =>
    Effect.gen(function* () {
      const agents = yield* using({ missing: missing(), refused: testAgent([{ type: "text", text: "no" }]) })
      const error = yield* Effect.promise(() => rejection(agents.race(plan, { accept: () => false })))
      assert.instanceOf(error, AgentsError)
      assert.include(String(error), 'missing: "/no/such/gemini" was not found.')
      assert.include(String(error), "refused: its answer was not accepted")
    })
  )

  it.live("refuses writers in one directory, and starts nothing", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const link = join(repository, "link")
      mkdirSync(join(repository, "real"))
      symlinkSync("real", link)
      const agents = yield* using({ one: writer("1"), two: writer("2") })
      const inPlaces = (agent: string) => ({
        prompt: "hello",
        workingDirectory: agent === "one" ? link : join(repository, "real")
      })
      const error = yield* Effect.promise(() => rejection(agents.race(inPlaces)))
      assert.deepInclude(error, { _tag: "AgentsError" })
      assert.include(String(error), "worktrees: true")
      assert.deepStrictEqual(readdirSync(join(repository, "real")), [])
    })
  )

  it.live("gives each writer a worktree, the winner's changes, and leaves neither files nor branches", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      put(repository, { "a.txt": "not committed\n" })
      const directories = new Set<string>()
      const agents = yield* using({ bad: writer("bad"), good: writer("good"), slow: writer("slow", "--then=hang") })
      const answer = yield* Effect.promise(() =>
        agents.race(
          { prompt: "hello", permissionMode: "accept-edits", workingDirectory: repository },
          {
            worktrees: true,
            accept: (_, directory) => {
              directories.add(directory)
              return textOf(directory, "sub/by-agent.txt") === "good"
            },
            onEvent: (event) => event.type === "session" && directories.add(event.workingDirectory ?? "")
          }
        )
      )
      assert.strictEqual(answer.agent, "good")
      assert.notStrictEqual(answer.result.text, repository)
      assert.deepStrictEqual(answer.changes?.paths, ["by-agent.txt", "sub/by-agent.txt"])
      assert.isAtLeast(directories.size, 1)
      assert.isFalse([...directories].some((directory) => existsSync(directory)))
      assert.deepStrictEqual(leftIn(repository), [])
      assert.strictEqual(gitIn(repository, "branch", "--list").trim().split("\n").length, 1)
      assert.strictEqual(gitIn(repository, "status", "--porcelain"), " M a.txt\n")
      gitIn(repository, "cherry-pick", "--no-commit", answer.changes?.commit ?? "")
      assert.strictEqual(textOf(repository, "by-agent.txt"), "good")
    })
  )

  it.live("an abort and a close end all agents, and their worktrees are gone", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      for (const end of ["abort", "close"] as const) {
        const agents = createAgents({ one: writer("1", "--then=hang"), two: writer("2", "--then=hang") })
        const controller = new AbortController()
        const texts: Record<string, string> = { one: "", two: "" }
        const error = yield* Effect.promise(() =>
          rejection(
            agents.race(
              { prompt: "hello", workingDirectory: repository, abortSignal: controller.signal },
              {
                worktrees: true,
                onEvent: (event, agent) => {
                  if (event.type === "text") texts[agent] += event.text
                  if (!Object.values(texts).every((text) => / \d+ \d+$/.test(text))) return
                  if (end === "abort") controller.abort()
                  else void agents.close()
                }
              }
            )
          )
        )
        assert.match(String(error), end === "abort" ? /aborted/ : /closed/)
        yield* Effect.promise(() => agents.close())
        assertAllDead(Object.values(texts).flatMap(pidsIn))
        assert.deepStrictEqual(leftIn(repository), [])
      }
    })
  )
})

describe("a race without a winner", () => {
  it.live("tells what each of them did, its changes as well", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const agents = yield* using({ one: writer("1") })
      const params = { prompt: "hello", workingDirectory: repository }
      const error = yield* Effect.promise(() =>
        rejection(agents.race(params, { worktrees: true, accept: () => false }))
      )
      assert.instanceOf(error, AgentsError)
      assert.strictEqual(error.reason._tag, "NoGoodAnswer")
      const others = error.reason._tag === "NoGoodAnswer" ? error.reason.others : []
      assert.deepStrictEqual(others[0]?.changes?.paths, ["by-agent.txt", "sub/by-agent.txt"])
      const json: unknown = JSON.parse(JSON.stringify(error))
      const read = Schema.decodeUnknownSync(Errors.AgentsError)(json)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(read)), json)
      assert.match(inspect(error), /^AgentsError: No agent gave a good answer: one: its answer was not accepted\n +at /)
      assert.include(inspect(error), "help: 'Read `others`")
    })
  )
})

describe("a worktree", () => {
  it.live("leaves other paths to the directory that it stands for", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const known: Array<AgentExecuteParams> = []
      const agents = yield* using({
        one: testAgent((params) => {
          known.push(params)
          return [{ type: "text", text: "hi" }]
        })
      })
      const params = { prompt: "hello", workingDirectory: repository, attachments: [{ path: "a.txt" }] }
      const additionalDirectories = ["sub"]
      yield* Effect.promise(() => agents.each({ ...params, additionalDirectories }, { worktrees: true }))
      assert.deepInclude(known[0], {
        attachments: [{ path: join(repository, "a.txt") }],
        additionalDirectories: [join(repository, "sub")]
      })
      assert.notStrictEqual(known[0]?.workingDirectory, repository)
    })
  )
})

describe("each", () => {
  it.live("gives the changes of all, also of one that failed", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const agents = yield* using({ one: writer("1"), missing: missing() })
      const ends = yield* Effect.promise(() =>
        agents.each({ prompt: "hello", workingDirectory: repository }, { worktrees: true })
      )
      assert.deepStrictEqual(
        ends.map(({ agent, changes, error }) => [agent, changes?.paths, error?.reason._tag]),
        [
          ["one", ["by-agent.txt", "sub/by-agent.txt"], undefined],
          ["missing", [], "NotInstalled"]
        ]
      )
      assert.isFalse(existsSync(join(repository, "by-agent.txt")))
      assert.deepStrictEqual(leftIn(repository), [])
    })
  )
})

describe("fallback", () => {
  it.live("takes the next agent, and with it a conversation that the caller agreed to hand over", () =>
    Effect.gen(function* () {
      const claude = yield* performing(
        FakeCli.inTurn(
          FakeCli.claude([
            Step.tool({ name: "Bash", input: { command: "ls" }, output: "@secret" }),
            Step.text("Noted.")
          ]),
          FakeCli.claude([Step.error({ kind: "rate_limit" })])
        )
      )
      const received = /"Remember 7\."[\s\S]*\\u0040secret[\s\S]*Which number was it\?$/
      const codex = yield* performing(FakeCli.codex([Step.expectStdin(received), Step.text("7")]))
      const agents = yield* using({
        missing: missing(),
        claude: createAgent("claude", claude),
        codex: createAgent("codex", codex)
      })
      const first = yield* Effect.promise(() => agents.fallback({ prompt: "Remember 7." }))
      assert.deepStrictEqual([first.agent, first.others.map(({ agent }) => agent)], ["claude", ["missing"]])
      const { conversation } = first
      const question = { prompt: "Which number was it?" }
      const handOver = ({ to }: { readonly to: string }) => to === "codex"
      const second = yield* Effect.promise(() =>
        agents.fallback(question, { agents: ["claude", "codex"], conversation, handOver })
      )
      assert.deepStrictEqual([second.agent, second.result.text], ["codex", "7"])
    })
  )

  it.live("asks no other agent after output", () =>
    Effect.gen(function* () {
      const claude = yield* performing(FakeCli.claude([Step.text("I"), Step.error({ kind: "rate_limit" })]))
      const codex = yield* InstalledFake.make(FakeCli.codex([Step.text("Hello!")]))
      const agents = yield* using({
        claude: createAgent("claude", claude),
        codex: createAgent("codex", { command: codex.command })
      })
      const error = yield* Effect.promise(() => rejection(agents.fallback({ prompt: "hi" })))
      assert.include(String(error), "No agent gave a good answer: claude:")
      assert.deepStrictEqual(codex.calls(), [])
    })
  )
})

describe("createAgents", () => {
  it("knows the names in its types", () => {
    const byId = createAgents(["claude", "codex"])
    type Asked = typeof byId
    expectTypeOf<Awaited<ReturnType<Asked["race"]>>["agent"]>().toEqualTypeOf<"claude" | "codex">()
    expectTypeOf<Parameters<Asked["get"]>>().toEqualTypeOf<["claude" | "codex"]>()
    const request = () => byId.race({ prompt: "hello", outputSchema: Schema.Struct({ answer: Schema.Number }) })
    type Output = Awaited<ReturnType<typeof request>>["result"]["structuredOutput"]
    expectTypeOf<Output>().toEqualTypeOf<{ readonly answer: number } | undefined>()
    const named = createAgents({ fast: createAgent("codex"), deep: createAcpAgent({ command: "x" }) })
    expectTypeOf<(typeof named)["names"][number]>().toEqualTypeOf<"fast" | "deep">()
    // @ts-expect-error: codex does not support maxTurns.
    const params: Parameters<Asked["each"]>[0] = { prompt: "hello", maxTurns: 3 }
    assert.isObject(params)
    // @ts-expect-error: no agent has this name.
    assert.throws(() => named.get("slow"))
  })

  it("takes ids, agents of any sort, and refuses others", async () => {
    await using byId = createAgents(["claude", "codex"])
    assert.deepStrictEqual([byId.names, byId.get("codex").cli], [["claude", "codex"], "codex"])
    const own = Cli.make({
      id: "own",
      command: "own",
      testedVersion: "1",
      install: "",
      signIn: "",
      supports: new Set(),
      plan: () => {
        throw new Error("not called")
      },
      wire: () => {
        throw new Error("not called")
      },
      start: () => undefined,
      step: (state) => [state, []],
      standing: () => "working",
      report: () => ({}),
      verdict: () => undefined
    })
    await using any = createAgents({ own: createAgent(own), acp: createAcpAgent({ command: "acp" }) })
    assert.deepStrictEqual([any.get("own").cli, any.get("acp").cli], ["own", "acp"])
    // As a caller in JavaScript would.
    for (const wrong of [undefined, "claude", { a: {} }, ["clod"]]) {
      assert.throws(() => createAgents(wrong as unknown as ["claude"]), TypeError)
    }
    assert.throws(() => byId.get("gemini" as "codex"), 'createAgents: "gemini" is not one of "claude", "codex"')
  })
})

describe("Agents, the service", () => {
  it.live("has the agents by name, of our own and over the protocol, and asks them together", () =>
    Effect.gen(function* () {
      const claude = yield* performing(FakeCli.claude([Step.text("Hello!")]))
      const other = yield* performing(FakeCli.live("acp", [[LiveStep.text("Hi!")]]))
      const layers = {
        claude: Claude.layer(claude),
        missing: Codex.layer({ command: "/no/such/codex" }),
        other: Acp.layer(other)
      }
      yield* Effect.gen(function* () {
        const agents = yield* Agents
        assert.deepStrictEqual(agents.names, ["claude", "missing", "other"])
        const places = yield* makeDirectories(...agents.names)
        const ends = yield* agents.each(places)
        assert.deepStrictEqual(
          ends.map(({ agent, result, error }) => [agent, result.text, error?.reason._tag]),
          [
            ["claude", "Hello!", undefined],
            ["missing", "", "NotInstalled"],
            ["other", "Hi!", undefined]
          ]
        )
        const { agent } = yield* agents.race(places, { accept: (answer) => Effect.succeed(answer.agent === "other") })
        assert.strictEqual(agent, "other")
        const fallen = yield* agents.fallback({ prompt: "hello" }, { agents: ["missing", "claude"] })
        assert.strictEqual(fallen.agent, "claude")
        const run = AgentRuntime.use((one) => one.run({ prompt: "hello" }))
        assert.strictEqual((yield* Effect.provide(run, Agents.get("other"))).text, "Hi!")
        const unknown = yield* Effect.flip(Effect.provide(run, Agents.get("absent")))
        assert.include(String(unknown), '"absent" is not one of "claude", "missing", "other"')
      }).pipe(Effect.provide(Agents.layer(layers)), Effect.provide(NodeServices.layer))
    })
  )
})
