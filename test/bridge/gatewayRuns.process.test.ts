/** Runs have the tools of their chat, too: by an MCP server of the run. */
import { describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { clis } from "../../src/cli/clis.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { callServer } from "../kit/askServer.ts"
import { bridgeOf } from "./bridgeOf.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

describe("a run without a live session", () => {
  const script: Parameters<typeof TestRuntime.layer>[0] = ({ prompt, mcpServers, allowedTools }) => {
    const server = mcpServers?.["gateway"]
    if (server === undefined || !("url" in server)) return [text("no tools")]
    const token = server.headers?.["Authorization"]
    const secret = Redacted.isRedacted(token) ? String(Redacted.value(token)) : String(token)
    const sent = Effect.promise(() => callServer(server.url, secret, "send_message", { text: prompt }))
    return Stream.fromEffect(Effect.map(sent, () => text(`sent, allowed ${allowedTools?.join(" ")}`)))
  }
  const runs = TestRuntime.layer(script, { cli: clis.claude })

  it.live("has the tools of its turn", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* (yield* bridgeOf(runs, { live: false }))()
      yield* say("look here", { from: "ann" })
      yield* say("and there", { from: "bob" })
      yield* visible("ann", "look here")
      yield* visible("bob", "and there")
      yield* visible("ann", "sent, allowed mcp__gateway")
    }).pipe(Effect.scoped)
  )

  it.live("has no tools if the gateway offers none", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* (yield* bridgeOf(runs, { live: false, gateway: "none" }))()
      yield* say("look here")
      yield* visible("ann", "no tools")
    }).pipe(Effect.scoped)
  )

  it.live("has the tools also if a message names its agent", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* (yield* bridgeOf(runs))()
      yield* say("/test look here")
      yield* visible("ann", "look here")
      yield* visible("ann", "sent, allowed mcp__gateway")
    }).pipe(Effect.scoped)
  )
})
