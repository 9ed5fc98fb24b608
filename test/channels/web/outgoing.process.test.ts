/**
 * Messages of the bridge, as the page shows them: its own questions are the bridge's, and messages of an agent are the
 * agent's.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeOutgoing } from "../../../src/channels/web/channel.ts"
import { makeFiles } from "../../../src/channels/web/files.ts"
import { makeConversationTable } from "../../../src/channels/web/rows/conversationTable.ts"
import { makeHub } from "../../../src/channels/web/rows/hub.ts"
import { makeRowLog } from "../../../src/channels/web/rows/rowLog.ts"
import { makeRowTable } from "../../../src/channels/web/rows/rowTable.ts"
import { makeTurnProjection } from "../../../src/channels/web/turnProjection.ts"
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
      const store = yield* Store
      const [hub, table] = [makeHub(), makeRowTable(store, "web")]
      const log = yield* makeRowLog(table, hub)
      const conversations = makeConversationTable(store, "web")
      const known = yield* makeTurnProjection({ log, table, conversations, hub, onEnd: () => {} })
      const files = yield* makeFiles(store, "web", 1_000)
      const { send } = makeOutgoing({ accountId: "web", log, table, files, projection: known })
      const chatId = `ann/${uuid()}`
      const body = { text: "Shall it run?", ...(own === undefined ? {} : { buttons: own }) }
      const { messageId } = yield* send({ channel: "web", accountId: "web", chatId }, { text: body.text, body }, key)
      const row = yield* table.get(chatId, Number(messageId))
      assert.deepInclude(row, { ...expected, text: "Shall it run?" })
      assert.deepStrictEqual(row !== undefined && "buttons" in row ? row.buttons : undefined, own)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
