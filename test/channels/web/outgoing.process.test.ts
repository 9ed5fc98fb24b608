/**
 * Messages of the bridge, as the page shows them: its own questions are the bridge's, and messages of an agent are the
 * agent's.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRowTable } from "../../../src/channels/web/rows/rowTable.ts"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { uuid } from "./page.ts"

const buttons = [[{ label: "Agree", data: "p:1:y" }]]

describe("a message of the bridge", () => {
  it.effect.each([
    ["its question about a plan for later", "schedule/1/asked/0", buttons, { row: "host", what: "notice" }],
    ["what became of it", "schedule/1/decided/0", undefined, { row: "host", what: "notice" }],
    ["the answer of a command", '["command",1]/0', undefined, { row: "host", what: "notice" }],
    ["a question of the agent", "bridge-1/ask/0", buttons, { row: "said" }]
  ] as const)("%s", ([_, key, own, expected]) =>
    Effect.gen(function* () {
      const { send } = (yield* WebChat.make({ authorize: () => undefined })).channel
      const chatId = `ann/${uuid()}`
      const body = { text: "Shall it run?", ...(own === undefined ? {} : { buttons: own }) }
      const { messageId } = yield* send({ channel: "web", accountId: "web", chatId }, { text: body.text, body }, key)
      const row = yield* makeRowTable(yield* Store, "web").get(chatId, Number(messageId))
      assert.deepInclude(row, { ...expected, text: "Shall it run?" })
      assert.deepStrictEqual(row !== undefined && "buttons" in row ? row.buttons : undefined, own)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
