/** With promises: a bridge serves WhatsApp as it is made, and rejects where the token is refused or the port is taken. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "vitest"
import { createBridge } from "../../../src/bridge/promise/CreateBridge.ts"
import { WhatsApp } from "../../../src/channels/whatsapp/WhatsApp.ts"
import { WhatsAppServer } from "../../../src/testing.ts"
import { annNumber, optionsFor } from "./kit.ts"

const open = () => createBridge({ agents: { claude: {} }, access: { owners: [annNumber] }, store: { memory: true } })

const freePort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return { port, close: () => new Promise((resolve) => server.close(resolve)) }
}

it("a bridge of promises serves WhatsApp until it is closed", async () => {
  await using wa = await WhatsAppServer.start({ pace: false, repeatMs: [20] })
  await using bridge = open()
  const { port, close } = await freePort()
  await close()
  const serving = bridge.serve(WhatsApp.listen({ ...optionsFor(wa), port }))
  const webhook = `http://127.0.0.1:${port}/whatsapp`
  await wa.until(() => wa.calls().find(({ method }) => method === "phone"))
  for (let isThere = false; !isThere; )
    isThere = await wa.subscribe(webhook).then(
      () => true,
      () => false
    )
  wa.say("/whoami")
  await wa.until(() => wa.chat().find(({ isOurs, text }) => isOurs && text.includes("owner")))
  await bridge.close()
  await serving
  assert.strictEqual(
    await fetch(webhook).then(
      () => "there",
      () => "gone"
    ),
    "gone"
  )
})

it("a bridge of promises rejects where the token is refused, or the port is taken", async () => {
  await using wa = await WhatsAppServer.start()
  await using bridge = open()
  const { port, close } = await freePort()
  const rejected = async () =>
    String((await bridge.serve(WhatsApp.listen({ ...optionsFor(wa), port })).catch((input) => input)).message)
  assert.include(await rejected(), "in use by another program")
  await close()
  wa.revoke()
  assert.include(await rejected(), "refuses the token")
})
