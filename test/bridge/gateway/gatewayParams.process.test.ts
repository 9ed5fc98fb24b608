/** A run in a chat has its tools as long as it lasts, and the sign that it is in a chat. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import { gatewayParams } from "../../../src/bridge/gateway/gatewayParams.ts"
import { gatewayTools } from "../../../src/bridge/gateway/gatewayTools.ts"
import { askServer as ask } from "../../kit/askServer.ts"
import { withBench } from "./gatewayOf.ts"

describe("params of a run", () => {
  it.live("have a server of their own that takes calls by its token alone, and is gone with the scope", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const params = yield* Scope.provide(gatewayParams("claude", gatewayTools(bench.gateway)), scope)
        assert.deepInclude(params, { env: { REINS_SESSION: "1" }, allowedTools: ["mcp__gateway"] })
        const server = params.mcpServers?.gateway
        const { url = "", headers = { Authorization: Redacted.make("") } } = server ?? {}
        const token = { authorization: Redacted.value(headers.Authorization) }
        const about = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
        const refused = yield* Effect.promise(() => ask(url, {}, "initialize", about))
        assert.strictEqual(refused.status, 401)
        const { session } = yield* Effect.promise(() => ask(url, token, "initialize", about))
        const own = { ...token, ...(session === null ? {} : { "mcp-session-id": session }) }
        const called = { name: "send_message", arguments: { text: "hello" } }
        const answer = yield* Effect.promise(() => ask(url, own, "tools/call", called))
        assert.include(answer.text, "queued")
        assert.deepStrictEqual(
          (yield* bench.journal.sends.ofTurn("t1")).map(({ text }) => text),
          ["hello"]
        )
        const wrong = yield* Effect.promise(() => ask(url, own, "tools/call", { ...called, arguments: { text: 5 } }))
        assert.include(wrong.text, "Expected a text")
        assert.include(wrong.text, '"isError":true')
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(
          yield* Effect.promise(() =>
            ask(url, own, "tools/call", called).then(
              () => false,
              () => true
            )
          )
        )
      })
    )
  )

  it.effect("have no server without tools, and no permission that a CLI does not know", () =>
    withBench(({ gateway }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* gatewayParams("claude", []), { env: { REINS_SESSION: "1" } })
        const params = yield* gatewayParams("codex", gatewayTools(gateway))
        assert.deepStrictEqual(Object.keys(params), ["env", "mcpServers"])
      })
    )
  )
})
