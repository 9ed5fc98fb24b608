/**
 * Side effects of the real CLIs by the tools of a chat are reported for their own run or turn, whatever runs beside it.
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { GatewayTurn } from "../../src/bridge/gateway/gatewayContext.ts"
import { allowGateway, gatewayParams } from "../../src/bridge/gateway/gatewayParams.ts"
import { gatewayTools } from "../../src/bridge/gateway/gatewayTools.ts"
import { sideEffectsOf } from "../../src/bridge/gateway/sideEffects.ts"
import { Journal } from "../../src/bridge/journal/Journal.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { createAgent } from "../../src/promise.ts"
import { chatCompletions, gemini, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { call, say } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { pathOf } from "./rig/environment.ts"
import { type GatewayServer, gatewayTool, type ToolsCli } from "./rig/gatewayTool.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions }

/** A model that sends what the prompt says, with the last word of it, and then answers. */
const sends =
  (cli: ToolsCli, server: GatewayServer) =>
  ({ prompt, toolResults }: ModelRequest) => {
    // A session's requests have the results of its earlier turns, too.
    const [, word, nth = 1] = /send ([a-z]+(\d)?)/.exec(prompt) ?? []
    if (word === undefined || toolResults.length >= Number(nth)) return say("Done.")
    return call(gatewayTool(cli, server, "send_message", { text: `from ${word}` }))
  }

/** OpenCode (1.18.33) fails where two processes make the database of a home at once: its home is used once before. */
const open = async (cli: ToolsCli, server: GatewayServer, script = sends(cli, server)) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await servers[cli](script))
  const program = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
  const agent = stack.use(createAgent(cli, { command: program, env: sandbox.env }))
  const scope = Scope.makeUnsafe()
  stack.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const inScope = <A, E>(work: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(work, scope))
  const context = await inScope(Layer.build(Layer.provide(Journal.layer, Store.layerMemory())))
  const journal = await inScope(Context.get(context, Journal).own("test", "bot"))
  const toolsFor = (turn: () => GatewayTurn | undefined) =>
    gatewayTools({
      conversation: { channel: "test", accountId: "bot", chatId: "1" },
      ...{ turn, role: "user", directory: Effect.succeed(sandbox.work) },
      outlet: {
        journal,
        render: ({ text = "" }) => [{ text, body: {} }],
        limits: { uploadBytes: 0, buttons: { most: 0, label: 0, data: 0 } },
        ...{ copies: sandbox.tmp, onPut: Effect.void }
      }
    })
  const used = await agent.run({ prompt: "hello", workingDirectory: sandbox.work })
  expect(used.outcome).toBe("completed")
  const sentIn = (turn: string) =>
    Effect.runPromise(Effect.map(sideEffectsOf(journal, turn), ({ sentTexts }) => sentTexts))
  return { sandbox, agent, inScope, toolsFor, sentIn, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Claude Code refuses `bypass` as root. */
const allowed = {
  claude: { allowedTools: ["Bash"] },
  gemini: { permissionMode: "bypass" },
  codex: { permissionMode: "bypass" },
  opencode: { permissionMode: "bypass" }
} as const

const turnOf = (id: string): GatewayTurn => ({ id, person: "ann", role: "user" })

describe.each(["claude", "gemini", "codex", "opencode"] as const)("%s", (cli) => {
  it("has the calls of two runs at once told of the run that made them", async () => {
    await using real = await open(cli, "gateway")
    const words = ["one", "two"]
    const results = await Promise.all(
      words.map(async (word) => {
        const params = await real.inScope(
          gatewayParams(
            cli,
            real.toolsFor(() => turnOf(word))
          )
        )
        return real.agent.run({ prompt: `send ${word}`, workingDirectory: real.sandbox.work, ...params })
      })
    )
    expect(results.map(({ outcome, text }) => [outcome, text])).toEqual(words.map(() => ["completed", "Done."]))
    expect(await Promise.all(words.map(real.sentIn))).toEqual(words.map((word) => [`from ${word}`]))
  })

  it("has the calls of two live sessions at once told of the turn that made them", async () => {
    await using real = await open(cli, "host")
    const talk = async (name: string) => {
      let turn: GatewayTurn | undefined
      const tools = real.toolsFor(() => turn)
      await using session = await real.agent.open({
        ...{ workingDirectory: real.sandbox.work, tools },
        approvals: [allowGateway(tools)]
      })
      const texts: Array<string> = []
      for (const nth of [1, 2, 3]) {
        turn = turnOf(`${name}${nth}`)
        for await (const event of session.turn(`send ${name}${nth}`)) {
          if (event.type === "turn_done") texts.push(event.result.text)
        }
        turn = undefined
      }
      return texts
    }
    expect(await Promise.all(["a", "b"].map(talk))).toEqual([Array(3).fill("Done."), Array(3).fill("Done.")])
    const turns = ["a1", "a2", "a3", "b1", "b2", "b3"]
    expect(await Promise.all(turns.map(real.sentIn))).toEqual(turns.map((turn) => [`from ${turn}`]))
  })

  it("tells its commands that it is in a chat", async () => {
    const script = ({ prompt, toolResults }: ModelRequest) =>
      !/go on/.test(prompt) || toolResults.length > 0 ? say("Done.") : call(command[cli]("echo chat-$REINS_SESSION"))
    await using real = await open(cli, "gateway", script)
    const params = await real.inScope(gatewayParams(cli, []))
    const outputs: Array<unknown> = []
    const run = { prompt: "go on", workingDirectory: real.sandbox.work, ...allowed[cli] } as const
    for await (const event of real.agent.execute({ ...run, ...params })) {
      if (event.type === "tool_result") outputs.push(event.output)
    }
    expect(JSON.stringify(outputs)).toContain("chat-1")
  })
})
