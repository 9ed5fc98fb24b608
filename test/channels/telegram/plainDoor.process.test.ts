/** With promises: a bridge serves Telegram as it is made, and rejects where the token is refused. */
import { assert, it } from "vitest"
import { createBridge } from "../../../src/bridge/promise/CreateBridge.ts"
import { Telegram } from "../../../src/channels/telegram/Telegram.ts"
import { TelegramServer } from "../../../src/testing.ts"
import { ann } from "./kit.ts"

it("a bridge of promises serves Telegram until it is closed", async () => {
  await using tg = await TelegramServer.start()
  await using bridge = createBridge({
    agents: { claude: {} },
    access: { owners: [String(ann)] },
    store: { memory: true }
  })
  const serving = bridge.serve(Telegram.channel({ token: tg.token, apiRoot: tg.url }))
  tg.say("/whoami")
  await tg.until(() => tg.chat(ann).find(({ isOurs, text }) => isOurs && text.includes("owner")))
  await bridge.close()
  await serving
  await tg.until(() => (tg.listeners() === 0 ? true : undefined))
})

it("a bridge of promises rejects where the token is refused", async () => {
  await using tg = await TelegramServer.start()
  await using bridge = createBridge({ agents: { claude: {} }, access: { owners: ["1"] }, store: { memory: true } })
  tg.revoke()
  const error = await bridge.serve(Telegram.channel({ token: tg.token, apiRoot: tg.url })).catch((input) => input)
  assert.include(String(error.message), "refuses the token")
})
