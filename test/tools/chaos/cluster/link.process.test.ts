/** A link passes on, breaks and stalls as it is told. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Link, openLink } from "../../../../tools/chaos/cluster/link.ts"

const echo = createServer((socket) => void socket.pipe(socket).on("error", () => {}))
let link: Link

beforeEach(async () => {
  echo.listen(0, "127.0.0.1")
  await once(echo, "listening")
  const address = echo.address()
  link = await openLink(typeof address === "object" && address !== null ? address.port : 0)
})
afterEach(() => {
  link.close()
  echo.close()
})

const dial = (port = link.port) => connect(port, "127.0.0.1").on("error", () => {})

/** However it was closed: `once` of Node fails where an error comes first. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))

const answerOf = async (socket: Socket, text: string) => {
  socket.write(text)
  const [chunk] = await once(socket, "data")
  return String(chunk)
}

describe("a link", () => {
  it("passes on both ways", async () => {
    const socket = dial()
    assert.strictEqual(await answerOf(socket, "one"), "one")
  })

  it("breaks what is connected and what connects while it is cut, and passes on again", async () => {
    const before = dial()
    assert.strictEqual(await answerOf(before, "one"), "one")
    const broken = closed(before)
    link.set("cut")
    await broken
    await closed(dial())
    link.set("open")
    assert.strictEqual(await answerOf(dial(), "two"), "two")
  })

  it("holds back what comes while it is stalled, of old connections and new ones", async () => {
    const before = dial()
    assert.strictEqual(await answerOf(before, "one"), "one")
    link.set("stalled")
    const during = dial()
    await once(during, "connect")
    const answers: Array<string> = []
    for (const [name, socket] of Object.entries({ before, during })) {
      socket.on("data", () => void answers.push(name))
      socket.write("two")
    }
    // Another connection to the same place goes there and back meanwhile.
    const address = echo.address()
    const direct = dial(typeof address === "object" && address !== null ? address.port : 0)
    assert.strictEqual(await answerOf(direct, "three"), "three")
    direct.destroy()
    assert.deepStrictEqual(answers, [])
    const both = Promise.all([once(before, "data"), once(during, "data")])
    link.set("open")
    await both
    assert.sameMembers(answers, ["before", "during"])
  })
})
